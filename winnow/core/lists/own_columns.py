"""The list's own columns: their values, and how many rows of each are removed."""

from collections.abc import Iterator
from dataclasses import dataclass

from winnow.core.figures import cut_text
from winnow.words import say

VALUES_SHOWN = 20
_GROUP_MIN = 20  # rows of a value in a table to hand on
_SHOWN_CHARACTERS = 60

LeftOut = tuple[int, str]
"""A group that gets no mail this time: a column, from 0, and a value, month or year of it."""


@dataclass(frozen=True, slots=True)
class ValueShare:
    """The rows of one value, and how many of them a policy removes."""

    text: str
    rows: int
    removed: int


@dataclass(frozen=True, slots=True)
class ColumnSplit:
    """A list by the values of a column.

    ``rest`` are all other rows: further values, and cells in no group. ``is_whole``: all rows of
    the list were counted in time.
    """

    column: str
    shares: tuple[ValueShare, ...]
    rest: ValueShare
    is_whole: bool = True

    def list_large(self) -> Iterator[ValueShare]:
        """Yield the shares to hand on: of many rows, and without an ``@``; the others as one."""
        rows, removed = self.rest.rows, self.rest.removed
        for share in self.shares:
            if share.rows >= _GROUP_MIN and "@" not in share.text:
                yield ValueShare(show_own_text(share.text), share.rows, share.removed)
            else:
                rows, removed = rows + share.rows, removed + share.removed
        if rows:
            yield ValueShare(say("fewer than {most} rows", most=_GROUP_MIN), rows, removed)


def show_own_text(text: str) -> str:
    """Return a cell's text for a line, an empty one in words."""
    return cut_text(" ".join(text.split()), _SHOWN_CHARACTERS) if text else say("(empty)")


def name_own_column(name: str, place: int) -> str:
    """Return a column's name, or its number from 1 where it has none."""
    return name.strip() or say("column {number}", number=place + 1)
