"""Faults that make a text list unreadable: an error in the head, a notice after it."""

from winnow.core.errors import BrokenFile
from winnow.core.tasks.task import Notice
from winnow.lists.formats.delimited.scan import Scan, count_line_breaks
from winnow.lists.formats.delimited.source import TextSource
from winnow.lists.text.splitter import count_lines
from winnow.words import mark

_NUL_HINT = mark("Save the list as CSV or XLSX again and upload that file.")


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
