"""Scan of a whole list: broken text, NUL bytes, and how many rows there are."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from winnow.lists.text.splitter import WHITE_SPACE

_LINE_MAX_BYTES = 1 << 22  # a longer one is not waited for: it would be copied again and again
_CANDIDATES_MAX = 200_000  # lines that begin and end in white space and are looked at one by one
_REPLACEMENT = "\ufffd".encode()
_QUOTE, _LF, _CR = 0x22, 0x0A, 0x0D


@dataclass(frozen=True, slots=True)
class Scan:
    """Result of the scan. Offsets are in bytes from where it began.

    ``row_count`` counts records that are not blank, a header among them; None where quotes are
    so odd that only a careful reader could count, or where counting was not asked for.
    ``replaced_at`` is the first U+FFFD in what was decoded.
    ``open_quote_at`` is where a quote is that never closes; known where rows are counted.
    """

    invalid_utf8_at: int | None = None
    nul_at: int | None = None
    replaced_at: int | None = None
    row_count: int | None = None
    open_quote_at: int | None = None


def scan_blocks(
    blocks: Iterable[bytes],
    delimiter: str,
    *,
    count_rows: bool,
    is_decoded: bool = False,
) -> Scan:
    """Scan a list's bytes once: a gigabyte takes half a second, with rows counted two.

    Args:
        blocks: From the first record on (no BOM, no preamble), in an encoding that holds ASCII.
        delimiter: One ASCII character.
        count_rows: Whether to count rows and follow quotes as well.
        is_decoded: The blocks hold whole letters, and U+FFFD for bytes that were none.
    """
    text = _Utf8Check()
    rows = _RowCount(ord(delimiter)) if count_rows else None
    offset = 0
    invalid_at: int | None = None
    nul_at: int | None = None
    replaced_at: int | None = None
    for block in blocks:
        if nul_at is None and 0 in block:
            nul_at = offset + block.index(0)
        if is_decoded:
            if replaced_at is None and (place_of_it := block.find(_REPLACEMENT)) >= 0:
                replaced_at = offset + place_of_it
        elif invalid_at is None:
            place = text.feed(block)
            if place is not None:
                invalid_at = offset + place
        if rows is not None:
            rows.feed(block)
        offset += len(block)
    if invalid_at is None and text.pending:
        invalid_at = offset - len(text.pending)
    if rows is None:
        return Scan(invalid_at, nul_at, replaced_at)
    rows.finish()
    return Scan(invalid_at, nul_at, replaced_at, rows.total, rows.open_quote_at)


def count_line_breaks(blocks: Iterable[bytes], until: int) -> int:
    """Return how many line breaks are before an offset; a CRLF is one, a lone CR is one, too."""
    count, before = 0, 0
    for block in blocks:
        data = np.frombuffer(block, np.uint8)[:until]
        if not len(data):
            break
        is_lf = data == _LF
        shifted = np.empty_like(data)
        shifted[0], shifted[1:] = before, data[:-1]
        count += int(np.count_nonzero(is_lf | (data == _CR)))
        count -= int(np.count_nonzero(is_lf & (shifted == _CR)))
        until -= len(data)
        before = int(data[-1])
    return count


class _Utf8Check:
    """Whether a stream is UTF-8; ``pending`` is a character's beginning at the stream's end."""

    def __init__(self) -> None:
        self.pending = b""

    def feed(self, block: bytes) -> int | None:
        """Return where in the block the first wrong byte is (below 0: in the last block)."""
        if not self.pending and block.isascii():
            return None
        before = len(self.pending)
        block = self.pending + block
        self.pending = _cut_character(block)
        whole = block[: len(block) - len(self.pending)]
        if is_utf8(whole):
            return None
        try:
            whole.decode("utf-8")
        except UnicodeDecodeError as error:
            return error.start - before
        return None


def is_utf8(block: bytes | NDArray[np.uint8]) -> bool:
    """Return whether bytes are whole letters in UTF-8."""
    ends = pa.py_buffer(np.array([0, len(block)], np.int32))
    array = pa.Array.from_buffers(pa.utf8(), 1, [None, ends, pa.py_buffer(block)])
    try:
        array.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def _cut_character(block: bytes) -> bytes:
    """Return the beginning of a UTF-8 character (RFC 3629, 3) that the block's end cuts off."""
    for length in (1, 2, 3):
        lead = block[-length] if len(block) >= length else 0
        if lead & 0b1100_0000 == 0b1000_0000:
            continue
        needed = 2 + (lead >= 0b1110_0000) + (lead >= 0b1111_0000) if lead >= 0b1100_0000 else 1
        return block[-length:] if needed > length else b""
    return b""


