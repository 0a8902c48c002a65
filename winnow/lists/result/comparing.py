"""Comparison of two finished projects, address by address, by array operations."""

import csv
import io
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from winnow.core.lists.comparison import Comparison, Difference, DifferentAddress, MovedDomain
from winnow.core.verdicts.verdict import Category, Verdict
from winnow.lists.result.cell_queries import count_blank, pair_addresses, read_emails
from winnow.lists.result.cell_questions import CellReader
from winnow.lists.result.formula_guard import guard_formulas
from winnow.lists.result.row_columns import RowIndex, iterate_runs
from winnow.lists.result.row_stream import RowStream
from winnow.lists.result.row_view import RowView

MOST_DOMAINS = 50
HEADER = (
    "email",
    "difference",
    "category_before",
    "domain_type_before",
    "category",
    "domain_type",
)
_ROWS_PER_PIECE = 65_536  # a few megabytes
_NOT_THERE = ("", "")

Rows = NDArray[np.int64]


class ComparedProject:
    """One side: its distinct addresses, each by its last row, with the verdict of today."""

    def __init__(self, cells: CellReader, overlay: RowView | None) -> None:
        """Open a finished project; two bytes a row stay.

        Raises:
            FileNotFoundError: It holds no finished row index.
        """
        self.cells = cells
        self._index = RowIndex.open(cells.folder)
        stream = RowStream(self._index, overlay)
        self.verdicts = stream.verdicts
        self.blank_rows = cells.find(count_blank)
        self._places = stream.places(0, self._index.row_count)

    def places(self, rows: Rows) -> NDArray[np.uint16]:
        """Return the rows' places in ``verdicts``."""
        places: NDArray[np.uint16] = self._places[rows]
        return places

    def read_emails(self, rows: Rows) -> list[str]:
        """Return the email cells of rows, which ascend and are counted from 0."""
        return self.cells.find(read_emails, rows)

    def read_verdicts(self, rows: Rows) -> list[Verdict]:
        """Return the verdicts of rows, counted from 0."""
        return [self.verdicts[place] for place in self._places[rows].tolist()]

    def count_domains(self, rows: Rows, groups: NDArray[np.int64]) -> list[tuple[str, int, int]]:
        """Return the most frequent pairs of domain and group among rows: name, group, count."""
        codes = np.empty(len(rows), np.int64)
        order = np.argsort(rows, kind="stable")
        for start, count in iterate_runs(self._index.row_count):
            first, last = np.searchsorted(rows, (start, start + count), sorter=order)
            wanted = order[first:last]
            codes[wanted] = self._index.domain_codes(start, count)[rows[wanted] - start]
        pairs, counts = np.unique(np.stack((codes, groups)), axis=1, return_counts=True)
        largest = np.argsort(-counts, kind="stable")[:MOST_DOMAINS]
        names = self._index.name_domains(pairs[0][largest])
        return [
            (name, int(group), int(count))
            for name, group, count in zip(names, pairs[1][largest], counts[largest], strict=True)
        ]


