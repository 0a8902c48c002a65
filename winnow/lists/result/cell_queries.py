"""Queries of a project's cells in SQL: search, sort, addresses."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from winnow.core.tasks.input_plan import InputPlan
from winnow.lists.engine.date_cells import NO_DATE, read_column, read_texts, settle_dates
from winnow.lists.result.cell_table import CellTable, open_table
from winnow.lists.result.row_index import Mask

VALUES_MAX = 16_384  # of one column; with more it is free text
LONGEST_VALUE_BYTES = 128  # beyond it is free text, which is not counted
_SAMPLE = 2_000  # filled cells that decide how a column is sorted
_SORTED_AS_SHARE = 0.8

Rows = NDArray[np.int64]

_NUMBER = r"regexp_replace(text, '[\s\x{a0}\x{202f}\x{2019}\p{Sc}%]|\b[A-Z]{3}\b', '', 'g')"
_POINT_KEY = f"TRY_CAST(replace({_NUMBER}, ',', '') AS DOUBLE)"
_COMMA_KEY = f"TRY_CAST(replace(replace({_NUMBER}, '.', ''), ',', '.') AS DOUBLE)"
_SIGNS = {
    "comma": r"regexp_matches(text, ',[0-9]{1,2}[^0-9]*$')",
    "point": r"regexp_matches(text, '\.[0-9]{1,2}[^0-9]*$')",
}
"""Tests of which sign is before the last digits of an amount."""
_PLAIN_NUMBER = r"^\d+(?:[.,]\d+)?$"  # as Unix times and Excel's days: sorted as an amount
_TEXT_KEY = "nullif(strip_accents(lower(text)), '')"


def search(table: CellTable, text: str) -> Mask:
    """Return which rows have a cell that contains a text, case aside."""
    return table.match(_holds_text(table), text=_clean(text))


def read_holding(table: CellTable, text: str, most: int) -> list[tuple[int, str]]:
    """Return the first rows with such a cell: their numbers from 0, and their cells in one text."""
    sql = f"""SELECT file_row_number AS row, concat_ws(chr(31), {", ".join(table.cells)}) AS cells
        FROM {table.scan()} WHERE {_holds_text(table)} ORDER BY row LIMIT {int(most)}"""  # noqa: S608
    found = table.query(sql, {"text": _clean(text)})
    return list(zip(found["row"].tolist(), found["cells"].tolist(), strict=True))


def _holds_text(table: CellTable) -> str:
    conditions = (f"contains(lower({name}), lower($text))" for name in table.cells)
    return " OR ".join(conditions)


def sort_rows(
    table: CellTable,
    column: int,
    wanted: Mask | None,
    offset: int,
    limit: int,
    descending: bool,
) -> Rows:
    """Return the wanted rows from ``offset`` on in the order of a column.

    Amounts and dates are sorted by their value where nearly all of the column's first cells are
    some, other texts without case and accents. What is no amount or date comes after those, empty
    cells last; equal cells keep the file's order.
    """
    key, tables = _choose_key(table, column)
    source, taken = " POSITIONAL JOIN ".join((table.scan(), *tables)), ", date" if tables else ""
    if wanted is not None:
        tables["wanted"] = pa.table({"is_wanted": wanted})
        source += " POSITIONAL JOIN wanted WHERE is_wanted"
    text = table.trim(column)
    way = "DESC" if descending else "ASC"
    sql = f"""
        SELECT file_row_number FROM (
            SELECT file_row_number, text, {key} AS key FROM (
                SELECT file_row_number, {text} AS text {taken} FROM {source}))
        ORDER BY CASE WHEN text = '' THEN 2 WHEN key IS NULL THEN 1 ELSE 0 END, key {way},
            file_row_number LIMIT {int(limit)} OFFSET {int(offset)}
    """  # noqa: S608 - names of columns and numbers
    return table.query(sql, tables=tables)["file_row_number"]


def _choose_key(table: CellTable, column: int) -> tuple[str, dict[str, pa.Table]]:
    """Return a column's sort key in SQL, with the tables that it is in."""
    if holds_dates(table, column):
        ranks, counts = read_column(table.stream_texts(table.trim(column)))
        settled = settle_dates(ranks, takes_day_first=counts.takes_day_first)
        dates = pa.array(settled, mask=settled == NO_DATE)
        return "date", {"dates": pa.table({"date": dates})}
    filled = _select_filled(table, column)
    kinds = {"point": _POINT_KEY, "comma": _COMMA_KEY}
    signs = {f"{one}s": f"nullif({test}, false)" for one, test in _SIGNS.items()}
    shares = ", ".join(
        f"count({one}) / count(*) AS {name}" for name, one in (kinds | signs).items()
    )
    found = table.query(f"SELECT {shares} FROM (FROM {filled} LIMIT {_SAMPLE})")  # noqa: S608
    share = {name: float(values[0]) for name, values in found.items()}
    has_comma = share["commas"] > share["points"]
    if share["commas"] == share["points"]:
        has_comma = table.plan.delimiter == ";"
    number = "comma" if has_comma else "point"
    return (kinds[number] if share[number] >= _SORTED_AS_SHARE else _TEXT_KEY), {}


