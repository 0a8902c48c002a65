"""Dask: the documented job, frames of every state. ``test_cluster`` kills and changes workers."""

from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from tests.engines.contacts import COLUMN, FIELDS, OWN, list_answers, run_job
from tests.engines.present import require_engine

require_engine("dask")

import dask  # noqa: E402
import dask.dataframe as dd  # noqa: E402
from dask.distributed import Client, LocalCluster  # noqa: E402

import winnow.dask  # noqa: E402

pytestmark = [pytest.mark.engines, pytest.mark.filterwarnings("default")]


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
    emails = pd.Series(COLUMN * 3, index=[7] * len(COLUMN * 3), dtype="str")
    frame = dd.from_pandas(pd.DataFrame({"email": emails}), npartitions=4, sort=False)
    checked = winnow.dask.check(frame, "email", OWN, duplicate_key=True)
    found = checked.compute()
    assert found.dtypes.to_dict() == checked.dtypes.to_dict()
    cells = found[[*FIELDS, "duplicate_key"]].itertuples(index=False)
    rows = [[None if pd.isna(cell) else cell for cell in row] for row in cells]
    assert rows == list_answers() * 3
