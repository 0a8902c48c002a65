"""A Parquet file written like another: schema, metadata, codecs, row groups; more columns."""

from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from winnow.core.tasks.task import Notice
from winnow.lists.execution.run_files import create_file, sync
from winnow.lists.formats.parquet.source import ParquetSource
from winnow.words import mark

HELD_BYTES = 256 << 20  # of a row group in memory; a larger one is written in several
_MOST_ROWS_PER_GROUP = 64 << 20  # Arrow's own limit
_UNPACKED = "UNCOMPRESSED"
_INTEGERS = ("INT32", "INT64")
_ARROW_SCHEMA = b"ARROW:schema"  # without it, readers take types from Parquet's own alone


class ResultFile:
    """Takes rows in steps and writes the row groups that they came in; empty ones are left out."""

    def __init__(
        self, path: Path, source: ParquetSource, own_count: int, added: Sequence[pa.Field]
    ) -> None:
        """Begin a file.

        Args:
            path: A new file.
            source: The one that it is like.
            own_count: How many of its columns are written, from the first on.
            added: The columns behind them.
        """
        self._source = source
        self._path = path
        own = [source.schema.field(place) for place in range(own_count)]
        self.schema = pa.schema([*own, *added], metadata=source.schema.metadata)
        self._held: list[pa.Table] = []
        self._file = create_file(path)
        self._writer = pq.ParquetWriter(
            self._file, self.schema, **_choose_options(source, [one.name for one in added])
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
                self._writer.close()
                sync(self._file)
        finally:
            self._writer.is_open = False  # or it writes a footer when it is forgotten
            self._file.close()

    def write(self, own: pa.Table, added: Sequence[pa.Array], *, ends_group: bool) -> None:
        """Append rows; ``own`` may have more columns than are written."""
        columns = [*own.columns[: len(self.schema) - len(added)], *added]
        self._held.append(pa.Table.from_arrays(columns, schema=self.schema))
        if ends_group or sum(table.nbytes for table in self._held) > HELD_BYTES:
            self._flush()

    def _flush(self) -> None:
        rows = pa.concat_tables(self._held) if self._held else None
        self._held.clear()
        if rows is not None and rows.num_rows:
            self._writer.write_table(rows, row_group_size=_MOST_ROWS_PER_GROUP)

    def list_notices(self) -> tuple[Notice, ...]:
        """Return what is to be said of columns whose Parquet type could not be kept.

        Called once the file is closed.
        """
        with pq.ParquetFile(self._path) as written:
            before, after = self._source.parquet_schema, written.schema
            changed = [
                before.column(place).path
                for place in range(len(before))
                if _describe(before.column(place)) != _describe(after.column(place))
            ]
        if not changed:
            return ()
        names = ", ".join(changed[:_SHOWN])
        text = mark(f"These columns are written as a simpler type: {names}.")
        return (Notice("columns_retyped", text),)


_SHOWN = 10


def _choose_options(source: ParquetSource, added: Sequence[str]) -> dict[str, Any]:
    """Return what a writer needs to write columns as they were."""
    leaves = [source.parquet_schema.column(place) for place in range(len(source.parquet_schema))]
    group = source.metadata.row_group(0)
    codecs = [group.column(place).compression for place in range(len(leaves))]
    codec_of = dict(zip((leaf.path for leaf in leaves), codecs, strict=True))
    codec_of |= dict.fromkeys(added, codecs[0])
    moments = [leaf for leaf in leaves if leaf.physical_type == "INT96"]
    decimals = [leaf for leaf in leaves if leaf.logical_type.type == "DECIMAL"]
    return {
        "compression": {
            path: "NONE" if codec == _UNPACKED else codec.removesuffix("_RAW")
            for path, codec in codec_of.items()
        },
        "use_deprecated_int96_timestamps": bool(moments),
        "store_decimal_as_integer": any(leaf.physical_type in _INTEGERS for leaf in decimals),
        "use_compliant_nested_type": not any(".list.item" in leaf.path for leaf in leaves),
        "store_schema": _ARROW_SCHEMA in (source.metadata.metadata or {}),
        "sorting_columns": group.sorting_columns or None,
    }


def _describe(leaf: pq.ColumnSchema) -> tuple[object, ...]:
    """Return a column's type, however it is annotated."""
    kind = str(leaf.logical_type).partition(", is_from_converted_type")[0]
    is_plain = kind == f"Int(bitWidth={leaf.physical_type[3:]}, isSigned=true)"
    if leaf.logical_type.type == "DECIMAL":  # in as many bytes as its writer chose
        return (kind,)
    return leaf.physical_type, "None" if is_plain else kind, leaf.length
