"""Preview of a list before it is cleaned: verdicts, and groups of duplicates."""

from collections.abc import Mapping
from dataclasses import dataclass

from winnow.core.lists.notices import Notice
from winnow.core.verdicts.verdict import Action


@dataclass(frozen=True, slots=True)
class ListHealth:
    """Shares of the judged rows, 0 to 1: of each action, and of invalid addresses."""

    actions: Mapping[Action, float]
    invalid: float


@dataclass(frozen=True, slots=True)
class Preview:
    """Likely outcome of a list.

    ``rows`` are those of the file, blank lines not counted; the first ``read`` of them were read,
    ``judged`` of these were judged. ``duplicates`` are the rows with the same address further down
    among those read: in the file there are at least as many. ``as_it_is`` is the health of all
    rows, ``kept`` of those that stay when only the last of each address is kept; None where not all
    were read. ``values`` are the cells that say who may be mailed, by column, with their rows among
    those read. ``torn`` people say no in one of these rows and not in another.
    """

    rows: int
    judged: int
    read: int
    duplicates: int
    as_it_is: ListHealth
    kept: ListHealth | None
    data_version: str
    values: tuple[Mapping[str, int], ...] = ()
    torn: int = 0

    @property
    def is_exact(self) -> bool:
        """Whether every row was judged."""
        return self.judged == self.rows

    @property
    def is_whole(self) -> bool:
        """Whether every row was read, so that ``rows`` is no estimate."""
        return self.read == self.rows


@dataclass(frozen=True, slots=True)
class DuplicateRow:
    """One row: its number in the file, as a spreadsheet shows it, and its cells, long ones cut.

    ``rank`` is what the rule compares, as text: a time in UTC (ISO 8601), or how many cells are
    filled; empty where there is nothing.
    """

    number: int
    cells: tuple[str, ...]
    stays: bool
    rank: str = ""


@dataclass(frozen=True, slots=True)
class DuplicateGroup:
    """Rows with one address, in the file's order; ``row_count`` counts also those not shown."""

    rows: tuple[DuplicateRow, ...]
    row_count: int


@dataclass(frozen=True, slots=True)
class DuplicatePreview:
    """The first groups of a list, or of its beginning.

    ``row_count`` rows were read; of each of ``group_count`` groups one row would stay.
    ``is_whole``: all rows of the list were read. ``notices`` say how dates were read; ``is_guess``:
    the column does not decide which number of a date is the day.
    """

    groups: tuple[DuplicateGroup, ...]
    group_count: int
    row_count: int
    is_whole: bool
    notices: tuple[Notice, ...] = ()
    is_guess: bool = False
