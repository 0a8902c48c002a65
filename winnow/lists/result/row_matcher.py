"""Filter matching: which rows of a project match, and how many of each kind."""

from collections.abc import Iterator

import numpy as np
from cachetools import LRUCache

from winnow.core.lists.dimensions import DIMENSIONS, DOMAIN, OWN_VALUE, Dimension
from winnow.core.lists.facets import Facets, NetworkNotes
from winnow.core.lists.own_columns import OwnValue
from winnow.core.lists.rows import RowFilter
from winnow.lists.result.cell_queries import search
from winnow.lists.result.cell_questions import CellReader
from winnow.lists.result.domain_groups import DomainGroups
from winnow.lists.result.facet_counts import Stretch, count_facets
from winnow.lists.result.own_columns import ColumnReader
from winnow.lists.result.row_columns import Mask, RowIndex, iterate_runs
from winnow.lists.result.row_stream import RowStream
from winnow.lists.result.row_tests import RowTests, look_at_verdicts

_FACETS_KEPT = 16  # a few kilobytes each
_MASKS_KEPT = 2  # what the page shows, and what was ticked at once


class RowMatcher:
    """Keeps a byte a row for each of two filters, two texts and own values, and seven a domain."""

    def __init__(
        self,
        index: RowIndex,
        stream: RowStream,
        cells: CellReader,
        own_columns: ColumnReader,
        notes: NetworkNotes | None = None,
    ) -> None:
        self._index = index
        self._cells = cells
        self._own_columns = own_columns
        self._notes = notes
        self._stream = stream
        self._masks: LRUCache[RowFilter, Mask] = LRUCache(_MASKS_KEPT)
        self._texts: LRUCache[str, Mask] = LRUCache(_MASKS_KEPT)
        self._last_own: tuple[frozenset[str], Mask] | None = None
        self._domains: DomainGroups | None = None
        self._facets: LRUCache[RowFilter, Facets] = LRUCache(_FACETS_KEPT)

    def match(self, row_filter: RowFilter) -> Mask:
        """Return, for every row, whether it matches; not to be written to."""
        known = self._masks.get(row_filter)
        if known is not None:
            return known
        mask = np.ones(self._index.row_count, np.bool_)
        passes = self._make_tests(row_filter).combine()
        for start, count in iterate_runs(self._index.row_count) if passes.restricts else ():
            mask[start : start + count] = passes.narrow(
                mask[start : start + count],
                self._stream.places(start, count),
                self._index.domain_codes(start, count),
            )
        if row_filter.text:
            mask &= self._find_text(row_filter.text)
        own_values = row_filter.chosen.of(OWN_VALUE)
        if own_values:
            mask = mask & self._find_own(own_values)
        self._masks[row_filter] = mask
        return mask

    def count_facets(self, row_filter: RowFilter) -> Facets:
        """Count the matching rows by every dimension, each without its own restriction."""
        known = self._facets.get(row_filter)
        if known is None:
            known = count_facets(
                self._read_stretches(row_filter),
                self._stream.verdicts,
                self._make_tests(row_filter),
                self._open_domains(),
                self._index,
                row_filter.chosen,
            )
            self._facets[row_filter] = known
        return known

    def _read_stretches(self, row_filter: RowFilter) -> Iterator[Stretch]:
        found = self._find_text(row_filter.text) if row_filter.text else None
        own_values = row_filter.chosen.of(OWN_VALUE)
        if own_values:
            having = self._find_own(own_values)
            found = having if found is None else found & having
        for start, count in iterate_runs(self._index.row_count):
            rows = np.ones(count, np.bool_) if found is None else found[start : start + count]
            places = self._stream.places(start, count)
            yield places, self._index.domain_codes(start, count), rows

    def _find_text(self, text: str) -> Mask:
        """Return which rows hold a text, or have it in their domain."""
        found = self._texts.get(text)
        if found is None:
            found = self._texts[text] = self._cells.find(search, text)
            is_named = self._index.find_names(text) if text.strip() else np.zeros(1, np.bool_)
            for start, count in iterate_runs(self._index.row_count) if is_named.any() else ():
                rows = slice(start, start + count)
                found[rows] |= is_named[self._index.domain_codes(start, count)]
        return found

    def _find_own(self, codes: frozenset[str]) -> Mask:
        if self._last_own is None or self._last_own[0] != codes:
            wanted: dict[int, set[int]] = {}
            for value in map(OwnValue.parse, codes):
                wanted.setdefault(value.column, set()).add(value.number)
            self._last_own = (codes, self._own_columns.match(wanted))
        return self._last_own[1]

    def _make_tests(self, row_filter: RowFilter) -> RowTests:
        chosen = row_filter.chosen
        of_domains = {
            dimension: self._test_domains(dimension, chosen.of(dimension))
            for dimension in DIMENSIONS
            if dimension.of_verdict is None and chosen.of(dimension)
        }
        part = row_filter.domain
        return RowTests(
            look_at_verdicts(chosen, self._stream.verdicts),
            of_domains,
            self._index.find_names(part) if part.strip() else None,
        )

    def _test_domains(self, dimension: Dimension, wanted: frozenset[str]) -> Mask:
        groups = self._open_domains()
        passing = np.zeros(groups.name_count, np.bool_)
        if dimension is DOMAIN:
            passing[self._index.find_domains(wanted)] = True
        elif dimension in groups.by_dimension:
            passing = groups.by_dimension[dimension].find(wanted)
        return passing

    def _open_domains(self) -> DomainGroups:
        if self._domains is None:
            self._domains = DomainGroups.build(self._index, self._notes)
        return self._domains
