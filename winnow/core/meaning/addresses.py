"""Columns of addresses, by their headings and their cells: one count, for any choice."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from winnow.core.addresses.address import find_address
from winnow.core.meaning.vocabulary import HEADINGS, fold_words, open_vocabulary

_ADDRESS = re.compile(r"[^\s@;,|\"<>]+@[^\s@;,|\"<>]+\.[^\s@;,|\"<>]{2,}")
_AT_SIGN = re.compile(r"[^\s@]@[^\s@]")
_MAIL_WORDS = ("mail", "correo", "courriel", "posta", "epost", "メール", "почт", "邮", "郵", "메일")


def looks_like_address(cell: str) -> bool:
    """Whether a cell is one plain address and nothing else; a guess for the eye, no validation."""
    return _ADDRESS.fullmatch(cell.strip()) is not None


def holds_address(cell: str) -> bool:
    """Whether an address, however broken, may be in a cell."""
    return _AT_SIGN.search(cell) is not None


def names_email(name: str) -> bool:
    """Whether a name is one that columns of addresses have: ``"E-Mail-Adresse"``, ``"メール"``."""
    return open_vocabulary(HEADINGS, "address").find(fold_words(name)) is not None


def speaks_of_mail(name: str) -> bool:
    """Whether a name has to do with mail at all: ``"Mail of the manager"``."""
    words = fold_words(name)
    return names_email(name) or any(one in words for one in map(fold_words, _MAIL_WORDS))


@dataclass(frozen=True, slots=True)
class ColumnCounts:
    """Counts of a column's cells that hold anything.

    Attributes:
        place: From 0.
        is_named: Its heading is one of columns of addresses.
        filled: All of them.
        held: Those that may hold an address, however broken.
        valid: Those that are one.
        distinct: The different ones that hold one.
    """

    place: int
    is_named: bool
    filled: int
    held: int
    valid: int
    distinct: int


def score_columns(names: Sequence[str], rows: Sequence[Sequence[str]]) -> tuple[ColumnCounts, ...]:
    """Return the counts of every column of some rows; ``names`` may be fewer."""
    width = max(len(names), *map(len, rows), 0) if rows else len(names)
    counts = []
    for place in range(width):
        cells = [row[place].strip() for row in rows if place < len(row)]
        held = [cell for cell in cells if holds_address(cell)]
        is_named = place < len(names) and names_email(names[place])
        valid = sum(find_address(cell) is not None for cell in held)
        distinct = len({cell.casefold() for cell in held})
        filled = sum(map(bool, cells))
        counts.append(ColumnCounts(place, is_named, filled, len(held), valid, distinct))
    return tuple(counts)
