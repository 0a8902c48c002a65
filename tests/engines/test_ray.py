"""Ray Data: the documented job, what check_column says, a worker killed, what is refused."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.engines.contacts import COLUMN, FIELDS, OWN, list_answers, run_job
from tests.engines.gated_parts import PARTS, make_part, require_all_rows_after_a_kill
from tests.engines.present import require_engine

require_engine("ray")

import ray  # noqa: E402

import winnow.ray  # noqa: E402

pytestmark = [pytest.mark.engines, pytest.mark.filterwarnings("default")]


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
    dataset = ray.data.from_pandas(pd.DataFrame({"email": COLUMN * 3})).repartition(3)
    rows = winnow.ray.check(dataset, "email", OWN, duplicate_key=True).take_all()
    assert len(rows) == len(COLUMN * 3)
    wanted = dict(zip(COLUMN, list_answers(), strict=True))
    for row in rows:
        assert [row[name] for name in (*FIELDS, "duplicate_key")] == wanted[row["email"]]


def test_a_killed_workers_blocks_are_checked_again(tmp_path: Path) -> None:
    def make_block(numbers: dict[str, Any]) -> pd.DataFrame:
        return pd.concat([make_part(int(number), str(tmp_path)) for number in numbers["id"]])

    numbers = ray.data.range(PARTS, override_num_blocks=PARTS)
    checked = winnow.ray.check(numbers.map_batches(make_block, batch_size=None), "email")
    require_all_rows_after_a_kill(tmp_path, checked.take_all)
