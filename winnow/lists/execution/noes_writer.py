"""Writer of what rows say of mail to a mailbox, removed rows included (``result/noes.py``)."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from winnow.core.meaning.columns import ColumnMeaning, MailDecisions, read_cell
from winnow.core.meaning.outcomes import Outcome
from winnow.core.verdicts.reasons import Reason
from winnow.lists.engine.hash_numbers import find_hashes
from winnow.lists.engine.row_codes import FAULT_CODES, FIRST_FAULT
from winnow.lists.engine.row_ranks import RowRanks
from winnow.lists.engine.said_cells import SaidCells, read_meanings
from winnow.lists.execution.row_store import RowStore
from winnow.lists.execution.run_files import create_durably
from winnow.lists.result.noes import NOES, VALUES, name_cells

_MIX = np.uint64(0x9E3779B97F4A7C15)  # as in ``duplicates``
_VALUES_KEPT = 1_000  # of a column
_SILENT = (Outcome.MAIL, Outcome.DELIVERED, Outcome.NOTHING)


def write_noes(
    folder: Path,
    said: SaidCells,
    names: Sequence[str],
    email_column: int,
    store: RowStore,
    canonical: NDArray[np.uint32],
    is_gone: NDArray[np.bool_],
    ranks: RowRanks,
    number_rows: Callable[[NDArray[np.int64]], NDArray[np.int64]],
    decisions: MailDecisions,
) -> None:
    """Write the rows of each mailbox that any row says something of.

    Args:
        folder: Of the result.
        said: What was read.
        names: The list's columns.
        email_column: Holds the addresses.
        store: The rows of the first pass, with ``boxes``.
        canonical: One code for the domains of one mailbox.
        is_gone: Which rows are removed.
        ranks: Settle dates, where the rule has a column of them.
        number_rows: Gives the numbers of rows in the file.
        decisions: On columns and values.
    """
    codes, numbers, cells = store.read("codes"), store.read("said"), said.read()
    is_row = codes >= FIRST_FAULT
    counts = np.bincount(numbers[is_row], minlength=len(cells))
    values = said.count(cells, counts)
    meanings = read_meanings(names, values, email_column, decisions)
    is_noted = np.array(
        [_is_noted(meanings, said.places, some, decisions) for some in cells], np.bool_
    )
    is_named = is_row & (codes != FAULT_CODES[Reason.EMPTY])
    boxes = store.read("boxes") * _MIX ^ canonical[codes]
    wanted = np.unique(boxes[is_named & is_noted[numbers]])
    rows, groups = find_hashes(wanted, boxes)
    is_wanted = is_named[rows]
    rows, groups = rows[is_wanted], groups[is_wanted]
    result_rows = np.cumsum(is_row & ~is_gone) - 1
    when = np.zeros(len(rows), np.uint64)
    if ranks.rule.date_column is not None:
        when = ranks.settle(store.read("ranks")[rows])
    columns = {
        "mailbox": pa.array(groups, pa.uint32()),
        "number": pa.array(number_rows(rows), pa.uint32()),
        "row": pa.array(np.where(is_gone[rows], -1, result_rows[rows]), pa.int64()),
        "when": pa.array(when, pa.uint64()),
    }
    used, places = np.unique(numbers[rows], return_inverse=True)
    for place, some in zip(said.places, zip(*cells, strict=True), strict=True):
        texts = pa.array([some[number] for number in used.tolist()], pa.string())
        columns[name_cells(place)] = texts.take(pa.array(places)).dictionary_encode()
    listed = {place: dict(some.most_common(_VALUES_KEPT)) for place, some in values.items()}
    with create_durably(folder / NOES) as file:
        table = pa.table(columns).replace_schema_metadata({VALUES: json.dumps(listed)})
        pq.write_table(table, file, compression="zstd", compression_level=1)


def _is_noted(
    meanings: Sequence[ColumnMeaning],
    places: Sequence[int],
    cells: Sequence[str],
    decisions: MailDecisions,
) -> bool:
    """Return whether a row is written down: a cell forbids mail, or may once it is decided on."""
    for meaning in meanings:
        cell = cells[places.index(meaning.position)] if meaning.position in places else ""
        if not cell.strip():
            continue
        outcome = read_cell(meaning, cell, decisions)
        if outcome.forbids or (meaning.applied and outcome not in _SILENT):
            return True
        known = {word.value: word.is_known for word in meaning.words}
        if meaning.applied and not known.get(cell, True):
            return True
    return False
