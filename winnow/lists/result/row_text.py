"""Text file of a finished result's rows: its dialect, and runs of empty cells in it.

An engine whose result is no delimited UTF-8 text writes its rows once more as ``rows.csv``. A
sheet's rows may be mostly empty: a long run of empty cells is a mark that says the number of its
delimiters, and the last of them. A mark has bytes that UTF-8 never has, so that no cell looks like
one and no search meets it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from winnow.core.tasks.input_plan import InputPlan

RESULT_NAME = "result"
ROWS_TEXT_NAME = "rows.csv"

_LEAD = b"\xff"
_FIRST_DIGIT, _BASE = 0xF8, 7
_MARK = re.compile(rb"\xff([\xf8-\xfe]{5})")


@dataclass(frozen=True, slots=True)
class RowText:
    """How the text file is to be read.

    ``head_bytes`` is what is before the first row (BOM, header, blank lines). ``width`` is
    the number of the list's own cells in each row, 0 for the plan's; ``has_verdicts`` says that
    the added ones come after them. ``added_count`` is the number of these in the result, that of
    releases up to 0.3 where none is stored. ``escape`` is a
    backslash where it escapes, in results of earlier releases. ``escapes`` is the ``EscapeStyle``
    of a list of which the text file is plain CSV.
    ``has_runs``: long runs of empty cells are marks, in results of earlier releases.
    ``repaired`` is the name of the column of repaired addresses, the last of a row's own cells;
    ``""`` where there is none.
    ``original`` is the name of the column of the former addresses, where cells were replaced.
    ``judged`` names the two columns that 0.2 wrote after that of the address, where it judged two
    addresses a row: the last of a row's own cells.
    """

    file_name: str = ROWS_TEXT_NAME
    encoding: str = "utf-8"
    delimiter: str = ","
    head_bytes: int = 0
    width: int = 0
    has_verdicts: bool = False
    added_count: int = 2
    escape: str = ""
    has_runs: bool = False
    repaired: str = ""
    original: str = ""
    judged: tuple[str, ...] = ()
    escapes: str = ""

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> "RowText":
        """Read what the meta file of a row index has."""
        form = cls(**{**fields, "judged": tuple(fields.get("judged", ()))})
        if not form.has_verdicts:  # nor has it cells of such columns
            return replace(form, judged=())
        return replace(form, width=form.width + len(form.judged))

    def extend_plan(self, plan: InputPlan) -> InputPlan:
        """Return a list's plan with the columns that its rows have here, and where addresses are.

        Every cell has a column; the repaired addresses are what rows were judged by.
        """
        name = self.repaired or self.original
        added = (name, *self.judged) if name else ()
        place = self.width - len(added)
        columns = (*plan.columns, *[""] * (place - len(plan.columns)), *added)
        return replace(
            plan, columns=columns, email_column=place if self.repaired else plan.email_column
        )

    def find_former(self, plan: InputPlan) -> int | None:
        """Return the column with addresses as they came, where others were judged or in place."""
        if self.repaired:
            return plan.email_column
        return self.width - 1 - len(self.judged) if self.original else None


def word_tail(cells: Sequence[str], form: RowText) -> bytes:
    """Return cells as they are after a record's own."""
    text = "".join(form.delimiter + quote_cell(cell, form) for cell in cells)
    return text.encode(form.encoding, "replace")


def quote_cell(cell: str, form: RowText) -> str:
    """Return a cell as it may be in a record."""
    if form.escape:
        cell = cell.replace(form.escape, 2 * form.escape)
    if any(mark in cell for mark in (form.delimiter, '"', "\n", "\r")):
        return '"' + cell.replace('"', (form.escape or '"') + '"') + '"'
    return cell


def expand_runs(rows: bytes, delimiter: bytes) -> bytes:
    """Return rows with all their delimiters."""
    return _MARK.sub(partial(_expand, delimiter), rows) if _LEAD in rows else rows


def _expand(delimiter: bytes, mark: re.Match[bytes]) -> bytes:
    count = 0
    for digit in reversed(mark[1]):
        count = count * _BASE + digit - _FIRST_DIGIT
    return delimiter * count
