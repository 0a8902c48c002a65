"""What surrounds the rows of a data sheet: its header, tables, merged cells."""

import re
from dataclasses import dataclass
from itertools import islice

from winnow.core.errors import BrokenFile
from winnow.core.tasks.task import InputPlan
from winnow.lists.formats.xlsx.archive import XlsxArchive
from winnow.lists.formats.xlsx.book import Book, SheetPart, read_relations
from winnow.lists.formats.xlsx.cells import CellGrammar, MalformedRow, column_index, tell_broken_row
from winnow.lists.formats.xlsx.elements import stream_elements
from winnow.lists.formats.xlsx.head import MAX_ROWS_SEEN, spread_cells, strip_bom
from winnow.lists.formats.xlsx.sheet import SheetStream
from winnow.lists.formats.xlsx.text import CellTexts
from winnow.lists.inspection.first_row import SEARCH_ROWS

_AREA = re.compile(r"\$?([A-Z]{1,3})\$?([0-9]{1,7})(?::\$?([A-Z]{1,3})\$?([0-9]{1,7}))?\Z")
_COUNT = re.compile(r"[0-9]\Z")  # one row of totals, as a rule; nine at most are believed
_MERGE = re.compile(rb"<(?:[\w.-]+:)?mergeCell\s[^>]*?ref\s*=\s*[\"']([^\"']*)[\"']")


@dataclass(frozen=True, slots=True)
class Tables:
    """The tables on a sheet: their last column from 0 (-1 for none), rows that hold totals.

    ``last_row`` is the lowest of their rows, 0 for none.
    """

    last_column: int = -1
    totals_rows: frozenset[int] = frozenset()
    last_row: int = 0


def find_sheet(book: Book, name: str | None) -> SheetPart:
    """Return the sheet of a plan.

    Raises:
        BrokenFile: It is not there.
    """
    for sheet in book.sheets:
        if sheet.name == name:
            return sheet
    raise BrokenFile(
        "The workbook no longer has the sheet that was chosen.",
        hint="Choose the file again, and its sheet.",
        sheet=name,
    )


def read_tables(archive: XlsxArchive, sheet: SheetPart) -> Tables:
    """Read where a sheet's tables end and which rows are totals."""
    last_column, lowest, totals = -1, 0, set[int]()
    for relation in read_relations(archive, sheet.part):
        if relation.kind != "table" or archive.find(relation.target) is None:
            continue
        for element in stream_elements(archive, relation.target):
            area = _AREA.match(element.attributes.get("ref", ""))
            if element.path != ("table",) or area is None:
                continue
            last_column = max(last_column, column_index((area[3] or area[1]).encode()))
            last_row = int(area[4] or area[2])
            lowest = max(lowest, last_row)
            count = _COUNT.match(element.attributes.get("totalsRowCount", "0"))
            totals.update(last_row - place for place in range(int(count[0]) if count else 0))
    return Tables(last_column, frozenset(totals), lowest)


def find_last_merged_column(tail: bytes, first_row: int) -> int:
    """Return the last column, from 0, of merged cells that reach a row or below; -1 for none."""
    last = -1
    for match in _MERGE.finditer(tail):
        area = _AREA.match(match[1].decode("ascii", "replace"))
        if area is not None and int(area[4] or area[2]) >= first_row:
            last = max(last, column_index((area[3] or area[1]).encode()))
    return last


def find_header_row(
    archive: XlsxArchive, sheet: SheetPart, texts: CellTexts, plan: InputPlan
) -> int:
    """Return the number of the header's row; 0 for a plan without header.

    A plan of before does not say it: there it is the row that holds the plan's columns.

    Raises:
        BrokenFile: No such row among the first ones.
    """
    if not plan.has_header:
        return 0
    if plan.first_row:
        return plan.first_row
    stream = SheetStream(archive, sheet.part, sheet.name)
    grammar = CellGrammar(stream.prefix)
    number = filled = 0
    try:
        for row in islice(stream.rows(), MAX_ROWS_SEEN):
            number, _, cells = grammar.parse_row(row, number)
            columns = strip_bom(spread_cells(cells, texts, len(plan.columns)))
            if any(columns) and columns[: len(plan.columns)] == plan.columns:
                return number
            filled += any(columns)
            if filled > SEARCH_ROWS:
                break
    except (MalformedRow, ValueError, LookupError) as error:
        raise tell_broken_row(sheet.name, number, error) from error
    raise BrokenFile(
        "The sheet no longer has the header that was found.",
        hint="Choose the file again.",
        sheet=sheet.name,
    )
