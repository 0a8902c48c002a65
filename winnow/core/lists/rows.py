"""Filters, selections, sort orders and pages of a finished project's rows."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeAlias

from winnow.core.lists.cleaning import CleaningPolicy
from winnow.core.lists.dimensions import DIMENSIONS, Dimension
from winnow.core.verdicts.verdict import Verdict


class Variant(StrEnum):
    """The files a finished project offers."""

    AUGMENTED = "augmented"  # every output row: <project>-checked.<ext>
    CLEANED = "cleaned"  # kept rows: <project>-cleaned.<ext>, -kept where black rows stay as well
    REMOVED = "removed"  # removed rows, the suppression list: <project>-removed.<ext>
    REVIEW = "review"  # the rows that stay and are not white: <project>-review.<ext>
    LATER = "later"  # rows that get no mail this time: <project>-not-mailed.<ext>
    SELECTION = "selection"  # kept rows of those filtered or ticked: <project>-selection.<ext>
    ORIGINAL = "original"  # every output row as it was judged, whatever the own lists say now
    PACK = "pack"  # checked, cleaned, removed, review and the report: <project>-files.zip


@dataclass(frozen=True, slots=True)
class Chosen:
    """Chosen values of each dimension; without any, every row passes."""

    pairs: frozenset[tuple[Dimension, str]] = frozenset()

    def of(self, dimension: Dimension) -> frozenset[str]:
        """Return the values chosen of one dimension."""
        return frozenset(value for one, value in self.pairs if one is dimension)

    def choose(self, dimension: Dimension, *values: str) -> "Chosen":
        """Return the same with other values of a dimension."""
        others = frozenset(pair for pair in self.pairs if pair[0] is not dimension)
        return Chosen(others.union((dimension, value) for value in values))


@dataclass(frozen=True, slots=True)
class RowFilter:
    """Which rows: what is chosen of the dimensions, and a text; all restrictions must hold.

    ``text`` is part of any cell of the row, ignoring case; an empty one restricts nothing.
    ``policy`` says what to do with each row.
    """

    chosen: Chosen = field(default_factory=Chosen)
    text: str = ""
    policy: CleaningPolicy = field(default_factory=CleaningPolicy)

    def to_json(self) -> dict[str, Any]:
        """Return the filter as plain values; the text may be personal data."""
        pairs = sorted((dimension.name, value) for dimension, value in self.chosen.pairs)
        return {"chosen": pairs, "text": self.text, "goes": self.policy.to_json()}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> "RowFilter":
        """Read what ``to_json`` wrote.

        Raises:
            KeyError: A dimension that this version does not know, or a part of a domain.
        """
        if values.get("domain"):
            raise KeyError("domain")
        known = {dimension.name: dimension for dimension in DIMENSIONS}
        pairs = frozenset((known[name], value) for name, value in values["chosen"])
        policy = CleaningPolicy.from_json(values.get("goes", ("black",)))
        return cls(Chosen(pairs), values["text"], policy)


TICKED_MAX = 5_000
"""Rows that can be ticked in a project; a filter's rows are downloaded without ticks."""


Ticked: TypeAlias = frozenset[int]
"""Numbers, from 1, of the rows ticked in the table, on all of its pages."""


@dataclass(frozen=True, slots=True)
class Row:
    """One output row: its number in the result, from 1, its own cells as text, and its verdict.

    ``file_number`` is its number in the list's file as a spreadsheet shows it, from 1 with the
    header and blank rows counted; None in a result made before these were kept.
    """

    number: int
    cells: tuple[str, ...]
    email: str
    verdict: Verdict
    file_number: int | None = None

    @property
    def shown_number(self) -> int:
        """The number to show people: that in their file where it is known."""
        return self.number if self.file_number is None else self.file_number


@dataclass(frozen=True, slots=True)
class RowPage:
    """One page of the rows that match, and how many match in all."""

    rows: tuple[Row, ...]
    matching: int


_DOWN = "-"


class SortBy(StrEnum):
    """Sort keys of rows besides the list's own columns."""

    FILE = "row"
    ADDRESS = "address"
    DOMAIN = "domain"
    ACTION = "verdict"
    DOMAIN_TYPE = "type"
    REASON = "reason"


@dataclass(frozen=True, slots=True)
class RowOrder:
    """Sort key and direction; equal rows keep the file's order, empty cells come last.

    ``by`` may be the index of one of the list's own columns, from 0. Texts are compared without
    case and accents, amounts and dates by their value.
    """

    by: SortBy | int = SortBy.FILE
    descending: bool = False

    @classmethod
    def parse(cls, text: str) -> "RowOrder":
        """Read what ``word`` wrote; any other text is the file's order."""
        name = text.removeprefix(_DOWN)
        descending = name != text
        if name in set(SortBy):
            return cls(SortBy(name), descending)
        if name.isascii() and name.isdigit() and 0 < len(name) < 6 and int(name):
            return cls(int(name) - 1, descending)
        return IN_FILE

    def word(self) -> str:
        """Return the order as a page's address has it; the file's is ``""``."""
        if self == IN_FILE:
            return ""
        name = self.by.value if isinstance(self.by, SortBy) else str(self.by + 1)
        return f"{_DOWN if self.descending else ''}{name}"


IN_FILE = RowOrder()
