"""One worksheet's XML as a stream: what stands before the rows, the rows, what comes after."""

import re
from collections.abc import Callable, Iterator
from functools import cached_property

from winnow.core.errors import BrokenFile
from winnow.lists.formats.xlsx.archive import XlsxArchive
from winnow.lists.formats.xlsx.cells import MalformedRow, read_row_number, tell_broken_row
from winnow.lists.formats.xlsx.fast_parser import PlainBlock, take_apart
from winnow.lists.formats.xlsx.row_spelling import RowSpelling
from winnow.lists.formats.xlsx.spelling import NotWellFormed, respell
from winnow.lists.formats.xlsx.xml import clean_chunks

MAX_HEAD_BYTES = 16 << 20
MAX_TAIL_BYTES = 256 << 20  # a hyperlink a row is about 100 MiB
MAX_ROW_BYTES = 16 << 20

_SHEET_DATA = re.compile(rb"<((?:[^\s<>/:=\"']+:)?)sheetData(?:\s[^<>]*)?(?<!/)(/?)>")
_ROOT = re.compile(rb"<([^\s<>/=\"']+)")


class SheetStream:
    """Reads one worksheet once, from start to end.

    Read ``head`` first (up to and with the opening ``sheetData`` tag), then ``regions`` or
    ``rows``, then ``tail`` (from the closing tag on). Head and tail come in the one spelling;
    regions as they stand, for ``read_block``. ``prefix`` is the namespace prefix with its colon,
    or empty.

    Raises:
        BrokenFile: From any of them, for XML that is not a worksheet.
    """

    def __init__(self, archive: XlsxArchive, part: str, sheet: str) -> None:
        self._chunks = clean_chunks(archive.stream(part), part)
        self._sheet = sheet
        self._rest = b""
        self._raw_tail = b""
        self.bytes_done = 0
        head, self.prefix, self._has_rows = self._read_head()
        root = _ROOT.search(head)
        self._root = root[1] if root is not None else b""
        self._spelling = RowSpelling(self.prefix, head)
        closing = b"</%ssheetData>" % self.prefix if self._has_rows else b""
        self.head = self._respell(head, after=closing + b"</%s>" % self._root)

    @cached_property
    def tail(self) -> bytes:
        """What follows the rows, which were read before."""
        if not self._has_rows:
            return self._respell(self._raw_tail, before=b"<%s>" % self._root)
        before = b"<%s><%ssheetData>" % (self._root, self.prefix)
        return self._respell(self._raw_tail, before=before)

    def rows(self) -> Iterator[bytes]:
        """Yield the rows in the one spelling, each as what follows ``<row``, its end included."""
        previous = 0
        for region in self.regions():
            rows = self.split(self.respell_rows(region, previous))
            yield from rows
            previous = read_row_number(rows[-1]) if rows else previous

    def read_block(
        self, region: bytes, previous: int, take: Callable[[bytes], PlainBlock | None] = take_apart
    ) -> tuple[bytes, PlainBlock | None]:
        """Return a region in the one spelling, and taken apart where its rows are plain.

        Args:
            region: From ``regions``; not asked for its spelling where it is plain.
            previous: The number of the row before.
            take: Takes plain rows apart, and declines others.
        """
        if self.prefix:
            return self.respell_rows(region, previous), None
        region = self._spelling.resolve_values(region)
        block = take(region)
        if block is not None:
            return region, block
        respelled = self.respell_rows(region, previous)
        return respelled, take(respelled) if respelled is not region else None

    def respell_rows(self, region: bytes, previous: int) -> bytes:
        """Return rows in the one spelling (see ``RowSpelling``).

        Raises:
            BrokenFile: Rows or cells out of their places, or no XML.
        """
        try:
            return self._spelling.respell(region, previous)
        except MalformedRow as error:
            raise tell_broken_row(self._sheet, previous, error) from error

    def split(self, region: bytes) -> list[bytes]:
        """Cut a region into rows, each as what follows ``<row``, its closing tag included."""
        before, *rows = region.split(b"<" + self.prefix + b"row")
        if before.strip():
            raise self._broken("has something other than rows among its rows")
        return rows

    def regions(self) -> Iterator[bytes]:
        """Yield the sheet's rows as XML, some whole rows at a time."""
        if not self._has_rows:
            self._raw_tail = self._rest + self._read_tail()
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
        self._raw_tail = data + self._read_tail()
        if b"worksheet" not in self._raw_tail.rstrip()[-200:]:
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

    def _respell(self, content: bytes, *, before: bytes = b"", after: bytes = b"") -> bytes:
        try:
            return respell(content, before=before, after=after)
        except NotWellFormed as error:
            raise self._broken("is not well-formed XML") from error

    def _broken(self, what: str) -> BrokenFile:
        return BrokenFile(
            f"The sheet {what}.",
            hint="Open the workbook in a spreadsheet program and save it again as .xlsx.",
            sheet=self._sheet,
        )
