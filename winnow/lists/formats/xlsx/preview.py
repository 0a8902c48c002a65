"""A workbook for the preview: all rows of a small sheet, else stretches across it.

A sheet's XML can only be unpacked from its start, so of a large one a stretch of each piece that
was unpacked is read, as far as there is time.
"""

import random
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain

import numpy as np

from winnow.lists.engine.both_addresses import AddressCodes
from winnow.lists.formats.xlsx.archive import XlsxArchive, open_archive
from winnow.lists.formats.xlsx.emails import EmailValues
from winnow.lists.formats.xlsx.opened import OpenSheet
from winnow.lists.formats.xlsx.scan import SheetScanner
from winnow.lists.formats.xlsx.sheet import SheetStream
from winnow.lists.formats.xlsx.sheet_structure import read_tables
from winnow.lists.preview.row_sample import RowSample, keep_rows
from winnow.lists.requests import SampleRequest

STRETCH_BYTES = 16 << 10
STRETCHES = 4  # of each piece that is unpacked, 1 MiB at most
STRETCHES_AT_ONCE = 64
_STRINGS = "preview.strings"


class Stretches(SheetStream):
    """A worksheet of which only stretches are handed on, at random places, whole rows each.

    ``passed_bytes`` is how much was unpacked for them, ``kept_bytes`` how much was handed on;
    ``row_counts`` has the rows of each stretch.
    """

    def __init__(self, archive: XlsxArchive, part: str, sheet: str, max_bytes: int) -> None:
        super().__init__(archive, part, sheet)
        self._max_bytes = max_bytes
        self._pick = random.Random(0)  # noqa: S311 - a sample, no secret
        self.passed_bytes = self.kept_bytes = 0
        self.is_cut_off = False
        self.row_counts: list[int] = []

    def regions(self) -> Iterator[bytes]:
        """Yield many stretches at a time until the limit."""
        held: list[bytes] = []
        for piece in chain([self._rest], self._chunks):
            if self.passed_bytes >= self._max_bytes:
                self.is_cut_off = True
                break
            self.passed_bytes += len(piece)
            held += self._cut(piece)
            if len(held) >= STRETCHES_AT_ONCE:
                yield b"".join(held)
                held.clear()
        if held:
            yield b"".join(held)

    def _cut(self, piece: bytes) -> Iterator[bytes]:
        """Yield the stretches of a piece. Rows that two pieces share are in none."""
        opening, closing = b"<" + self.prefix + b"row", b"</" + self.prefix + b"row"
        end, step = 0, len(piece) // STRETCHES
        for number in range(STRETCHES):
            start = number * step + self._pick.randrange(max(1, step - STRETCH_BYTES))
            first = piece.find(opening, max(start, end))
            last = piece.rfind(closing, first, first + STRETCH_BYTES) if first >= 0 else -1
            last = piece.find(b">", last) if last >= 0 else -1
            if last >= 0:
                end = last + 1
                self.kept_bytes += end - first
                self.row_counts.append(piece.count(opening, first, end))
                yield piece[first:end]


def sample_workbook(request: SampleRequest) -> RowSample:
    """Read the email column of a sheet, or of stretches of it; as ``delimited.sample_delimited``.

    Raises:
        BrokenFile: The workbook or its sheet cannot be read.
    """
    strings = request.scratch / _STRINGS
    try:
        with open_archive(request.path) as archive:
            opened = OpenSheet.open(archive, request.plan, strings)
            return _sample(archive, opened, request)
    finally:
        with suppress(OSError):  # Windows keeps a file that is still mapped
            strings.unlink(missing_ok=True)


def _sample(archive: XlsxArchive, opened: OpenSheet, request: SampleRequest) -> RowSample:
    limits, row_count = request.limits, request.row_count
    values = EmailValues(request.role_names)
    sheet_bytes = archive.size_bytes(opened.sheet.part)
    stream, texts = opened.read()
    stretches = None
    if sheet_bytes > limits.sheet_bytes:
        stretches = Stretches(archive, opened.sheet.part, opened.sheet.name, limits.unpacked_bytes)
        stream = stretches
    scan = SheetScanner(
        stream,
        texts,
        opened.strings,
        email_column=opened.plan.email_column,
        header_row=opened.header_row,
        first_row=opened.first_row,
        tables=read_tables(archive, opened.sheet),
        values=values,
        sheet=opened.sheet.name,
        second_column=opened.plan.second_email_column,
        judges_both=opened.plan.judges_both,
    ).scan(lambda rows: None)
    rows = keep_rows(scan.codes)
    row_counts = stretches.row_counts if stretches is not None else []
    blocks = np.searchsorted(np.cumsum(row_counts), rows, side="right").astype(np.uint32)
    if stretches is not None and row_count is None:
        row_count = round(len(rows) * sheet_bytes / max(1, stretches.kept_bytes))
    columns = scan.both or (scan.places,)
    first, *others = (AddressCodes(*values.gather(places[rows])) for places in columns)
    return RowSample(
        first.codes,
        first.flags,
        first.keys,
        blocks,
        values.domains,
        len(rows) if stretches is None else max(row_count or 0, len(rows)),
        is_whole=stretches is None,
        is_head_only=stretches is not None and stretches.is_cut_off,
        others=others[0] if others else None,
    )
