"""Bytes and cells of a finished project's rows, as they are stored."""

import numpy as np
from numpy.typing import NDArray

from winnow.lists.result.empty_runs import expand_runs
from winnow.lists.result.row_columns import RowIndex
from winnow.lists.result.row_index import RowText
from winnow.lists.text.records import CR, LF
from winnow.lists.text.splitter import split_records


def read_bytes(index: RowIndex, start: int, end: int) -> NDArray[np.uint8]:
    """Return a stretch of the text file."""
    return np.fromfile(index.text_path, np.uint8, end - start, offset=start)


def find_body_ends(data: NDArray[np.uint8], bounds: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where each row ends before its line end."""
    ends = bounds[1:].copy()
    ends -= data[ends - 1] == LF
    ends -= (data[ends - 1] == CR) & (ends > bounds[:-1])
    return ends


def read_cells(body: bytes, form: RowText) -> tuple[str, ...]:
    """Return the cells of one row, blank lines before it aside."""
    if form.has_runs:
        body = expand_runs(body, form.delimiter.encode())
    text = body.decode(form.encoding, "replace")
    cells: tuple[str, ...] = ()
    for record in split_records(text, form.delimiter, is_whole=True, escape=form.escape):
        if not record.is_blank:
            cells = record.cells
    return cells


def read_own_cells(body: bytes, form: RowText) -> tuple[str, ...]:
    """Return the list's own cells of one row."""
    cells = read_cells(body, form)
    return form.added.cut(cells) if form.has_verdicts else cells
