"""Result rows on their way out: streamed with their added cells, in the form of a download."""

from codecs import BOM_UTF8
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from winnow.core.lists.exports import DownloadChoice
from winnow.core.lists.platforms import Layout
from winnow.core.tasks.input_plan import InputPlan
from winnow.lists.engine.augment import find_body_ends
from winnow.lists.result.added_columns import ADDED, list_cells, name_columns
from winnow.lists.result.cell_grid import (
    WHITE_SPACE,
    CellGrid,
    guard_cells,
    read_grid,
    write_records,
)
from winnow.lists.result.row_index import Mask, RowIndex
from winnow.lists.result.row_text import RESULT_NAME, word_tail
from winnow.lists.result.row_view import RowView
from winnow.lists.text.arrow_cells import BYTES, NOTHING, gather_bytes, slice_cells
from winnow.lists.text.cell_text import BOMS, find_bom
from winnow.lists.text.escapes import EscapeStyle, restore_escapes

REASON_SEPARATOR = "; "


@dataclass(frozen=True, slots=True)
class AddedCells:
    """Which of the distinct ``texts``, one cell for each added column, each row gets.

    ``is_stored``: whether the row's result has these texts already.
    """

    codes: NDArray[np.uint32]
    texts: tuple[tuple[str, ...], ...]
    is_stored: Mask


def list_added_cells(view: RowView, choice: DownloadChoice) -> AddedCells:
    """Return the added cells of all rows as they are today."""
    count = view.index.text.added_count
    texts = [list_cells(one, count) for one in view.verdicts]
    if choice.adds_reason:
        reasons = (REASON_SEPARATOR.join(verdict.reasons) for verdict in view.verdicts)
        texts = [(*some, words) for some, words in zip(texts, reasons, strict=True)]
    known: dict[tuple[str, ...], int] = {}
    code_of = np.array([known.setdefault(some, len(known)) for some in texts], np.uint32)
    stored = np.array(
        [known.get(list_cells(one, count), len(known)) for one in view.index.verdicts]
    )
    rows = (0, view.index.row_count)
    codes = code_of[view.indices(*rows)]
    return AddedCells(codes, tuple(known), codes == stored[view.index.verdict_indices(*rows)])


