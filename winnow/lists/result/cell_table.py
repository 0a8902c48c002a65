"""Parquet table of a finished project's cells, queried in SQL by DuckDB.

``cells.parquet`` is next to the row index: the row's own cells as text (``c0``, ``c1``, …; those
beyond COLUMNS_MAX joined in ``rest``), and ``key``, the address that duplicates share, where it is
not the email cell itself. It is made when it is first asked for, from the stored rows, and made
again when it is missing or damaged. Texts of users reach SQL as parameters only.
"""

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from winnow.core.addresses.address import duplicate_key
from winnow.core.blobs import TABLE_NAME
from winnow.core.disk_errors import mapping_disk_errors
from winnow.core.errors import QueryEnded
from winnow.core.tasks.input_plan import InputPlan
from winnow.limited.messages import Question
from winnow.lists.result.cell_grid import WHITE_SPACE, read_own_grid
from winnow.lists.result.former import read_former
from winnow.lists.result.row_index import Mask, RowIndex
from winnow.lists.result.row_text import RESULT_NAME, ROWS_TEXT_NAME

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

COLUMNS_MAX = 1_000  # that are queried one by one, from the left
MEMORY_LIMIT = "256MB"
_BLANK = r"[\s\x0b\x1c-\x1f\x85\p{Z}]"
_THREADS = 2
_ROWS_PER_BATCH = 1 << 16
_STALE_SECONDS = 600  # a table takes less to make
_UNFINISHED = ".tmp"
_REST_SEPARATOR = "\x1f"

Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")
AskCells = Callable[[Question[Any]], Any]


def name_column(place: int) -> str:
    """Return the name in SQL of one of the list's own columns, counted from 0."""
    return f"c{int(place)}"


class CellTable:
    """One project's cells; rows count from 0."""

    def __init__(self, index: RowIndex, plan: InputPlan) -> None:
        """Name the columns; the table is opened by the first query."""
        self.index = index
        self.plan = index.text.extend_plan(plan)
        self.width = len(self.plan.columns)
        self.path = index.folder / TABLE_NAME
        self.email = name_column(self.plan.email_column)
        self.address = f"coalesce(key, {self.email})"
        self.former = index.text.find_former(plan)
        named = (self.plan.email_column, *(() if self.former is None else (self.former,)))
        self.columns = list(dict.fromkeys([*range(min(self.width, COLUMNS_MAX)), *named]))

    def find_former(self) -> tuple[NDArray[np.int64], list[str]]:
        """Return the rows whose address was corrected, and its duplicate key as it came.

        As ``former.parquet`` has them; results of releases up to 0.3 have no such file.
        """
        rows, keys = read_former(self.index.folder)
        if self.former is None or keys:
            return rows, keys
        former = name_column(self.former)
        is_other = f"{former} <> '' AND {former} IS DISTINCT FROM {self.email}"
        sql = f"SELECT file_row_number, {former} AS text FROM {self.scan()} WHERE {is_other}"  # noqa: S608
        found = self.query(sql)
        return found["file_row_number"], [duplicate_key(one) for one in found["text"]]

    @property
    def cells(self) -> list[str]:
        """The columns of cells in SQL, each once."""
        names = [name_column(place) for place in self.columns]
        return [*names, "rest"] if self.width > len(self.columns) else names

    def scan(self, place: int = 0) -> str:
        """Return the table in SQL, with ``row``; the file is parameter ``$file{place}``."""
        return f"(FROM read_parquet($file{place}, file_row_number=true))"

    def trim(self, column: int) -> str:
        """Return a column's texts in SQL without the blanks around them (``$blanks``)."""
        name = name_column(column)
        has_blanks = rf"regexp_matches({name}, '^{_BLANK}|{_BLANK}$')"
        return f"CASE WHEN {has_blanks} THEN trim({name}, $blanks) ELSE {name} END"

    def match(self, condition: str, **values: object) -> Mask:
        """Return, for every row, whether it meets a condition in SQL."""
        mask = np.zeros(self.index.row_count, np.bool_)
        sql = f"SELECT file_row_number FROM {self.scan()} WHERE {condition}"  # noqa: S608
        mask[self.query(sql, values)["file_row_number"]] = True
        return mask

    def stream_texts(self, expression: str) -> Iterator[pl.Series]:
        """Yield the texts of an expression in SQL, in the rows' order, a stretch at a time."""
        sql = f"SELECT {expression} AS text FROM {self.scan()}"  # noqa: S608
        known = {"file0": str(self.path), "blanks": WHITE_SPACE}
        used = {name: value for name, value in known.items() if f"${name}" in sql}
        found = self._connection.sql(sql, params=used)
        for batch in found.to_arrow_reader(_ROWS_PER_BATCH):
            yield pl.Series("text", pl.from_arrow(batch.column(0)), pl.String)

    def query(
        self,
        sql: str,
        values: Mapping[str, object] = {},
        tables: Mapping[str, pa.Table] = {},
        other: "CellTable | None" = None,
    ) -> dict[str, NDArray[Any]]:
        """Return the columns that a query finds in this table, maybe with others by their names.

        Raises:
            QueryEnded: It takes too much memory.
        """
        import duckdb  # in queries only

        both = [self] if other is None else [self, other]
        known = {f"file{place}": str(one.path) for place, one in enumerate(both)}
        known["blanks"] = WHITE_SPACE
        used = {name: value for name, value in known.items() if f"${name}" in sql}
        connection = self._connection if other is None else _connect(both)
        for name, table in tables.items():
            connection.register(name, table)
        try:
            found: dict[str, NDArray[Any]] = connection.execute(
                sql, {**used, **values}
            ).fetchnumpy()
        except duckdb.OutOfMemoryException as error:
            raise QueryEnded from error
        return found

    @cached_property
    def _connection(self) -> "DuckDBPyConnection":
        return _connect([self])


