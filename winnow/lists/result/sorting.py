"""Sorting of the matching rows, a page at a time."""

from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from winnow.core.lists.rows import RowOrder, SortBy
from winnow.core.tasks.task import InputPlan
from winnow.core.verdicts.verdict import CATEGORIES, phrase_reasons
from winnow.lists.result.cell_queries import COLUMNS_MAX, sort_rows
from winnow.lists.result.cell_questions import CellReader
from winnow.lists.result.row_index import Mask
from winnow.lists.result.row_view import RowView
from winnow.words import say

Ranks = NDArray[np.int64]  # -1 is last in either direction


class SortedRows:
    """Sorts one project's rows; keeps eight bytes a domain."""

    def __init__(self, view: RowView, plan: InputPlan, cells: CellReader) -> None:
        self._view = view
        self._index = view.index
        self._plan = plan
        self._cells = cells
        self._most = min(len(plan.columns), COLUMNS_MAX)

    def pick(self, order: RowOrder, mask: Mask, offset: int, limit: int) -> NDArray[np.int64]:
        """Return the matching rows from ``offset`` on, at most ``limit``, in their order."""
        by = self._plan.email_column if order.by is SortBy.ADDRESS else order.by
        if isinstance(by, int) and (by == self._plan.email_column or by < self._most):
            wanted = None if mask.all() else mask
            return self._cells.find(sort_rows, by, wanted, offset, limit, order.descending)
        rows = np.flatnonzero(mask)
        if by is SortBy.FILE or isinstance(by, int):
            return (rows[::-1] if order.descending else rows)[offset : offset + limit]
        ranks = self._rank(by)[rows]
        if order.descending:
            ranks = np.where(ranks < 0, ranks, ranks.max(initial=0) - ranks)
        is_last = ranks < 0
        return rows[np.lexsort((ranks, is_last))[offset : offset + limit]]

    def _rank(self, by: SortBy) -> Ranks:
        """Return each row's rank: keep, review, remove, or words as they are shown."""
        if by is SortBy.DOMAIN:
            return self._domain_ranks[self._index.domain_codes(0, self._index.row_count)]
        verdicts = self._view.verdicts
        if by is SortBy.VERDICT:
            ranks = np.array([CATEGORIES.index(one.category) for one in verdicts])
        elif by is SortBy.DOMAIN_TYPE:
            ranks = _rank_texts(pl.Series([say(one.domain_type.words) for one in verdicts]))
        else:
            ranks = _rank_texts(pl.Series([phrase_reasons(one.reasons) for one in verdicts]))
        return ranks[self._view.places(0, self._index.row_count)]

    @cached_property
    def _domain_ranks(self) -> Ranks:
        """Ranks by domain code."""
        names = list(self._index.read_names())
        return np.concatenate(([-1], _rank_texts(pl.concat(names)) if names else []))


def _rank_texts(texts: pl.Series) -> Ranks:
    """Return ranks of texts, without case and accents."""
    plain = texts.cast(pl.String).str.normalize("NFKD").str.replace_all(r"\p{Mn}", "")
    return plain.str.to_lowercase().rank("dense").to_numpy().astype(np.int64)
