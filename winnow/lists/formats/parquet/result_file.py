"""Writer of a Parquet file with another's schema, metadata, codecs and row groups; more columns."""

import json
import re
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

ARROW_SCHEMA = b"ARROW:schema"  # without it, readers take types from Parquet's own alone
_SPARK_ROW = b"org.apache.spark.sql.parquet.row.metadata"  # the columns that Spark reads, as JSON
HELD_BYTES = 256 << 20
_MOST_ROWS_PER_GROUP = 64 << 20  # Arrow's own limit
# Names of codecs as Arrow writes them; it reads LZ4 of Hadoop, whose name it does not know.
_WRITTEN = {"UNCOMPRESSED": "NONE", "LZ4_RAW": "LZ4", "UNKNOWN": "LZ4"}
_INTEGERS = ("INT32", "INT64")


class ResultFile:
    """Takes rows in steps and writes the row groups that they came in; empty ones are left out."""

    def __init__(
        self,
        path: Path,
        source: ParquetSource,
        own_count: int,
        added: Sequence[pa.Field],
        *,
        held_bytes: int = HELD_BYTES,
    ) -> None:
        """Begin a file.

        Args:
            path: A new file.
            source: The one that it is like.
            own_count: How many of its columns are written, from the first on.
            added: The columns after them.
            held_bytes: Of a row group in memory; a larger one is written in several.
        """
        self._source = source
        self._held_bytes = held_bytes
        self._path = path
        own = [_permit_nulls(source.schema.field(place)) for place in range(own_count)]
        self.schema = pa.schema([*own, *added], metadata=keep_metadata(source.metadata, added))
        self._held: list[pa.Table] = []
        self._file = create_file(path)
        options = _choose_options(source, [one.name for one in added])
        self._stores_schema = options["store_schema"]
        self._writer = pq.ParquetWriter(self._file, self.schema, **options)

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

    def write(self, own: pa.Table, added: Sequence[pa.Array], ends_group: bool) -> None:
        """Append rows; ``own`` may have more columns than are written."""
        columns = [*own.columns[: len(self.schema) - len(added)], *added]
        self._held.append(pa.Table.from_arrays(columns, schema=self.schema))
        if ends_group or sum(table.nbytes for table in self._held) > self._held_bytes:
            self._flush()

    def _flush(self) -> None:
        rows = pa.concat_tables(self._held) if self._held else None
        self._held.clear()
        if rows is not None and rows.num_rows:
            self._writer.write_table(rows, row_group_size=_MOST_ROWS_PER_GROUP)

    def list_notices(self) -> tuple[Notice, ...]:
        """Return notices of columns whose Parquet type could not be kept.

        Called once the file is closed.
        """
        with pq.ParquetFile(self._path) as written:
            before, after = self._source.parquet_schema, written.schema
            changed = [
                before.column(place).path
                for place in range(len(before))
                if _describe(before.column(place)) != _describe(after.column(place))
            ]
            changed += _list_variants(before)[len(_list_variants(after)) :]
        if not changed:
            return ()
        names = ", ".join(changed[:_SHOWN])
        text = mark(f"These columns are written as a simpler type: {names}.")
        return (Notice("columns_retyped", text),)


_SHOWN = 10
_VARIANT = re.compile(r"group field_id=-?\d+ (.+) \(Variant\b[^{}]*\) \{$", re.MULTILINE)


def _permit_nulls(field: pa.Field) -> pa.Field:
    """Return a field that Arrow writes: a column of nulls alone has to be nullable."""
    return field.with_nullable(True) if pa.types.is_null(field.type) else field


def _list_variants(schema: pq.ParquetSchema) -> list[str]:
    """Return the names of the groups that are a VARIANT, which Arrow takes for a struct."""
    return _VARIANT.findall(str(schema))


def _choose_options(source: ParquetSource, added: Sequence[str]) -> dict[str, Any]:
    """Return the options with which a writer keeps columns as they were."""
    leaves = [source.parquet_schema.column(place) for place in range(len(source.parquet_schema))]
    group = source.metadata.row_group(0)
    codecs = [group.column(place).compression for place in range(len(leaves))]
    codec_of = dict(zip((leaf.path for leaf in leaves), codecs, strict=True))
    codec_of |= dict.fromkeys(added, codecs[0])
    moments = [leaf for leaf in leaves if leaf.physical_type == "INT96"]
    decimals = [leaf for leaf in leaves if leaf.logical_type.type == "DECIMAL"]
    return {
        "compression": {path: _WRITTEN.get(codec, codec) for path, codec in codec_of.items()},
        "use_deprecated_int96_timestamps": bool(moments),
        "store_decimal_as_integer": any(leaf.physical_type in _INTEGERS for leaf in decimals),
        "use_compliant_nested_type": not any(".list.item" in leaf.path for leaf in leaves),
        "store_schema": ARROW_SCHEMA in (source.metadata.metadata or {}),
        "sorting_columns": group.sorting_columns or None,
    }


def _describe(leaf: pq.ColumnSchema) -> tuple[object, ...]:
    """Return a column's type, however it is annotated."""
    kind = str(leaf.logical_type).partition(", is_from_converted_type")[0]
    is_plain = kind == f"Int(bitWidth={leaf.physical_type[3:]}, isSigned=true)"
    if leaf.logical_type.type == "DECIMAL":  # in as many bytes as its writer chose
        return (kind,)
    return leaf.physical_type, "None" if is_plain else kind, leaf.length


def keep_metadata(metadata: pq.FileMetaData, added: Sequence[pa.Field]) -> dict[bytes, bytes]:
    """Return the metadata of a file, without Arrow's schema, which Arrow writes anew.

    Spark's list of columns gets the added ones; it is left out where it is not as Spark writes it.
    """
    kept = {key: value for key, value in (metadata.metadata or {}).items() if key != ARROW_SCHEMA}
    if _SPARK_ROW in kept:
        try:
            kept[_SPARK_ROW] = _widen(kept[_SPARK_ROW], added)
        except (ValueError, TypeError, KeyError, AttributeError):
            del kept[_SPARK_ROW]
    return kept


def _widen(text: bytes, added: Sequence[pa.Field]) -> bytes:
    row = json.loads(text)
    names = {field.name for field in added}
    fields = [field for field in row["fields"] if field["name"] not in names]
    for field in added:
        kind = "double" if pa.types.is_floating(field.type) else "string"
        fields.append({"name": field.name, "type": kind, "nullable": True, "metadata": {}})
    return json.dumps({**row, "fields": fields}, ensure_ascii=False).encode()
