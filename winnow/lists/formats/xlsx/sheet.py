"""One worksheet's XML as a stream: what is before the rows, the rows, what is after them."""

import re
from collections.abc import Iterator

from winnow.core.errors import BrokenFile
from winnow.lists.formats.xlsx.archive import SAVE_AGAIN, XlsxArchive
from winnow.lists.formats.xlsx.cells import MalformedRow, ReadText, SheetRow, read_rows
from winnow.lists.formats.xlsx.xml import NAME, check_xml
from winnow.words import mark

MAX_HEAD_BYTES = 16 << 20
MAX_TAIL_BYTES = 256 << 20  # a hyperlink a row is about 100 MiB
MAX_ROW_BYTES = 16 << 20

_SHEET_DATA = re.compile(rb"<(" + NAME + rb")sheetData(?:\s[^<>]*)?(?<!/)(/?)>")
_END = re.compile(rb"</" + NAME + rb"sheetData[\s>]")
_ROW_OPEN = re.compile(rb"<" + NAME + rb"row(?=[\s/>])")
_END_BYTES = 200  # of a closing tag that two chunks share


class SheetStream:
    """Reads one worksheet once, from start to end.

    Read ``head`` first (up to and with the opening ``sheetData`` tag), then ``regions`` or
    ``rows``, then ``tail`` (from the closing tag on). ``prefix`` is the namespace prefix of the
    rows with its colon, or empty.

    Args:
        archive: The workbook.
        part: The sheet's part.
        sheet: Its name, for errors.
        most_bytes: Where the rows are cut off, and ``is_cut_off`` set; None: nowhere.

    Raises:
        BrokenFile: From any of them, for XML that is not a worksheet.
    """

    def __init__(
        self,
        archive: XlsxArchive,
        part: str,
        sheet: str,
        most_bytes: int | None = None,
    ) -> None:
        self._chunks = check_xml(archive.stream(part), part)
        self._sheet = sheet
        self._most_bytes = most_bytes
        self._rest = b""
        self.tail = b""
        self.bytes_done = self.rows_done = 0
        self.is_cut_off = False
        self.head, self.prefix, self._has_rows = self._read_head()

    def rows(self, read_text: ReadText) -> Iterator[SheetRow]:
        """Yield the rows with their cells; see ``read_rows``.

        Raises:
            BrokenFile: Rows or cells that cannot be read; the sheet is named.
        """
        previous = 0
        try:
            for region in self.regions():
                for row in read_rows(region, previous, read_text):
                    previous = row.number
                    yield row
        except MalformedRow as error:
            raise error.explain(self._sheet) from error

    def regions(self) -> Iterator[bytes]:
        """Yield the sheet's rows as XML, some whole rows at a time."""
        if not self._has_rows:
            self.tail = self._rest + self._read_tail()
            return
        data, searched = self._rest, 0
        while True:
            end = _END.search(data, searched)
            cut = end.start() if end is not None else _find_last_row(data)
            if cut > 0:
                self.rows_done += data.count(b"<%brow" % self.prefix, 0, cut)
                yield data[:cut]
                data = data[cut:]
            if end is not None:
                break
            if self._most_bytes is not None and self.bytes_done > self._most_bytes:
                self.is_cut_off = True
                return
            if len(data) > MAX_ROW_BYTES:
                raise self._broken(
                    mark("has a row of more than {most} MiB", most=MAX_ROW_BYTES >> 20)
                )
            searched = max(0, len(data) - _END_BYTES)
            chunk = next(self._chunks, None)
            if chunk is None:
                raise self._broken("ends within its rows")
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
                raise self._broken("has too much after its rows")
            parts.append(chunk)
        return b"".join(parts)

    def _broken(self, what: str) -> BrokenFile:
        return BrokenFile(
            "The sheet {problem}.", problem=mark(what), hint=SAVE_AGAIN, sheet=self._sheet
        )


def _find_last_row(data: bytes) -> int:
    """Return where the last row begins, which may extend beyond these bytes; 0 for none."""
    place = len(data)
    while (place := data.rfind(b"row", 0, place)) > 0:
        opening = data.rfind(b"<", 0, place)
        if opening >= 0 and _ROW_OPEN.match(data, opening):
            return opening
    return 0
