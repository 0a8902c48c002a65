"""Look-up tables of a filter: which verdicts and domains of a project pass."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from winnow.core.lists.dimensions import DIMENSIONS, Dimension
from winnow.core.lists.rows import Chosen
from winnow.core.verdicts.verdict import Verdict
from winnow.lists.result.row_columns import Mask


@dataclass(frozen=True, slots=True)
class Pass:
    """What passes every test; None: everything does."""

    verdicts: Mask | None
    domains: Mask | None

    @property
    def restricts(self) -> bool:
        """Whether some row may not pass."""
        return self.verdicts is not None or self.domains is not None

    def narrow(self, mask: Mask, places: NDArray[np.uint16], codes: NDArray[np.uint32]) -> Mask:
        """Return which rows of a mask pass."""
        if self.verdicts is not None:
            mask = mask & self.verdicts[places]
        if self.domains is not None:
            mask = mask & self.domains[codes]
        return mask


@dataclass(frozen=True, slots=True)
class RowTests:
    """Only the restrictions that a filter has.

    ``of_verdicts`` are tables by a verdict's place, ``of_domains`` by domain code; so is ``part``,
    the restriction to domains that contain a text, which is no dimension's.
    """

    of_verdicts: Mapping[Dimension, Mask]
    of_domains: Mapping[Dimension, Mask]
    part: Mask | None = None

    @property
    def dimensions(self) -> frozenset[Dimension]:
        """The dimensions that restrict."""
        return frozenset(self.of_verdicts) | frozenset(self.of_domains)

    def combine(self, leave: Dimension | None = None) -> Pass:
        """Return the tests as one table each, without those of one dimension."""
        domains = [table for one, table in self.of_domains.items() if one is not leave]
        if self.part is not None:
            domains.append(self.part)
        verdicts = [table for one, table in self.of_verdicts.items() if one is not leave]
        return Pass(_combine(verdicts), _combine(domains))


def look_at_verdicts(chosen: Chosen, verdicts: Sequence[Verdict]) -> Mapping[Dimension, Mask]:
    """Return the tables by a verdict's place."""
    tables: dict[Dimension, Mask] = {}
    for dimension in DIMENSIONS:
        wanted = chosen.of(dimension)
        if wanted and dimension.of_verdict is not None:
            values = map(dimension.of_verdict, verdicts)
            tables[dimension] = np.array([not wanted.isdisjoint(some) for some in values], np.bool_)
    return tables


def _combine(tables: Iterable[Mask]) -> Mask | None:
    combined: Mask | None = None
    for table in tables:
        combined = table if combined is None else combined & table
    return combined
