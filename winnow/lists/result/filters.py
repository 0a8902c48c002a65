"""Filters and charts: which rows of a project match, and how many of each kind there are."""

from collections.abc import Hashable, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache, cached_property
from importlib.resources import files
from operator import attrgetter
from typing import NamedTuple

import numpy as np
from cachetools import LRUCache, cachedmethod
from numpy.typing import NDArray

from winnow.core.lists.cleaning import CleaningPolicy
from winnow.core.lists.dimensions import DIMENSIONS, DOMAIN, Bar, Dimension, Facet, Facets
from winnow.core.lists.rows import RowFilter
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Action
from winnow.lists.engine.row_counts import RowCounter
from winnow.lists.result.cell_queries import search
from winnow.lists.result.cell_table import CellReader
from winnow.lists.result.row_index import Mask, RowIndex
from winnow.lists.result.row_view import Indices, RowView

BARS_MAX = 50
_ACTIONS = tuple(Action)
_FACETS_KEPT = 16  # a few kilobytes each
_MASKS_KEPT = 2  # what the page shows, and what it showed before

Codes = NDArray[np.uint32]
Counts = NDArray[np.integer]
_MAILBOX_REASONS = frozenset({Reason.FREE_PROVIDER, Reason.RELAY})


class Grouping(NamedTuple):
    """Groups of domains: their names, and each domain code's place among them.

    The first, whose name is empty, is no group.
    """

    names: tuple[str, ...]
    number_of: Codes


class FilteredRows:
    """Keeps a byte a row for each of two filters and of two searches, and seven a domain."""

    def __init__(self, view: RowView, cells: CellReader) -> None:
        self._view = view
        self._index = view.index
        self._cells = cells
        self._masks: LRUCache[Hashable, Mask] = LRUCache(_MASKS_KEPT)
        self._found: LRUCache[str, Mask] = LRUCache(_MASKS_KEPT)
        self._facets: LRUCache[Hashable, Facets] = LRUCache(_FACETS_KEPT)

    @cachedmethod(attrgetter("_masks"))
    def match(self, row_filter: RowFilter) -> Mask:
        """Return, for every row, whether it matches; not to be written to."""
        return self._narrow(self._find_text(row_filter.text), self._make_tests(row_filter))

    @cachedmethod(attrgetter("_facets"))
    def count_facets(self, row_filter: RowFilter) -> Facets:
        """Count the matching rows by every dimension.

        Each dimension is counted without its own restriction, so that a chart still shows what
        else there is to choose.
        """
        found, tests = self._find_text(row_filter.text), self._make_tests(row_filter)
        facets: Facets = {}
        for left_out in (None, *tests):
            others = {one: passing for one, passing in tests.items() if one is not left_out}
            by_verdict, by_domain = self._count(self._narrow(found, others), row_filter.policy)
            for one in DIMENSIONS:
                if (one if one in tests else None) is left_out:
                    chosen = row_filter.chosen.of(one)
                    counts = self._count_values(one, by_verdict, by_domain, row_filter.policy)
                    facets[one] = self._make_facet(*counts, int(by_verdict.sum()), chosen)
        return facets

    def _narrow(self, rows: Mask, tests: Mapping[Dimension, Mask]) -> Mask:
        """Return which of some rows pass all tests."""
        if not tests:
            return rows
        rows = rows.copy()
        for start, count in self._index.iterate_runs():
            indices, codes = self._read(start, count)
            for one, passing in tests.items():
                numbers = codes if one.of_verdict is None else indices
                rows[start : start + count] &= passing[numbers]
        return rows

    def _count(self, rows: Mask, policy: CleaningPolicy) -> tuple[Counts, Counts]:
        """Count rows by verdict, and by domain code and action."""
        names, actions = len(self._providers.number_of) - 1, self._find_actions(policy)
        counter = RowCounter(self._view.verdicts, names, _ACTIONS, actions)
        for start, count in self._index.iterate_runs():
            some = rows[start : start + count]
            indices, codes = self._read(start, count)
            counter.add(indices[some], codes[some])
        return counter.by_verdict, counter.by_domain

    def _find_actions(self, policy: CleaningPolicy) -> list[int]:
        """Return the place of each verdict's action."""
        return [_ACTIONS.index(policy.find_action(verdict)) for verdict in self._view.verdicts]

    def _read(self, start: int, count: int) -> tuple[Indices, Codes]:
        return self._view.indices(start, count), self._index.domain_codes(start, count)

    @cachedmethod(attrgetter("_found"))
    def _find_text(self, text: str) -> Mask:
        """Return which rows hold a text; not to be written to."""
        if not text:
            return np.ones(self._index.row_count, np.bool_)
        return self._cells.find(search, text)

    def _make_tests(self, row_filter: RowFilter) -> dict[Dimension, Mask]:
        """Return which verdicts, or which domain codes, each restricted dimension lets pass."""
        wanted = {one: row_filter.chosen.of(one) for one in DIMENSIONS}
        policy = row_filter.policy
        return {one: self._test(one, some, policy) for one, some in wanted.items() if some}

    def _test(self, dimension: Dimension, wanted: frozenset[str], policy: CleaningPolicy) -> Mask:
        if dimension.of_verdict is not None:
            values = (dimension.of_verdict(one, policy) for one in self._view.verdicts)
            return np.array([not wanted.isdisjoint(some) for some in values], np.bool_)
        names, number_of = self._providers
        if dimension is DOMAIN:
            passing = np.zeros(len(number_of), np.bool_)
            passing[self._index.find_domains(wanted)] = True
            return passing
        return np.array([name in wanted for name in names], np.bool_)[number_of]

    @cached_property
    def _providers(self) -> Grouping:
        return group_by_provider(self._index)

    def _make_facet(
        self, names: Sequence[str] | None, counts: Counts, whole: int, chosen: frozenset[str]
    ) -> Facet:
        """Return the chart of a dimension; bars of the largest values and of the chosen ones."""
        totals = counts.sum(axis=1, dtype=np.int64)
        largest = np.flatnonzero(totals)
        distinct = len(largest)
        if distinct > BARS_MAX:
            largest = largest[np.argpartition(totals[largest], -BARS_MAX)[-BARS_MAX:]]
        if names is None:
            shown = {*largest.tolist(), *self._index.find_domains(chosen)}
            values = self._index.name_domains(shown)
        else:
            shown = {*largest.tolist(), *(names.index(one) for one in chosen if one in names)}
            values = [names[number] for number in shown]
        bars = [
            Bar(value, tuple(some))
            for value, some in zip(values, counts[list(shown)].tolist(), strict=True)
            if any(some)
        ]
        bars.sort(key=lambda bar: (-bar.total, bar.value))
        return Facet(tuple(bars), whole, int(totals.sum()), distinct)

    def _count_values(
        self, dimension: Dimension, by_verdict: Counts, by_domain: Counts, policy: CleaningPolicy
    ) -> tuple[Sequence[str] | None, Counts]:
        """Return the values of a dimension, None for the domains, and their rows by action."""
        if dimension is DOMAIN:
            counts = by_domain.copy()
            counts[0] = 0  # no usable domain
            return None, counts
        if dimension.of_verdict is None:
            names, numbers = self._providers
            sums = [np.bincount(numbers, some, len(names)) for some in by_domain.T]
            counts = np.stack(sums, axis=1).astype(np.int64)
            counts[0] = 0  # no group
            return names, counts
        found: dict[str, list[int]] = {}
        actions = self._find_actions(policy)
        for verdict, action, count in zip(self._view.verdicts, actions, by_verdict, strict=True):
            for value in dimension.of_verdict(verdict, policy):
                found.setdefault(value, [0] * len(_ACTIONS))[action] += int(count)
        return tuple(found), np.array(list(found.values()), np.int64).reshape(-1, len(_ACTIONS))