class _RowCount:
    """Records of well-quoted text: a line break outside quotes ends one, a blank line is none."""

    def __init__(self, delimiter: int) -> None:
        self.rows = 0
        self.open_quote_at: int | None = None
        self._beside = np.zeros(256, bool)  # what may be outside a quoted cell's quotes
        self._beside[[delimiter, _QUOTE, _LF, _CR]] = True
        self._is_white = np.zeros(256, bool)
        self._is_white[[byte for byte in WHITE_SPACE.encode() if byte != delimiter]] = True
        self._is_odd = False  # within quotes
        self._is_counting = True
        self._size = 0
        self._candidates = 0
        self._last_opening_at = 0
        self._held = b""  # of a line whose end is to come

    @property
    def total(self) -> int | None:
        return self.rows if self._is_counting else None

    def feed(self, block: bytes) -> None:
        if not self._is_counting:
            return
        block = self._held + block
        # A CR that ends the block may be half of a CRLF.
        end = max(block.rfind(b"\n"), block.rfind(b"\r", 0, len(block) - 1)) + 1
        self._held = block[end:]
        if end:
            self._count(block[:end])
        if len(self._held) > _LINE_MAX_BYTES:
            self._is_counting = False

    def finish(self) -> None:
        """Count the last record when no line break ends it."""
        if self._held and self._is_counting:
            self._count(self._held if self._held.endswith(b"\r") else self._held + b"\n")
        if self._is_counting and self._is_odd:
            self.open_quote_at = self._last_opening_at
            self._is_counting = False

    def _count(self, lines: bytes) -> None:
        """Count in bytes that begin where a line begins and end where one ends."""
        data = np.frombuffer(b"\n" + lines, np.uint8)
        is_break = (data == _LF) | (data == _CR)
        is_break[:-1] &= ~((data[:-1] == _CR) & (data[1:] == _LF))  # of CRLF only the LF
        marks = np.flatnonzero(is_break | (data == _QUOTE))
        is_quote = data[marks] == _QUOTE
        is_odd = (np.cumsum(is_quote) + self._is_odd) % 2 == 1  # after each mark
        opens = marks[is_quote & is_odd]
        closes = marks[is_quote & ~is_odd]
        if not (self._beside[data[opens - 1]].all() and self._beside[data[closes + 1]].all()):
            self._is_counting = False
            return
        if len(opens):
            self._last_opening_at = self._size + int(opens[-1]) - 1
        ends = np.flatnonzero(~is_quote & ~is_odd)[not self._is_odd :]  # without the first "\n"
        last = marks[ends] - 1
        last -= (data[marks[ends]] == _LF) & (data[last] == _CR)
        begins = marks[ends - 1] + 1
        is_blank = (last < begins) & ~is_quote[ends - 1]
        spaced = (last >= begins) & ~is_quote[ends - 1]
        spaced &= self._is_white[data[last]] & self._is_white[data[begins]]
        candidates = np.flatnonzero(spaced).tolist()
        self._candidates += len(candidates)
        if self._candidates > _CANDIDATES_MAX:
            self._is_counting = False
            return
        for place in candidates:
            is_blank[place] = not lines[begins[place] - 1 : last[place]].strip(WHITE_SPACE.encode())
        self.rows += len(ends) - int(np.count_nonzero(is_blank))
        self._is_odd = bool(is_odd[-1])
        self._size += len(lines)
