"""One worksheet's XML as a stream, and the sheet of an open workbook that a plan names."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from winnow.core.errors import BrokenFile
from winnow.core.file_faults import FileFault
from winnow.core.tasks.input_plan import InputPlan
from winnow.lists.formats.xlsx.archive import SAVE_AGAIN, XlsxArchive, open_archive
from winnow.lists.formats.xlsx.book import Book, SheetPart, read_book, read_relations
from winnow.lists.formats.xlsx.cells import ReadText, SheetRow, explain_row, read_cells, split_rows
from winnow.lists.formats.xlsx.markup import find_elements, read_root
from winnow.lists.formats.xlsx.references.formula import read_area
from winnow.lists.formats.xlsx.text import CellTexts, open_texts
from winnow.lists.formats.xlsx.xml import NAME, check_xml, read_xml
from winnow.words import translatable

MAX_HEAD_BYTES = 16 << 20
MAX_TAIL_BYTES = 256 << 20  # a hyperlink a row is about 100 MiB
MAX_ROW_BYTES = 16 << 20

_SHEET_DATA = re.compile(rb"<(" + NAME + rb")sheetData(?:\s[^<>]*)?(?<!/)(/?)>")
_END = re.compile(rb"</" + NAME + rb"sheetData[\s>]")
_END_BYTES = 200  # of a closing tag that two chunks share
_COUNT = re.compile(r"[0-9]\Z")  # one row of totals, as a rule; nine at most are believed


class SheetStream:
    """Reads one worksheet once, from start to end.

    Read ``head`` first (up to and with the opening ``sheetData`` tag), then ``regions``, then
    ``tail`` (from the closing tag on). ``prefix`` is the namespace prefix of the rows with its
    colon, or empty.

    Args:
        archive: The workbook.
        sheet: The sheet; its name is in errors.
        most_bytes: Where the rows are cut off, and ``is_cut_off`` set; None: nowhere.

    Raises:
        BrokenFile: From any of them, for XML that is not a worksheet.
    """

    def __init__(
        self, archive: XlsxArchive, sheet: SheetPart, most_bytes: int | None = None
    ) -> None:
        self._chunks = check_xml(archive.stream(sheet.part), sheet.part)
        self._sheet = sheet.name
        self._most_bytes = most_bytes
        self._rest = b""
        self.tail = b""
        self.bytes_done = self.rows_done = self.last_number = 0
        self.is_cut_off = False
        self.head, self.prefix, self._has_rows = self._read_head()

    def read_rows(self, region: bytes, read_text: ReadText) -> Iterator[SheetRow]:
        """Yield the rows of the next region, or of a part of it; see ``read_cells``.

        ``last_number`` is that of the row before.

        Raises:
            BrokenFile: Rows or cells that cannot be read; the sheet is named.
        """
        try:
            for number, _, body in split_rows(region, self.last_number):
                yield SheetRow(number, read_cells(body, number, read_text))
                self.last_number = number
        except ValueError as error:
            raise explain_row(error, self._sheet, self.last_number) from error

    def regions(self) -> Iterator[bytes]:
        """Yield the sheet's rows as XML, some whole rows at a time."""
        if not self._has_rows:
            self.tail = self._rest + self._read_tail()
            return
        data, searched = self._rest, 0
        row = b"<%brow" % self.prefix
        while True:
            end = _END.search(data, searched)
            cut = end.start() if end is not None else data.rfind(row)
            if cut > 0:
                self.rows_done += data.count(row, 0, cut)
                yield data[:cut]
                data = data[cut:]
            if end is not None:
                break
            if self._most_bytes is not None and self.bytes_done > self._most_bytes:
                self.is_cut_off = True
                return
            if len(data) > MAX_ROW_BYTES:
                raise self._broken(
                    translatable("has a row of more than {most} MiB", most=MAX_ROW_BYTES >> 20),
                    FileFault.TOO_LARGE,
                )
            searched = max(0, len(data) - _END_BYTES)
            chunk = next(self._chunks, None)
            if chunk is None:
                raise self._broken("ends within its rows", FileFault.TRUNCATED)
            self.bytes_done += len(chunk)
            data += chunk
        self.tail = data + self._read_tail()

    def _read_head(self) -> tuple[bytes, bytes, bool]:
        data = b""
        for chunk in self._chunks:
            self.bytes_done += len(chunk)
            data += chunk
            match = _SHEET_DATA.search(data)
            if match is not None:
                self._rest = data[match.end() :]
                return data[: match.end()], match[1], not match[2]
            if len(data) > MAX_HEAD_BYTES:
                break
        raise self._broken("has no rows: it is no worksheet, or it is truncated")

    def _read_tail(self) -> bytes:
        parts: list[bytes] = []
        size_bytes = 0
        for chunk in self._chunks:
            size_bytes += len(chunk)
            if size_bytes > MAX_TAIL_BYTES:
                raise self._broken("has too much after its rows", FileFault.TOO_LARGE)
            parts.append(chunk)
        return b"".join(parts)

    def _broken(self, what: str, fault: FileFault | None = None) -> BrokenFile:
        return BrokenFile(
            "The sheet {problem}.",
            problem=translatable(what),
            hint=SAVE_AGAIN,
            sheet=self._sheet,
            fault=fault,
        )


@dataclass(frozen=True, slots=True)
class OpenSheet:
    """An open workbook and the sheet that a plan names."""

    archive: XlsxArchive
    book: Book
    sheet: SheetPart
    texts: CellTexts
    plan: InputPlan
    tables_end: int  # the last column, from 0, of tables on the sheet; -1 for none
    totals_rows: frozenset[int]  # of these tables

    @property
    def first_row(self) -> int:
        """The number of the header's row, or of the first where the list has no header."""
        return max(self.plan.first_row, 1)

    @property
    def header_row(self) -> int:
        """The number of the header's row, 0 for a list without."""
        return self.first_row if self.plan.has_header else 0

    @property
    def size_bytes(self) -> int:
        """The size of the sheet's XML, at least 1."""
        return max(1, self.archive.size_bytes(self.sheet.part))

    def stream(self, most_bytes: int | None = None) -> SheetStream:
        """Open the sheet at its start; see ``SheetStream``."""
        return SheetStream(self.archive, self.sheet, most_bytes)

    def read(self, stream: SheetStream, region: bytes) -> Iterator[SheetRow]:
        """Yield the rows of a region from the header on, without the totals of tables."""
        first, totals = self.first_row, self.totals_rows
        for row in stream.read_rows(region, self.texts.read):
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
        sheet = next((one for one in book.sheets if one.name == plan.sheet), None)
        if sheet is None:
            raise BrokenFile(
                "The workbook no longer has the sheet that was chosen.",
                hint="Choose the file again, and its sheet.",
                sheet=plan.sheet,
            )
        with open_texts(archive, book, scratch) as texts:
            yield OpenSheet(archive, book, sheet, texts, plan, *_read_tables(archive, sheet))


def _read_tables(archive: XlsxArchive, sheet: SheetPart) -> tuple[int, frozenset[int]]:
    """Return the last column of a sheet's tables, and which rows hold totals."""
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
    return last_column, frozenset(totals)


def find_last_merged_column(tail: bytes, first_row: int) -> int:
    """Return the last column, from 0, of merged cells that reach a row or below; -1 for none."""
    areas = (read_area(merge.get("ref")) for merge in find_elements(tail, "mergeCell"))
    reaching = (one for one in areas if one is not None and one.last_row >= first_row)
    return max((one.last_column for one in reaching), default=-1)
