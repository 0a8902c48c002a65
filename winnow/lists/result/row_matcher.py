"""Filter matching: which rows of a project match, and how many of each kind for the charts."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from cachetools import LRUCache
from numpy.typing import NDArray

from winnow.core.lists.dimensions import COUNTRY, DIMENSIONS, DOMAIN, OWN_VALUE, Dimension
from winnow.core.lists.facets import Bar, Facet, Facets, NetworkNotes
from winnow.core.lists.own_columns import OwnValue
from winnow.core.lists.rows import RowFilter
from winnow.core.verdicts.verdict import Category
from winnow.lists.result.cell_queries import search
from winnow.lists.result.cell_questions import CellReader
from winnow.lists.result.domain_groups import Grouping, group_domains
from winnow.lists.result.own_columns import ColumnReader
from winnow.lists.result.row_columns import Mask
from winnow.lists.result.row_view import Places, RowView

BARS_MAX = 50
_FACETS_KEPT = 16  # a few kilobytes each
_MASKS_KEPT = 2  # what the page shows, and what was ticked at once
_CATEGORIES = tuple(Category)
_KINDS = len(_CATEGORIES)

Codes = NDArray[np.uint32]
Counts = NDArray[np.integer]


@dataclass(frozen=True, slots=True)
class _Tests:
    """The restrictions of a filter: tables by a verdict's place, and by domain code.

    The restriction to domains that contain a text is no dimension's.
    """

    of_verdicts: Mapping[Dimension, Mask]
    of_domains: Mapping[Dimension, Mask]
    of_names: Mask | None

    @property
    def dimensions(self) -> tuple[Dimension, ...]:
        """The dimensions that restrict."""
        return (*self.of_verdicts, *self.of_domains)

    def leave_out(self, one: Dimension | None) -> Callable[[Mask, Places, Codes], Mask]:
        """Return a function that narrows rows by every restriction but one dimension's."""
        verdicts = [table for dimension, table in self.of_verdicts.items() if dimension is not one]
        domains = [table for dimension, table in self.of_domains.items() if dimension is not one]
        if self.of_names is not None:
            domains.append(self.of_names)

        def narrow(rows: Mask, places: Places, codes: Codes) -> Mask:
            for table in verdicts:
                rows = rows & table[places]
            for table in domains:
                rows = rows & table[codes]
            return rows

        return narrow


