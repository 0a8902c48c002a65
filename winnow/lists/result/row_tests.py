"""A filter as look-up tables: what each verdict and each domain of a project pass."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from winnow.core.lists.facets import Dimension
from winnow.core.lists.rows import RowFilter
from winnow.core.verdicts.verdict import Verdict
from winnow.lists.result.row_columns import Mask

PART = "part"  # the restriction to domains that contain a text; no chart counts by it


@dataclass(frozen=True, slots=True)
class RowTests:
    """Only the restrictions that a filter has.

    ``of_verdicts`` are, by restriction, tables by a verdict's place; ``of_domains`` by domain code.
    """

    of_verdicts: Mapping[str, Mask]
    of_domains: Mapping[str, Mask]

    @property
    def names(self) -> frozenset[str]:
        """The restrictions."""
        return frozenset(self.of_verdicts) | frozenset(self.of_domains)

    def without(self, name: str) -> "RowTests":
        """Return the tests without one restriction."""
        return RowTests(
            {key: table for key, table in self.of_verdicts.items() if key != name},
            {key: table for key, table in self.of_domains.items() if key != name},
        )

    def combine(self) -> "Pass":
        """Return the tests as one table each."""
        return Pass(_combine(self.of_verdicts), _combine(self.of_domains))


@dataclass(frozen=True, slots=True)
class Pass:
    """What passes every test; None: everything does."""

    verdicts: Mask | None
    domains: Mask | None

    def narrow(self, mask: Mask, places: NDArray[np.uint16], codes: NDArray[np.uint32]) -> Mask:
        """Return which rows of a mask pass."""
        if self.verdicts is not None:
            mask = mask & self.verdicts[places]
        if self.domains is not None:
            mask = mask & self.domains[codes]
        return mask


def look_at_verdicts(row_filter: RowFilter, verdicts: Sequence[Verdict]) -> Mapping[str, Mask]:
    """Return the tables by a verdict's place."""
    return dict(_look_at_verdicts(row_filter, verdicts))


def _look_at_verdicts(
    row_filter: RowFilter, verdicts: Sequence[Verdict]
) -> Iterator[tuple[str, Mask]]:
    if row_filter.categories:
        wanted = [verdict.category in row_filter.categories for verdict in verdicts]
        yield Dimension.CATEGORIES, np.array(wanted, np.bool_)
    if row_filter.domain_types:
        wanted = [verdict.domain_type in row_filter.domain_types for verdict in verdicts]
        yield Dimension.DOMAIN_TYPES, np.array(wanted, np.bool_)
    if row_filter.reasons:
        wanted = [not row_filter.reasons.isdisjoint(verdict.reasons) for verdict in verdicts]
        yield Dimension.REASONS, np.array(wanted, np.bool_)


def _combine(tables: Mapping[str, Mask]) -> Mask | None:
    combined: Mask | None = None
    for table in tables.values():
        combined = table if combined is None else combined & table
    return combined
