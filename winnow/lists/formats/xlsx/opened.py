"""An open workbook, ready to have the sheet of a plan read, more than once."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from winnow.core.tasks.task import InputPlan
from winnow.lists.engine.row_ranks import RowRanks
from winnow.lists.formats.xlsx.archive import XlsxArchive
from winnow.lists.formats.xlsx.book import Book, SheetPart, read_book
from winnow.lists.formats.xlsx.cells import CellGrammar
from winnow.lists.formats.xlsx.emails import EmailValues
from winnow.lists.formats.xlsx.scan import SheetScan, SheetScanner
from winnow.lists.formats.xlsx.sheet import SheetStream
from winnow.lists.formats.xlsx.sheet_structure import Tables, find_header_row, find_sheet
from winnow.lists.formats.xlsx.strings import SharedStrings, load_shared_strings
from winnow.lists.formats.xlsx.text import CellTexts, NumberFormats, load_number_formats
from winnow.lists.result.added_columns import VerdictColumns


@dataclass(frozen=True, slots=True)
class OpenSheet:
    """An open workbook and the sheet that a plan speaks of."""

    archive: XlsxArchive
    book: Book
    sheet: SheetPart
    strings: SharedStrings
    formats: NumberFormats
    plan: InputPlan
    header_row: int

    @property
    def first_row(self) -> int:
        """The number of the header's row, or of the first where the list has no header."""
        return max(self.header_row, self.plan.first_row, 1)

    @classmethod
    def open(cls, archive: XlsxArchive, plan: InputPlan, strings_path: Path) -> "OpenSheet":
        """Find the sheet and its header; ``strings_path`` is written, and must live as long."""
        book = read_book(archive)
        sheet = find_sheet(book, plan.sheet)
        strings = load_shared_strings(archive, book, strings_path)
        formats = load_number_formats(archive, book)
        stream = SheetStream(archive, sheet.part, sheet.name)
        texts = CellTexts(CellGrammar(stream.prefix), strings, formats)
        header_row = find_header_row(archive, sheet, texts, plan)
        return cls(archive, book, sheet, strings, formats, plan, header_row)

    def read(self) -> tuple[SheetStream, CellTexts]:
        """Start reading the sheet."""
        stream = SheetStream(self.archive, self.sheet.part, self.sheet.name)
        return stream, CellTexts(CellGrammar(stream.prefix), self.strings, self.formats)

    def scan(
        self,
        values: EmailValues,
        tables: Tables,
        tick: Callable[[int, int], None],
        *,
        added: VerdictColumns | None = None,
        ranks: RowRanks | None = None,
    ) -> SheetScan:
        """Run the first pass; ``tick`` gets rows and bytes read so far.

        ``added`` are the columns of a result of ours; None: the sheet is no result. ``ranks`` takes
        the rows' ranks.
        """
        stream, texts = self.read()
        scanner = SheetScanner(
            stream,
            texts,
            self.strings,
            email_column=self.plan.email_column,
            header_row=self.header_row,
            first_row=self.first_row,
            tables=tables,
            values=values,
            sheet=self.sheet.name,
            added=added,
            ranks=ranks,
            second_column=self.plan.second_email_column,
            judges_both=self.plan.judges_both and added is None,
        )
        return scanner.scan(lambda rows: tick(rows, stream.bytes_done))