def name_provider(domain: str) -> str:
    """Return the name of a mailbox provider or relay; its own domain where it has no other."""
    known, name = _read_providers(), domain
    while "." in name:
        if name in known:
            return known[name]
        name = name.partition(".")[2]
    shapes = ((shape, provider) for shape, provider in known.items() if "?" in shape)
    return next((provider for shape, provider in shapes if fnmatchcase(domain, shape)), domain)


@cache
def _read_providers() -> Mapping[str, str]:
    """Return providers by domain; in a domain each ? is one letter."""
    text = (files("winnow.lists") / "data" / "providers.tsv").read_text(encoding="utf-8")
    lines = (line.split("\t") for line in text.splitlines() if not line.startswith("#"))
    return dict(lines)


def group_by_provider(index: RowIndex) -> Grouping:
    """Group a project's domains by provider: those whose verdicts say that they are one's."""
    is_mailbox = np.array(
        [
            not _MAILBOX_REASONS.isdisjoint((verdict.overruled or verdict).reasons)
            for verdict in index.verdicts
        ],
        np.bool_,
    )
    number_of = np.zeros(1 + sum(map(len, index.read_names())), np.uint32)
    for run in index.iterate_runs():
        number_of[index.domain_codes(*run)[is_mailbox[index.verdict_indices(*run)]]] = 1
    number_of[0] = 0
    codes = np.flatnonzero(number_of)
    numbers = {"": 0}
    number_of[codes] = [
        numbers.setdefault(name_provider(domain), len(numbers))
        for domain in index.name_domains(codes)
    ]
    return Grouping(tuple(numbers), number_of)
