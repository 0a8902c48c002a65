"""What a list is likely to hold, told from a part of it before it is run.

A share that was not counted to the end is an interval: Wilson's, at 99 %, with as many rows as the
sample is worth. Rows that lie beside each other in a file are often alike, so that a sample of
blocks is worth less than its rows; ``design_effect`` is how many times less.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt

from winnow.core.verdicts.verdict import Category

Z = 2.576  # 99 %, both sides: three shares stand side by side, and each is to hold


@dataclass(frozen=True, slots=True)
class Share:
    """A share of rows, 0 to 1, and the interval that it lies in; a counted one has no width."""

    likely: float
    low: float
    high: float

    @property
    def is_exact(self) -> bool:
        """Whether it was counted."""
        return self.low == self.high


@dataclass(frozen=True, slots=True)
class Health:
    """The categories among some rows, and how many of them fail format validation."""

    categories: Mapping[Category, Share]
    invalid: Share


@dataclass(frozen=True, slots=True)
class Preview:
    """What a list is likely to come out as.

    ``rows`` are those of the file, blank lines not counted; ``read`` is how many of them were read,
    ``judged`` how many were judged. ``duplicates`` are the rows with the same address further down
    among those read: in the file there are at least as many. ``as_it_is`` is the health of all
    rows, ``kept`` of those that stay when only the last of each address does; None where not all
    were read. ``is_head_only``: the sample could not reach beyond the file's first rows.
    """

    rows: int
    judged: int
    read: int
    duplicates: int
    as_it_is: Health
    kept: Health | None
    data_version: str
    is_head_only: bool = False

    @property
    def is_exact(self) -> bool:
        """Whether every row was judged."""
        return self.judged == self.rows


def count_share(hits: int, rows: int) -> Share:
    """Return a share that was counted to the end."""
    share = hits / rows if rows else 0.0
    return Share(share, share, share)


def estimate_share(hits: int, rows: int, *, population: int, design_effect: float = 1.0) -> Share:
    """Return a share told from a sample: Wilson's interval (1927) on the rows it is worth.

    Args:
        hits: Rows of the sample that have the property.
        rows: Rows of the sample.
        population: Rows that it was drawn from; a sample of all of them is exact.
        design_effect: At least 1.
    """
    if rows >= population:
        return count_share(hits, rows)
    if not rows:
        return Share(0.0, 0.0, 1.0)
    share = hits / rows
    worth = rows / max(design_effect, 1.0) / (1 - rows / population)
    spread = 1 + Z * Z / worth
    middle = (share + Z * Z / (2 * worth)) / spread
    half = Z * sqrt(share * (1 - share) / worth + Z * Z / (4 * worth * worth)) / spread
    return Share(share, max(0.0, min(share, middle - half)), min(1.0, max(share, middle + half)))
