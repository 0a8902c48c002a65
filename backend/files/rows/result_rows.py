"""The rows of a finished project: counted, filtered, paged through and streamed."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from backend.core.facets import Facets
from backend.core.own_lists import OwnLists
from backend.core.rows import Row, RowFilter, RowPage, Variant
from backend.core.tasks import InputPlan, Summary
from backend.core.verdict import Category
from backend.files.engine.tally import Tally
from backend.files.rows.formula_guard import guard_formulas
from backend.files.rows.own_overlay import Overlay
from backend.files.rows.row_columns import Mask, RowIndex
from backend.files.rows.row_export import encode_rows, word_head
from backend.files.rows.row_index import RESULT_NAME
from backend.files.rows.row_matcher import RowMatcher
from backend.files.rows.row_search import read_bytes, read_cells
from backend.files.rows.row_stream import RowStream

_ROWS_PER_RUN = 1 << 17
_VARIANT_CATEGORIES = {
    Variant.AUGMENTED: frozenset(Category),
    Variant.CLEANED: frozenset({Category.WHITE, Category.GREY}),
    Variant.BLACK: frozenset({Category.BLACK}),
    Variant.GREY: frozenset({Category.GREY}),
    Variant.ORIGINAL: frozenset(Category),
}


def look_through(result_dir: Path, plan: InputPlan, own: OwnLists) -> Overlay | None:
    """See a finished result through own lists; None where they change and changed nothing.

    Raises:
        FileNotFoundError: It holds no finished row index.
    """
    index = RowIndex.open(result_dir)
    return Overlay.build(index, own, lambda number: read_own_cells(index, plan, number)[1])


class ResultRows:
    """One finished project's rows; memory is bounded by a byte a row.

    Keeps what the last filter matched, so that paging searches once. Not for several threads at
    once.
    """

    def __init__(self, index: RowIndex, plan: InputPlan, overlay: Overlay | None = None) -> None:
        self._index = index
        self._plan = plan
        self._stream = RowStream(index, overlay)
        self._matcher = RowMatcher(index, self._stream)
        width = index.text.width or len(plan.columns)
        self.columns = (*plan.columns, *("" for _ in range(width - len(plan.columns))))

    @classmethod
    def open(
        cls, result_dir: Path, plan: InputPlan, overlay: Overlay | None = None
    ) -> "ResultRows":
        """Open a published result folder.

        Args:
            result_dir: As the batch engine left it.
            plan: The plan that it was made by.
            overlay: The own lists of today, from ``look_through``; None: as it was judged.

        Raises:
            FileNotFoundError: It holds no finished row index.
        """
        return cls(RowIndex.open(result_dir), plan, overlay)

    def count(self, row_filter: RowFilter) -> int:
        """Return how many rows match."""
        return int(np.count_nonzero(self._matcher.match(row_filter)))

    def page(self, row_filter: RowFilter, offset: int, limit: int) -> RowPage:
        """Return the matching rows from ``offset`` (from 0) on, at most ``limit``."""
        mask = self._matcher.match(row_filter)
        wanted = _nth_true(mask, offset, limit)
        rows = tuple(self._read_row(number) for number in wanted)
        return RowPage(rows, int(np.count_nonzero(mask)))

    def row(self, number: int) -> Row:
        """Return one output row by its number, from 1.

        Raises:
            IndexError: There is no such row.
        """
        if not 1 <= number <= self._index.row_count:
            msg = f"there is no row {number}"
            raise IndexError(msg)
        return self._read_row(number - 1)

    def facets(self, row_filter: RowFilter) -> Facets:
        """Count the matching rows by every dimension, each without its own restriction."""
        return self._matcher.count_facets(row_filter)

    def breakdown(self, row_filter: RowFilter) -> tuple[tuple[str, str, int], ...]:
        """Return (category, domain type, matching rows), sorted."""
        mask = self._matcher.match(row_filter)
        counts = np.zeros(len(self._stream.verdicts), np.int64)
        for start, count in self._runs():
            places = self._stream.places(start, count)[mask[start : start + count]]
            counts += np.bincount(places, minlength=len(counts))
        found: Counter[tuple[str, str]] = Counter()
        for verdict, matching in zip(self._stream.verdicts, counts.tolist(), strict=True):
            if matching:
                found[verdict.category.value, verdict.domain_type.value] += matching
        return tuple((category, kind, count) for (category, kind), count in sorted(found.items()))

    def select(self, row_filter: RowFilter, variant: Variant) -> Mask:
        """Return, for every output row in order, whether it matches and belongs to a variant."""
        mask = self._matcher.match(row_filter)
        if variant is Variant.AUGMENTED:
            return mask
        wanted = _VARIANT_CATEGORIES[variant]
        is_wanted = np.array([verdict.category in wanted for verdict in self._stream.verdicts])
        mask = mask.copy()
        for start, count in self._runs():
            mask[start : start + count] &= is_wanted[self._stream.places(start, count)]
        return mask

    def stream(
        self, row_filter: RowFilter, variant: Variant, *, safe_for_excel: bool = False
    ) -> Iterator[bytes]:
        """Yield the header and the matching rows of a variant.

        As they stand in the result, with the added cells of today. Same encoding, BOM, delimiter
        and line ends as the result; for a workbook: CSV in UTF-8. ``safe_for_excel`` puts an
        apostrophe before each cell that a spreadsheet would take for a formula.
        """
        yield word_head(self._index, self._plan, safe_for_excel=safe_for_excel)
        for piece in self._stream.pieces(self.select(row_filter, variant)):
            rows = guard_formulas(piece, self._index.text.delimiter) if safe_for_excel else piece
            yield encode_rows(rows, self._index, self._plan)
        if _is_whole(row_filter, variant):
            yield encode_rows(self._stream.read_rest(), self._index, self._plan)

    def stream_size_bytes(
        self, row_filter: RowFilter, variant: Variant, *, safe_for_excel: bool = False
    ) -> int:
        """Return exactly how many bytes ``stream`` will yield."""
        is_counted = self._index.text.has_verdicts and self._index.text.file_name == RESULT_NAME
        if safe_for_excel or not is_counted:
            pieces = self.stream(row_filter, variant, safe_for_excel=safe_for_excel)
            return sum(len(piece) for piece in pieces)
        size = len(word_head(self._index, self._plan))
        if _is_whole(row_filter, variant):
            size += len(self._stream.read_rest())
        return size + self._stream.size_bytes(self.select(row_filter, variant))

    @property
    def alters_result(self) -> bool:
        """Whether own lists give some rows other added cells than the stored file has."""
        return self._stream.alters_result

    def list_added_cells(self) -> tuple[NDArray[np.uint16], tuple[tuple[str, str], ...]]:
        """Return the added cells of today, and which of them each row gets, counted from 1.

        0 for a row whose cells are those of the stored file.
        """
        words = [(v.category.value, v.domain_type.value) for v in self._stream.verdicts]
        codes = np.zeros(self._index.row_count, np.uint16)
        stored = [(v.category.value, v.domain_type.value) for v in self._index.verdicts]
        is_same = np.array([[word == old for old in stored] for word in words], np.bool_)
        for start, count in self._runs():
            places = self._stream.places(start, count)
            same = is_same[places, self._index.verdict_places(start, count)]
            codes[start : start + count] = np.where(same, 0, places + 1)
        return codes, tuple(words)

    def summarise(self, stored: Summary) -> Summary:
        """Return a summary with the counts of today; what was charged stays."""
        names = list(self._index.read_names())
        all_names = pl.concat(names) if names else pl.Series("name", [], pl.String)
        tally = Tally(self._stream.verdicts, len(all_names))
        for start, count in self._runs():
            tally.add(self._stream.places(start, count), self._index.domain_codes(start, count), 0)
        today = tally.summarise(stored.rows_in, all_names, stored.data_version)
        return replace(
            today,
            rows_out=stored.rows_out,
            duplicates_removed=stored.duplicates_removed,
            invalid=stored.invalid,
            charged=stored.charged,
        )

    def _runs(self) -> Iterator[tuple[int, int]]:
        for start in range(0, self._index.row_count, _ROWS_PER_RUN):
            yield start, min(_ROWS_PER_RUN, self._index.row_count - start)

    def _read_row(self, number: int) -> Row:
        cells, email = read_own_cells(self._index, self._plan, number)
        place = int(self._stream.places(number, 1)[0])
        return Row(number + 1, cells, email, self._stream.verdicts[place])


def read_own_cells(index: RowIndex, plan: InputPlan, number: int) -> tuple[tuple[str, ...], str]:
    """Return the list's own cells of a row, counted from 0, and the email cell among them."""
    bounds = index.bounds(number, 1)
    body = read_bytes(index, int(bounds[0]), int(bounds[1])).tobytes()
    cells = read_cells(body, index.text.encoding, index.text.delimiter)
    if index.text.has_verdicts:
        cells = cells[:-2]
    column = plan.email_column
    return cells, cells[column] if column < len(cells) else ""


def _is_whole(row_filter: RowFilter, variant: Variant) -> bool:
    return variant is Variant.AUGMENTED and row_filter == RowFilter()


def _nth_true(mask: Mask, offset: int, limit: int) -> list[int]:
    """Return the places of the true values from the ``offset``-th on."""
    found: list[int] = []
    for start in range(0, len(mask), _ROWS_PER_RUN):
        part = mask[start : start + _ROWS_PER_RUN]
        count = int(np.count_nonzero(part))
        if offset < count:
            places = np.flatnonzero(part)[offset : offset + limit - len(found)]
            found += (places + start).tolist()
        offset = max(0, offset - count)
        if len(found) >= limit:
            break
    return found
