"""Addresses as they came of rows that are removed because a correction made them duplicates.

``former.parquet`` has the duplicate key of each, and the result's row (from 0) that is kept of its
corrected address; it is there where there are any.
"""

from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from winnow.core.addresses.address import duplicate_key
from winnow.lists.engine.duplicates import number_mailboxes
from winnow.lists.engine.row_codes import FIRST_FAULT
from winnow.lists.engine.row_ranks import RowRanks
from winnow.lists.execution.row_store import RowStore
from winnow.lists.execution.run_files import create_durably

FORMER = "former.parquet"
_COLUMNS = {"row": pl.Int64, "key": pl.String}


def write_former(
    folder: Path,
    store: RowStore,
    canonical: NDArray[np.uint32],
    ranks: RowRanks,
    is_gone: NDArray[np.bool_],
) -> None:
    """Write those of a run to its result; ``is_gone`` is what ``find_gone`` found by the same."""
    corrected, came = store.read_former()
    removed = np.flatnonzero(is_gone[corrected])
    if not len(removed):
        return
    gone, keys = corrected[removed], [duplicate_key(came[one]) for one in removed.tolist()]
    codes = canonical[store.read("codes")[gone]]
    numbers = number_mailboxes(store.read(ranks.compared)[gone], codes)
    kept, start, count = [], 0, 0
    for some in store.compared_rows(ranks):
        stays = (some.codes >= FIRST_FAULT) & ~is_gone[start : start + len(some.codes)]
        own = number_mailboxes(some.keys[stays], canonical[some.codes[stays]])
        found = np.flatnonzero(np.isin(own, numbers))
        kept.append(pl.DataFrame({"row": found + count, "number": own[found]}))
        start, count = start + len(some.codes), count + len(own)
    table = pl.DataFrame({"key": keys, "number": numbers}).join(pl.concat(kept), on="number")
    with create_durably(folder / FORMER) as file:
        table.select("row", "key").write_parquet(file)


def read_former(folder: Path) -> tuple[NDArray[np.int64], list[str]]:
    """Return the rows of a result and the keys; none where the result has no such file."""
    table = pl.DataFrame(schema=_COLUMNS)
    if (path := folder / FORMER).exists():
        with path.open("rb") as file:
            table = pl.read_parquet(file)
    return table["row"].to_numpy(), table["key"].to_list()
