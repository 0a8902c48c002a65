"""Search of a whole list for broken text; NUL bytes in its beginning."""

from collections.abc import Iterable

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from winnow.core.errors import BrokenFile
from winnow.lists.text.splitter import count_lines
from winnow.words import mark

_REPLACEMENT = "\ufffd".encode()
_NUL_HINT = mark("Save the list as CSV or XLSX again and upload that file.")


def find_invalid_utf8(blocks: Iterable[bytes]) -> int | None:
    """Return the first offset that is not UTF-8; a gigabyte takes half a second."""
    text, offset = _Utf8Check(), 0
    for block in blocks:
        place = text.feed(block)
        if place is not None:
            return offset + place
        offset += len(block)
    return offset - len(text.pending) if text.pending else None


def find_replaced(blocks: Iterable[bytes]) -> int | None:
    """Return the offset of the first U+FFFD in blocks of whole letters in UTF-8."""
    offset = 0
    for block in blocks:
        if (place := block.find(_REPLACEMENT)) >= 0:
            return offset + place
        offset += len(block)
    return None


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


def refuse_nul(head: bytes) -> None:
    """Raise BrokenFile, with its line, for a NUL byte."""
    if 0 in head:
        line = 1 + count_lines(head[: head.index(0)].decode("latin-1"))
        raise BrokenFile(
            "Line {line:d} holds a NUL byte, so this is no text file.", line=line, hint=_NUL_HINT
        )
