"""Addresses as they came of the rows that were corrected, of removed duplicates as well.

``former.parquet`` has the duplicate key of each, and of an address inside it, with every row of the
result (from 0) that reaches the corrected one's mailbox; it is there where there are any.
"""

from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from winnow.core.addresses.address import duplicate_key
from winnow.core.addresses.repairs import find_repair, find_several
from winnow.lists.engine.duplicates import number_mailboxes
from winnow.lists.engine.row_codes import FIRST_FAULT
from winnow.lists.execution.row_store import RowStore
from winnow.lists.execution.run_files import create_durably

FORMER = "former.parquet"
PAIRS_MOST = 1_024  # of a mailbox, or an address; more take too much room to be written out


def write_former(
    folder: Path,
    store: RowStore,
    canonical: NDArray[np.uint32],
    is_gone: NDArray[np.bool_],
) -> None:
    """Write those of a run to its result; arguments are as for ``write_noes``.

    Of a mailbox with more than ``PAIRS_MOST`` pairs each key is that of one row: the corrected one,
    or the first that stays.
    """
    corrected, came = store.read_former()
    if not len(corrected):
        return
    codes = store.read("codes")
    numbers = number_mailboxes(store.read("boxes"), canonical[codes])
    texts = zip(corrected.tolist(), came, strict=True)
    pairs = [(row, duplicate_key(one)) for row, old in texts for one in (old, *list_inner(old))]
    rows, keys = map(list, zip(*pairs, strict=True))
    is_kept = (codes >= FIRST_FAULT) & ~is_gone
    own = np.where(is_kept[rows], np.cumsum(is_kept)[rows] - 1, -1)
    former = pl.DataFrame({"number": numbers[rows], "key": keys, "own": own})
    former = former.unique(["number", "key"], maintain_order=True)
    kept = pl.DataFrame({"number": numbers[is_kept], "row": np.arange(np.count_nonzero(is_kept))})
    boxes = kept.group_by("number").agg(pl.first("row").alias("first"), rows=pl.len())
    former = former.join(boxes, on="number")
    is_many = pl.len().over("number") * pl.col("rows").cast(pl.Int64) > PAIRS_MOST
    one_row = pl.when(pl.col("own") < 0).then("first").otherwise("own")
    table = pl.concat(
        [
            former.filter(~is_many).join(kept, on="number").select("row", "key"),
            former.filter(is_many).select(one_row.alias("row"), "key"),
        ]
    )
    with create_durably(folder / FORMER) as file:
        table.sort("row", "key").write_parquet(file)


def read_former(folder: Path) -> tuple[NDArray[np.int64], list[str]]:
    """Return the rows of a result and the keys; none where the result has no such file."""
    if not (folder / FORMER).exists():
        return np.empty(0, np.int64), []
    table = pl.read_parquet((folder / FORMER).read_bytes())
    return table["row"].to_numpy(), table["key"].to_list()


def list_inner(text: str) -> list[str]:
    """Return the addresses inside a malformed cell: ``Ana <ana@x.example>``, several in one."""
    return find_several(text) or [one.new for one in [find_repair(text)] if one]
