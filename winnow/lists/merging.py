"""Merging of several lists into one: their rows rewritten, one file after the other."""

from collections.abc import Callable, Collection, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from winnow.core.errors import EmptyFile, TooLarge
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.merging import FileColumns, Merge, MergedFile, MergeLayout, lay_out_merge
from winnow.core.tasks.input_plan import InputPlan
from winnow.lists.execution.run_files import create_file
from winnow.lists.format_registry import find_format
from winnow.lists.inspection.signature import split_file_name
from winnow.lists.requests import RowsRequest
from winnow.lists.result.row_text import RowText, word_tail
from winnow.lists.text.arrow_cells import BYTES, NOTHING, RowBlock, gather_bytes, quote
from winnow.words import format_number, say

_STEM_MAX_CHARACTERS = 34  # with "and 20 more" it fits a project's name
LINE_END = b"\r\n"  # RFC 4180, 2
_READ_BYTES = 1 << 20


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


def choose_format(
    files: Collection[FileFormat], kept: Collection[FileFormat] = (FileFormat.TSV,)
) -> FileFormat:
    """Return the format of a merged list: that of all files, unpacked, if it is kept; else CSV."""
    formats = {one.traits.unpacked or one for one in files}
    return next((one for one in kept if formats == {one}), FileFormat.CSV)


def name_merge(file_names: Sequence[str], file_format: FileFormat) -> str:
    """Return the name of a merged list by its files: the first one's, and how many more."""
    stem, _ = split_file_name(file_names[0])
    stem = stem[:_STEM_MAX_CHARACTERS].strip() or "list"
    others = format_number(len(file_names) - 1)
    return f"{say('{file} and {count} more', file=stem, count=others)}.{file_format.value}"


def lay_out_plans(names: Sequence[str], plans: Sequence[InputPlan]) -> MergeLayout:
    """Match the columns of files that are to be read by plans."""
    return lay_out_merge(
        [
            FileColumns(name, plan.columns, plan.email_column)
            for name, plan in zip(names, plans, strict=True)
        ]
    )


def merge_files(
    names: Sequence[str],
    plans: Sequence[InputPlan],
    write: Callable[[bytes], object],
    read: Callable[[int, Callable[[Path, Path], MergedFile]], MergedFile],
    rows_path: Path,
    most_bytes: int | None = None,
) -> Merge:
    """Write several files as one list, in the format that ``choose_format`` returns.

    Args:
        names: The files', in the order of their rows.
        plans: How each is read.
        write: Takes the list, piece by piece; what came before an error is rubbish.
        read: Gets the number of each file, from 0, and what writes its rows; calls that with the
            file's path and an existing folder for temporary files.
        rows_path: A temporary file.
        most_bytes: So much may each file's rows take; None: whatever it is.

    Raises:
        InputError, TooLarge: As ``write_rows``, of the file read last.
    """
    layout, merged = lay_out_plans(names, plans), list[MergedFile]()
    delimiter = choose_format([plan.file_format for plan in plans]).traits.delimiter
    write(_word_cells(layout.names, delimiter) + LINE_END)
    for number, plan in enumerate(plans):
        work = partial(write_rows, layout, number, delimiter, plan, rows_path, most_bytes)
        merged.append(read(number, work))
        with rows_path.open("rb") as rows:
            while chunk := rows.read(_READ_BYTES):
                write(chunk)
    return Merge(tuple(merged), layout.email_column)


def _word_cells(cells: Sequence[str], delimiter: str) -> bytes:
    """Return cells as a record of the merged list has them."""
    return word_tail(cells, RowText(delimiter=delimiter))[len(delimiter) :]


def write_rows(
    layout: MergeLayout,
    number: int,
    delimiter: str,
    plan: InputPlan,
    out_path: Path,
    most_bytes: int | None,
    path: Path,
    scratch: Path,
) -> MergedFile:
    """Write the rows of a file, of this number from 0, as the merged list has them, to another.

    Raises:
        BrokenFile: It cannot be read; with the line or the sheet.
        EmptyFile: It has no row.
        TooLarge: There is more to be written.
    """
    label, indices = layout.labels[number], layout.list_indices(number)

    def work(block: RowBlock) -> tuple[bytes, int]:
        return map_rows(block, indices, label, delimiter), len(block.rows)

    row_count = size_bytes = 0
    request = RowsRequest(path, plan, scratch)
    with create_file(out_path) as out:
        for data, count in find_format(plan.file_format).read_rows(request, work):
            size_bytes += len(data)
            if most_bytes is not None and size_bytes > most_bytes:
                raise TooLarge(
                    "The rows of this file take more room than there is.",
                    used=size_bytes,
                    limit=most_bytes,
                )
            out.write(data)
            row_count += count
    if not row_count:
        raise EmptyFile("The list has no rows.", hint="Check that it is the right file.")
    return MergedFile(label, row_count)
