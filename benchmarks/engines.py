"""Columns checked in each engine, next to what the engine does without: ``docs/engines.md``.

``python -m benchmarks.engines`` prints one table of processor time, each run a process of its own.
Only ratios within one run mean anything.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.measure import run_apart

DOMAIN_COUNT = 100_000
ROWS_BY_ROW = 50_000
_LABEL = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
EXPRESSION = (  # HTML Living Standard, 4.10.5.1.5: valid addresses of input fields
    r"^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@" rf"{_LABEL}(?:\.{_LABEL})*$"
)
Answer = dict[str, Any]


def write_contacts(path: str, row_count: str) -> Answer:
    """Write addresses of evenly many domains, a name, and a moment."""
    import polars as pl

    number = pl.int_range(int(row_count))
    domain = number * 2_654_435_761 % (1 << 32) % DOMAIN_COUNT
    pl.select(
        email=pl.format("user{}@domain{}.com", number, domain),
        name=pl.format("Name {}", number),
        updated_at=number * 7_919 % 1_000_003,
    ).write_parquet(path, row_group_size=1 << 17)
    return {}


def _time(run: Callable[[], object]) -> Answer:
    """Return the processor seconds of a run, imports and domain data not counted."""
    import winnow

    winnow.check_column(["ana@example.org"])
    begun = time.process_time()
    run()
    return {"cpu": time.process_time() - begun}


def _read_emails(path: str) -> Any:
    import pyarrow as pa
    import pyarrow.parquet as pq

    return pq.read_table(path, columns=["email"])["email"].cast(pa.large_string())


def check_arrow(path: str) -> Answer:
    """Check the column."""
    import winnow

    emails = _read_emails(path)
    return _time(lambda: winnow.check_column(emails))


def check_by_row(path: str) -> Answer:
    """Call a Python function per row of a few."""
    import winnow

    emails = _read_emails(path)[:ROWS_BY_ROW].to_pylist()
    return _time(lambda: [winnow.check(text) for text in emails])


def match_arrow(path: str) -> Answer:
    """Match the column by pyarrow."""
    import pyarrow.compute as pc

    emails = _read_emails(path)
    return _time(lambda: pc.match_substring_regex(emails, EXPRESSION))


def match_polars(path: str) -> Answer:
    """Match the column by Polars."""
    import polars as pl

    emails = pl.read_parquet(path, columns=["email"])["email"]
    return _time(lambda: emails.str.contains(EXPRESSION))


def match_duckdb(path: str) -> Answer:
    """Match the column by DuckDB, from its own table."""
    import duckdb

    connection = duckdb.connect()
    connection.execute("CREATE TABLE emails AS SELECT email FROM read_parquet(?)", [path])
    query = "CREATE TABLE found AS SELECT regexp_matches(email, ?) AS is_found FROM emails"
    return _time(lambda: connection.execute(query, [EXPRESSION]))


def copy_polars(path: str, checked: str = "") -> Answer:
    """Copy every column and add a constant one, or verdicts: whole, or in batches."""
    import polars as pl

    import winnow.polars  # noqa: F401

    added = pl.lit("white").alias("category")
    if checked:
        in_batches = checked == "batches"
        added = pl.col("email").winnow.check(in_batches=in_batches).struct.unnest()
    copy = pl.scan_parquet(path).with_columns(added)
    return _time(lambda: copy.sink_parquet(f"{path}.out"))


def copy_duckdb(path: str, checked: str = "") -> Answer:
    """Copy every column and add a constant one, or verdicts by the relation."""
    import duckdb

    import winnow.duckdb

    connection = duckdb.connect()
    if checked:
        rows = winnow.duckdb.check(connection, f"FROM '{path}'", "email")
    else:
        rows = connection.read_parquet(path).project("*, 'white' AS category")
    return _time(lambda: rows.write_parquet(f"{path}.out"))


RUNS: tuple[tuple[str, Callable[..., Answer], tuple[str, ...]], ...] = (
    ("`check_column`", check_arrow, ()),
    ("`check` per row", check_by_row, ()),
    ("an expression in pyarrow", match_arrow, ()),
    ("an expression in Polars", match_polars, ()),
    ("an expression in DuckDB", match_duckdb, ()),
    ("Polars: Parquet to Parquet with a constant", copy_polars, ()),
    ("Polars: the same with verdicts", copy_polars, ("whole",)),
    ("Polars: the same with verdicts in batches", copy_polars, ("batches",)),
    ("DuckDB: Parquet to Parquet with a constant", copy_duckdb, ()),
    ("DuckDB: the same with verdicts", copy_duckdb, ("yes",)),
)


def main() -> None:
    """Read the options, measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--folder", type=Path, help="where there is room; a scratch folder of it")
    options = parser.parse_args()
    print("| what | CPU s | rows a CPU second |\n|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory(dir=options.folder) as scratch:
        path = f"{scratch}/contacts.parquet"
        run_apart(write_contacts, path, options.rows)
        for what, run, arguments in RUNS:
            rows = min(options.rows, ROWS_BY_ROW) if run is check_by_row else options.rows
            cpu = run_apart(run, path, *arguments).answer["cpu"]
            print(f"| {what} | {cpu:.2f} | {rows / cpu:,.0f} |", flush=True)


if __name__ == "__main__":
    main()
