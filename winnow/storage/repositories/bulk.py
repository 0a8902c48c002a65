"""Many rows at once: look up by key, replace older ones, trim to a bound."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, Table, delete, func, select
from sqlalchemy.dialects.sqlite import insert

from winnow.storage.database.database import Database

KEYS_AT_ONCE = 500  # SQLite takes at least 999 parameters


def read_by_key(
    database: Database, query: Select[Any], column: ColumnElement[str], keys: Iterable[str]
) -> Iterator[Any]:
    """Yield a query's rows whose column is one of the keys; one reading transaction."""
    wanted = iter(keys)
    with database.read() as connection:
        while some := list(islice(wanted, KEYS_AT_ONCE)):
            yield from connection.execute(query.where(column.in_(some)))


def upsert(
    database: Database, table: Table, rows: Sequence[Mapping[str, Any]], *, adds: Sequence[str] = ()
) -> None:
    """Write rows, each replaces one with its primary key; one transaction.

    The numbers in the columns ``adds`` are added to those that are there.
    """
    if not rows:
        return
    statement = insert(table)
    changes = {
        column.name: column + statement.excluded[column.name]
        if column.name in adds
        else statement.excluded[column.name]
        for column in table.c
        if not column.primary_key
    }
    keys = [column.name for column in table.primary_key]
    with database.write() as connection:
        connection.execute(
            statement.on_conflict_do_update(index_elements=keys, set_=changes), list(rows)
        )


def trim(connection: Connection, age: ColumnElement[Any], table: Table, kept: int) -> int:
    """Delete the oldest rows beyond ``kept`` by the column of their age; return how many."""
    count = connection.execute(select(func.count()).select_from(table)).scalar_one()
    if count <= kept:
        return 0
    limit = select(age).order_by(age.desc()).offset(kept).limit(1)
    oldest = connection.execute(limit).scalar_one()
    return connection.execute(delete(table).where(age <= oldest)).rowcount
