"""Scan of a whole list: broken text, and NUL bytes that make it unreadable."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from winnow.core.errors import BrokenFile
from winnow.core.tasks.task import Notice
from winnow.lists.formats.delimited.source import TextSource
from winnow.lists.text.splitter import count_lines
from winnow.words import mark

_REPLACEMENT = "\ufffd".encode()
_LF, _CR = 0x0A, 0x0D
_NUL_HINT = mark("Save the list as CSV or XLSX again and upload that file.")


@dataclass(frozen=True, slots=True)
class Scan:
    """Result of the scan. Offsets are in bytes from where it began.

    ``replaced_at`` is the first U+FFFD in what was decoded.
    """

    invalid_utf8_at: int | None = None
    nul_at: int | None = None
    replaced_at: int | None = None


def scan_blocks(blocks: Iterable[bytes], *, is_decoded: bool = False) -> Scan:
    """Scan a list's bytes once: a gigabyte takes half a second.

    Args:
        blocks: Its bytes in an encoding that contains ASCII, without a BOM.
        is_decoded: The blocks hold whole letters, and U+FFFD for bytes that were none.
    """
    text = _Utf8Check()
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
        offset += len(block)
    if invalid_at is None and text.pending:
        invalid_at = offset - len(text.pending)
    return Scan(invalid_at, nul_at, replaced_at)


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


def find_line(source: TextSource, content_offset: int) -> int:
    """Return the physical line, from 1, in which a byte of the content is."""
    return 1 + count_line_breaks(source.read_content(), content_offset)


def refuse_nul(head: bytes) -> None:
    """Raise BrokenFile, with its line, for a NUL byte."""
    if 0 in head:
        raise _word_nul(1 + count_lines(head[: head.index(0)].decode("latin-1")))


def refuse_broken(
    source: TextSource, scan: Scan, skipped: int, head_bytes: int
) -> tuple[Notice, ...]:
    """Refuse a NUL byte in the head; a later one fails the task and is a notice here.

    Args:
        source: The list.
        scan: What the pass over all of it saw.
        skipped: Bytes of the content before the place where the pass began.
        head_bytes: How much of the content is the head.

    Raises:
        BrokenFile: A NUL byte in the head.
    """
    if scan.nul_at is None:
        return ()
    error = _word_nul(find_line(source, skipped + scan.nul_at))
    if skipped + scan.nul_at < head_bytes:
        raise error
    told = mark(f"{error.detail} The list will fail there, uncharged. {error.hint}")
    return (Notice("broken_later", told),)


def _word_nul(line: int) -> BrokenFile:
    return BrokenFile(
        f"Line {line} holds a NUL byte, so this is no text file.", line=line, hint=_NUL_HINT
    )
