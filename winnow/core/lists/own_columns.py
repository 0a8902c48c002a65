"""The list's own columns: their values, and how many rows of each are removed."""

from dataclasses import dataclass

from winnow.core.figures import cut_text
from winnow.words import say

_SHOWN_CHARACTERS = 60


@dataclass(frozen=True, slots=True)
class OwnValue:
    """One value of one of the list's own columns, both by number, never as text.

    ``number`` is the value's index, from 0, among the column's in order of first appearance.
    """

    column: int
    number: int

    @property
    def code(self) -> str:
        """Its code in a page's address."""
        return f"{self.column}.{self.number}"

    @classmethod
    def parse(cls, code: str) -> "OwnValue":
        """Read a code that OWN_VALUE accepts."""
        column, _, number = code.partition(".")
        return cls(int(column), int(number))


@dataclass(frozen=True, slots=True)
class OwnColumn:
    """One of the list's own columns: its index from 0, and its name."""

    place: int
    name: str


@dataclass(frozen=True, slots=True)
class ValueShare:
    """The rows of one value, and how many of them a policy removes.

    ``code`` is that of its ``OwnValue``, "" for several values together.
    """

    text: str
    rows: int
    removed: int
    code: str = ""


@dataclass(frozen=True, slots=True)
class ColumnSplit:
    """A list by the values of a column, the largest first.

    ``rest`` are all other rows: smaller values, and cells in no group.
    """

    column: OwnColumn
    shares: tuple[ValueShare, ...]
    rest: ValueShare


def name_own_value(column: str, text: str) -> str:
    """Return a value as people read it: ``"country: DE"``."""
    return f"{column}: {show_own_text(text)}"


def show_own_text(text: str) -> str:
    """Return a cell's text for a line, an empty one in words."""
    return cut_text(" ".join(text.split()), _SHOWN_CHARACTERS) if text else say("(empty)")


def name_own_column(name: str, place: int) -> str:
    """Return a column's name, or its number from 1 where it has none."""
    return name.strip() or say("column {number}", number=place + 1)
