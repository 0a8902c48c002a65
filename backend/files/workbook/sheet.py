"""One worksheet's XML as a stream: what stands before the rows, the rows, what comes after."""

import re
from collections.abc import Iterator

from backend.core.errors import BrokenFile
from backend.files.workbook.archive import XlsxArchive
from backend.files.workbook.xml import clean_chunks

MAX_HEAD_BYTES = 16 << 20
MAX_TAIL_BYTES = 256 << 20  # a hyperlink a row is about 100 MiB
MAX_ROW_BYTES = 16 << 20

_SHEET_DATA = re.compile(rb"<((?:[A-Za-z_][\w.-]*:)?)sheetData(?:\s[^<>]*)?(?<!/)(/?)>")


class SheetStream:
    """Reads one worksheet once, from start to end.

    Read ``head`` first (up to and with the opening ``sheetData`` tag), then ``row_blocks``, then
    ``tail`` (from the closing tag on). ``prefix`` is the namespace prefix with its colon, or empty.

    Raises:
        BrokenFile: From any of them, for XML that is not a worksheet.
    """

    def __init__(self, archive: XlsxArchive, part: str, sheet: str) -> None:
        self._chunks = clean_chunks(archive.stream(part), part)
        self._sheet = sheet
        self._rest = b""
        self.tail = b""
        self.bytes_done = 0
        self.head, self.prefix, self._has_rows = self._read_head()

    def row_blocks(self) -> Iterator[list[bytes]]:
        """Yield blocks of rows, each row as what follows ``<row``, its closing tag included."""
        for region in self.regions():
            yield self.split(region)

    def split(self, region: bytes) -> list[bytes]:
        """Cut a region into rows, each as what follows ``<row``, its closing tag included."""
        before, *rows = region.split(b"<" + self.prefix + b"row")
        if before.strip():
            raise self._broken("has something other than rows among its rows")
        return rows

    def regions(self) -> Iterator[bytes]:
        """Yield the sheet's rows as XML, some whole rows at a time."""
        if not self._has_rows:
            self.tail = self._rest + self._read_tail()
            return
        opening, closing = b"<" + self.prefix + b"row", b"</" + self.prefix + b"sheetData"
        data, searched = self._rest, 0
        while True:
            end = data.find(closing, searched)
            cut = end if end >= 0 else data.rfind(opening)
            if cut > 0:
                yield data[:cut].lstrip()
                data = data[cut:]
            if end >= 0:
                break
            if len(data) > MAX_ROW_BYTES:
                raise self._broken(f"has a row of more than {MAX_ROW_BYTES >> 20} MiB")
            searched = max(0, len(data) - len(closing))
            chunk = next(self._chunks, None)
            if chunk is None:
                raise self._broken("ends within its rows")
            self.bytes_done += len(chunk)
            data += chunk
        self.tail = data + self._read_tail()
        if b"worksheet" not in self.tail[-200:]:
            raise self._broken("ends early")

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
            f"The sheet {what}.",
            hint="Open the workbook in a spreadsheet program and save it again as .xlsx.",
            sheet=self._sheet,
        )
