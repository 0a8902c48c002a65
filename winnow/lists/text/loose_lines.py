"""Lines that are no rows of the list and pass through: comments, repeated headers, a total.

Programs that print lists write ``# exported by …`` between the rows, join exports with the header
of each, and end with ``(3 rows affected)``. None of these has more cells than the list has columns.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from winnow.core.tasks.task import InputPlan
from winnow.lists.text.records import SPACE, Positions, Records, find_quotes, scan_records

_HASH = ord("#")
_LAST_LINES = 5
HEADER_MAX_BYTES = 1 << 20
_COMMENT = re.compile(rb"#+ +[^\d\s]")  # a row may begin with "#7" or "# 7"
_BLANK_LINES = re.compile(rb"(?:[ \t\v\f\x1a]*(?:\r\n|\r|\n))*")
_LINE_BREAK = re.compile(rb"\r\n|\r|\n")
_TOTAL = re.compile(
    rb"""[\s("*=-]*(?:
    \d[\d.,'\s]*(?:rows?|records?|lines?|entries|contacts?|results?|subscribers?|zeilen?
        |datens\S+tze?|eintr\S+ge?|lignes?|enregistrements?|filas?|registros?|righe|rijen)\b[^@]*
    |(?:grand\s+)?(?:totals?|sum|count|summe|gesamt|insgesamt|anzahl|somme|nombre|suma|totale
        |totaal)\b[\s"]*(?:[:=(\d;,|\t][^@]*)?
    |end\ of\ (?:file|report|list|export)\b[^@]*
    )\Z""",
    re.IGNORECASE | re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class LooseLines:
    """Finds them in the blocks of one list.

    ``header`` are the header's bytes without its line end, ``b""`` where there is none; it is
    at ``begin``. ``end`` is where the file ends: only its last lines may be a total.
    """

    delimiter: int
    width: int
    email_column: int
    header: bytes = b""
    begin: int | None = None
    end: int | None = None

    @classmethod
    def of(cls, path: Path, begin: int, plan: InputPlan) -> "LooseLines":
        """Return the finder for a whole file, whose list begins at ``begin``."""
        with path.open("rb") as file:
            file.seek(begin)
            start = file.read(HEADER_MAX_BYTES)
        return cls.of_start(start, begin, path.stat().st_size, plan)

    @classmethod
    def of_start(cls, start: bytes, begin: int, end: int, plan: InputPlan) -> "LooseLines":
        """Return the finder by the first HEADER_MAX_BYTES from ``begin``, and the file's size."""
        found = cls(ord(plan.delimiter), len(plan.columns), plan.email_column, end=end)
        if not plan.has_header:
            return found
        skipped, header = find_header(start)
        return replace(found, header=header, begin=begin + skipped)

    def mark(self, records: Records, offset: int) -> Positions:
        """Mark a block's loose lines as blank ones are, and return where they begin in the block.

        ``offset`` is where the block begins in the file.
        """
        found = self.find(records, offset)
        records.is_blank[found] = True
        return records.starts[found]

    def find(self, records: Records, offset: int) -> Positions:
        """Return the places of loose lines among a block's records.

        Args:
            records: Where they are; the block's data is text as it is in the file.
            offset: Where the block begins in the file.
        """
        is_narrow = (records.widths <= self.width) & ~records.is_blank
        first = records.data[np.minimum(records.starts, len(records.data) - 1)]
        is_last = self.end is not None and offset + len(records.data) >= self.end
        if self.begin is not None:
            is_narrow[records.starts == self.begin - offset] = False
        found = [
            *self._find_comments(records, np.flatnonzero(is_narrow & (first == _HASH))),
            *self._find_headers(records, is_narrow),
            *(self._find_totals(records, np.flatnonzero(is_narrow)) if is_last else ()),
        ]
        return np.array(sorted(set(found)), np.int64)

    def _find_comments(self, records: Records, places: Positions) -> Iterator[int]:
        if self.width > 1:
            last = records.data[np.maximum(records.body_ends[places] - 1, 0)]
            behind = records.data[np.minimum(records.starts[places] + 1, len(records.data) - 1)]
            may_be = (records.widths[places] < self.width) | (last == self.delimiter)
            places = places[may_be | (behind == SPACE)]
        mark = bytes([self.delimiter])
        for place in places.tolist():
            body, cell = _read_body(records, place), _read_cell(records, place)
            if b"@" in cell and not (self.email_column == 0 and b" " in cell.strip()):
                continue
            is_padded = records.widths[place] < self.width or mark not in body.rstrip(mark)
            if is_padded or _COMMENT.match(body):
                yield place

    def _find_headers(self, records: Records, is_narrow: NDArray[np.bool_]) -> Iterator[int]:
        if not self.header:
            return
        sizes = records.body_ends - records.starts
        first = records.data[np.minimum(records.starts, len(records.data) - 1)]
        is_like = (sizes == len(self.header)) & (first == self.header[0]) & is_narrow
        for place in np.flatnonzero(is_like).tolist():
            if _read_body(records, place) == self.header:
                yield place

    def _find_totals(self, records: Records, places: Positions) -> Iterator[int]:
        mark = bytes([self.delimiter])
        for place in places[-_LAST_LINES:].tolist():
            body = _read_body(records, place)
            cells = [cell for cell in body.split(mark) if cell.strip(b' "')]
            if b"@" not in body and len(cells) <= 2 and _TOTAL.match(body.rstrip(mark)):
                yield place


def count_loose_lines(
    body: bytes, delimiter: str, width: int, email_column: int, *, has_header: bool
) -> int:
    """Return how many loose lines a small text has; its header, if any, comes first."""
    data = np.frombuffer(body + b"\n", np.uint8)
    quotes, _ = find_quotes(data, ord(delimiter))
    records = scan_records(data, ord(delimiter), email_column, quotes, width)
    if records is None:
        return 0
    loose = LooseLines(ord(delimiter), width, email_column, end=len(data))
    if has_header:
        begin, header = find_header(body)
        loose = replace(loose, header=header, begin=begin)
    return len(loose.find(records, 0))


def find_header(start: bytes) -> tuple[int, bytes]:
    """Return where a text's first record begins, and it without its line end (``b""``: odd)."""
    blank = _BLANK_LINES.match(start)
    begin = blank.end() if blank else 0
    for match in _LINE_BREAK.finditer(start, begin):
        header = start[begin : match.start()]
        if header.count(b'"') % 2 == 0:
            return begin, header
    return begin, b""


def _read_body(records: Records, place: int) -> bytes:
    return records.data[records.starts[place] : records.body_ends[place]].tobytes()


def _read_cell(records: Records, place: int) -> bytes:
    return records.data[records.cell_starts[place] : records.cell_ends[place]].tobytes()
