"""Writer of a Parquet file with another's columns and metadata, and more columns."""

from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from winnow.core.errors import BrokenFile
from winnow.core.lists.notices import Notice
from winnow.lists.execution.run_files import create_file, sync
from winnow.lists.formats.parquet.read import ParquetSource, open_parquet, take_rows
from winnow.lists.requests import RewriteRequest
from winnow.lists.result.added_columns import name_columns
from winnow.words import translatable

ARROW_SCHEMA = b"ARROW:schema"  # without it, readers take types from Parquet's own alone
_SPARK_ROW = b"org.apache.spark.sql.parquet.row.metadata"  # would hide the added columns
_SHOWN = 10
_GROUP_BYTES = 64 << 20  # of a row group in memory
# Names of codecs as Arrow writes them; it reads LZ4 of Hadoop, whose name it does not know.
_WRITTEN = {"UNCOMPRESSED": "NONE", "LZ4_RAW": "LZ4", "UNKNOWN": "LZ4"}
_LOST_TYPES = {"BSON", "ENUM", "GEOGRAPHY", "GEOMETRY", "INTERVAL", "VARIANT"}


class ResultFile:
    """Takes rows in steps and writes row groups of some size, all columns by the first's codec."""

    def __init__(
        self, path: Path, source: ParquetSource, own_count: int, added: Sequence[pa.Field]
    ) -> None:
        """Begin a file.

        Args:
            path: A new file.
            source: The one that it is like.
            own_count: How many of its columns are written, from the first on.
            added: The columns after them.
        """
        own = [_permit_nulls(source.schema.field(place)) for place in range(own_count)]
        self.schema = pa.schema([*own, *added], metadata=_keep_metadata(source.metadata))
        self._held: list[pa.Table] = []
        self._file = create_file(path)
        codec = source.metadata.row_group(0).column(0).compression
        self._stores_schema = ARROW_SCHEMA in (source.metadata.metadata or {})
        self._writer = pq.ParquetWriter(
            self._file,
            self.schema,
            compression=_WRITTEN.get(codec, codec),
            store_schema=self._stores_schema,
        )

    def __enter__(self) -> "ResultFile":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the file, which is on the disk itself where there was no error."""
        try:
            if error is None:
                self._flush()
                if not self._stores_schema:  # Arrow writes metadata with its schema alone
                    self._writer.add_key_value_metadata(self.schema.metadata or {})
                self._writer.close()
                sync(self._file)
        finally:
            self._writer.is_open = False  # or it writes a footer when it is forgotten
            self._file.close()

    def write(self, own: pa.Table, added: Sequence[pa.Array]) -> None:
        """Append rows; ``own`` may have more columns than are written."""
        columns = [*own.columns[: len(self.schema) - len(added)], *added]
        self._held.append(pa.Table.from_arrays(columns, schema=self.schema))
        if sum(table.nbytes for table in self._held) > _GROUP_BYTES:
            self._flush()

    def _flush(self) -> None:
        if self._held:
            rows = pa.concat_tables(self._held)
            self._writer.write_table(rows, row_group_size=max(1, rows.num_rows))
        self._held.clear()


def name_lost_types(source: ParquetSource) -> tuple[Notice, ...]:
    """Return the notice of columns whose Parquet type Arrow reads and does not write."""
    leaves = [source.parquet_schema.column(place) for place in range(len(source.parquet_schema))]
    lost = [
        leaf.path for leaf in leaves if _LOST_TYPES & {leaf.logical_type.type, leaf.converted_type}
    ]
    text = translatable(
        "These columns are written as a simpler type: {names}.", names=", ".join(lost[:_SHOWN])
    )
    return (Notice("columns_retyped", text),) if lost else ()


def _permit_nulls(field: pa.Field) -> pa.Field:
    """Return a field that Arrow writes: a column of nulls alone has to be nullable."""
    return field.with_nullable(True) if pa.types.is_null(field.type) else field


def _keep_metadata(metadata: pq.FileMetaData) -> dict[bytes, bytes]:
    """Return the metadata of a file, without the schemas of Arrow and Spark.

    Arrow writes its own anew; without theirs, readers of Spark take Parquet's.
    """
    left_out = ARROW_SCHEMA, _SPARK_ROW
    return {key: value for key, value in (metadata.metadata or {}).items() if key not in left_out}


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
        names += name_columns(extra, source.names[:own_count])
        fields = [pa.field(name, pa.string()) for name in names]
        words = [
            pa.array([text or None for text in column], pa.string())
            for column in zip(*(added.texts if added is not None else ()), strict=True)
        ]
        with ResultFile(request.out_path, source, own_count, fields) as out:
            first = 0
            for step in source.read():
                wanted = np.flatnonzero(keep[first : first + step.num_rows])
                kept = take_rows(step, wanted)
                cells = kept.columns[own_count:]
                if added is not None:
                    indices = pa.array(added.codes[first + wanted])
                    cells = [column.take(indices) for column in words]
                out.write(kept, cells)
                first += step.num_rows
