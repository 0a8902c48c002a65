"""Files of a list as partitions of a Dask DataFrame: inspected once, then read in parts."""

import io
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from distributed import get_worker

from winnow.core.errors import BadField, EmptyFile
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.notices import Notice
from winnow.core.tasks.input_plan import InputPlan
from winnow.core.tasks.run_request import RunRequest
from winnow.lists.format_registry import find_format
from winnow.lists.formats.parquet.cell_texts import word_column
from winnow.lists.formats.parquet.read import naming_faults
from winnow.lists.inspect import plan_run, read_asked_head
from winnow.lists.inspection.first_rows import GUESS_ROWS
from winnow.lists.inspection.signature import split_file_name
from winnow.lists.merging import map_rows
from winnow.lists.requests import RowsRequest
from winnow.lists.text.arrow_cells import RowBlock
from winnow.lists.text.records import Positions
from winnow.stores import fetch_file, name_file, open_store

ADDRESS, FILE, ROW = "address", "file", "row"  # columns next to the cells, which are c0, c1 …
KEPT = (FileFormat.TSV, FileFormat.PARQUET)
"""Formats beside CSV that parts of a result are written in."""
TEXT = pa.large_string()
_Rows = tuple[pd.DataFrame, Positions]  # with the place of each among the records read, from 0


@dataclass(frozen=True, slots=True)
class ListFile:
    """A file of a list, and how it is read.

    Attributes:
        place: A URL or a path.
        plan: Says where the columns are.
        types: Of the columns; of text also of cells beyond the header.
        group_rows: The rows of each row group; of a text file, which is read at once, of all.
        notices: What was assumed.
    """

    place: str
    plan: InputPlan
    types: tuple[pa.DataType, ...]
    group_rows: tuple[int, ...]
    notices: tuple[Notice, ...]


@dataclass(frozen=True, slots=True)
class Partition:
    """Rows of a file that are read at once.

    Attributes:
        file: The file.
        number: Of the file among those of the list, from 0.
        group: The row group, from 0.
        indices: Which of the file's columns is each of the list's; None: it has no such column.
    """

    file: ListFile
    number: int
    group: int
    indices: tuple[int | None, ...]


def look_into(place: str, request: RunRequest, is_merged: bool) -> ListFile:
    """Inspect how a file is read, on a worker; a text file is read to its end.

    Raises:
        WinnowError: It cannot be read, with the error of a single machine.
    """
    _, code = split_file_name(name_file(place))
    if code is FileFormat.PARQUET:
        return _look_into_parquet(place, request)
    if code not in (FileFormat.CSV, FileFormat.TSV):
        hint = "Clean other files without --cluster."
        raise BadField("cluster", "reads CSV, TSV and Parquet files only", hint=hint)
    with _fetched(place) as path:
        name = name_file(place)
        head = read_asked_head(path, name, request, path.parent, is_merged=is_merged)
        plan, _ = plan_run(head, request, finds_column=True)
        rows = RowsRequest(path, plan, path.parent)
        blocks = list(find_format(code).read_rows(rows, _measure))
    row_count = sum(count for count, _ in blocks)
    if not row_count:
        raise EmptyFile("The list has no rows.", hint="Check that it is the right file.")
    width = max(len(plan.columns), *(widest for _, widest in blocks))
    return ListFile(place, plan, (TEXT,) * width, (row_count,), head.notices)


def _look_into_parquet(place: str, request: RunRequest) -> ListFile:
    with tempfile.TemporaryDirectory() as folder, _opened(place) as file:
        path = Path(folder) / "start"
        start = list(islice(file.iter_batches(GUESS_ROWS), 1))
        pq.write_table(pa.Table.from_batches(start, file.schema_arrow), path)
        head = read_asked_head(path, name_file(place), request, path.parent)
        plan, _ = plan_run(head, request, finds_column=True)
        groups = map(file.metadata.row_group, range(file.num_row_groups))
        group_rows = tuple(group.num_rows for group in groups)
        types = tuple(file.schema_arrow.types)
        return ListFile(place, plan, types, group_rows, head.notices)


def _measure(block: RowBlock) -> tuple[int, int]:
    """Return how many rows a block has, and the cells of the widest."""
    widths = block.records.widths[block.rows]
    return len(widths), int(widths.max(initial=0))


@contextmanager
def _fetched(place: str) -> Iterator[Path]:
    """Copy a file into this worker's folder, which Dask removes also after a kill."""
    with tempfile.TemporaryDirectory(dir=get_worker().local_directory) as folder:
        path = Path(folder) / "list"
        fetch_file(place, path)
        yield path


@contextmanager
def _opened(place: str) -> Iterator[pq.ParquetFile]:
    with (
        open_store(place, "file") as (store, name),
        store.open(name, "rb") as stored,
        naming_faults(),
    ):
        yield pq.ParquetFile(stored)


def read_partition(partition: Partition, types: Sequence[pa.DataType]) -> pd.DataFrame:
    """Return rows with their cells, the address, the file's number from 0, and the row's.

    A row's number is that in its file, as a spreadsheet shows it; a Parquet file has no header.

    Raises:
        WinnowError: The file cannot be read any more.
    """
    is_parquet = partition.file.plan.file_format is FileFormat.PARQUET
    frame, rows = (_read_group if is_parquet else _read_text)(partition, types)
    return frame.assign(**{FILE: np.int32(partition.number), ROW: rows})


def make_meta(types: Sequence[pa.DataType]) -> pd.DataFrame:
    """Return what ``read_partition`` returns, without rows."""
    frame = _schema(types).empty_table().to_pandas(types_mapper=pd.ArrowDtype)
    return frame.assign(**{FILE: np.zeros(0, np.int32), ROW: np.zeros(0, np.int64)})


def _schema(types: Sequence[pa.DataType]) -> pa.Schema:
    cells = [(f"c{number}", kind) for number, kind in enumerate(types)]
    return pa.schema([*cells, (ADDRESS, TEXT)])


def _read_group(partition: Partition, types: Sequence[pa.DataType]) -> _Rows:
    file, group = partition.file, partition.group
    email = file.plan.email_column
    with _opened(file.place) as opened:
        table = opened.read_row_group(group)
        address = word_column(table.column(email), email).cast(TEXT)
    rows = pa.Table.from_arrays([*table.columns, address], schema=_schema(types))
    numbers = np.arange(len(rows)) + 1 + sum(file.group_rows[:group])
    return rows.to_pandas(types_mapper=pd.ArrowDtype), numbers


def _read_text(partition: Partition, types: Sequence[pa.DataType]) -> _Rows:
    file, named = partition.file, len(partition.indices)

    def map_block(block: RowBlock) -> tuple[bytes, Positions, int]:
        return map_rows(block, partition.indices, "", ","), block.rows, len(block.records.starts)

    with _fetched(file.place) as path:
        request = RowsRequest(path, file.plan, path.parent)
        blocks = list(find_format(file.plan.file_format).read_rows(request, map_block))
    lines, rows, counts = zip(*blocks, strict=True)
    begins = np.cumsum((file.plan.first_row, *counts[:-1]))
    names = [f"c{number}" for number in range(len(types))]
    frame = pd.read_csv(
        io.BytesIO(b"".join(lines)),
        names=[*names[:named], "label", *names[named:]],
        dtype=pd.ArrowDtype(TEXT),
        keep_default_na=False,
        skip_blank_lines=False,
    )
    email = partition.indices.index(file.plan.email_column)
    numbers = np.concatenate([one + begin for one, begin in zip(rows, begins, strict=True)])
    return frame[names].assign(**{ADDRESS: frame[names[email]]}), numbers
