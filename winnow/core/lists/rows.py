"""What a page or a client may ask of a finished project's rows."""

from dataclasses import dataclass, field
from enum import StrEnum

from winnow.core.lists.dimensions import Dimension
from winnow.core.verdicts.verdict import Verdict


class Variant(StrEnum):
    """The files a finished project offers."""

    AUGMENTED = "augmented"  # every output row: <project>-checked.<ext>
    CLEANED = "cleaned"  # what stays: <project>-cleaned.<ext>, -kept where black rows stay as well
    REMOVED = "removed"  # what goes, the suppression list: <project>-removed.<ext>
    REVIEW = "review"  # the grey rows that stay: <project>-review.<ext>
    BLACK = "black"  # only black rows
    GREY = "grey"  # only grey rows
    ORIGINAL = "original"  # every output row as it was judged, whatever the own lists say now
    PACK = "pack"  # checked, cleaned, removed, review and the report: <project>-files.zip


@dataclass(frozen=True, slots=True)
class Chosen:
    """The values chosen of each dimension; where none is, every row passes."""

    pairs: frozenset[tuple[Dimension, str]] = frozenset()

    def of(self, dimension: Dimension) -> frozenset[str]:
        """Return the values chosen of one dimension."""
        return frozenset(value for one, value in self.pairs if one is dimension)

    def choose(self, dimension: Dimension, *values: str) -> "Chosen":
        """Return the same with these values of a dimension in place of its others."""
        others = frozenset(pair for pair in self.pairs if pair[0] is not dimension)
        return Chosen(others.union((dimension, value) for value in values))


@dataclass(frozen=True, slots=True)
class RowFilter:
    """Which rows: what is chosen of the dimensions, and two texts; all restrictions must hold.

    ``domain`` is part of a domain (A-label or Unicode, any case); ``text`` is part of any cell of
    the row, as it stands in the file, ASCII case aside. Empty ones restrict nothing.
    """

    chosen: Chosen = field(default_factory=Chosen)
    domain: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One output row: its number from 1, its own cells as text, and its verdict."""

    number: int
    cells: tuple[str, ...]
    email: str
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class RowPage:
    """One page of the rows that match, and how many match in all."""

    rows: tuple[Row, ...]
    matching: int
