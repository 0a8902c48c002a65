"""Writer of what rows say of mail to a mailbox, removed rows included (``result/noes.py``)."""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from winnow.core.addresses.mailbox import GMAIL, MAILBOX_DOMAINS, HasPlusTags
from winnow.core.meaning.columns import ColumnMeaning, MailDecisions, read_cell
from winnow.core.meaning.outcomes import Outcome
from winnow.core.verdicts.reasons import Reason
from winnow.lists.engine.duplicates import number_mailboxes
from winnow.lists.engine.hash_numbers import find_hashes
from winnow.lists.engine.row_codes import FAULT_CODES, FIRST_FAULT
from winnow.lists.engine.row_ranks import RowRanks
from winnow.lists.engine.said_cells import SaidCells, read_meanings
from winnow.lists.execution.row_store import KEYS_AT_ONCE, RowStore
from winnow.lists.execution.run_files import create_durably
from winnow.lists.result.cell_queries import find_mailboxes
from winnow.lists.result.cell_table import CellReader
from winnow.lists.result.noes import NOES, VALUES, name_cells, read_wrapped

_VALUES_KEPT = 1_000  # of a column
_SILENT = (Outcome.MAIL, Outcome.DELIVERED, Outcome.NOTHING)


def write_noes(
    result: CellReader,
    said: SaidCells,
    store: RowStore,
    canonical: NDArray[np.uint32],
    is_gone: NDArray[np.bool_],
    ranks: RowRanks,
    number_rows: Callable[[NDArray[np.int64]], NDArray[np.int64]],
    decisions: MailDecisions,
    has_plus_tags: HasPlusTags,
) -> None:
    """Write the rows of each mailbox that any row says something of.

    Args:
        result: Of the list, written.
        said: What was read.
        store: The rows of the first pass, with ``boxes``.
        canonical: One code for the domains of one mailbox.
        is_gone: Which rows are removed.
        ranks: Settle dates, where the rule has a column of them.
        number_rows: Gives the numbers of rows in the file.
        decisions: On columns and values.
        has_plus_tags: Of domains.
    """
    plan = result.plan
    cells = said.read()
    counts = np.zeros(len(cells), np.int64)
    for stretch in _read(store, canonical):
        counts += np.bincount(stretch.numbers[stretch.is_row], minlength=len(cells))
    values = said.count(cells, counts)
    meanings = read_meanings(plan.columns, values, plan.email_column, decisions)
    noted = (_is_noted(meanings, said.indices, some, decisions) for some in cells)
    is_noted = np.fromiter(noted, np.bool_, len(cells))
    wanted = np.unique(
        np.concatenate(
            [one.boxes[one.is_named & is_noted[one.numbers]] for one in _read(store, canonical)]
        )
    )
    found = [_find_rows(one, wanted) for one in _read(store, canonical)]
    rows, groups, numbers = (np.concatenate(some) for some in zip(*found, strict=True))
    is_kept = ~is_gone
    start = 0
    for one in _read(store, canonical):
        is_kept[start : start + len(one.is_row)] &= one.is_row
        start += len(one.is_row)
    result_rows = np.cumsum(is_kept, dtype=np.uint32)[rows].astype(np.int64) - 1
    when = np.zeros(len(rows), np.uint64)
    if ranks.rule.date_column is not None:
        when = ranks.settle(store.read("ranks")[rows])
    columns = {
        "mailbox": pa.array(groups, pa.uint32()),
        "number": pa.array(number_rows(rows), pa.uint32()),
        "row": pa.array(np.where(is_gone[rows], -1, result_rows), pa.int64()),
        "when": pa.array(when, pa.uint64()),
    }
    used, indices = np.unique(numbers, return_inverse=True)
    for place, some in zip(said.indices, zip(*cells, strict=True), strict=True):
        texts = pa.array([some[number] for number in used.tolist()], pa.string())
        columns[name_cells(place)] = texts.take(pa.array(indices)).dictionary_encode()
    listed = {place: dict(some.most_common(_VALUES_KEPT)) for place, some in values.items()}
    table = _join_wrapped(pa.table(columns), result, has_plus_tags)
    with create_durably(result.folder / NOES) as file:
        table = table.replace_schema_metadata({VALUES: json.dumps(listed)})
        pq.write_table(table, file, compression="zstd", compression_level=1)


def _join_wrapped(table: pa.Table, result: CellReader, has_plus_tags: HasPlusTags) -> pa.Table:
    """Add the rows of addresses that are inside malformed cells, as of the same mailboxes."""
    frame = pl.DataFrame(pl.from_arrow(table))
    kept = frame.filter(pl.col("row") >= 0).sort("row")
    rows, keys = read_wrapped(result, kept["row"].to_numpy())
    if not keys:
        return table
    domains = {*(key.rpartition("@")[2] for key in keys), *MAILBOX_DOMAINS, GMAIL}
    tagged = [one for one in domains if has_plus_tags(MAILBOX_DOMAINS.get(one, one))]
    found, indices = result.find(find_mailboxes, keys, tagged)
    of_keys = pl.DataFrame({"row": rows[indices], "found": found})
    others = of_keys.join(kept.select("row", "mailbox"), on="row")
    others = others.select("mailbox", pl.col("found").alias("row"))
    both = pl.concat([frame, others], how="diagonal")
    texts = pl.exclude("mailbox", "number", "row", "when").cast(pl.String).fill_null("")
    return both.with_columns(texts, pl.col("number", "when").fill_null(0)).to_arrow()


class _Stretch(NamedTuple):
    """Some rows; ``boxes`` are alike for one mailbox, ``is_named`` is false for blank addresses."""

    start: int
    numbers: NDArray[np.uint32]
    boxes: NDArray[np.uint64]
    is_row: NDArray[np.bool_]
    is_named: NDArray[np.bool_]


def _read(store: RowStore, canonical: NDArray[np.uint32]) -> Iterator[_Stretch]:
    """Yield the rows of the first pass, a stretch at a time."""
    for start in range(0, store.row_count, KEYS_AT_ONCE):
        codes, numbers, boxes = (
            store.read(name, start, KEYS_AT_ONCE) for name in ("codes", "said", "boxes")
        )
        is_row = codes >= FIRST_FAULT
        is_named = is_row & (codes != FAULT_CODES[Reason.EMPTY])
        boxes = number_mailboxes(boxes, canonical[codes])
        yield _Stretch(start, numbers, boxes, is_row, is_named)


def _find_rows(
    stretch: _Stretch, wanted: NDArray[np.uint64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint32]]:
    """Return the rows of the wanted mailboxes, the indices of these, and what the rows say."""
    indices, groups = find_hashes(wanted, stretch.boxes)
    is_wanted = stretch.is_named[indices]
    indices, groups = indices[is_wanted], groups[is_wanted]
    return indices + stretch.start, groups, stretch.numbers[indices]


def _is_noted(
    meanings: Sequence[ColumnMeaning],
    indices: Sequence[int],
    cells: Sequence[str],
    decisions: MailDecisions,
) -> bool:
    """Return whether a row is written down: a cell forbids mail, or may once it is decided on."""
    for meaning in meanings:
        cell = cells[indices.index(meaning.position)] if meaning.position in indices else ""
        if not cell.strip():
            continue
        outcome = read_cell(meaning, cell, decisions)
        if outcome.forbids or (meaning.applied and outcome not in _SILENT):
            return True
        known = {word.value: word.is_known for word in meaning.words}
        if meaning.applied and not known.get(cell, True):
            return True
    return False
