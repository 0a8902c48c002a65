"""Refusal of unusual texts: delimiters of several signs, single quotes, tables drawn with lines.

If such a text were read as a list, all its rows would be black.
"""

import codecs
import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from math import gcd

from winnow.core.errors import BrokenFile
from winnow.lists.inspection.columns import find_columns, names_email
from winnow.lists.inspection.first_row import GUESS_ROWS, find_address_column
from winnow.lists.text.splitter import Record

_LINES = 200
_RARE = "~^:!#¦§" + "".join(map(chr, range(1, 9))) + "\x1c\x1d\x1e\x1f"
_LINE_CHARACTERS = 4096
_ADDRESS = re.compile(r"[\w.%+-]+@[\w-]+(?:\.[\w-]+)*\.\w{2,}")
_JOINT_BEFORE = re.compile(r"[^\w\"' ]+(?= *\Z)")
_JOINT_BEHIND = re.compile(r" *([^\w\"' ]+)")
_USUAL = re.compile(r"[,;\t]")  # between several of these are empty cells
_IN_SINGLE_QUOTES = re.compile(rf"' *{_ADDRESS.pattern} *'")
_DRAWN = re.compile(r"[\s|+:]*(?:-{2,}|={2,}|:-+:?|-+:)[\s|+:=-]*")
_APART = re.compile(r"\S {2,}\S*[^\s@]@[^\s@]|[^\s@]@[^\s@]+ {2,}\S")
_WORD = re.compile(r'"[^"]*"|\S+')
_MOST = 0.8


def find_joint(text: str) -> str | None:
    """Return what separates the cells: the signs next to the addresses, as often in most lines.

    Quotes and blanks are set aside. None where there is nothing of the kind. Without a header, only
    a sign of ``_RARE`` between cells that differ from row to row.

    Args:
        text: One character a byte.
    """
    lines = re.split(r"[\r\n]+", _read_signs(text[: 1 << 18]))
    lines = [line[:_LINE_CHARACTERS] for line in lines if line]
    lines = [re.sub(r"[\"']", "", line) for line in lines[:_LINES]]
    first = next((place for place, line in enumerate(lines) if _ADDRESS.search(line)), None)
    if first is None:
        return None
    lines = lines[max(first - 1, 0) :]
    votes: Counter[str] = Counter()
    for line in lines:
        match = _ADDRESS.search(line)
        if match is not None:
            before = _JOINT_BEFORE.findall(line[: match.start()])
            behind = _JOINT_BEHIND.match(line, match.end())
            votes.update([*before, *(behind.groups() if behind else ())])
    if not votes:
        return None
    joint = _drop_blank_cells(max(votes, key=lambda found: (votes[found], found)), lines)
    usual, count = Counter(line.count(joint) for line in lines).most_common(1)[0]
    if not usual or count < _MOST * len(lines) or (first and lines[0].count(joint) != usual):
        return None
    others = {tuple(cell for cell in line.split(joint) if "@" not in cell) for line in lines}
    is_known = bool(first) or (joint in _RARE and len(others) > 1)
    return joint if is_known else None


def _read_signs(text: str) -> str:
    """Return text that was read one character a byte as UTF-8 where it is that."""
    try:
        return codecs.getincrementaldecoder("utf-8")().decode(text.encode("latin-1"))
    except UnicodeDecodeError:
        return text


def _drop_blank_cells(signs: str, lines: Sequence[str]) -> str:
    """Return signs without the repetition that blank cells make of one sign."""
    sign = signs[0]
    if signs.strip(sign):
        return signs
    runs = re.findall(f"{re.escape(sign)}+", "\n".join(lines))
    return sign * gcd(*map(len, runs))


