"""An open workbook whose planned sheet can be read more than once, and its tables."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from winnow.core.errors import BrokenFile
from winnow.core.tasks.task import InputPlan
from winnow.lists.formats.xlsx.archive import XlsxArchive, open_archive
from winnow.lists.formats.xlsx.book import Book, SheetPart, read_book, read_relations
from winnow.lists.formats.xlsx.cells import SheetRow
from winnow.lists.formats.xlsx.markup import find_elements, read_root
from winnow.lists.formats.xlsx.references.formula import read_area
from winnow.lists.formats.xlsx.sheet import SheetStream
from winnow.lists.formats.xlsx.text import CellTexts, open_texts
from winnow.lists.formats.xlsx.xml import read_xml

_COUNT = re.compile(r"[0-9]\Z")  # one row of totals, as a rule; nine at most are believed


@dataclass(frozen=True, slots=True)
class Tables:
    """The tables on a sheet: their last column from 0 (-1 for none), rows that hold totals."""

    last_column: int = -1
    totals_rows: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class OpenSheet:
    """An open workbook and the sheet that a plan names."""

    archive: XlsxArchive
    book: Book
    sheet: SheetPart
    texts: CellTexts
    plan: InputPlan
    tables: Tables

    @property
    def first_row(self) -> int:
        """The number of the header's row, or of the first where the list has no header."""
        return max(self.plan.first_row, 1)

    @property
    def header_row(self) -> int:
        """The number of the header's row, 0 for a list without."""
        return self.first_row if self.plan.has_header else 0

    def stream(self, most_bytes: int | None = None) -> SheetStream:
        """Open the sheet at its start; see ``SheetStream``."""
        return SheetStream(self.archive, self.sheet.part, self.sheet.name, most_bytes)

    def read(self, stream: SheetStream) -> Iterator[SheetRow]:
        """Yield the rows of a stream from the header on, without the totals of tables."""
        first, totals = self.first_row, self.tables.totals_rows
        for row in stream.rows(self.texts.read):
            if row.number >= first and row.number not in totals:
                yield row


@contextmanager
def open_sheet(path: Path, plan: InputPlan, scratch: Path) -> Iterator[OpenSheet]:
    """Open a workbook's planned sheet; a temporary file is in ``scratch`` while it is open.

    Raises:
        BrokenFile: The workbook or its sheet cannot be read, or has no such sheet any more.
    """
    with open_archive(path) as archive:
        book = read_book(archive)
        sheet = _find_sheet(book, plan.sheet)
        with open_texts(archive, book, scratch) as texts:
            yield OpenSheet(archive, book, sheet, texts, plan, read_tables(archive, sheet))


def read_tables(archive: XlsxArchive, sheet: SheetPart) -> Tables:
    """Read where a sheet's tables end and which rows are totals."""
    last_column, totals = -1, set[int]()
    for relation in read_relations(archive, sheet.part):
        if relation.kind != "table" or archive.find(relation.target) is None:
            continue
        table = read_root(read_xml(archive, relation.target))
        area = read_area(table.get("ref"))
        if area is None:
            continue
        last_column = max(last_column, area.last_column)
        count = _COUNT.match(table.get("totalsRowCount"))
        totals.update(range(area.last_row - (int(count[0]) if count else 0) + 1, area.last_row + 1))
    return Tables(last_column, frozenset(totals))


def find_last_merged_column(tail: bytes, first_row: int) -> int:
    """Return the last column, from 0, of merged cells that reach a row or below; -1 for none."""
    areas = (read_area(merge.get("ref")) for merge in find_elements(tail, "mergeCell"))
    reaching = (one for one in areas if one is not None and one.last_row >= first_row)
    return max((one.last_column for one in reaching), default=-1)


def _find_sheet(book: Book, name: str | None) -> SheetPart:
    for sheet in book.sheets:
        if sheet.name == name:
            return sheet
    raise BrokenFile(
        "The workbook no longer has the sheet that was chosen.",
        hint="Choose the file again, and its sheet.",
        sheet=name,
    )
