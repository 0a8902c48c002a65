"""Unsubscribed rows: those whose own columns say that they may not be mailed."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from winnow.core.lists.consent import ConsentColumn, find_consent, forbids_mail
from winnow.core.tasks.task import InputPlan
from winnow.core.verdicts.reasons import Reason
from winnow.lists.result.cell_queries import name_column
from winnow.lists.result.cell_questions import CellReader
from winnow.lists.result.marked_view import MarkedView, RowMarks
from winnow.lists.result.row_columns import RowIndex

if TYPE_CHECKING:
    from winnow.lists.result.cell_table import CellTable

_WORD = r"\p{L}|^\s*[01]\s*$"  # days and other numbers decide in opt-out columns only


def see_unsubscribed(folder: Path, plan: InputPlan) -> MarkedView | None:
    """Return a result with its unsubscribed rows marked; None where there are none."""
    rows = find_unsubscribed(CellReader(folder, plan))
    marks = RowMarks.of({Reason.UNSUBSCRIBED: [rows]})
    return MarkedView(RowIndex.open(folder), None, marks) if len(rows) else None


def find_unsubscribed(cells: CellReader) -> NDArray[np.int64]:
    """Return the rows, from 0 and rising, that a column of consent says may not be mailed."""
    kinds = dict(find_consent(cells.plan.columns))
    kinds.pop(cells.plan.email_column, None)
    return cells.find(find_forbidding, kinds) if kinds else np.empty(0, np.int64)


def find_forbidding(table: "CellTable", kinds: Mapping[int, ConsentColumn]) -> NDArray[np.int64]:
    """Return the rows with a cell that forbids mail; each distinct text is read once."""
    found = np.zeros(table.index.row_count, np.bool_)
    for column in kinds.keys() & set(table.columns):
        kind, name = kinds[column], name_column(column)
        words = f"regexp_matches({name}, '{_WORD}')"
        condition = f"{name} <> ''" if kind is ConsentColumn.OPT_OUT else words
        with table.query() as run:
            known = run(f"SELECT DISTINCT {name} FROM {table.scan()} WHERE {condition}")[name]  # noqa: S608
        forbidding = [text for text in known.tolist() if forbids_mail(kind, text)]
        if forbidding:
            found |= table.match(f"{name} IN (SELECT unnest($texts))", texts=forbidding)
    return np.flatnonzero(found)
