"""Search of a whole list for broken text; NUL bytes in its beginning."""

import codecs
from collections.abc import Iterable
from itertools import chain

from winnow.core.errors import BrokenFile
from winnow.lists.text.splitter import count_lines
from winnow.words import mark

_REPLACEMENT = "\ufffd".encode()
_NUL_HINT = mark("Save the list as CSV or XLSX again and upload that file.")


def find_invalid_utf8(blocks: Iterable[bytes]) -> int | None:
    """Return the first offset that is not UTF-8, None where all is."""
    decoder, offset = codecs.getincrementaldecoder("utf-8")(), 0
    for block in chain(blocks, (b"",)):
        pending = len(decoder.getstate()[0])  # of a character that the block before begins
        try:
            if pending or not block.isascii():
                decoder.decode(block, final=not block)
        except UnicodeDecodeError as error:
            return offset - pending + error.start
        offset += len(block)
    return None


def find_replaced(blocks: Iterable[bytes]) -> int | None:
    """Return the offset of the first U+FFFD in blocks of whole letters in UTF-8."""
    offset = 0
    for block in blocks:
        if (place := block.find(_REPLACEMENT)) >= 0:
            return offset + place
        offset += len(block)
    return None


def refuse_nul(head: bytes) -> None:
    """Raise BrokenFile, with its line, for a NUL byte."""
    if 0 in head:
        line = 1 + count_lines(head[: head.index(0)].decode("latin-1"))
        raise BrokenFile(
            "Line {line:d} holds a NUL byte, so this is no text file.", line=line, hint=_NUL_HINT
        )
