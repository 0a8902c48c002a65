"""Counts for charts under a filter, in one pass over the rows' numbers."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from winnow.core.lists.dimensions import DIMENSIONS, DOMAIN, Dimension
from winnow.core.lists.facets import Bar, Facet, Facets
from winnow.core.lists.rows import Chosen
from winnow.core.verdicts.verdict import Category, Verdict
from winnow.lists.result.domain_groups import DomainGroups
from winnow.lists.result.row_columns import Mask, RowIndex
from winnow.lists.result.row_tests import RowTests

BARS_MAX = 50
_KINDS = len(Category)

Counts = NDArray[np.int64]
Stretch = tuple[NDArray[np.uint16], NDArray[np.uint32], Mask]
"""Verdict places, domain codes, and which of these rows hold the text that is searched for."""


def count_facets(
    stretches: Iterator[Stretch],
    verdicts: Sequence[Verdict],
    tests: RowTests,
    groups: DomainGroups,
    index: RowIndex,
    chosen: Chosen,
) -> Facets:
    """Count the rows that pass, by every dimension.

    Each dimension is counted without its own restriction, so that a chart still shows what
    else there is to choose; the numbers of the others follow. Takes four bytes a domain and
    category while it counts.
    """
    counter = _Counter(verdicts, tests, groups)
    for stretch in stretches:
        counter.add(*stretch)
    return counter.finish(index, chosen)


class _Counter:
    def __init__(self, verdicts: Sequence[Verdict], tests: RowTests, groups: DomainGroups) -> None:
        self._verdicts = verdicts
        self._groups = groups
        categories = list(Category)
        self._category_of = np.array(
            [categories.index(verdict.category) for verdict in verdicts], np.uint8
        )
        own = tests.dimensions
        self._view_of = {one: one if one in own else None for one in DIMENSIONS}
        self._passes = {view: tests.combine(view) for view in (None, *own)}
        self._by_verdict: dict[Dimension | None, Counts] = {
            view: np.zeros(len(verdicts), np.int64) for view in self._passes
        }
        self._by_domain = np.zeros(groups.name_count * _KINDS, np.uint32)
        self._by_group: dict[Dimension, Counts] = {
            dimension: np.zeros(len(grouping.names) * _KINDS, np.int64)
            for dimension, grouping in groups.by_dimension.items()
        }

    def add(self, places: NDArray[np.uint16], codes: NDArray[np.uint32], found: Mask) -> None:
        """Count a stretch of rows."""
        for view, passes in self._passes.items():
            rows = passes.narrow(found, places, codes)
            if rows.all():
                own_places, own_codes = places, codes
            else:
                own_places, own_codes = places[rows], codes[rows]
            by_verdict = self._by_verdict[view]
            by_verdict += np.bincount(own_places, minlength=len(by_verdict))
            self._add_domains(view, self._category_of[own_places], own_codes)

    def _add_domains(
        self, view: Dimension | None, categories: NDArray[np.uint8], codes: NDArray[np.uint32]
    ) -> None:
        if self._view_of[DOMAIN] is view:
            np.add.at(self._by_domain, codes * np.int64(_KINDS) + categories, np.uint32(1))
        for dimension, grouping in self._groups.by_dimension.items():
            if self._view_of[dimension] is view:
                counts = self._by_group[dimension]
                cells = grouping.number_of[codes] * np.int64(_KINDS) + categories
                counts += np.bincount(cells, minlength=len(counts))

    def finish(self, index: RowIndex, chosen: Chosen) -> Facets:
        """Return the facets."""
        return {
            dimension: self._find_domains(index, chosen.of(DOMAIN))
            if dimension is DOMAIN
            else _make_facet(
                self._list_bars(dimension), self._whole(dimension), chosen.of(dimension)
            )
            for dimension in DIMENSIONS
        }

    def _whole(self, dimension: Dimension) -> int:
        return int(self._by_verdict[self._view_of[dimension]].sum())

    def _list_bars(self, dimension: Dimension) -> Sequence[Bar]:
        if dimension.of_verdict is not None:
            return self._list_by_verdict(dimension, dimension.of_verdict)
        grouping = self._groups.by_dimension.get(dimension)
        return _list_groups(grouping.names, self._by_group[dimension]) if grouping else ()

    def _list_by_verdict(
        self, dimension: Dimension, list_values: Callable[[Verdict], Sequence[str]]
    ) -> Sequence[Bar]:
        found: dict[str, list[int]] = {}
        counts = self._by_verdict[self._view_of[dimension]].tolist()
        for verdict, category, count in zip(
            self._verdicts, self._category_of.tolist(), counts, strict=True
        ):
            for value in list_values(verdict) if count else ():
                found.setdefault(value, [0] * _KINDS)[category] += count
        return [_make_bar(value, of_value) for value, of_value in found.items()]

    def _find_domains(self, index: RowIndex, chosen: frozenset[str]) -> Facet:
        counts = self._by_domain.reshape(-1, _KINDS)
        counts[0] = 0  # no usable domain
        totals = counts.sum(axis=1, dtype=np.uint32)
        largest = np.flatnonzero(totals)
        distinct = len(largest)
        if distinct > BARS_MAX:
            largest = largest[np.argpartition(totals[largest], -BARS_MAX)[-BARS_MAX:]]
        codes = set(largest.tolist())
        codes.update(code for code in index.find_domains(chosen) if totals[code])
        wanted = list(codes)
        bars = map(_make_bar, index.name_domains(wanted), counts[wanted].tolist())
        return Facet(
            tuple(sorted(bars, key=_rank)),
            self._whole(DOMAIN),
            int(totals.sum(dtype=np.int64)),
            distinct,
        )


def _list_groups(values: Sequence[str], counts: Counts) -> Sequence[Bar]:
    rows = counts.reshape(-1, _KINDS).tolist()
    return [
        _make_bar(value, row) for value, row in zip(values, rows, strict=True) if value and any(row)
    ]


def _make_bar(value: str, counts: Sequence[int]) -> Bar:
    white, grey, black = counts
    return Bar(value, (white, grey, black))


def _make_facet(bars: Sequence[Bar], whole: int, chosen: frozenset[str]) -> Facet:
    ranked = sorted(bars, key=_rank)
    shown = [bar for place, bar in enumerate(ranked) if place < BARS_MAX or bar.value in chosen]
    return Facet(tuple(shown), whole, sum(bar.total for bar in ranked), len(ranked))


def _rank(bar: Bar) -> tuple[int, str]:
    return -bar.total, bar.value