def refuse_joint(joint: str | None) -> None:
    """Refuse a text whose cells are separated by more than one ASCII character.

    Backslashes escape each other.

    Raises:
        BrokenFile: They are, and none of these is a comma, a semicolon or a tab.
    """
    if joint is None or _USUAL.search(joint) or not joint.strip("\\"):
        return
    if len(joint) > 1 or not joint.isascii():
        raise BrokenFile(
            "The cells are separated by “{joint}”; only a single ASCII character can do that.",
            joint=joint,
            hint="Export the list with commas, semicolons or tabs, or replace each of these by a "
            "tab, and upload it again.",
        )


def refuse_odd_rows(records: Sequence[Record]) -> None:
    """Refuse rows that are no cells of a list.

    Args:
        records: The header, or without one the first row, and what follows it.

    Raises:
        BrokenFile: With the line: a line is drawn below the header, most addresses are in
            single quotes, or blanks part the columns.
    """
    if len(records) > 1 and _is_drawn(records[1]):
        raise BrokenFile(
            "Line {line:d} only draws a line: this is a printed table, not a list.",
            line=records[1].line,
            hint="Export it as CSV, or delete the drawn lines, and upload it again.",
        )
    rows = records[1:GUESS_ROWS] or records
    quoted = _find_most(rows, _is_in_single_quotes, lambda row: "@" in "".join(row.cells))
    if quoted is not None:
        raise BrokenFile(
            "Line {line:d}: the addresses stand in single quotes (').",
            line=quoted.line,
            hint="Export the list with double quotes or with none, and upload it again.",
        )
    width = len(_WORD.findall(records[0].cells[0]))
    apart = _find_most(rows, partial(_is_separated_by_blanks, width=width), lambda row: True)
    if apart is not None:
        raise BrokenFile(
            "Line {line:d}: blanks separate the columns, as in a printed table or in R's "
            "write.table.",
            line=apart.line,
            hint="Export the list as CSV (in R: write.csv), or import it in a spreadsheet program "
            "with fixed widths and save it as CSV.",
        )


def lacks_first_name(header: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether a header begins with the name of the second column, as R writes it.

    All rows have one cell more, and the column of addresses is one to the right of its name.
    """
    rows = rows[:GUESS_ROWS]
    longer = [row for row in rows if len(row) == len(header) + 1]
    if not longer or len(longer) < _MOST * len(rows):
        return False
    if not any(row[-1].strip() for row in longer):  # each row just ends in a delimiter
        return False
    column = find_address_column(longer)
    named = {*find_columns(header), *(p for p, name in enumerate(header) if names_email(name))}
    return column is not None and column not in named and column - 1 in named


def _find_most(
    rows: Sequence[Record], is_odd: Callable[[Record], bool], counts: Callable[[Record], bool]
) -> Record | None:
    """Return the first odd row where more than half of those that count are odd."""
    odd = [row for row in rows if is_odd(row)]
    return odd[0] if odd and 2 * len(odd) > sum(map(counts, rows)) else None


def _is_drawn(record: Record) -> bool:
    filled = [cell for cell in record.cells if cell.strip()]
    return (
        bool(filled)
        and all(_DRAWN.fullmatch(cell) for cell in filled)
        and ("---" in "".join(record.cells) or "===" in "".join(record.cells))
    )


def _is_in_single_quotes(record: Record) -> bool:
    """Whether an address is in single quotes and none without them."""
    cells = [cell.strip() for cell in record.cells]
    return any(map(_IN_SINGLE_QUOTES.fullmatch, cells)) and not any(map(_ADDRESS.fullmatch, cells))


def _is_separated_by_blanks(record: Record, width: int) -> bool:
    """Return whether blanks separate as many cells as the first row has.

    Or one more, a row's number or its name in quotes, as R writes them.
    """
    if len(record.cells) > 1:
        return False
    words = _WORD.findall(record.cells[0])
    is_address = any(_ADDRESS.fullmatch(word.strip('"')) for word in words)
    is_named = len(words) == width + 1 and (words[0].isdigit() or words[0].startswith('"'))
    is_table = len(words) == width > 1 or is_named
    return (is_address and is_table) or _APART.search(record.cells[0]) is not None
