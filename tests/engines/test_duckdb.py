"""DuckDB: the documented job, functions in SQL, relations that are asked again."""

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

import winnow
import winnow.duckdb
from tests.engines.contacts import COLUMN, OWN, PAGE, make_contacts, run_job

QUERY = "SELECT email FROM made"


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as opened:
        opened.execute("CREATE TABLE made (email VARCHAR)")
        opened.executemany("INSERT INTO made VALUES (?)", [[text] for text in COLUMN])
        yield opened


def test_the_documented_job_keeps_what_is_reckoned(tmp_path: Path) -> None:
    run_job("DuckDB", tmp_path)


def test_sql_says_what_check_column_says(connection: duckdb.DuckDBPyConnection) -> None:
    winnow.duckdb.register(connection)
    checked = connection.sql("SELECT unnest(winnow(email)) FROM made").to_arrow_table()
    wanted = winnow.check_column(connection.sql(QUERY).to_arrow_table()["email"])
    assert checked.to_pylist() == wanted.to_pylist()
    keys = connection.sql("SELECT winnow_duplicate_key(email) FROM made").fetchall()
    assert [key for (key,) in keys] == winnow.duplicate_keys(COLUMN)


def test_the_documented_sql_counts(connection: duckdb.DuckDBPyConnection) -> None:
    contacts = make_contacts(5_000)  # three calls
    connection.register("contacts", contacts)
    winnow.duckdb.register(connection)
    (query,) = [part.partition("```")[0] for part in PAGE.split("```sql\n")[1:]]
    found = dict(connection.sql(query).fetchall())
    categories = winnow.check_column(contacts["email"])["category"]
    counts = {row["values"]: row["counts"] for row in categories.value_counts().to_pylist()}
    assert found == counts


def test_own_lists_come_along_and_take_the_place_of_former_ones(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    for own in ({"gmail.com": "black"}, OWN):
        winnow.duckdb.register(connection, own)
        by_sql = connection.sql("SELECT winnow(email).category FROM made").fetchall()
        relation = winnow.duckdb.check(connection, QUERY, "email", own)
        assert by_sql == relation.project("category").fetchall()
        assert by_sql[0] == (own["gmail.com"],)


def test_a_relation_is_asked_again_and_joined(connection: duckdb.DuckDBPyConnection) -> None:
    checked = winnow.duckdb.check(connection, QUERY, "email")
    black = "SELECT count(*) FROM checked WHERE category = 'black'"
    assert checked.query("checked", black).fetchall() == [(2,)]
    connection.sql("INSERT INTO made VALUES ('y@mailinator.com')")
    joined = "SELECT a.domain FROM checked AS a JOIN checked AS b USING (email) ORDER BY 1"
    assert connection.sql(joined).fetchall() == [
        ("gmail.com",),
        ("gmail.com",),
        ("mailinator.com",),
        ("mailinator.com",),
        (None,),
    ]
    connection.sql("CREATE TABLE kept AS FROM checked")
    assert connection.sql("SELECT count(*) FROM kept").fetchall() == [(6,)]


@pytest.mark.parametrize("threads", [1, 4])
def test_rows_stream_in_order_with_any_number_of_threads(
    connection: duckdb.DuckDBPyConnection, threads: int
) -> None:
    connection.sql(f"SET threads = {threads}")
    query = "SELECT i, 'ana.' || i || '@gmail.com' AS email FROM range(1_100_000) AS made(i)"
    checked = winnow.duckdb.check(connection, query, "email")
    counted = connection.sql("SELECT count(*), sum(i), min(domain), max(category) FROM checked")
    assert counted.fetchall() == [(1_100_000, 604_999_450_000, "gmail.com", "white")]
    assert checked.limit(2).project("i").fetchall() == [(0,), (1,)]


def test_an_empty_table_has_the_columns(connection: duckdb.DuckDBPyConnection) -> None:
    checked = winnow.duckdb.check(connection, f"{QUERY} LIMIT 0", "email", duplicate_key=True)
    assert checked.columns == ["email", *NAMES]
    assert checked.fetchall() == []


NAMES = ["category", "domain_type", "reasons", "suggestion", "is_role", "domain", "duplicate_key"]


@pytest.mark.parametrize(
    ("query", "error", "words"),
    [
        pytest.param("SELECT 1 AS x", KeyError, "no column 'email' among x", id="no-column"),
        pytest.param(
            "SELECT 'a@b.de' AS email, 1 AS domain", ValueError, "rename .* domain", id="name-taken"
        ),
        pytest.param(
            "SELECT 'a@b.de' AS email, 1 AS \"Category\"",
            ValueError,
            "rename .* Category",
            id="name-taken-in-capitals",
        ),
        pytest.param("SELECT 1 AS email", TypeError, "column of texts", id="no-texts"),
        pytest.param("SELECT", duckdb.ParserException, "without selection", id="no-query"),
    ],
)
def test_what_cannot_be_checked_is_refused_at_once(
    connection: duckdb.DuckDBPyConnection, query: str, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        winnow.duckdb.check(connection, query, "email")
