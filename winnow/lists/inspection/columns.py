"""Detection of the column of addresses: by name, by position, by its cells."""

import re
from collections.abc import Sequence

from winnow.core.errors import BadField, EmailColumnAmbiguous, word_columns
from winnow.core.meaning.addresses import ColumnCounts, holds_address
from winnow.core.unicode_forms import fold_name
from winnow.words import translatable

EMAIL = "email"
_POSITION = re.compile(r"[0-9]{1,6}")
_FEW_SHARE = 0.05


def find_columns(columns: Sequence[str], name: str = EMAIL) -> tuple[int, ...]:
    """Return the positions, from 0, of the columns of a name.

    Exact matches alone where there are any; else those that match when case, outer white space
    and a BOM are set aside.
    """
    exact = tuple(place for place, column in enumerate(columns) if column == name)
    if exact:
        return exact
    wanted = fold_name(name)
    return tuple(place for place, column in enumerate(columns) if fold_name(column) == wanted)


def find_address_columns(columns: Sequence[ColumnCounts]) -> tuple[int, ...]:
    """Return the columns that hold addresses: at least half of their texts are valid.

    A column with a twentieth of the addresses of the fullest one holds none to speak of. A sign
    before a name ("@ana") is no address.
    """
    most = max((one.valid for one in columns), default=0)
    return tuple(
        one.place
        for one in columns
        if one.valid > most * _FEW_SHARE and 2 * one.valid >= one.filled
    )


def suggest_column(
    columns: Sequence[ColumnCounts], matches: Sequence[int], address_columns: Sequence[int]
) -> int | None:
    """Return the column to offer, None when no column or several are likely.

    The only one named email; else the only one that holds addresses; else, where none does, the
    only one with a name as columns of addresses have it, then the one with most that could be
    meant for addresses.

    Args:
        columns: Their counts in the first rows.
        matches: Those named email.
        address_columns: From ``find_address_columns``.
    """
    likely = matches or address_columns or [one.place for one in columns if one.is_named]
    if len(likely) == 1:
        return likely[0]
    if matches or address_columns:
        return None
    held = [one for one in columns if one.held]
    return min(held, key=lambda one: (-one.held, one.place)).place if held else None


def is_position(wanted: object) -> bool:
    """Return whether a column is asked for by its position: digits, counted from 1."""
    return isinstance(wanted, str) and _POSITION.fullmatch(wanted.strip()) is not None


def choose_column(columns: Sequence[str], wanted: int | str, field: str = "email_column") -> int:
    """Return the position, from 0, of the column that was asked for.

    Args:
        columns: The names as written.
        wanted: A position from 0; or text, a name, else a position from 1 in digits.
        field: Where it was asked for, for errors.

    Raises:
        BadField: There is no such column.
        EmailColumnAmbiguous: More than one has the name.
    """
    if isinstance(wanted, str):
        matches = find_columns(columns, wanted)
        if len(matches) > 1:
            name = "like that" if "@" in wanted else wanted  # an error never carries an address
            positions = [place + 1 for place in matches]
            raise EmailColumnAmbiguous(positions, name=name, field=field)
        if matches:
            return matches[0]
        if not is_position(wanted):
            raise _miss_column(columns, wanted, field)
        wanted = int(wanted) - 1
    if not 0 <= wanted < len(columns):
        raise _miss_column(columns, str(wanted + 1), field)
    return wanted


def _miss_column(columns: Sequence[str], wanted: str, field: str) -> BadField:
    """Return the error that names the column asked for and those found, but never an address."""
    problem = translatable("the list has no column {wanted}", wanted=repr(wanted[:60]))
    if "@" in wanted:
        problem = translatable("the list has no such column")
    if not any(map(holds_address, columns)):  # else the first row is one of the list
        names = word_columns(columns)
        problem = translatable("{problem}. Columns found: {names}", problem=problem, names=names)
    hint = translatable(
        "Give a column's name or its position from 1 to {most:d}.", most=len(columns)
    )
    return BadField(field, problem, hint=hint)