def holds_dates(table: CellTable, column: int) -> bool:
    """Return whether nearly all of a column's first filled cells are dates."""
    sql = f"FROM {_select_filled(table, column)} LIMIT {_SAMPLE}"
    sample = pl.Series(table.query(sql)["text"], dtype=pl.String)
    dates = sample.filter(~sample.str.contains(_PLAIN_NUMBER))
    return len(dates) - read_texts(dates)[1].unreadable >= max(1, _SORTED_AS_SHARE * len(sample))


def _select_filled(table: CellTable, column: int) -> str:
    text = table.trim(column)
    return f"(SELECT {text} AS text FROM {table.scan()} WHERE {text} <> '')"  # noqa: S608


def find_addresses(table: CellTable, keys: Sequence[str]) -> tuple[Rows, Rows]:
    """Return the rows whose address has one of some duplicate keys, rising, and its place."""
    return find_equal(table, table.address, keys)


def find_local_parts(table: CellTable, local_parts: Sequence[str]) -> tuple[Rows, Rows]:
    """Return the rows whose local part is one of some in lower case, rising, and its place."""
    return find_equal(table, f"regexp_replace({table.address}, '@[^@]*$', '')", local_parts)


def find_equal(table: CellTable, text: str, keys: Sequence[str]) -> tuple[Rows, Rows]:
    """Return the rows where a text in SQL is one of some, rising, and its place."""
    wanted = pa.table({"wanted": pa.array(map(_clean, keys), pa.large_string())})
    wanted = wanted.append_column("place", pa.array(np.arange(len(wanted))))
    sql = f"""SELECT file_row_number AS row, place FROM {table.scan()}
        JOIN keys ON {text} = wanted ORDER BY row"""  # noqa: S608
    found = table.query(sql, tables={"keys": wanted})
    return found["row"], found["place"]


def pair_addresses(table: CellTable, folder: Path, plan: InputPlan) -> tuple[Rows, Rows]:
    """Return the last rows of each address here and in another project; -1 where it is in one."""
    other = open_table(folder, plan)
    sides = (
        f"""SELECT {one.address} AS address, max(file_row_number) AS row
        FROM {one.scan(place)} WHERE {one.address} <> '' GROUP BY ALL"""  # noqa: S608
        for place, one in enumerate((table, other))
    )
    here, there = sides
    sql = f"""SELECT coalesce(here.row, -1) AS here, coalesce(there.row, -1) AS there
        FROM ({here}) here FULL JOIN ({there}) there USING (address)"""  # noqa: S608
    found = table.query(sql, other=other)
    return found["here"], found["there"]


def _clean(text: str) -> str:
    """Return a text as UTF-8 can hold it."""
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
