"""The rows of a finished project: counted, filtered, paged through and streamed."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from operator import attrgetter
from pathlib import Path

import numpy as np
import polars as pl
from cachetools import LRUCache, cachedmethod
from cachetools.keys import methodkey
from numpy.typing import NDArray

from winnow.core.lists.bounce_forecast import find_kind
from winnow.core.lists.cleaning import CleaningPolicy
from winnow.core.lists.comparison import Since
from winnow.core.lists.dimensions import Facets
from winnow.core.lists.exports import WHOLE_LIST, Export
from winnow.core.lists.platforms import Layout, PlatformFile, lay_out
from winnow.core.lists.rows import IN_FILE, Row, RowFilter, RowOrder, RowPage, SortBy
from winnow.core.lists.side_files import MailKind
from winnow.core.tasks.input_plan import InputPlan
from winnow.core.tasks.task import Summary
from winnow.core.verdicts.verdict import Action, Verdict, phrase_reasons
from winnow.limited.messages import Question
from winnow.lists.engine.row_counts import RowCounter
from winnow.lists.result.cell_grid import CellGrid, read_own_cells
from winnow.lists.result.cell_queries import sort_rows
from winnow.lists.result.cell_table import COLUMNS_MAX, AskCells, CellReader
from winnow.lists.result.filters import FilteredRows
from winnow.lists.result.own_values import ColumnReader
from winnow.lists.result.row_export import (
    AddedCells,
    RowExport,
    list_added_cells,
    read_rest,
    stream_rows,
)
from winnow.lists.result.row_index import Mask, RowIndex, RowNumbers
from winnow.lists.result.row_view import RowView
from winnow.words import current_language, say

_PAGES_KEPT = 4  # a page is drawn again with every press
Ranks = NDArray[np.int64]  # -1 is last in either direction


class ResultRows:
    """One finished project's rows; memory is bounded by a byte a row, eight a domain, four pages.

    Keeps what the last filter matched, so that paging searches once. Not for several threads at
    once.
    """

    def __init__(
        self,
        result_dir: Path,
        plan: InputPlan,
        view: RowView | None = None,
        ask: AskCells = Question.answer,
        find_since: Callable[[Since, CleaningPolicy], NDArray[np.int64]] | None = None,
    ) -> None:
        """Open a published result folder.

        Args:
            result_dir: As the batch engine left it.
            plan: The plan that it was made by.
            view: The rows with the own lists of today; None: as they were judged.
            ask: Sends questions about cells to where they are answered; by default here.
            find_since: Returns the rows to add or to suppress since an earlier list, by a policy.

        Raises:
            FileNotFoundError: It holds no finished row index.
        """
        self._index = index = RowIndex.open(result_dir)
        self._cells = CellReader(result_dir, plan, ask)
        self._plan = plan = index.text.extend_plan(plan)
        self._view = view = view or RowView.as_judged(index)
        self._numbers = RowNumbers.open(result_dir)
        self._find_since = find_since
        self._filtered = FilteredRows(view, self._cells)
        self._pages: LRUCache[Hashable, RowPage] = LRUCache(_PAGES_KEPT)
        self.columns = plan.columns
        self.own_columns = ColumnReader(view, self._cells, self.columns)

    @cachedmethod(  # texts are sorted as they read in the language
        attrgetter("_pages"), key=lambda *asked: methodkey(*asked, current_language())
    )
    def page(
        self, row_filter: RowFilter, offset: int, limit: int, order: RowOrder = IN_FILE
    ) -> RowPage:
        """Return the matching rows from ``offset`` (from 0) on, at most ``limit``, in an order."""
        mask = self._filtered.match(row_filter)
        wanted = self._pick(order, mask, offset, limit, row_filter.policy).tolist()
        return RowPage(self._read_rows(wanted), int(np.count_nonzero(mask)))

    def row(self, number: int) -> Row:
        """Return one output row by its number, from 1.

        Raises:
            IndexError: There is no such row.
        """
        if not 1 <= number <= self._index.row_count:
            msg = f"there is no row {number}"
            raise IndexError(msg)
        return self._read_rows([number - 1])[0]

    def facets(self, row_filter: RowFilter) -> Facets:
        """Count the matching rows by every dimension, each without its own restriction."""
        return self._filtered.count_facets(row_filter)

    def count_verdicts(self) -> tuple[tuple[Verdict, int], ...]:
        """Return the distinct verdicts of all rows and how many rows have each."""
        return self._view.count_verdicts()

    def count_kinds(self, policy: CleaningPolicy) -> Counter[MailKind]:
        """Return how many of the rows that a policy keeps have each kind of address."""
        mailed = (Action.KEEP, Action.REVIEW)
        is_kept = [policy.find_action(one) in mailed for one in self._view.verdicts]
        found: Counter[MailKind] = Counter()
        for kind, place, count in self._kinds:
            found[kind] += count * is_kept[place]
        return +found

    @cached_property
    def _kinds(self) -> list[tuple[MailKind, int, int]]:
        """Kinds of addresses with the indices of their verdicts, and how many rows have both."""
        verdicts, found = self._view.verdicts, Counter[int]()
        is_named = np.array([bool(find_kind(one, "a").provider) for one in verdicts])
        for run in self._index.iterate_runs():
            indices = self._view.indices(*run)
            codes = np.where(is_named[indices], self._index.domain_codes(*run), 0).astype(np.int64)
            some, counts = np.unique(codes * len(verdicts) + indices, return_counts=True)
            found.update(dict(zip(some.tolist(), counts.tolist(), strict=True)))
        codes_places = [divmod(one, len(verdicts)) for one in found]
        names = self._index.name_domains(code for code, _ in codes_places)
        return [
            (find_kind(verdicts[place], name), place, count)
            for name, (_, place), count in zip(names, codes_places, found.values(), strict=True)
        ]

    def _match(self, export: Export) -> Mask:
        """Return which rows are wanted; not to be written to."""
        rows = export.rows
        if isinstance(rows, RowFilter):
            return self._filtered.match(rows)
        mask = np.zeros(self._index.row_count, np.bool_)
        if isinstance(rows, Since):
            if self._find_since is not None:
                mask[self._find_since(rows, export.choice.policy)] = True
            return mask
        mask[[one - 1 for one in rows if 1 <= one <= len(mask)]] = True
        return mask

    def select(self, export: Export) -> Mask:
        """Return, for every output row in order, whether an export holds it."""
        mask = self._match(export)
        is_wanted = np.array([export.wants(verdict) for verdict in self._view.verdicts])
        if not is_wanted.all():
            mask = mask & is_wanted[self._view.indices(0, len(mask))]
        if export.part is not None:
            first, count = export.part.first, export.part.count
            indices, mask = np.flatnonzero(mask), np.zeros(len(mask), np.bool_)
            mask[indices[first : first + count]] = True
        return mask

    def measure(self, export: Export) -> int:
        """Return how many rows an export holds."""
        return int(np.count_nonzero(self.select(export)))

    @property
    def added_count(self) -> int:
        """How many columns were added to the list."""
        return self._index.text.added_count

    @property
    def stored_bytes(self) -> int:
        """The bytes of the stored text with all rows."""
        return self._index.text_path.stat().st_size

    def lay_out(self, file: PlatformFile) -> Layout:
        """Return how the list's columns are arranged in a file for a platform."""
        names = self.columns if self._plan.has_header else ("",) * len(self.columns)
        return lay_out(file, names, self._plan.email_column)

    def stream(self, export: Export = WHOLE_LIST) -> Iterator[bytes]:
        """Yield the header and the rows of an export, with the added cells of today.

        Its format is CSV or TSV, or none is chosen. Without one: the same encoding, BOM,
        delimiter and line ends as the result, and the list's own cells byte for byte; for a
        workbook: CSV in UTF-8.
        """
        form = self._open_form(export)
        yield form.word_head()
        for piece in self._pieces(export):
            yield form.convert(piece)
        if export.is_whole and form.is_as_stored:
            yield form.convert(read_rest(self._index))

    def stream_cells(self, export: Export = WHOLE_LIST) -> Iterator[CellGrid]:
        """Yield the header (no cells for a list without) and the rows of an export as cells."""
        form = self._open_form(export)
        yield form.read_header()
        for piece in self._pieces(export):
            yield form.read_cells(piece)

    def _open_form(self, export: Export) -> RowExport:
        layout = None if export.platform is None else self.lay_out(export.platform)
        return RowExport(self._index, self._plan, export.form, layout)

    def _pieces(self, export: Export) -> Iterator[bytes]:
        return stream_rows(self._index, self.select(export), self.find_added_cells(export))

    def find_added_cells(self, export: Export) -> AddedCells | None:
        """Return the added cells of all rows as an export has them; None: those that are stored."""
        is_stored = self._index.text.has_verdicts and not self._view.alters_result
        if is_stored and not export.form.extra_columns:
            return None
        return list_added_cells(self._view, export.form)

    @property
    def email_column(self) -> int:
        """Place among ``columns`` of the address that a row was judged by."""
        return self._plan.email_column

    def summarise(self, stored: Summary) -> Summary:
        """Return a summary with the counts of today; what was charged stays."""
        all_names = pl.concat([pl.Series("name", [], pl.String), *self._index.read_names()])
        row_counter = RowCounter(self._view.verdicts, len(all_names))
        for start, count in self._index.iterate_runs():
            indices = self._view.indices(start, count)
            row_counter.add(indices, self._index.domain_codes(start, count))
        today = row_counter.summarise(stored.rows_in, all_names, stored.data_version)
        return replace(
            stored,
            by_category=today.by_category,
            by_domain_type=today.by_domain_type,
            by_reason=today.by_reason,
            by_category_and_type=today.by_category_and_type,
            top_domains=today.top_domains,
        )

    def _pick(
        self, order: RowOrder, mask: Mask, offset: int, limit: int, policy: CleaningPolicy
    ) -> NDArray[np.int64]:
        """Return the matching rows from ``offset`` on, at most ``limit``, in their order."""
        by = self.email_column if order.by is SortBy.ADDRESS else order.by
        if isinstance(by, int) and (
            by == self.email_column or by < min(len(self.columns), COLUMNS_MAX)
        ):
            wanted = None if mask.all() else mask
            return self._cells.find(sort_rows, by, wanted, offset, limit, order.descending)
        rows = np.flatnonzero(mask)
        if by is SortBy.FILE or isinstance(by, int):
            return (rows[::-1] if order.descending else rows)[offset : offset + limit]
        ranks = self._rank(by, policy)[rows]
        if order.descending:
            ranks = np.where(ranks < 0, ranks, ranks.max(initial=0) - ranks)
        is_last = ranks < 0
        return rows[np.lexsort((ranks, is_last))[offset : offset + limit]]

    def _rank(self, by: SortBy, policy: CleaningPolicy) -> Ranks:
        """Return each row's rank: its action's, or words as they are shown."""
        if by is SortBy.DOMAIN:
            return self._domain_ranks[self._index.domain_codes(0, self._index.row_count)]
        verdicts = self._view.verdicts
        if by is SortBy.ACTION:
            ranks = np.array([list(Action).index(policy.find_action(one)) for one in verdicts])
        elif by is SortBy.DOMAIN_TYPE:
            ranks = _rank_texts(pl.Series([say(one.domain_type.words) for one in verdicts]))
        else:
            reasons = [phrase_reasons(policy.order_reasons(one)) for one in verdicts]
            ranks = _rank_texts(pl.Series(reasons))
        return ranks[self._view.indices(0, self._index.row_count)]

    @cached_property
    def _domain_ranks(self) -> Ranks:
        """Ranks by domain code."""
        names = list(self._index.read_names())
        return np.concatenate(([-1], _rank_texts(pl.concat(names)) if names else []))

    def _read_rows(self, indices: Sequence[int]) -> tuple[Row, ...]:
        numbers: Sequence[int | None] = [None] * len(indices)
        if self._numbers.is_known and indices:
            numbers = self._numbers.number_rows(np.array(indices, np.int64)).tolist()
        found = []
        for place, file_number in zip(indices, numbers, strict=True):
            cells = read_own_cells(self._index.read_rows(place, 1)[0].tobytes(), self._index.text)
            email = "".join(cells[self.email_column : self.email_column + 1])
            verdict = self._view.verdicts[int(self._view.indices(place, 1)[0])]
            found.append(Row(place + 1, cells, email, verdict, file_number))
        return tuple(found)


def _rank_texts(texts: pl.Series) -> Ranks:
    """Return ranks of texts, without case and accents."""
    plain = texts.cast(pl.String).str.normalize("NFKD").str.replace_all(r"\p{Mn}", "")
    return plain.str.to_lowercase().rank("dense").to_numpy().astype(np.int64)