@dataclass(frozen=True, slots=True)
class CellReader:
    """One project's cells; ``ask`` sends questions to where they are answered."""

    folder: Path
    plan: InputPlan
    ask: AskCells = Question.answer

    def find(
        self,
        query: Callable[Concatenate[CellTable, Arguments], Answer],
        *arguments: Arguments.args,
        **no_names: Arguments.kwargs,
    ) -> Answer:
        """Return the answer to a query of ``cell_queries``.

        Raises:
            QueryEnded: It takes too much time or memory.
            StorageFull, StorageFailed: The table cannot be written or read.
        """
        text = self.folder / ROWS_TEXT_NAME
        rows = text if text.exists() else self.folder / RESULT_NAME  # the table is made of it
        work = partial(_ask_table, self.folder, self.plan, query, arguments)
        with mapping_disk_errors():
            found: Answer = self.ask(Question(rows, work))
        return found


def _ask_table(
    folder: Path, plan: InputPlan, query: Callable[..., Answer], arguments: tuple[Any, ...]
) -> Answer:
    """Answer a query; the table is made again where it is damaged."""
    import duckdb

    table = open_table(folder, plan)
    try:
        return query(table, *arguments)
    except duckdb.Error:
        build_table(table)
        return query(table, *arguments)


def open_table(folder: Path, plan: InputPlan) -> CellTable:
    """Return a project's table; it is made where it is missing or cut off."""
    table = CellTable(RowIndex.open(folder), plan)
    if not _is_whole(table):
        build_table(table)
    return table


def build_table(table: CellTable) -> None:
    """Write the table; a stretch of rows is in memory."""
    import pyarrow.parquet as pq

    for path in table.path.parent.glob(f"{TABLE_NAME}.*{_UNFINISHED}"):
        with suppress(OSError):
            if path.stat().st_mtime < time.time() - _STALE_SECONDS:
                path.unlink()
    unfinished = table.path.with_name(f"{TABLE_NAME}.{os.getpid()}{_UNFINISHED}")
    schema = pa.schema([(name, pa.large_string()) for name in (*table.cells, "key")])
    try:
        with pq.ParquetWriter(
            unfinished, schema, compression="zstd", compression_level=1
        ) as writer:
            for start, count in table.index.iterate_runs(table.width):
                writer.write_table(pa.table(_read_columns(table, start, count), schema))
        unfinished.chmod(0o600)
        unfinished.replace(table.path)
    finally:
        unfinished.unlink(missing_ok=True)


def _connect(tables: Sequence[CellTable]) -> "DuckDBPyConnection":
    import duckdb

    folders = [str(one.index.folder) for one in tables]
    connection = duckdb.connect(
        config={
            "threads": _THREADS,
            "memory_limit": MEMORY_LIMIT,
            "temp_directory": folders[0],
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
        }
    )
    quoted = ", ".join("'" + folder.replace("'", "''") + "'" for folder in folders)
    connection.execute(f"SET allowed_directories = [{quoted}]")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection


def _is_whole(table: CellTable) -> bool:
    import pyarrow.parquet as pq

    try:
        found = pq.read_metadata(table.path)
    except (OSError, pa.ArrowException):
        return False
    wanted = len(table.cells) + 1
    return (found.num_rows, found.num_columns) == (table.index.row_count, wanted)


def _read_columns(table: CellTable, start: int, count: int) -> list[pa.Array]:
    """Return the cells of a stretch of rows by column, and their keys."""
    width = table.width
    data, bounds = table.index.read_rows(start, count)
    grid = read_own_grid(data.tobytes(), bounds, table.index.text, width)
    columns = {place: grid.take_column(place) for place in table.columns}
    found = list(columns.values())
    if width > len(columns):
        beyond = [place for place in range(width) if place not in columns]
        pieces = zip(*(grid.take_column(place).to_pylist() for place in beyond), strict=True)
        found.append(pa.array(map(_REST_SEPARATOR.join, pieces), pa.large_string()))
    emails = columns[table.plan.email_column]
    codes = table.index.domain_codes(start, count)
    return [*found, _list_keys(pl.Series("text", pl.from_arrow(emails)), codes)]


def _list_keys(emails: pl.Series, codes: NDArray[np.uint32]) -> pa.Array:
    """Return ``duplicate_key`` of email cells, null where it is the cell itself."""
    lowered = emails.str.strip_chars(WHITE_SPACE).str.to_lowercase()
    is_plain = (emails.str.len_bytes() == emails.str.len_chars()).to_numpy()
    is_plain &= (codes > 0) | (emails == "").to_numpy()
    odd = pl.Series(np.flatnonzero(~is_plain))
    if len(odd):
        distinct = emails.gather(odd).unique()
        keys = pl.Series([duplicate_key(text) for text in distinct.to_list()], dtype=pl.String)
        lowered = lowered.scatter(odd, emails.gather(odd).replace_strict(distinct, keys))
    return lowered.set(lowered == emails, None).to_arrow().cast(pa.large_string())
