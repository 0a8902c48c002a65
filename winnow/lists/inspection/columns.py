"""Detection of the column of addresses: by name, by position, by its cells."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from winnow.core.addresses.address import find_address
from winnow.core.errors import BadField, EmailColumnAmbiguous, word_columns
from winnow.core.unicode_forms import fold_name, spell_plainly
from winnow.words import mark

EMAIL = "email"
_ADDRESS = re.compile(r"[^\s@;,|\"<>]+@[^\s@;,|\"<>]+\.[^\s@;,|\"<>]{2,}")
_AT_SIGN = re.compile(r"[^\s@]@[^\s@]")
_POSITION = re.compile(r"[0-9]{1,6}")
_FEW_SHARE = 0.05
_MAIL_WORDS = tuple(
    map(
        spell_plainly,
        ("mail", "correo", "courriel", "posta", "epost", "メール", "почт", "邮", "郵", "메일"),
    )
)


def looks_like_address(cell: str) -> bool:
    """Whether a cell is one plain address and nothing else; a guess for the eye, no validation."""
    return _ADDRESS.fullmatch(cell.strip()) is not None


def holds_address(cell: str) -> bool:
    """Whether an address, however broken, may be in a cell."""
    return _AT_SIGN.search(cell) is not None


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


def find_address_columns(rows: Sequence[Sequence[str]]) -> tuple[int, ...]:
    """Return the columns that hold addresses: at least half of their texts are valid.

    A column with a twentieth of the addresses of the fullest one holds none to speak of. A sign
    before a name ("@ana") is no address.
    """
    filled: Counter[int] = Counter()
    valid: Counter[int] = Counter()
    for row in rows:
        for place, cell in enumerate(row):
            if cell.strip():
                filled[place] += 1
                valid[place] += holds_address(cell) and find_address(cell) is not None
    most = max(valid.values(), default=0)
    return tuple(
        place
        for place in sorted(valid)
        if valid[place] > most * _FEW_SHARE and 2 * valid[place] >= filled[place]
    )


def suggest_column(
    columns: Sequence[str],
    matches: Sequence[int],
    address_columns: Sequence[int],
    rows: Sequence[Sequence[str]],
) -> int | None:
    """Return the column to offer, None when no column or several are likely.

    The only one named email; else the only one that holds addresses; else, where none does, the
    only one with a name as columns of addresses have it, then the one with most that could be
    meant for addresses.

    Args:
        columns: The names.
        matches: Those named email.
        address_columns: From ``find_address_columns``.
        rows: The first rows.
    """
    if matches:
        return matches[0] if len(matches) == 1 else None
    if address_columns:
        return address_columns[0] if len(address_columns) == 1 else None
    named = [place for place, name in enumerate(columns) if names_email(name)]
    if len(named) == 1:
        return named[0]
    counts = Counter(place for row in rows for place, cell in enumerate(row) if holds_address(cell))
    return min(counts, key=lambda place: (-counts[place], place)) if counts else None


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
    problem = mark("the list has no column {wanted}", wanted=repr(wanted[:60]))
    if "@" in wanted:
        problem = mark("the list has no such column")
    if not any(map(holds_address, columns)):  # else the first row is one of the list
        names = word_columns(columns)
        problem = mark("{problem}. Columns found: {names}", problem=problem, names=names)
    hint = mark("Give a column's name or its position from 1 to {most:d}.", most=len(columns))
    return BadField(field, problem, hint=hint)


def names_email(name: str) -> bool:
    """Whether a name is one that columns of addresses have: ``"E-Mail-Adresse"``, ``"メール"``.

    In the languages of a data file.
    """
    folded = spell_plainly(name)
    return bool(folded) and folded in _read_names()


def speaks_of_mail(name: str) -> bool:
    """Whether a name has to do with mail at all: ``"Mail of the manager"``."""
    folded = spell_plainly(name)
    return folded in _read_names() or any(word in folded for word in _MAIL_WORDS)


@cache
def _read_names() -> frozenset[str]:
    path = files("winnow.lists") / "data" / "email_column_names.tsv"
    lines = path.read_text(encoding="utf-8").splitlines()
    return frozenset(
        spell_plainly(line.partition("\t")[2]) for line in lines if not line.startswith("#")
    )
