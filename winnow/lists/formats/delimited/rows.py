"""Rows of a text list, decoded if needed, without header, blank lines and comments."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeVar

import numpy as np

from winnow.lists.execution.blocks import work_in_order
from winnow.lists.formats.delimited.records_file import RecordsFile, open_records
from winnow.lists.requests import RowsRequest
from winnow.lists.text.block_reader import Block, refuse_misread
from winnow.lists.text.loose_lines import LooseLines
from winnow.lists.text.records import drop_end_mark, scan_records
from winnow.lists.text.row_block import RowBlock

T = TypeVar("T")


def read_text_rows(request: RowsRequest, work: Callable[[RowBlock], T]) -> Iterator[T]:
    """Yield the results for the rows; see ``ListFormat.read_rows``."""
    path, plan, scratch = request.path, request.plan, request.scratch
    with open_records(
        path, plan, scratch, _ignore, to_utf8=True, most_bytes=request.most_bytes
    ) as source:
        begin = len(source.above)
        loose = LooseLines.of(source.path, begin, plan)
        yield from work_in_order(
            source.path,
            begin,
            source.marks,
            partial(_work, source, loose, work),
            block_bytes=request.block_bytes,
        )


def _work(
    source: RecordsFile, loose: LooseLines, work: Callable[[RowBlock], T], block: Block
) -> T | None:
    """Work on one block; None where its quotes must be found first."""
    plan, marks = source.plan, source.marks
    width = len(plan.columns)
    records = scan_records(block.data, marks.delimiter, plan.email_column, block.quotes, width)
    if records is None:
        return None
    if block.added_line_end:
        drop_end_mark(records)
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
            is_plain=block.quotes is None,
        )
    )


def _ignore(rows: int, total: None, done: int) -> None:
    """Ignore the progress of decoding."""
