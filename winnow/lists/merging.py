"""Merging of several lists into one: their rows rewritten, one file after the other."""

from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from winnow.core.errors import EmptyFile, TooLarge
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.merging import FileColumns, MergedFile, MergeLayout, lay_out_merge
from winnow.core.tasks.input_plan import InputPlan
from winnow.lists.format_registry import find_format
from winnow.lists.requests import RowsRequest
from winnow.lists.result.row_text import RowText, word_tail
from winnow.lists.text.arrow_cells import BYTES, NOTHING, RowBlock, gather_bytes, quote

LINE_END = b"\r\n"  # RFC 4180, 2


def map_rows(block: RowBlock, indices: Sequence[int | None], label: str, delimiter: str) -> bytes:
    """Return the rows of a block of one file as the merged list has them, in UTF-8.

    Args:
        block: Of the file.
        indices: Which of the file's cells is in each but the last column; None: none.
        label: What the last column says; cells beyond the header come after it.
        delimiter: Of the merged list.
    """
    widths = block.records.widths[block.rows]
    if not len(widths):
        return b""
    between = delimiter.encode()
    marks = between + b'"\r\n'
    cells = [
        NOTHING if place is None else quote(block.take_column(block.rows, place), marks)
        for place in indices
    ]
    rest = pa.array([b""] * len(widths), BYTES)
    for place in range(block.width, int(widths.max())):
        before = pa.array([b"", between], BYTES).take(pa.array((widths > place).astype(np.int8)))
        beyond = quote(block.take_column(block.rows, place), marks)
        rest = pc.binary_join_element_wise(rest, before, beyond, NOTHING)
    is_empty = pc.match_substring_regex(rest, rf"\A\x{between[0]:02x}*\z")
    rest = pc.if_else(is_empty, NOTHING, rest)
    named = pa.scalar(_word_cells((label,), delimiter), BYTES)
    lines = pc.binary_join_element_wise(*cells, named, pa.scalar(between, BYTES))
    lines = pc.binary_join_element_wise(lines, rest, pa.scalar(LINE_END, BYTES), NOTHING)
    return gather_bytes(lines)


def choose_format(plans: Sequence[InputPlan]) -> FileFormat:
    """Return the format of a merged list: TSV where all files are, else CSV."""
    formats = {plan.file_format.traits.unpacked or plan.file_format for plan in plans}
    return FileFormat.TSV if formats == {FileFormat.TSV} else FileFormat.CSV


def lay_out_plans(names: Sequence[str], plans: Sequence[InputPlan]) -> MergeLayout:
    """Match the columns of files that are to be read by plans."""
    return lay_out_merge(
        [
            FileColumns(name, plan.columns, plan.email_column)
            for name, plan in zip(names, plans, strict=True)
        ]
    )


def write_header(layout: MergeLayout, delimiter: str) -> bytes:
    """Return the merged list's first line."""
    return _word_cells(layout.names, delimiter) + LINE_END


def _word_cells(cells: Sequence[str], delimiter: str) -> bytes:
    """Return cells as a record of the merged list has them."""
    return word_tail(cells, RowText(delimiter=delimiter))[len(delimiter) :]


def write_rows(
    request: RowsRequest,
    layout: MergeLayout,
    number: int,
    delimiter: str,
    write: Callable[[bytes], object],
    most_bytes: int | None = None,
) -> MergedFile:
    """Write the rows of one of the files as the merged list has them, without a header.

    Args:
        request: The file.
        layout: Of the merged list.
        number: Which of its files this is, from 0.
        delimiter: Of the merged list.
        write: Takes whole rows, piece by piece; what came before an error is rubbish.
        most_bytes: So much may be written; None: whatever it is.

    Raises:
        BrokenFile: It cannot be read; with the line or the sheet.
        EmptyFile: It has no row.
        TooLarge: There is more to be written.
    """
    label, indices = layout.labels[number], layout.list_places(number)

    def work(block: RowBlock) -> tuple[bytes, int]:
        return map_rows(block, indices, label, delimiter), len(block.rows)

    row_count = size_bytes = 0
    for data, count in find_format(request.plan.file_format).read_rows(request, work):
        size_bytes += len(data)
        if most_bytes is not None and size_bytes > most_bytes:
            raise TooLarge(
                "The rows of this file take more room than there is.",
                used=size_bytes,
                limit=most_bytes,
            )
        write(data)
        row_count += count
    if not row_count:
        raise EmptyFile("The list has no rows.", hint="Check that it is the right file.")
    return MergedFile(label, row_count)
