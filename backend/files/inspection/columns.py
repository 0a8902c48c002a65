"""Which column holds the addresses: by name, by position, by what its cells look like."""

import re
from collections.abc import Sequence

from backend.core.errors import BadField, EmailColumnAmbiguous

EMAIL = "email"
_ADDRESS = re.compile(r"[^\s@;,|\"<>]+@[^\s@;,|\"<>]+\.[^\s@;,|\"<>]{2,}")
_AT_SIGN = re.compile(r"[^\s@]@[^\s@]")


def looks_like_address(cell: str) -> bool:
    """Whether a cell is one plain address and nothing else; a guess for the eye, no validation."""
    return _ADDRESS.fullmatch(cell.strip()) is not None


def holds_address(cell: str) -> bool:
    """Whether an address, however broken, may stand in a cell."""
    return _AT_SIGN.search(cell) is not None


def find_columns(columns: Sequence[str], name: str = EMAIL) -> tuple[int, ...]:
    """Return the positions, from 0, of the columns of a name.

    Exact matches alone where there are any; else those that match when case, outer white space
    and a BOM are set aside.
    """
    exact = tuple(place for place, column in enumerate(columns) if column == name)
    if exact:
        return exact
    wanted = _fold(name)
    return tuple(place for place, column in enumerate(columns) if _fold(column) == wanted)


def _fold(name: str) -> str:
    return name.strip().strip("\ufeff").strip().casefold()


def suggest_column(
    columns: Sequence[str], matches: Sequence[int], rows: Sequence[Sequence[str]]
) -> int | None:
    """Return the column to offer: the only match by name, else the one with most at-signs.

    Among equals, one whose name speaks of mail, then the first. None when nothing speaks for any.
    """
    if len(matches) == 1:
        return matches[0]
    width = max([len(columns), *map(len, rows)])
    counts = [0] * width
    for row in rows:
        for place, cell in enumerate(row):
            counts[place] += "@" in cell
    candidates = matches or [place for place in range(width) if counts[place]]
    return max(
        candidates,
        key=lambda place: (counts[place], "mail" in _fold("".join(columns[place : place + 1]))),
        default=None,
    )


def choose_column(columns: Sequence[str], wanted: int | str) -> int:
    """Return the position, from 0, of the column that was asked for.

    Args:
        columns: The names as they stand.
        wanted: A position from 0; or text, a name, else a position from 1 in digits.

    Raises:
        BadField: There is no such column.
        EmailColumnAmbiguous: More than one has the name.
    """
    if isinstance(wanted, str):
        matches = find_columns(columns, wanted)
        if len(matches) > 1:
            name = "like that" if "@" in wanted else wanted  # an error never carries an address
            raise EmailColumnAmbiguous([place + 1 for place in matches], name=name)
        if matches:
            return matches[0]
        digits = wanted.strip()
        wanted = int(digits) - 1 if re.fullmatch(r"[0-9]{1,6}", digits) else -1
    if not 0 <= wanted < len(columns):
        raise BadField(
            "email_column",
            "the list has no such column",
            hint=f"Give a column's name or its position from 1 to {len(columns)}.",
        )
    return wanted
