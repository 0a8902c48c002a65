"""Texts that are no list of cells: joints of several signs, single quotes, tables drawn with lines.

What cannot be read rightly is refused in words: read as if it were, all its rows would be black.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence

from winnow.core.errors import BrokenFile
from winnow.lists.inspection.column_names import names_email
from winnow.lists.inspection.columns import find_columns
from winnow.lists.inspection.first_row import GUESS_ROWS, find_address_column
from winnow.lists.text.splitter import Record

_LINES = 200
_LINE_CHARACTERS = 4096
_ADDRESS = re.compile(r"[\w.%+-]+@[\w-]+(?:\.[\w-]+)*\.\w{2,}")
_JOINT_BEFORE = re.compile(r"[^\w\"' ]+(?= *\Z)")
_JOINT_BEHIND = re.compile(r" *([^\w\"' ]+)")
_USUAL = re.compile(r"[,;\t]")  # between several of these stand empty cells
_IN_SINGLE_QUOTES = re.compile(rf"' *{_ADDRESS.pattern} *'")
_DRAWN = re.compile(r"[\s|+:]*(?:-{2,}|={2,}|:-+:?|-+:)[\s|+:=-]*")
_APART = re.compile(r"\S {2,}\S*[^\s@]@[^\s@]|[^\s@]@[^\s@]+ {2,}\S")
_MOST = 0.8


def find_joint(text: str) -> str | None:
    """Return what stands beside most addresses, and as often in the header: what parts the cells.

    Quotes and blanks are set aside. None where there is nothing of the kind.
    """
    lines = [line[:_LINE_CHARACTERS] for line in re.split(r"[\r\n]+", text[: 1 << 18]) if line]
    lines = [re.sub(r"[\"']", "", line) for line in lines[:_LINES]]
    first = next((place for place, line in enumerate(lines) if _ADDRESS.search(line)), None)
    if not first:
        return None
    header, rows = lines[first - 1], lines[first:]
    votes: Counter[str] = Counter()
    for row in rows:
        match = _ADDRESS.search(row)
        if match is not None:
            before = _JOINT_BEFORE.findall(row[: match.start()])
            behind = _JOINT_BEHIND.match(row, match.end())
            votes.update({*before, *(behind.groups() if behind else ())})
    if not votes:
        return None
    joint, count = votes.most_common(1)[0]
    usual = Counter(row.count(joint) for row in rows).most_common(1)[0][0]
    fits = count >= _MOST * len(rows) and header.count(joint) == usual > 0
    return joint if fits and all(map(str.strip, header.split(joint))) else None


def refuse_joint(joint: str | None) -> None:
    """Refuse a text whose cells are parted by more than one sign; backslashes escape each other.

    Raises:
        BrokenFile: They are, and none of these is a comma, a semicolon or a tab.
    """
    if joint is not None and len(joint) > 1 and not _USUAL.search(joint) and joint.strip("\\"):
        raise BrokenFile(
            f"The cells are parted by “{joint}”; only a single sign can part them.",
            hint="Export the list with commas, semicolons or tabs, or replace each of these by a "
            "tab, and upload it again.",
        )


def refuse_odd_rows(records: Sequence[Record]) -> None:
    """Refuse rows that are no cells of a list.

    Args:
        records: The header, or without one the first row, and what follows it.

    Raises:
        BrokenFile: With the line: a line is drawn below the header, most addresses stand in
            single quotes, or blanks part the columns.
    """
    if len(records) > 1 and _is_drawn(records[1]):
        raise BrokenFile(
            f"Line {records[1].line} only draws a line: this is a table for the eye, no list.",
            line=records[1].line,
            hint="Export it as CSV, or delete the drawn lines, and upload it again.",
        )
    rows = records[1:GUESS_ROWS] or records
    quoted = _find_most(rows, _is_in_single_quotes, lambda row: "@" in "".join(row.cells))
    if quoted is not None:
        raise BrokenFile(
            f"Line {quoted.line}: the addresses stand in single quotes (').",
            line=quoted.line,
            hint="Export the list with double quotes or with none, and upload it again.",
        )
    apart = _find_most(rows, _is_parted_by_blanks, lambda row: True)
    if apart is not None:
        raise BrokenFile(
            f"Line {apart.line}: blanks part the columns, as in a printed table.",
            line=apart.line,
            hint="Export the list as CSV, or import it in a spreadsheet program with fixed widths "
            "and save it as CSV.",
        )


def lacks_first_name(header: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether a header begins with the name of the second column, as R writes it.

    All rows have one cell more, and the column of addresses stands one to the right of its name.
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
    """Whether an address stands in single quotes and none without them."""
    cells = [cell.strip() for cell in record.cells]
    return any(map(_IN_SINGLE_QUOTES.fullmatch, cells)) and not any(map(_ADDRESS.fullmatch, cells))


def _is_parted_by_blanks(record: Record) -> bool:
    return len(record.cells) == 1 and _APART.search(record.cells[0]) is not None