class ComparedRows:
    """Which rows of two projects differ, and how."""

    def __init__(self, before: ComparedProject, now: ComparedProject) -> None:
        self._before, self._now = before, now
        old, new = before.cells.find(pair_addresses, now.cells.folder, now.cells.plan)
        is_shared = (old >= 0) & (new >= 0)
        self._old, self._new = old[is_shared], new[is_shared]
        self._gone, self._added = np.sort(old[new < 0]), np.sort(new[old < 0])
        self._groups, self._cells = self._pair_cells()
        is_changed = np.array([was != is_now for was, is_now in self._cells], np.bool_)
        self._changed = np.flatnonzero(is_changed[self._groups])
        self._changed = self._changed[np.argsort(self._new[self._changed], kind="stable")]
        self.comparison = self._summarise()

    def page(self, difference: Difference, offset: int, limit: int) -> tuple[DifferentAddress, ...]:
        """Return some of the addresses that differ in a way, in the order of their list."""
        part = slice(offset, offset + limit)
        before: Iterable[Verdict | None] = repeat(None)
        now: Iterable[Verdict | None] = repeat(None)
        if difference is Difference.GONE:
            emails = self._before.read_emails(self._gone[part])
            before = self._before.read_verdicts(self._gone[part])
        elif difference is Difference.NEW:
            emails = self._now.read_emails(self._added[part])
            now = self._now.read_verdicts(self._added[part])
        else:
            shared = self._changed[part]
            emails = self._now.read_emails(self._new[shared])
            before = self._before.read_verdicts(self._old[shared])
            now = self._now.read_verdicts(self._new[shared])
        return tuple(map(DifferentAddress, emails, before, now))

    def stream(self) -> Iterator[bytes]:
        """Yield every difference as CSV: gone, new, changed; each in its list's order.

        For Excel: in UTF-8 with a BOM, and no cell that would be taken for a formula.
        """
        yield BOM_UTF8 + _write_lines([HEADER])
        for difference in (Difference.GONE, Difference.NEW, Difference.CHANGED):
            for offset in range(0, self.comparison.count(difference), _ROWS_PER_PIECE):
                found = self.page(difference, offset, _ROWS_PER_PIECE)
                yield _write_lines(
                    [
                        (one.email, difference, *_cells(one.before), *_cells(one.now))
                        for one in found
                    ]
                )

    def _pair_cells(
        self,
    ) -> tuple[NDArray[np.int64], list[tuple[tuple[str, str], tuple[str, str]]]]:
        """Number the pairs of category and type that shared addresses have, before and now."""
        width = len(self._now.verdicts)
        pairs = self._before.places(self._old).astype(np.int64) * width
        pairs += self._now.places(self._new)
        distinct, groups = np.unique(pairs, return_inverse=True)
        cells = [
            (_cells(self._before.verdicts[pair // width]), _cells(self._now.verdicts[pair % width]))
            for pair in distinct.tolist()
        ]
        return groups, cells

    def _summarise(self) -> Comparison:
        before, now = self._before, self._now
        moves: Counter[tuple[str, str]] = Counter()
        counts = np.bincount(self._groups, minlength=len(self._cells)).tolist()
        for (was, is_now), count in zip(self._cells, counts, strict=True):
            moves[was[0], is_now[0]] += count
        changed = now.places(self._new[self._changed])
        return Comparison(
            before=len(self._old) + len(self._gone),
            now=len(self._new) + len(self._added),
            same=len(self._old) - len(self._changed),
            new=len(self._added),
            gone=len(self._gone),
            changed=len(self._changed),
            blank_before=before.blank_rows,
            blank_now=now.blank_rows,
            by_category={
                Difference.NEW: _count_categories(now.verdicts, now.places(self._added)),
                Difference.GONE: _count_categories(before.verdicts, before.places(self._gone)),
                Difference.CHANGED: _count_categories(now.verdicts, changed),
            },
            moves=dict(moves),
            domains=self._find_domains(),
        )

    def _find_domains(self) -> tuple[MovedDomain, ...]:
        cells = {pair: number for number, pair in enumerate(dict.fromkeys(self._cells))}
        numbers = np.array([cells[pair] for pair in self._cells], np.int64)
        groups = numbers[self._groups[self._changed]]
        pairs = list(cells)
        return tuple(
            MovedDomain(name, *pairs[group], addresses)
            for name, group, addresses in self._now.count_domains(self._new[self._changed], groups)
            if name
        )


def _cells(verdict: Verdict | None) -> tuple[str, str]:
    return (verdict.category.value, verdict.domain_type.value) if verdict else _NOT_THERE


def _count_categories(verdicts: Sequence[Verdict], places: NDArray[np.uint16]) -> dict[str, int]:
    counts = np.bincount(places, minlength=len(verdicts)).tolist()
    found = {category.value: 0 for category in Category}
    for verdict, count in zip(verdicts, counts, strict=True):
        found[verdict.category.value] += count
    return found


def _write_lines(rows: Sequence[Sequence[str]]) -> bytes:
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    return guard_formulas(out.getvalue().encode("utf-8", "surrogateescape"), ",")
