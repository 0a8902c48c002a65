"""Writer of a Parquet file with another's columns and metadata, and more columns."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from winnow.core.errors import BrokenFile
from winnow.core.lists.file_format import FileFormat
from winnow.lists.execution.run_files import create_durably
from winnow.lists.formats.parquet.read import ParquetSource, open_parquet, take_rows
from winnow.lists.requests import RewriteRequest
from winnow.lists.result.added_columns import name_columns

ARROW_SCHEMA = b"ARROW:schema"  # without it, readers take types from Parquet's own alone
# Arrow writes its own schema anew; Spark's would hide the added columns.
_LEFT_OUT = (ARROW_SCHEMA, b"org.apache.spark.sql.parquet.row.metadata")
_GROUP_BYTES = 64 << 20  # of a row group in memory
# Names of codecs as Arrow writes them; it reads LZ4 of Hadoop, whose name it does not know.
_WRITTEN = {"UNCOMPRESSED": "NONE", "LZ4_RAW": "LZ4", "UNKNOWN": "LZ4"}


Write = Callable[[pa.Table, Sequence[pa.Array]], None]


@contextmanager
def create_result(
    path: Path, source: ParquetSource, own_count: int, added: Sequence[pa.Field]
) -> Iterator[Write]:
    """Begin a file, which is on the disk itself at the end where there was no error.

    Yields a function that takes rows, of as many of the source's columns or more, and their added
    cells. Row groups have some size, and all columns the codec of the source's first.

    Args:
        path: A new file.
        source: The one that it is like.
        own_count: How many of its columns are written, from the first on.
        added: The columns after them.
    """
    own = [source.schema.field(place) for place in range(own_count)]
    # A column of nulls alone has to be nullable for Arrow to write it.
    own = [field.with_nullable(True) if pa.types.is_null(field.type) else field for field in own]
    metadata = source.metadata.metadata or {}
    kept = {key: value for key, value in metadata.items() if key not in _LEFT_OUT}
    schema, held = pa.schema([*own, *added], metadata=kept), list[pa.Table]()
    codec = source.metadata.row_group(0).column(0).compression
    with create_durably(path) as file:
        writer = pq.ParquetWriter(
            file,
            schema,
            compression=_WRITTEN.get(codec, codec),
            store_schema=ARROW_SCHEMA in metadata,
        )

        def flush() -> None:
            if held:
                rows = pa.concat_tables(held)
                writer.write_table(rows, row_group_size=max(1, rows.num_rows))
            held.clear()

        def write(rows: pa.Table, cells: Sequence[pa.Array]) -> None:
            columns = [*rows.columns[:own_count], *cells]
            held.append(pa.Table.from_arrays(columns, schema=schema))
            if sum(table.nbytes for table in held) > _GROUP_BYTES:
                flush()

        try:
            yield write
            flush()
            if ARROW_SCHEMA not in metadata:  # Arrow writes metadata with its schema alone
                writer.add_key_value_metadata(kept)
            writer.close()
        finally:
            writer.is_open = False  # or it writes a footer when it is forgotten


def write_variant_parquet(request: RewriteRequest) -> None:
    """Write a result again with only the rows wanted; see ``ListFormat.rewrite``.

    An extra cell that is empty is a null.
    """
    rows, extra = request.rows, request.export.choice.extra_columns
    keep, added = rows.select(request.export), rows.find_added_cells(request.export)
    with open_parquet(request.result_path) as source:
        if source.row_count != len(keep):
            raise BrokenFile(
                "The result's rows do not agree with its row index.", hint="Clean the list again."
            )
        own_count = len(source.names) - rows.added_count
        names = source.names[own_count:]
        names += name_columns(extra, source.names[:own_count], FileFormat.PARQUET)
        fields = [pa.field(name, pa.string()) for name in names]
        words = [
            pa.array([text or None for text in column], pa.string())
            for column in zip(*(added.texts if added is not None else ()), strict=True)
        ]
        with create_result(request.out_path, source, own_count, fields) as write:
            first = 0
            for step in source.read():
                wanted = np.flatnonzero(keep[first : first + step.num_rows])
                kept = take_rows(step, wanted)
                cells = kept.columns[own_count:]
                if added is not None:
                    indices = pa.array(added.codes[first + wanted])
                    cells = [column.take(indices) for column in words]
                write(kept, cells)
                first += step.num_rows
