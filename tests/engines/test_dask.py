"""Dask: the documented job, frames of every state, a worker killed, a worker of another version."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from tests.engines.contacts import run_job
from tests.engines.gated_parts import GATE, make_part, read_makers, wait_for_workers
from tests.engines.present import require_engine

require_engine("dask")

import dask  # noqa: E402
import dask.dataframe as dd  # noqa: E402
from dask.distributed import Client, LocalCluster  # noqa: E402

import winnow.dask  # noqa: E402
from winnow.library import open_data  # noqa: E402
from winnow.library.open_data import DomainDataDiffers  # noqa: E402

pytestmark = [pytest.mark.engines, pytest.mark.filterwarnings("default")]

COLUMN = ["ana@gmail.com", None, "x@mailinator.com", "", "Info+x@gmail.com"] * 3


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as opened,
    ):
        yield opened


def test_the_documented_job_keeps_what_is_reckoned(tmp_path: Path) -> None:
    with dask.config.set(scheduler="threads"):
        run_job("Dask", tmp_path)


def test_partitions_say_what_check_column_says(client: Client) -> None:
    emails = pd.Series(COLUMN, index=[7] * len(COLUMN), dtype="str")
    frame = dd.from_pandas(pd.DataFrame({"email": emails}), npartitions=4, sort=False)
    checked = winnow.dask.check(frame, "email", {"gmail.com": "grey"}, duplicate_key=True)
    found = checked.compute()
    assert found.dtypes.to_dict() == checked.dtypes.to_dict()
    wanted = winnow.check_column(COLUMN, own_lists={"gmail.com": "grey"})
    for name in ("category", "domain_type", "suggestion", "is_role", "domain"):
        cells = [None if pd.isna(cell) else cell for cell in found[name]]
        assert cells == [one and getattr(one, name) for one in wanted], name
    keys = [None if pd.isna(cell) else cell for cell in found["duplicate_key"]]
    assert keys == winnow.duplicate_keys(COLUMN)


def test_a_killed_workers_parts_are_checked_again(client: Client, tmp_path: Path) -> None:
    frame = dd.from_map(make_part, range(6), folder=str(tmp_path), meta={"email": "str"})
    running = client.compute(winnow.dask.check(frame, "email"))
    killed, *_ = wait_for_workers(tmp_path, 2)
    os.kill(killed, signal.SIGKILL)
    (tmp_path / GATE).touch()
    found = running.result(timeout=120)
    assert found["category"].value_counts().to_dict() == {"white": 150, "black": 150}
    assert found["email"].nunique() == 300
    assert any(killed in pids and len(pids) > 1 for pids in read_makers(tmp_path).values())


def test_a_worker_of_another_version_refuses(client: Client) -> None:
    def become_other() -> None:
        open_data.VERSION = "0.0.9"
        open_data.open_shipped.cache_clear()

    def become_same(version: str) -> None:
        open_data.VERSION = version

    client.run(become_other)
    frame = dd.from_pandas(pd.DataFrame({"email": COLUMN}), npartitions=2)
    checked = winnow.dask.check(frame, "email", {"x.de": "white"})
    with pytest.raises(DomainDataDiffers, match=r"this worker has Winnow 0\.0\.9"):
        checked.compute()
    client.run(become_same, open_data.VERSION)
    assert len(checked.compute()) == len(COLUMN)