class RowMatcher:
    """Keeps a byte a row for each of two filters and of two searches, and seven a domain."""

    def __init__(
        self,
        view: RowView,
        cells: CellReader,
        own_columns: ColumnReader,
        notes: NetworkNotes | None = None,
    ) -> None:
        self._view = view
        self._index = view.index
        self._cells = cells
        self._own_columns = own_columns
        self._notes = notes or NetworkNotes()
        self._masks: LRUCache[RowFilter, Mask] = LRUCache(_MASKS_KEPT)
        self._found: LRUCache[object, Mask] = LRUCache(_MASKS_KEPT)
        self._facets: LRUCache[RowFilter, Facets] = LRUCache(_FACETS_KEPT)
        self._groups: Mapping[Dimension, Grouping] | None = None

    def match(self, row_filter: RowFilter) -> Mask:
        """Return, for every row, whether it matches; not to be written to."""
        known = self._masks.get(row_filter)
        if known is not None:
            return known
        mask, tests = self._find_cells(row_filter).copy(), self._make_tests(row_filter)
        narrow = tests.leave_out(None)
        is_narrowed = tests.dimensions or tests.of_names is not None
        for start, count in self._index.iterate_runs() if is_narrowed else ():
            rows = slice(start, start + count)
            places, codes = self._read(start, count)
            mask[rows] = narrow(mask[rows], places, codes)
        self._masks[row_filter] = mask
        return mask

    def count_facets(self, row_filter: RowFilter) -> Facets:
        """Count the matching rows by every dimension.

        Each dimension is counted without its own restriction, so that a chart still shows what
        else there is to choose.
        """
        known = self._facets.get(row_filter)
        if known is not None:
            return known
        found, tests = self._find_cells(row_filter), self._make_tests(row_filter)
        own = tests.dimensions
        facets: Facets = {}
        for left_out in (None, *own):
            narrow = tests.leave_out(left_out)
            by_verdict = np.zeros(len(self._view.verdicts), np.int64)
            by_domain = np.zeros(len(self._group()[COUNTRY].number_of) * _KINDS, np.uint32)
            for start, count in self._index.iterate_runs():
                places, codes = self._read(start, count)
                rows = narrow(found[start : start + count], places, codes)
                if not rows.all():
                    places, codes = places[rows], codes[rows]
                by_verdict += np.bincount(places, minlength=len(by_verdict))
                cells = codes * np.int64(_KINDS) + self._categories[places]
                np.add.at(by_domain, cells, np.uint32(1))
            for one in DIMENSIONS:
                if (one if one in own else None) is left_out:
                    chosen = row_filter.chosen.of(one)
                    facets[one] = self._make_facet(one, by_verdict, by_domain, chosen)
        self._facets[row_filter] = facets
        return facets

    def _read(self, start: int, count: int) -> tuple[Places, Codes]:
        return self._view.places(start, count), self._index.domain_codes(start, count)

    @property
    def _categories(self) -> NDArray[np.uint8]:
        numbers = (_CATEGORIES.index(verdict.category) for verdict in self._view.verdicts)
        return np.fromiter(numbers, np.uint8)

    def _find_cells(self, row_filter: RowFilter) -> Mask:
        """Return which rows have the text and the own values that are wanted."""
        key = row_filter.text, row_filter.chosen.of(OWN_VALUE)
        found = self._found.get(key)
        if found is None:
            text, own_values = key
            found = self._find_text(text) if text else np.ones(self._index.row_count, np.bool_)
            if own_values:
                wanted: dict[int, set[int]] = {}
                for value in map(OwnValue.parse, own_values):
                    wanted.setdefault(value.column, set()).add(value.number)
                found = found & self._own_columns.match(wanted)
            self._found[key] = found
        return found

    def _find_text(self, text: str) -> Mask:
        """Return which rows hold a text, or have it in their domain."""
        found = self._cells.find(search, text)
        is_named = self._index.find_names(text) if text.strip() else np.zeros(1, np.bool_)
        for start, count in self._index.iterate_runs() if is_named.any() else ():
            found[start : start + count] |= is_named[self._index.domain_codes(start, count)]
        return found

    def _make_tests(self, row_filter: RowFilter) -> _Tests:
        of_verdicts, of_domains = {}, {}
        for one in DIMENSIONS:
            wanted = row_filter.chosen.of(one)
            if wanted and one.of_verdict is not None:
                values = map(one.of_verdict, self._view.verdicts)
                of_verdicts[one] = np.array([not wanted.isdisjoint(some) for some in values], bool)
            elif wanted:
                of_domains[one] = self._test_domains(one, wanted)
        part = row_filter.domain
        of_names = self._index.find_names(part) if part.strip() else None
        return _Tests(of_verdicts, of_domains, of_names)

    def _test_domains(self, dimension: Dimension, wanted: frozenset[str]) -> Mask:
        groups = self._group()
        if dimension in groups:
            is_wanted = np.array([name in wanted for name in groups[dimension].names], np.bool_)
            found: Mask = is_wanted[groups[dimension].number_of]
            return found
        passing = np.zeros(len(groups[COUNTRY].number_of), np.bool_)
        if dimension is DOMAIN:
            passing[self._index.find_domains(wanted)] = True
        return passing

    def _group(self) -> Mapping[Dimension, Grouping]:
        if self._groups is None:
            self._groups = group_domains(self._index, self._notes)
        return self._groups

    def _make_facet(
        self, dimension: Dimension, by_verdict: Counts, by_domain: Counts, chosen: frozenset[str]
    ) -> Facet:
        whole = int(by_verdict.sum())
        if dimension is DOMAIN:
            return self._count_domains(by_domain.reshape(-1, _KINDS).copy(), whole, chosen)
        found: dict[str, list[int]] = {}
        grouping = self._group().get(dimension)
        if dimension.of_verdict is not None:
            for verdict, count in zip(self._view.verdicts, by_verdict.tolist(), strict=True):
                for value in dimension.of_verdict(verdict) if count else ():
                    counts = found.setdefault(value, [0] * _KINDS)
                    counts[_CATEGORIES.index(verdict.category)] += count
        elif grouping is not None:
            columns = by_domain.reshape(-1, _KINDS).T
            sums = [np.bincount(grouping.number_of, column, len(grouping.names))
                    for column in columns]  # fmt: skip
            rows = np.stack(sums, axis=1).astype(np.int64).tolist()
            pairs = zip(grouping.names, rows, strict=True)
            found = {name: counts for name, counts in pairs if name and any(counts)}
        bars = _rank(found.items())
        shown = [bar for place, bar in enumerate(bars) if place < BARS_MAX or bar.value in chosen]
        return Facet(tuple(shown), whole, sum(bar.total for bar in bars), len(bars))

    def _count_domains(self, counts: Counts, whole: int, chosen: frozenset[str]) -> Facet:
        counts[0] = 0  # no usable domain
        totals = counts.sum(axis=1, dtype=np.uint32)
        largest = np.flatnonzero(totals)
        distinct = len(largest)
        if distinct > BARS_MAX:
            largest = largest[np.argpartition(totals[largest], -BARS_MAX)[-BARS_MAX:]]
        more = (code for code in self._index.find_domains(chosen) if totals[code])
        codes = list({*largest.tolist(), *more})
        named = zip(self._index.name_domains(codes), counts[codes].tolist(), strict=True)
        return Facet(tuple(_rank(named)), whole, int(totals.sum(dtype=np.int64)), distinct)


def _rank(found: Iterable[tuple[str, Sequence[int]]]) -> list[Bar]:
    """Return bars, the largest first."""
    bars = [Bar(value, (white, grey, black)) for value, (white, grey, black) in found]
    return sorted(bars, key=lambda bar: (-bar.total, bar.value))
