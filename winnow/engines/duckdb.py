"""Verdicts in DuckDB: functions for SQL, and whole relations checked as they stream."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import duckdb
import pyarrow as pa
from duckdb.func import FunctionNullHandling, PythonUDFType

from winnow.library.checkers import open_checker
from winnow.library.table_verdicts import ROWS_AT_ONCE, TableVerdicts


def register(
    connection: duckdb.DuckDBPyConnection, own_lists: Mapping[str, str] | None = None
) -> None:
    """Register the SQL functions ``winnow(email)``, a struct, and ``winnow_duplicate_key(email)``.

    They replace those of an earlier call.
    DuckDB calls them for 2,048 rows at a time, each call for some 7 ms: for large tables see
    ``check``.

    Args:
        connection: The connection that gets them.
        own_lists: As for ``winnow.check``.
    """
    checker = open_checker(own_lists, for_run=True)

    def check_values(values: pa.ChunkedArray) -> pa.ChunkedArray:
        return pa.chunked_array(checker.check_any(values).to_struct_array())

    def key_values(values: pa.ChunkedArray) -> pa.ChunkedArray:  # DuckDB counts parameters
        return checker.key_any(values)

    fields = dict.fromkeys(("category", "domain_type", "reasons", "suggestion"), "VARCHAR")
    checked = duckdb.struct_type({**fields, "is_role": "BOOLEAN", "domain": "VARCHAR"})
    for name, function, returned in (
        ("winnow", check_values, checked),
        ("winnow_duplicate_key", key_values, "VARCHAR"),
    ):
        with suppress(duckdb.InvalidInputException):
            connection.remove_function(name)
        connection.create_function(
            name,
            function,
            ["VARCHAR"],
            returned,
            type=PythonUDFType.ARROW,
            null_handling=FunctionNullHandling.SPECIAL,
        )


def check(
    connection: duckdb.DuckDBPyConnection,
    query: str,
    column: str,
    own_lists: Mapping[str, str] | None = None,
    *,
    duplicate_key: bool = False,
) -> duckdb.DuckDBPyRelation:
    """Return a query's result with the verdict columns added, as a relation.

    Nothing runs before the relation is read; each read runs the query again, in its own
    transaction. Rows stream through in the query's order, a million at a time.

    Args:
        connection: The connection of the relation.
        query: SQL, as for ``connection.sql``, over files and committed tables and views that
            another connection sees as well, no temporary ones.
        column: Holds the addresses.
        own_lists: As for ``winnow.check``.
        duplicate_key: Whether a column of that name is added too; see ``winnow.duplicate_keys``.

    Raises:
        KeyError: There is no such column.
        TypeError: It is not a column of texts.
        ValueError: The query gives a column of a name that is added.
    """
    verdicts = TableVerdicts(column, own_lists, has_keys=duplicate_key, ignores_case=True)
    return connection.from_arrow(_CheckedQuery(connection, query, verdicts))


class _CheckedQuery:
    """A query that runs again for each request of its stream."""

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, query: str, verdicts: TableVerdicts
    ) -> None:
        self._connection = connection
        self._query = query
        self._verdicts = verdicts
        self._schema = verdicts.extend(self._ask().limit(0).to_arrow_table().schema)

    def __arrow_c_schema__(self) -> Any:
        """Return the schema of the stream."""
        return self._schema.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        """Return the stream; DuckDB takes the schema as it is."""
        rows = self._ask().to_arrow_reader(ROWS_AT_ONCE)
        checked = self._verdicts.add_to_batches(rows)
        reader = pa.RecordBatchReader.from_batches(self._schema, checked)
        return reader.__arrow_c_stream__(requested_schema)

    def _ask(self) -> duckdb.DuckDBPyRelation:
        return self._connection.cursor().sql(self._query)
