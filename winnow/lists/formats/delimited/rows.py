"""The rows of a text list, decoded where need be, without header, blank lines and comments."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TypeVar

import numpy as np

from winnow.lists.execution.blocks import skip_lines, work_in_order
from winnow.lists.formats.delimited.misread_rows import refuse_misread
from winnow.lists.formats.delimited.records_file import RecordsFile
from winnow.lists.formats.delimited.transcode import decode_file
from winnow.lists.requests import RowsRequest
from winnow.lists.text.block_reader import Block
from winnow.lists.text.cell_text import find_bom
from winnow.lists.text.loose_lines import LooseLines
from winnow.lists.text.records import CTRL_Z, Records, scan_records
from winnow.lists.text.row_block import RowBlock

_DECODED = "rows.decoded"
_UTF8 = frozenset({"utf-8", "ascii"})

T = TypeVar("T")


def read_text_rows(request: RowsRequest, work: Callable[[RowBlock], T]) -> Iterator[T]:
    """Yield what comes of the rows; as ``ListFormat.read_rows``."""
    with _open_utf8(request) as source:
        begin = len(source.above)
        loose = LooseLines.of(source.path, begin, request.plan)
        yield from work_in_order(
            source.path,
            begin,
            source.marks,
            partial(_work, source, loose, work),
            block_bytes=request.block_bytes,
        )


@contextmanager
def _open_utf8(request: RowsRequest) -> Iterator[RecordsFile]:
    """Give the list in UTF-8: itself, or a passing copy."""
    path, plan = request.path, request.plan
    with path.open("rb") as file:
        bom, codec = find_bom(file.read(4), plan.encoding)
    if codec in _UTF8:
        yield RecordsFile(path, codec, bom + skip_lines(path, len(bom), plan.preamble_lines), plan)
        return
    decoded = request.scratch / _DECODED
    try:
        decode_file(path, len(bom), codec, decoded, lambda rows, total, done: None)
        yield RecordsFile(decoded, "utf-8", skip_lines(decoded, 0, plan.preamble_lines), plan)
    finally:
        decoded.unlink(missing_ok=True)


def _work(
    source: RecordsFile, loose: LooseLines, work: Callable[[RowBlock], T], block: Block
) -> T | None:
    """Work on one block; None where its quotes must be found first."""
    plan, marks = source.plan, source.marks
    width = len(plan.columns)
    records = scan_records(block.shape, marks.delimiter, plan.email_column, block.quotes, width)
    if records is None:
        return None
    if block.added_line_end:
        _drop_end_mark(records)
    if plan.has_header and loose.begin is not None:
        records.is_blank[records.starts == loose.begin - block.offset] = True
    loose.mark(records, block.offset)
    rows = np.flatnonzero(~records.is_blank)
    odd = rows[records.widths[rows] != width]
    refuse_misread(block.data, records, odd, marks, width)
    return work(
        RowBlock(
            block.data,
            records,
            rows,
            width,
            marks.delimiter,
            plan.escape,
            is_plain=block.quotes is None and not plan.escape,
        )
    )


def _drop_end_mark(records: Records) -> None:
    """Leave the Ctrl-Z that ends a file out of its last row."""
    end = int(records.body_ends[-1]) - 1
    if end >= int(records.starts[-1]) and records.data[end] == CTRL_Z:
        records.cells.body_ends[-1] = end
