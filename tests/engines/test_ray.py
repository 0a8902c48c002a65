"""Ray Data: the documented job, what check_column says, a worker killed, what is refused."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pandas as pd
import pytest

from tests.engines.contacts import run_job
from tests.engines.gated_parts import GATE, make_part, read_makers, wait_for_workers
from tests.engines.present import require_engine

require_engine("ray")

import ray  # noqa: E402

import winnow.ray  # noqa: E402

pytestmark = [pytest.mark.engines, pytest.mark.filterwarnings("default")]

COLUMN = ["ana@gmail.com", None, "x@mailinator.com", "", "Info+x@gmail.com"] * 3
FIELDS = ("category", "domain_type", "suggestion", "is_role", "domain")


@pytest.fixture(scope="module", autouse=True)
def workers() -> Iterator[None]:
    """Two workers, with nothing drawn."""
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield
    ray.shutdown()


def test_the_documented_job_keeps_what_is_reckoned(tmp_path: Path) -> None:
    run_job("Ray Data", tmp_path)


def test_blocks_say_what_check_column_says() -> None:
    dataset = ray.data.from_pandas(pd.DataFrame({"email": COLUMN})).repartition(3)
    rows = winnow.ray.check(dataset, "email", {"gmail.com": "grey"}, duplicate_key=True).take_all()
    answers = winnow.check_column(COLUMN, own_lists={"gmail.com": "grey"})
    keys = winnow.duplicate_keys(COLUMN)
    wanted = {
        text: [one and getattr(one, name) for name in FIELDS] + [key]
        for text, one, key in zip(COLUMN, answers, keys, strict=True)
    }
    assert len(rows) == len(COLUMN)
    for row in rows:
        assert [row[name] for name in (*FIELDS, "duplicate_key")] == wanted[row["email"]]


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        pytest.param({"x": ["a"]}, "no column 'email' among x", id="no-column"),
        pytest.param({"email": [1]}, "column of texts", id="no-texts"),
        pytest.param({"email": ["a"], "domain": ["b"]}, "rename them first: domain", id="taken"),
    ],
)
def test_what_cannot_be_checked_is_refused(frame: dict[str, list[object]], words: str) -> None:
    with pytest.raises(ray.exceptions.RayTaskError, match=words):
        winnow.ray.check(ray.data.from_pandas(pd.DataFrame(frame)), "email").take_all()


def test_a_killed_workers_blocks_are_checked_again(tmp_path: Path) -> None:
    def make_block(numbers: dict[str, Any]) -> pd.DataFrame:
        return pd.concat([make_part(int(number), str(tmp_path)) for number in numbers["id"]])

    numbers = ray.data.range(6, override_num_blocks=6)
    checked = winnow.ray.check(numbers.map_batches(make_block, batch_size=None), "email")
    found: list[dict[str, Any]] = []
    running = Thread(target=lambda: found.extend(checked.take_all()))
    running.start()
    killed, *_ = wait_for_workers(tmp_path, 2)
    os.kill(killed, signal.SIGKILL)
    (tmp_path / GATE).touch()
    running.join(timeout=120)
    categories = [row["category"] for row in found]
    assert (categories.count("white"), categories.count("black")) == (150, 150)
    assert len({row["email"] for row in found}) == 300
    assert any(killed in pids and len(pids) > 1 for pids in read_makers(tmp_path).values())
