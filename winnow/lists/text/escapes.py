r"""Backslash escapes: plain CSV made of them on input, and put back on output.

MySQL, PostgreSQL and Spark write a quote as ``\"``, a backslash as ``\\`` and, without quotes, a
delimiter or a line break after a backslash; ``\N`` alone is an empty cell. A run reads and writes
plain CSV (RFC 4180), which has as many lines.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from itertools import chain

from winnow.core.errors import BrokenFile, MixedEscapes
from winnow.core.file_faults import FileFault
from winnow.lists.text.records import (
    MAX_CELL_BYTES,
    MAX_RECORD_BYTES,
    RecordFault,
    oversized_cell,
    unclosed_quote,
)
from winnow.words import Sentence, translatable

ESCAPE = "\\"
CHOOSE_ESCAPE = translatable("Save the list again, or choose on the pages how quotes are written.")
_BACKSLASH = b"\\"
_NULL = rb"\N"
_KEPT = b"\x1b"  # instead of a backslash that gives a letter another meaning (\n, \t, \x41)
_ESCAPED = re.compile(rb"\\(\r\n|[\s\S])")
_LETTER_ESCAPE = re.compile(_KEPT + rb"(?=[0-9A-Za-z])")
_LINE_BREAK = re.compile(rb"[\r\n]")
_ENDS_ESCAPED = re.compile(rb"\\[\r\n]*\Z")

Cells = Sequence[re.Match[bytes]]


class EscapeStyle(StrEnum):
    r"""How a list writes cells that need it, and its empty ones.

    ``NULLS`` are lists with quotes whose empty cells without quotes are ``\N``.
    """

    BARE = "bare"
    QUOTED = "quoted"
    NULLS = "nulls"

    @classmethod
    def of(cls, start: bytes, delimiter: str) -> "EscapeStyle":
        """Return the style of a list by its beginning."""
        apart = rb"[^%b\r\n]" % re.escape(delimiter.encode())
        if not re.search(rb'(?<!%b)"' % apart, start):
            return cls.BARE
        has_nulls = re.search(rb"(?<!%b)\\N(?!%b)" % (apart, apart), start)
        return cls.NULLS if has_nulls else cls.QUOTED


def remove_escapes(
    blocks: Iterable[bytes],
    delimiter: str,
    style: EscapeStyle,
    *,
    first_line: int = 1,
    is_whole: bool = True,
) -> Iterator[bytes]:
    r"""Yield a list in plain CSV.

    Args:
        blocks: Its bytes from a record's start on, in an encoding that contains ASCII.
        delimiter: One ASCII character.
        style: How it writes cells.
        first_line: The number of its first physical line.
        is_whole: The blocks reach to the end of the file. If not, what the cut leaves of the last
            record is not yielded.

    Raises:
        BrokenFile: With the line; MixedEscapes where a row can be read only without escapes.
    """
    separator, marks = re.escape(delimiter.encode()), [delimiter.encode(), b'"', b"\r", b"\n"]
    bare = rb"[^%b\r\n\\]*+(?>(?:\\(?:\r\n|[\s\S])[^%b\r\n\\]*+)*)" % (separator, separator)
    quoted = rb'"([^"\\]*+(?>(?:\\(?:\r\n|[\s\S])[^"\\]*+)*))"(%b)' % bare

    def spell(cells: Cells, line: int) -> bytes:
        _refuse_wrong(cells, line)
        is_alone = len(cells) == 1
        return b"".join(_remove(cell, style, marks, is_alone=is_alone) for cell in cells)

    yield from _convert(
        blocks,
        delimiter.encode(),
        rb'(?:"[^"\\]*+"|(?!")[^%b\r\n\\]*+)' % separator,
        rb'(?:%b|(?!")(%b))' % (quoted, bare),
        spell,
        line=first_line,
        most_bytes=MAX_RECORD_BYTES if is_whole else MAX_CELL_BYTES,
        is_whole=is_whole,
    )


def read_plainly(
    text: bytes,
    delimiter: str,
    *,
    first_line: int = 1,
    is_whole: bool = True,
) -> bytes:
    """Return a small text in plain CSV, for cells that are read and not restored.

    Arguments and errors are ``remove_escapes``'s.
    """
    style = EscapeStyle.QUOTED
    blocks = remove_escapes([text], delimiter, style, first_line=first_line, is_whole=is_whole)
    return b"".join(blocks).replace(_KEPT, b"")


def restore_escapes(blocks: Iterable[bytes], delimiter: str, style: EscapeStyle) -> Iterator[bytes]:
    """Yield the list again that ``remove_escapes`` made plain CSV of, with the same arguments."""
    separator = re.escape(delimiter.encode())
    special = re.compile(rb'["\\\r\n%b]' % separator if style is EscapeStyle.BARE else rb'["\\]')
    bare = rb"[^%b\r\n]*+" % separator
    quoted = rb'"([^"]*+(?>(?:""[^"]*+)*))"(%b)' % bare
    plain = rb'(?!")[^%b\r\n\\\x1b]%b' % (
        separator,
        rb"++" if style is EscapeStyle.NULLS else b"*+",
    )

    def spell(cells: Cells, line: int) -> bytes:
        is_alone = len(cells) == 1
        return b"".join(_restore(cell, style, special, is_alone=is_alone) for cell in cells)

    yield from _convert(
        blocks,
        delimiter.encode(),
        plain if style is EscapeStyle.BARE else rb'(?:"[^"\\\x1b]*+"|%b)' % plain,
        rb'(?:%b|(?!")(%b))' % (quoted, bare),
        spell,
    )


def _convert(
    blocks: Iterable[bytes],
    delimiter: bytes,
    plain: bytes,
    cell: bytes,
    spell: Callable[[Cells, int], bytes],
    *,
    line: int = 1,
    most_bytes: int = MAX_RECORD_BYTES,
    is_whole: bool = True,
) -> Iterator[bytes]:
    """Copy records whose cells are all plain, and spell the others anew.

    ``plain`` and ``cell`` are patterns; the latter's groups are a cell's text within quotes, what
    follows these, and the text of a cell without quotes.
    """
    separator = re.escape(delimiter)
    find_plain = re.compile(
        rb"(?>(?:(?>(?:%b%b)*)%b(?:\r\n|\n|\r(?!\n|\Z)))*)" % (plain, separator, plain)
    ).match
    find_cell = re.compile(rb"%b(%b|\r\n|\r|\n|\Z)" % (cell, separator)).match
    rest = b""
    for block in chain(blocks, (b"",)):
        data, done, counted = rest + block, 0, 0
        parts: list[bytes] = []
        while done < len(data):
            copied = find_plain(data, done)
            if copied is not None:
                parts.append(copied[0])
                done = copied.end()
            cells: list[re.Match[bytes]] = []
            place = done
            while (found := find_cell(data, place)) is not None:
                cells.append(found)
                place = found.end()
                if found[4] != delimiter:
                    break
            is_cut = found is None or (place == len(data) and found[4] != b"\n")
            may_go_on = bool(block) or not is_whole
            if done == len(data) or (is_cut and may_go_on and len(data) - done <= most_bytes):
                break
            line += _count_lines(data[counted:done])
            counted = done
            if found is None:
                raise (
                    oversized_cell().name_line(line) if may_go_on else _word_open(data[done:], line)
                )
            parts.append(spell(cells, line))
            done = place
        line += _count_lines(data[counted:done])
        rest = data[done:]
        yield b"".join(parts)


def _remove(
    cell: re.Match[bytes], style: EscapeStyle, marks: Sequence[bytes], *, is_alone: bool
) -> bytes:
    """Return a cell in plain CSV, with what ends it."""
    quoted, behind, bare, end = cell.groups()
    if quoted is not None:
        text = _unescape(quoted)
        if _BACKSLASH in behind:  # it may hold a delimiter, which must be within quotes
            text, behind = text + _unescape(behind), b""
        return b'"' + text.replace(b'"', b'""') + b'"' + behind + end
    if bare == _NULL:
        return (b'""' if style is EscapeStyle.BARE or is_alone else b"") + end
    text = _unescape(bare)
    if b'"' in _ESCAPED.sub(b"", bare):  # a stray quote remains one
        marks = [one for one in marks if one != b'"']
    if text != bare and (any(one in text for one in marks) or text.startswith(b'"')):
        text = b'"' + text.replace(b'"', b'""') + b'"'
    return text + end


def _restore(
    cell: re.Match[bytes], style: EscapeStyle, special: re.Pattern[bytes], *, is_alone: bool
) -> bytes:
    """Return a cell with escapes again, with what ends it."""
    quoted, behind, bare, end = cell.groups()
    if quoted is None:
        is_null = not bare and style is EscapeStyle.NULLS and not is_alone
        text = _NULL if is_null else bare.replace(_BACKSLASH, 2 * _BACKSLASH)
    else:
        text = special.sub(rb"\\\g<0>", quoted.replace(b'""', b'"'))
        if style is not EscapeStyle.BARE:
            text = b'"' + text + b'"'
        text = (text or _NULL) + behind.replace(_BACKSLASH, 2 * _BACKSLASH)
    return _LETTER_ESCAPE.sub(rb"\\", text) + end


def _unescape(text: bytes) -> bytes:
    if _BACKSLASH not in text:
        return text
    return _ESCAPED.sub(lambda found: (_KEPT if found[1].isalnum() else b"") + found[1], text)


def _refuse_wrong(cells: Cells, line: int) -> None:
    """Refuse a record that is not written as backslash escapes ask for."""
    for cell in cells:
        quoted, behind, _, _ = cell.groups()
        if quoted is None:
            continue
        if behind.startswith(b'"'):
            raise _mix(
                line,
                translatable(
                    "a quote is doubled here, but elsewhere quotes are written with a backslash "
                    '(\\").'
                ),
            )
        if behind and _LINE_BREAK.search(_ESCAPED.sub(b"", quoted)):  # another cell's quote
            raise _word_open(cell[0], line)
    if not cells[-1][4] and _ENDS_ESCAPED.search(cells[-1][0]):
        raise _cut_off().name_line(line)


def _word_open(data: bytes, line: int) -> BrokenFile:
    """Return the error of a record with a quote that never closes; a backslash may be its cause."""
    if b'\\"' in data.split(b"\n")[0]:
        return _mix(
            line,
            translatable(
                "a backslash (\\) seems to be plain text here, but escapes what is behind it "
                "elsewhere."
            ),
        )
    return (unclosed_quote() if b'"' in data else _cut_off()).name_line(line)


def _cut_off() -> RecordFault:
    return RecordFault(
        0,
        "the file ends behind a backslash.",
        "It may be cut off: save or export it again.",
        FileFault.TRUNCATED,
    )


def _mix(line: int, words: Sentence) -> MixedEscapes:
    return MixedEscapes("Line {line}: {problem}", problem=words, hint=CHOOSE_ESCAPE, line=line)


def _count_lines(data: bytes) -> int:
    return data.count(b"\n") + data.count(b"\r") - data.count(b"\r\n")
