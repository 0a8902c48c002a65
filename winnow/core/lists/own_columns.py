"""The list's own columns: their values, and how many rows of each are removed."""

from dataclasses import dataclass

from winnow.core.figures import cut_text
from winnow.words import say

_SHOWN_CHARACTERS = 60


@dataclass(frozen=True, slots=True)
class OwnColumn:
    """One of the list's own columns: its index from 0, and its name."""

    place: int
    name: str


@dataclass(frozen=True, slots=True)
class ValueShare:
    """The rows of one value, and how many of them a policy removes."""

    text: str
    rows: int
    removed: int


@dataclass(frozen=True, slots=True)
class ColumnSplit:
    """A list by the values of a column, the largest first.

    ``rest`` are all other rows: smaller values, and cells in no group.
    """

    column: OwnColumn
    shares: tuple[ValueShare, ...]
    rest: ValueShare


def show_own_text(text: str) -> str:
    """Return a cell's text for a line, an empty one in words."""
    return cut_text(" ".join(text.split()), _SHOWN_CHARACTERS) if text else say("(empty)")


def name_own_column(name: str, place: int) -> str:
    """Return a column's name, or its number from 1 where it has none."""
    return name.strip() or say("column {number}", number=place + 1)
