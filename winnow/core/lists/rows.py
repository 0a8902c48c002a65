"""What a page or a client may ask of a finished project's rows."""

from dataclasses import dataclass
from enum import StrEnum

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
class RowFilter:
    """Which rows: an empty set or text means no restriction; restrictions combine with and.

    ``domain`` is part of a domain (A-label or Unicode, any case); ``text`` is part of any cell of
    the row, as it stands in the file, ASCII case aside. ``domains`` are whole ones, lower-case
    A-labels; ``providers``, ``countries`` and ``ages`` are values of those facets.
    """

    categories: frozenset[str] = frozenset()
    domain_types: frozenset[str] = frozenset()
    reasons: frozenset[str] = frozenset()
    domain: str = ""
    text: str = ""
    domains: frozenset[str] = frozenset()
    providers: frozenset[str] = frozenset()
    countries: frozenset[str] = frozenset()
    ages: frozenset[str] = frozenset()


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