class RowExport:
    """Gives stretches of rows the form that was chosen.

    ``is_as_stored``: the list's own dialect, so that own cells are copied as bytes. Any other form
    is UTF-8 with CRLF line ends, as is a list that is to be safe for Excel: that has a byte order
    mark and keeps its delimiter; and a text of 0.2 whose rows are stored without their verdicts.
    With a layout the columns are those of a platform.
    """

    def __init__(
        self, index: RowIndex, plan: InputPlan, choice: DownloadChoice, layout: Layout | None = None
    ) -> None:
        self._index = index
        self._plan = plan
        self._choice = choice
        self._layout = layout
        is_stored = plan.file_format.result.traits.is_text and index.text.has_verdicts
        is_same = choice.keeps_format(plan.file_format) and not choice.safe_for_excel
        self.is_as_stored = is_stored and is_same

    def word_head(self) -> bytes:
        """Return what is before the first row: BOM, header, blank lines."""
        if not self.is_as_stored:
            # Excel takes a CSV without a BOM for its own code page.
            bom = BOM_UTF8 if self._choice.safe_for_excel else b""
            return bom + self._word(self.read_header())
        head = self._read_head()
        if self._is_raw:
            return head
        bom, _ = self._find_target()
        for one, _ in BOMS:
            head = head.removeprefix(one)
        titles = islice(head.splitlines(keepends=True), self._plan.preamble_lines)
        above = b"".join(titles)
        return bom + self._encode(above) + self._encode(self._escape(head[len(above) :]))

    def convert(self, rows: bytes) -> bytes:
        """Return whole rows of the text file as the download has them."""
        if not self.is_as_stored:
            return self._word(self.read_cells(rows))
        return self._encode(self._escape(rows))

    def read_header(self) -> CellGrid:
        """Return the header's cells; none for a list without, unless it is for a platform."""
        names = (*self._plan.columns, *self._added)
        names = names if self._plan.has_header else ()
        names = names if self._layout is None else self._layout.header
        cells = [name.encode("utf-8", "replace") for name in names]
        return CellGrid(pa.array(cells, BYTES), len(cells))

    def read_cells(self, rows: bytes) -> CellGrid:
        """Return whole rows of the text file as cells, arranged as a platform has them."""
        grid = read_grid(rows, self._index.text)
        if self._layout is None or not grid.row_count:
            return grid
        columns, category = [], len(self._plan.columns)  # after the list's own cells
        for place, one in enumerate(self._layout.columns):
            cells = grid.take_column(category if one.source is None else one.source)
            if place == 0:
                text = pc.utf8_trim(cells.cast(pa.large_string()), WHITE_SPACE)
                cells = text.cast(BYTES)
            elif one.source is None:
                prefix = pa.scalar(self._layout.verdict_prefix.encode(), BYTES)
                cells = pc.binary_join_element_wise(prefix, cells, NOTHING)
            columns.append(cells)
        by_row = np.arange(grid.row_count * len(columns)).reshape(len(columns), -1).T.ravel()
        return CellGrid(pa.concat_arrays(columns).take(pa.array(by_row)), len(columns))

    @property
    def _added(self) -> tuple[str, ...]:
        """The names of the columns that were added, and of the extra ones."""
        wanted = (*ADDED[: self._index.text.added_count], *self._choice.extra_columns)
        return name_columns(wanted, self._plan.columns, self._plan.file_format)

    @property
    def _is_raw(self) -> bool:
        """Whether the text file has the bytes that a download as stored has."""
        return self._index.text.file_name == RESULT_NAME

    @property
    def _delimiter(self) -> str:
        own = self._plan.file_format.result
        if self._choice.file_format is None and own.traits.is_text:
            return self._plan.delimiter
        return (self._choice.file_format or own).traits.delimiter

    def _word(self, grid: CellGrid) -> bytes:
        if self._choice.safe_for_excel:
            grid = guard_cells(grid)
        return write_records(grid, self._delimiter)

    def _escape(self, rows: bytes) -> bytes:
        text = self._index.text
        if self._is_raw or not text.escapes:
            return rows
        return b"".join(restore_escapes([rows], text.delimiter, EscapeStyle(text.escapes)))

    def _encode(self, rows: bytes) -> bytes:
        if self._is_raw:
            return rows
        _, codec = self._find_target()
        errors = "surrogatepass" if codec.startswith("utf-16") else "replace"
        if self._index.text.encoding == codec:
            return rows
        return rows.decode("utf-8", "surrogatepass").encode(codec, errors)

    def _find_target(self) -> tuple[bytes, str]:
        with (self._index.folder / RESULT_NAME).open("rb") as file:
            return find_bom(file.read(max(len(bom) for bom, _ in BOMS)), self._plan.encoding)

    def _read_head(self) -> bytes:
        """Return the head of the text file with the names of all added columns."""
        with self._index.text_path.open("rb") as file:
            head = file.read(self._index.text.head_bytes)
        if not self._plan.has_header or not self._choice.extra_columns:
            return head
        count, form = self._index.text.added_count, self._index.text
        stored, extra = (
            word_tail(some, form) for some in (self._added[:count], self._added[count:])
        )
        end = head.rindex(stored) + len(stored)  # after the header only blank lines follow
        return head[:end] + extra + head[end:]


def stream_rows(index: RowIndex, wanted: Mask, added: AddedCells | None) -> Iterator[bytes]:
    """Yield the wanted rows with these added cells; None: those that are stored."""
    form = index.text
    tails = pa.array([word_tail(cells, form) for cells in added.texts] if added else [], BYTES)
    stored = (list_cells(one, form.added_count) for one in index.verdicts)
    stored_sizes = np.array([len(word_tail(cells, form)) for cells in stored])
    for start, count in index.iterate_runs(form.width):
        rows = wanted[start : start + count]
        if not rows.any():
            continue
        data, bounds = index.read_rows(start, count)
        indices = np.flatnonzero(rows)
        starts, stops = bounds[indices], bounds[indices + 1]
        if added is None:
            lines = slice_cells(data, starts, stops)
        else:
            cuts = ends = find_body_ends(data, bounds[:-1], bounds[1:])
            if form.has_verdicts:
                cuts = ends - stored_sizes[index.verdict_indices(start, count)]
            codes = pa.array(added.codes[start : start + count][indices])
            own = slice_cells(data, starts, cuts[indices])
            line_ends = slice_cells(data, ends[indices], stops)
            lines = pc.binary_join_element_wise(own, tails.take(codes), line_ends, NOTHING)
        yield gather_bytes(lines)


def read_rest(index: RowIndex) -> bytes:
    """Return what is after the last row: blank lines, a total."""
    if not index.row_count:
        return b""
    with index.text_path.open("rb") as file:
        file.seek(int(index.bounds(index.row_count - 1, 1)[-1]))
        return file.read()
