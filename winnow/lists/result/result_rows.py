"""The rows of a finished project: counted, filtered, paged through and streamed."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from winnow.core.lists.exports import WHOLE_LIST, Export, FilePart
from winnow.core.lists.facets import Facets, NetworkNotes
from winnow.core.lists.platforms import Layout, PlatformFile, lay_out
from winnow.core.lists.rows import IN_FILE, Row, RowFilter, RowOrder, RowPage, Ticked, Ticks
from winnow.core.tasks.task import InputPlan, Summary
from winnow.core.verdicts.verdict import Verdict
from winnow.lists.engine.row_counts import RowCounter
from winnow.lists.result.added_columns import VerdictColumns
from winnow.lists.result.advice import Advice, Rate
from winnow.lists.result.cell_grid import CellGrid
from winnow.lists.result.cell_queries import find_local_parts
from winnow.lists.result.cell_questions import AskCells, CellQuestion, CellReader
from winnow.lists.result.own_columns import ColumnReader
from winnow.lists.result.row_bytes import read_bytes, read_own_cells
from winnow.lists.result.row_columns import Mask, RowIndex
from winnow.lists.result.row_export import RowExport
from winnow.lists.result.row_index import RESULT_NAME
from winnow.lists.result.row_matcher import RowMatcher
from winnow.lists.result.row_sorter import RowSorter
from winnow.lists.result.row_stream import RowStream
from winnow.lists.result.row_tails import Extras, list_cells
from winnow.lists.result.row_view import RowView
from winnow.lists.result.titles import ReadTitles, Titles, read_titles

_ROWS_PER_RUN = 1 << 17


class ResultRows:
    """One finished project's rows; memory is bounded by a byte a row.

    Keeps what the last filter matched, so that paging searches once. Not for several threads at
    once.
    """

    def __init__(
        self,
        index: RowIndex,
        plan: InputPlan,
        overlay: RowView | None = None,
        notes: NetworkNotes | None = None,
        read_titles: ReadTitles = read_titles,
        advice: Advice | None = None,
        ask: AskCells = CellQuestion.answer,
    ) -> None:
        self._index = index
        self._cells = CellReader(index.folder, plan, ask)
        self._plan = plan = index.text.see(plan)
        self._read_titles = read_titles
        self._advice = advice
        self._stream = RowStream(index, overlay)
        self._numbers = index.read_numbers()
        width = index.text.width or len(plan.columns)
        self.own_columns = ColumnReader(index, self._stream, self._cells)
        self._refused: dict[frozenset[str], Mask] = {}
        self._sorter = RowSorter(index, self._stream, plan, self._cells)
        self._matcher = RowMatcher(index, self._stream, self._cells, self.own_columns, notes)
        self.columns = (*plan.columns, *("" for _ in range(width - len(plan.columns))))

    @classmethod
    def open(
        cls,
        result_dir: Path,
        plan: InputPlan,
        overlay: RowView | None = None,
        notes: NetworkNotes | None = None,
        read_titles: ReadTitles = read_titles,
        advice: Advice | None = None,
        ask: AskCells = CellQuestion.answer,
    ) -> "ResultRows":
        """Open a published result folder.

        Args:
            result_dir: As the batch engine left it.
            plan: The plan that it was made by.
            overlay: The own lists of today, from ``look_through``; None: as it was judged.
            notes: What the network said of the domains; None: it was not asked.
            read_titles: As the list's format reads them.
            advice: Needed where an export has suggestions or probabilities.
            ask: Sends questions about cells to where they are answered; by default here.

        Raises:
            FileNotFoundError: It holds no finished row index.
        """
        return cls(RowIndex.open(result_dir), plan, overlay, notes, read_titles, advice, ask)

    def count(self, row_filter: RowFilter) -> int:
        """Return how many rows match."""
        return int(np.count_nonzero(self._matcher.match(row_filter)))

    def page(
        self, row_filter: RowFilter, offset: int, limit: int, order: RowOrder = IN_FILE
    ) -> RowPage:
        """Return the matching rows from ``offset`` (from 0) on, at most ``limit``, in an order."""
        mask = self._matcher.match(row_filter)
        if order == IN_FILE:
            wanted = _nth_true(mask, offset, limit)
        else:
            wanted = self._sorter.pick(order, mask, offset, limit).tolist()
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

    def find_row(self, number: int) -> Row | None:
        """Return the row with a number as people see it; None where the result has no such row."""
        place = self._numbers.find(number)
        return None if place is None else self._read_rows([place])[0]

    @property
    def last_number(self) -> int:
        """The largest number that ``find_row`` finds a row for."""
        return self._numbers.last

    def facets(self, row_filter: RowFilter) -> Facets:
        """Count the matching rows by every dimension, each without its own restriction."""
        return self._matcher.count_facets(row_filter)

    def count_verdicts(self) -> tuple[tuple[Verdict, int], ...]:
        """Return the distinct verdicts of all rows and how many rows have each."""
        found = zip(self._stream.verdicts, self._stream.view.count().tolist(), strict=True)
        return tuple((verdict, count) for verdict, count in found if count)

    def look_at_ticks(self, ticked: Ticked, numbers: Iterable[int]) -> Ticks:
        """Return which of these rows, numbered from 1, are ticked, and how many are in all."""
        mask = self._match(ticked)
        found = frozenset(one for one in numbers if 1 <= one <= len(mask) and mask[one - 1])
        return Ticks(found, int(np.count_nonzero(mask)))

    def _match(self, rows: RowFilter | Ticked) -> Mask:
        """Return which rows are wanted; not to be written to."""
        if isinstance(rows, RowFilter):
            return self._matcher.match(rows)
        if rows.of is None:
            mask = np.zeros(self._index.row_count, np.bool_)
        else:
            mask = self._matcher.match(rows.of).copy()
        places = [one - 1 for one in rows.flipped if 1 <= one <= len(mask)]
        mask[places] ^= True
        return mask

    def select(self, export: Export) -> Mask:
        """Return, for every output row in order, whether an export holds it."""
        mask = self._match(export.rows)
        is_wanted = np.array([export.wants(verdict) for verdict in self._stream.verdicts])
        if not is_wanted.all():
            mask = mask.copy()
            for start, count in self._runs():
                mask[start : start + count] &= is_wanted[self._stream.places(start, count)]
        if refused := export.refused_local_parts:
            if refused not in self._refused:
                self._refused[refused] = self._cells.find(find_local_parts, refused)
            mask = mask & ~self._refused[refused]
        return mask if export.part is None else _cut(mask, export.part)

    def measure(self, export: Export) -> int:
        """Return how many rows an export holds."""
        return int(np.count_nonzero(self.select(export)))

    def measure_stored_bytes(self, export: Export) -> int:
        """Return the bytes that an export's rows have in the stored text."""
        mask, size = self.select(export), 0
        for start, count in self._runs():
            rows = mask[start : start + count]
            size += int(self._index.sizes(start, count)[rows].sum(dtype=np.int64))
        return size

    def lay_out(self, file: PlatformFile) -> Layout:
        """Return how the list's columns are arranged in a file for a platform."""
        names = self.columns if self._plan.has_header else ("",) * len(self.columns)
        return lay_out(file, names, self._plan.email_column)

    def first_rows(self, export: Export, most: int) -> tuple[Row, ...]:
        """Return the first rows of an export, in output order."""
        return self._read_rows(_nth_true(self.select(export), 0, most))

    def stream(self, export: Export = WHOLE_LIST) -> Iterator[bytes]:
        """Yield the header and the rows of an export, with the added cells of today.

        Its format is CSV or TSV, or none is chosen. Without one: the same encoding, BOM,
        delimiter and line ends as the result, and the list's own cells byte for byte; for a
        workbook: CSV in UTF-8.
        """
        form = RowExport(self._index, self._plan, export.choice, self._read_titles)
        yield form.word_head()
        for piece in self._pieces(export):
            yield form.convert(piece)
        if export.is_whole and form.is_as_stored:
            yield form.convert(self._stream.read_rest())

    def read_titles(self) -> Titles:
        """Return the rows above the list's header that hold anything, as cells."""
        return self._read_titles(self._index, self._plan)

    def stream_cells(self, export: Export = WHOLE_LIST) -> Iterator[CellGrid]:
        """Yield the header (no cells for a list without) and the rows of an export as cells."""
        form = RowExport(self._index, self._plan, export.choice, self._read_titles)
        yield form.read_header()
        for piece in self._pieces(export):
            yield form.read_cells(piece)

    def stream_size_bytes(
        self, export: Export = WHOLE_LIST, *, reads_rows: bool = True
    ) -> int | None:
        """Return exactly how many bytes ``stream`` will yield; None where that is unknown.

        Without ``reads_rows`` it is also None for a list in an encoding that must be read through.
        """
        form = RowExport(self._index, self._plan, export.choice, self._read_titles)
        text, choice = self._index.text, export.choice
        is_unsized = choice.safe_for_excel or choice.adds_suggestion or choice.adds_probability
        if is_unsized or not form.is_as_stored:
            return None
        if not text.has_verdicts or text.file_name != RESULT_NAME:
            if not reads_rows:
                return None
            return sum(len(piece) for piece in self.stream(export))
        size = len(form.word_head())
        if export.is_whole:
            size += len(self._stream.read_rest())
        return size + self._stream.size_bytes(self.select(export), Extras(choice.adds_reason))

    def _pieces(self, export: Export) -> Iterator[bytes]:
        return self._stream.pieces(self.select(export), self._list_extras(export))

    def _list_extras(self, export: Export) -> Extras:
        choice, advice = export.choice, self._advice
        if advice is None:
            if choice.adds_suggestion or choice.adds_probability:
                msg = "advice is wanted and nobody gives it"
                raise ValueError(msg)
            return Extras(choice.adds_reason)
        suggest = advice.suggest if choice.adds_suggestion else None
        rate = advice.rate if choice.adds_probability else None
        return Extras(choice.adds_reason, suggest, self._plan.email_column, rate)

    @property
    def email_column(self) -> int:
        """Place among ``columns`` of the address that a row was judged by."""
        return self._plan.email_column

    @property
    def added(self) -> VerdictColumns:
        """The added columns that the stored result has."""
        return self._index.text.added

    @property
    def alters_result(self) -> bool:
        """Whether own lists give some rows other added cells than the stored file has."""
        return self._stream.alters_result

    def list_added_cells(
        self, export: Export = WHOLE_LIST
    ) -> tuple[NDArray[np.uint32], tuple[tuple[str, ...], ...]]:
        """Return the added cells of today, and which of them each row gets, counted from 1.

        0 for a row whose cells are those of the stored file.
        """
        extras = self._list_extras(export)
        words = [
            list_cells(verdict, self.added, adds_reason=extras.adds_reason)
            for verdict in self._stream.verdicts
        ]
        if extras.suggest is not None:
            words = [(*cells, "") for cells in words]
        codes = np.zeros(self._index.row_count, np.uint32)
        stored = [self.added.list_cells(verdict) for verdict in self._index.verdicts]
        has_rate = extras.rate is not None  # one more cell than the stored rows have
        is_same = np.array(
            [[word == old and not has_rate for old in stored] for word in words], np.bool_
        )
        for start, count in self._runs():
            places = self._stream.places(start, count)
            same = is_same[places, self._index.verdict_places(start, count)]
            codes[start : start + count] = np.where(same, 0, places.astype(np.uint32) + 1)
        if extras.suggest is not None:
            distinct: dict[tuple[str, ...], int] = {}
            for row, suggestion in self._stream.suggestions(extras):
                cells = (*words[int(codes[row]) - 1][:-1], suggestion)
                codes[row] = len(words) + 1 + distinct.setdefault(cells, len(distinct))
            words += distinct
        if extras.rate is not None:
            return self._add_rates(codes, words, extras.rate)
        return codes, tuple(words)

    def _add_rates(
        self, codes: NDArray[np.uint32], words: Sequence[tuple[str, ...]], rate: Rate
    ) -> tuple[NDArray[np.uint32], tuple[tuple[str, ...], ...]]:
        """Put the probability after the cells that each row has by its code."""
        pairs = np.zeros(len(codes), np.uint64)
        texts: list[str] = []
        for start, count in self._runs():
            numbers, texts = self._stream.rates(start, count, rate)
            pairs[start : start + count] = codes[start : start + count] * np.uint64(256) + numbers
        distinct, places = np.unique(pairs, return_inverse=True)
        cells = (divmod(pair, 256) for pair in distinct.tolist())
        wider = tuple((*words[code - 1], texts[number]) for code, number in cells)
        return places.astype(np.uint32) + 1, wider

    def summarise(self, stored: Summary) -> Summary:
        """Return a summary with the counts of today; what was charged stays."""
        names = list(self._index.read_names())
        all_names = pl.concat(names) if names else pl.Series("name", [], pl.String)
        row_counter = RowCounter(self._stream.verdicts, len(all_names))
        for start, count in self._runs():
            row_counter.add(
                self._stream.places(start, count), self._index.domain_codes(start, count), 0
            )
        today = row_counter.summarise(stored.rows_in, all_names, stored.data_version)
        return replace(
            today,
            rows_out=stored.rows_out,
            duplicates_removed=stored.duplicates_removed,
            invalid=stored.invalid,
            charged=stored.charged,
            repaired=stored.repaired,
            duplicates_invalid=stored.duplicates_invalid,
            duplicates_repaired=stored.duplicates_repaired,
        )

    def _runs(self) -> Iterator[tuple[int, int]]:
        for start in range(0, self._index.row_count, _ROWS_PER_RUN):
            yield start, min(_ROWS_PER_RUN, self._index.row_count - start)

    def _read_rows(self, places: Sequence[int]) -> tuple[Row, ...]:
        told: Sequence[int | None] = [None] * len(places)
        if self._numbers.is_known and places:
            told = self._numbers.tell(np.array(places, np.int64)).tolist()
        return tuple(map(self._read_row, places, told))

    def _read_row(self, place: int, file_number: int | None) -> Row:
        cells, email = read_own_row(self._index, self._plan, place)
        verdict = self._stream.verdicts[int(self._stream.places(place, 1)[0])]
        return Row(place + 1, cells, email, verdict, file_number)


def read_own_row(index: RowIndex, plan: InputPlan, number: int) -> tuple[tuple[str, ...], str]:
    """Return the list's own cells of a row, counted from 0, and the email cell among them."""
    bounds = index.bounds(number, 1)
    body = read_bytes(index, int(bounds[0]), int(bounds[1])).tobytes()
    cells = read_own_cells(body, index.text)
    column = plan.email_column
    return cells, cells[column] if column < len(cells) else ""


def _cut(mask: Mask, part: FilePart) -> Mask:
    """Return only so many of the true values, after so many others."""
    cut = np.zeros(len(mask), np.bool_)
    before, wanted = part.first, part.count
    for start in range(0, len(mask), _ROWS_PER_RUN):
        places = np.flatnonzero(mask[start : start + _ROWS_PER_RUN])
        chosen = places[before : before + wanted]
        cut[start + chosen] = True
        before = max(0, before - len(places))
        wanted -= len(chosen)
        if not wanted:
            break
    return cut


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
