"""Sorting of the matching rows, a page at a time."""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from winnow.core.lists.rows import RowOrder, SortBy
from winnow.core.tasks.task import InputPlan
from winnow.core.verdicts.verdict import Category, Verdict, phrase_reasons
from winnow.lists.result.cell_queries import COLUMNS_MAX, sort_rows
from winnow.lists.result.cell_questions import CellReader
from winnow.lists.result.row_columns import Mask, name_in_unicode
from winnow.lists.result.row_view import RowView
from winnow.words import say

_NONE = np.uint32(2**32 - 1)  # last in either direction

Rows = NDArray[np.int64]


class RowSorter:
    """Sorts one project's rows; keeps four bytes a domain."""

    def __init__(self, view: RowView, plan: InputPlan, cells: CellReader) -> None:
        self._view = view
        self._index = index = view.index
        self._plan = plan
        self._cells = cells
        self._most = min(index.text.width or len(plan.columns), COLUMNS_MAX)
        self._by_domain: NDArray[np.uint32] | None = None

    def pick(self, order: RowOrder, mask: Mask, offset: int, limit: int) -> Rows:
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
            ranks = np.where(ranks == _NONE, _NONE, _NONE - np.uint32(1) - ranks)
        return rows[np.argsort(ranks, kind="stable")[offset : offset + limit]]

    def _rank(self, by: SortBy) -> NDArray[np.uint32]:
        """Return each row's rank."""
        if by is SortBy.DOMAIN:
            return self._rank_domains()[self._index.domain_codes(0, self._index.row_count)]
        ranks = _rank_verdicts(by, self._view.verdicts)
        return ranks[self._view.places(0, self._index.row_count)]

    def _rank_domains(self) -> NDArray[np.uint32]:
        """Return ranks by domain code."""
        if self._by_domain is None:
            names = [name_in_unicode(some) for some in self._index.read_names()]
            ranks = _rank_texts(pl.concat(names)) if names else np.empty(0, np.uint32)
            self._by_domain = np.concatenate(([_NONE], ranks))
        return self._by_domain


def _rank_verdicts(by: SortBy, verdicts: tuple[Verdict, ...]) -> NDArray[np.uint32]:
    """Return ranks by a verdict's place: keep, review, remove; words as they are shown."""
    order = list(Category)
    if by is SortBy.VERDICT:
        return np.array([order.index(one.category) for one in verdicts], np.uint32)
    if by is SortBy.DOMAIN_TYPE:
        words = [say(one.domain_type.words) for one in verdicts]
    else:
        words = [phrase_reasons(one.reasons) for one in verdicts]
    return _rank_texts(pl.Series(words, dtype=pl.String))


def _rank_texts(texts: pl.Series) -> NDArray[np.uint32]:
    """Return ranks of texts, without case and accents."""
    plain = texts.str.normalize("NFKD").str.replace_all(r"\p{Mn}", "").str.to_lowercase()
    return plain.rank("dense").to_numpy().astype(np.uint32)
