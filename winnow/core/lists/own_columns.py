"""What the list's own columns say of its rows: values, amounts, and where bad addresses gather."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from winnow.core.figures import cut_text
from winnow.core.lists.cleaning import CleaningPolicy
from winnow.core.verdicts.domain_types import DomainType
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Verdict
from winnow.words import say

SMALLEST_GROUP = 20
LEAST_TIMES = 1.5
_SHOWN_CHARACTERS = 60
FALSE_DISCOVERY_RATE = 0.05  # Benjamini and Hochberg, J. R. Stat. Soc. B 57 (1995), 289


class Dirt(StrEnum):
    """Kinds of rows that may gather under a value."""

    DISPOSABLE = "disposable"
    MISSPELT = "misspelt"
    INVALID = "invalid"
    ROLE = "role"
    REMOVED = "removed"


def tell_dirt(dirt: Dirt, verdict: Verdict, policy: CleaningPolicy) -> bool:
    """Tell whether rows with a verdict are of a kind, REMOVED by a policy."""
    return _TESTS[dirt](verdict) if dirt in _TESTS else policy.removes(verdict)


_TESTS: Mapping[Dirt, Callable[[Verdict], bool]] = {
    Dirt.DISPOSABLE: lambda verdict: verdict.domain_type is DomainType.DISPOSABLE,
    Dirt.MISSPELT: lambda verdict: Reason.CLOSE_MISSPELLING in verdict.reasons,
    Dirt.INVALID: lambda verdict: verdict.domain_type is DomainType.INVALID,
    Dirt.ROLE: lambda verdict: Reason.ROLE_ACCOUNT in verdict.reasons,
}


@dataclass(frozen=True, slots=True)
class OwnValue:
    """One value of one of the list's own columns, both by number: no cell's text enters an address.

    ``number`` is the value's place, from 0, among the column's in order of first appearance.
    """

    column: int
    number: int

    @property
    def code(self) -> str:
        """How it stands in a page's address."""
        return f"{self.column}.{self.number}"

    @classmethod
    def parse(cls, code: str) -> "OwnValue":
        """Read a code that OWN_VALUE accepts."""
        column, _, number = code.partition(".")
        return cls(int(column), int(number))


@dataclass(frozen=True, slots=True)
class Hotspot:
    """A value under which more rows of a kind gather than its share of the list would have.

    ``column`` is the column's name as the list has it. ``hits`` of the value's ``rows`` are of the
    kind; ``dirty`` are in the whole list of ``whole`` rows.
    """

    value: OwnValue
    column: str
    text: str
    dirt: Dirt
    hits: int
    rows: int
    dirty: int
    whole: int

    @property
    def times(self) -> float:
        """How many times its share of the list its share of the kind is."""
        return self.hits * self.whole / (self.dirty * self.rows)


@dataclass(frozen=True, slots=True)
class Hotspots:
    """What was found, the most rows first, and the names of the columns that were looked at."""

    found: tuple[Hotspot, ...]
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OwnColumn:
    """One of the list's own columns: its place from 0, and its name."""

    place: int
    name: str


@dataclass(frozen=True, slots=True)
class OwnColumns:
    """The columns that a list can be looked at by.

    ``by_value`` have few enough values to be compared, ``amounts`` hold numbers to add up.
    """

    by_value: tuple[OwnColumn, ...]
    amounts: tuple[OwnColumn, ...]


@dataclass(frozen=True, slots=True)
class ValueShare:
    """The rows of one value, and how many of them each policy keeps, in the order asked."""

    text: str
    rows: int
    kept: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ColumnSplit:
    """A list by the values of a column, the largest first.

    ``rest`` are all other rows: smaller values, and cells that are no group's.
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
