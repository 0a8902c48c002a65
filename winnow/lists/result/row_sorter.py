"""A page of the rows that match, in any order, without sorting more of them than it must."""

from collections.abc import Callable, Iterator

import numpy as np
import polars as pl
from numpy.typing import NDArray

from winnow.core.lists.row_order import RowOrder, SortBy
from winnow.core.tasks.task import InputPlan
from winnow.core.verdicts.verdict import Category, Verdict
from winnow.core.verdicts.words import phrase_reasons
from winnow.lists.result.own_cells import (
    Cells,
    find_cells,
    iterate_stretches,
    read_cells_of,
    read_rows,
    take_rows,
)
from winnow.lists.result.own_rows import iterate_runs
from winnow.lists.result.row_columns import Mask, RowIndex, name_in_unicode
from winnow.lists.result.row_stream import RowStream
from winnow.lists.result.sort_keys import (
    EMPTY,
    IS_CUT,
    UNREAD,
    Keys,
    Run,
    SortKeys,
    fold,
    read_sort_keys,
    unquote,
)
from winnow.words import say

_ROWS_LOOKED_AT = 1 << 16

Rows = NDArray[np.int64]


class RowSorter:
    """Sorts one project's rows; keeps eight bytes a row for the last column, and a domain."""

    def __init__(self, index: RowIndex, stream: RowStream, plan: InputPlan) -> None:
        self._index = index
        self._stream = stream
        self._plan = plan
        self._width = index.text.width or len(plan.columns)
        self._last: tuple[int, SortKeys] | None = None
        self._by_domain: NDArray[np.uint64] | None = None

    def pick(self, order: RowOrder, mask: Mask, offset: int, limit: int) -> Rows:
        """Return the matching rows from ``offset`` on, at most ``limit``, in their order."""
        is_none = isinstance(order.by, int) and order.by >= self._width
        if order.by is SortBy.FILE or is_none:
            rows = np.flatnonzero(mask)
            return (rows[::-1] if order.descending else rows)[offset : offset + limit]
        if order.by is SortBy.ADDRESS:
            return self._pick_by_cells(self._plan.email_column, order, mask, offset, limit)
        if isinstance(order.by, int):
            return self._pick_by_cells(order.by, order, mask, offset, limit)
        keys = SortKeys(self._read_keys(order.by))
        return pick_rows(keys, mask, offset, limit, descending=order.descending)

    def _pick_by_cells(
        self, column: int, order: RowOrder, mask: Mask, offset: int, limit: int
    ) -> Rows:
        if self._last is None or self._last[0] != column:
            self._last = None  # not two at a time
            self._last = (column, self._read_cell_keys(column))

        def read_texts(rows: Rows) -> pl.Series:
            found = self._read_cells_at(column, rows)
            return pl.concat([fold(unquote(cells)) for cells in found])

        return pick_rows(
            self._last[1], mask, offset, limit, descending=order.descending, read_texts=read_texts
        )

    def _read_cell_keys(self, column: int) -> SortKeys:
        def read(run: Run) -> Cells:
            return read_cells_of(self._index, self._width, (column,), *run)[column]

        semicolons = self._plan.delimiter == ";"
        runs = tuple(iterate_stretches(self._index, self._width))
        return read_sort_keys(read, runs, semicolons=semicolons)

    def _read_cells_at(self, column: int, rows: Rows) -> Iterator[Cells]:
        """Yield a column's cells of rows that rise, wherever they stand."""
        for some in np.split(rows, np.flatnonzero(np.diff(rows // _ROWS_LOOKED_AT)) + 1):
            first, count = int(some[0]), int(some[-1] - some[0]) + 1
            taken = take_rows(*read_rows(self._index, first, count), some - first)
            yield find_cells(self._index.text, *taken, self._width, (column,))[column]

    def _read_keys(self, by: SortBy) -> Keys:
        keys = np.empty(self._index.row_count, np.uint64)
        is_domain = by is SortBy.DOMAIN
        table = self._rank_domains() if is_domain else _rank_verdicts(by, self._stream.verdicts)
        for start, count in iterate_runs(self._index.row_count):
            read = self._index.domain_codes if is_domain else self._stream.places
            keys[start : start + count] = table[read(start, count)]
        return keys

    def _rank_domains(self) -> NDArray[np.uint64]:
        """Return keys by domain code."""
        if self._by_domain is None:
            names = [name_in_unicode(some) for some in self._index.read_names()]
            ranks = fold(pl.concat(names)).rank("dense").to_numpy() if names else np.empty(0)
            self._by_domain = np.concatenate(([EMPTY], ranks.astype(np.uint64)))
        return self._by_domain


def pick_rows(
    sort_keys: SortKeys,
    mask: Mask,
    offset: int,
    limit: int,
    *,
    descending: bool,
    read_texts: Callable[[Rows], pl.Series] | None = None,
) -> Rows:
    """Return the matching rows that a page shows.

    Args:
        sort_keys: Of all rows.
        mask: Which match.
        offset: How many stand on the pages before.
        limit: How many the page shows at most.
        descending: The largest first; what cannot be read and what is empty is last all the same.
        read_texts: Gives folded texts of rows that rise; needed where keys are not exact.
    """
    rows = None if mask.all() else np.flatnonzero(mask)
    values = sort_keys.keys if rows is None else sort_keys.keys[rows]
    first, last = min(offset, len(values)), min(offset + limit, len(values))
    if first == last:
        return np.empty(0, np.int64)
    if descending:
        values = np.where(values < UNREAD, UNREAD - np.uint64(1) - values, values)
    low, high = np.partition(values, (first, last - 1))[[first, last - 1]]
    near = np.flatnonzero((values >= low) & (values <= high))
    first -= int(np.count_nonzero(values < low))
    found = near if rows is None else rows[near]
    frame = pl.DataFrame({"row": found, "key": values[near]})
    by = ["key"]
    if not sort_keys.is_exact and read_texts is not None:
        keys = sort_keys.keys[found]
        cut = np.flatnonzero((keys & IS_CUT > 0) & (keys < UNREAD))
        texts = pl.Series("text", [""]).new_from_index(0, len(found))
        if len(cut):
            frame = frame.with_columns(texts.scatter(cut, read_texts(found[cut])))
            by = ["key", "text"]
    down = [False, descending][: len(by)]
    ordered = frame.sort(by, descending=down, maintain_order=True)["row"]
    return ordered[first : first + limit].to_numpy()


def _rank_verdicts(by: SortBy, verdicts: tuple[Verdict, ...]) -> NDArray[np.uint64]:
    """Return keys by a verdict's place: keep, review, remove; words as they are shown."""
    order = list(Category)
    if by is SortBy.VERDICT:
        return np.array([order.index(one.category) for one in verdicts], np.uint64)
    if by is SortBy.DOMAIN_TYPE:
        words = [say(one.domain_type.words) for one in verdicts]
    else:
        words = [phrase_reasons(one.reasons) for one in verdicts]
    ranks = fold(pl.Series(words, dtype=pl.String)).rank("dense")
    return ranks.to_numpy().astype(np.uint64)
