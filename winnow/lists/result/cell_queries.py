"""Queries of a project's cells in SQL: search, sort, values of columns, addresses."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from winnow.core.lists.contact_fields import ConsentColumn, forbids_mail
from winnow.core.tasks.task import InputPlan
from winnow.lists.result.row_index import Mask

if TYPE_CHECKING:
    from winnow.lists.result.cell_table import CellTable

COLUMNS_MAX = 1_000  # that are queried one by one, from the left
VALUES_MAX = 16_384  # of one column; with more it is free text
COLUMNS_COUNTED_MAX = 40  # from the left
LONGEST_VALUE_BYTES = 128  # beyond it is free text, which is not counted
_NEARLY_ALL = 0.8  # so many values of so many filled cells are identifiers, or names
_ADDRESSES_MAX_SHARE = 0.01  # of the filled cells
_ADDRESS = re.compile(r"\S@\S")
_WORD = r"\p{L}|^\s*[01]\s*$"  # days and other numbers decide in opt-out columns only
_TEXT = {"text": pl.String}
_SAMPLE = 2_000  # filled cells that decide how a column is sorted
_SORTED_AS_SHARE = 0.8

Rows = NDArray[np.int64]
Counts = NDArray[np.int64]

_TIMES = ("", " %H:%M", " %H:%M:%S", " %I:%M %p", " %I:%M:%S %p")
_DAYS = (
    *("%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%d.%m.%Y", "%d.%m.%y", "%d %b %Y", "%d %B %Y"),
    *("%d. %B %Y", "%b %d, %Y", "%B %d, %Y", "%d-%b-%Y"),
)
_DAY_FIRST = ("%d/%m/%Y", "%d-%m-%Y", "%d/%m/%y")
_MONTH_FIRST = ("%m/%d/%Y", "%m-%d-%Y", "%m/%d/%y")
_AMOUNT = (
    r"^\(?[-+\x{2212}]?\s*(?:\p{Sc}|[A-Za-z]{1,3}\.?)?\s*[-+\x{2212}]?\s*"
    r"([0-9][0-9., \x{a0}\x{202f}\x{2019}]*|[.,][0-9]+)[-\x{2013}]?\s*"
    r"(?:\p{Sc}|[A-Za-z]{1,3}\.?|%)?\)?$"
)
_BODY = f"rtrim(regexp_extract(replace(text, chr(39), ''), '{_AMOUNT}', 1))"
_COMMA_IS_DECIMAL = r"\..*,|\..*\.|^[^.]*,([0-9]{1,2}|[0-9]{4,})$"
_POINT_IS_DECIMAL = r",.*\.|,.*,|^[^,]*\.([0-9]{1,2}|[0-9]{4,})$"
_IS_NEGATIVE = r"^\(|^[^0-9]*[-\x{2212}]|[0-9][-\x{2212}]$"
_AMOUNT_KEY = f"""
    coalesce(CASE WHEN NOT $comma THEN TRY_CAST(text AS DOUBLE) END, TRY_CAST(
        CASE WHEN CASE
            WHEN regexp_matches({_BODY}, '{_COMMA_IS_DECIMAL}') THEN true
            WHEN regexp_matches({_BODY}, '{_POINT_IS_DECIMAL}') THEN false ELSE $comma END
        THEN replace(regexp_replace({_BODY}, '[^0-9,]', '', 'g'), ',', '.')
        ELSE regexp_replace({_BODY}, '[^0-9.]', '', 'g') END AS DOUBLE)
        * CASE WHEN regexp_matches(text, '{_IS_NEGATIVE}') THEN -1 ELSE 1 END)"""
_DATE_KEY = r"""try_strptime(regexp_replace(regexp_replace(text,
    '(:\d\d)(\.\d+)?\s*(Z|UTC|[+-]\d\d:?\d\d)?$', '\1'), '(\d)T(\d)', '\1 \2'), $formats)"""
_TEXT_KEY = "nullif(strip_accents(lower(text)), '')"
_SAID = {
    "days": r"regexp_matches(text, '^(1[3-9]|2\d|3[01])[/-]\d\d?[/-]')",
    "months": r"regexp_matches(text, '^\d\d?[/-](1[3-9]|2\d|3[01])[/-]')",
    "slashes": r"regexp_matches(text, '^\d\d?/\d\d?/')",
    "commas": f"regexp_matches({_BODY}, '{_COMMA_IS_DECIMAL}')",
    "points": f"regexp_matches({_BODY}, '{_POINT_IS_DECIMAL}')",
}
"""What a column's first cells say about its dates and amounts, as tests in SQL."""


def name_column(place: int) -> str:
    """Return the name in SQL of one of the list's own columns, counted from 0."""
    return f"c{int(place)}"


def search(table: "CellTable", text: str) -> Mask:
    """Return which rows have a cell that contains a text, case aside."""
    return table.match(_holds_text(table), text=_clean(text))


def read_holding(table: "CellTable", text: str, most: int) -> list[tuple[int, str]]:
    """Return the first rows with such a cell: their numbers from 0, and their cells in one text."""
    sql = f"""SELECT file_row_number AS row, concat_ws(chr(31), {", ".join(table.cells)}) AS cells
        FROM {table.scan()} WHERE {_holds_text(table)} ORDER BY row LIMIT {int(most)}"""  # noqa: S608
    with table.query() as run:
        found = run(sql, text=_clean(text))
    return list(zip(found["row"].tolist(), found["cells"].tolist(), strict=True))


def _holds_text(table: "CellTable") -> str:
    conditions = (f"contains(lower({name}), lower($text))" for name in table.cells)
    return " OR ".join(conditions)


def sort_rows(
    table: "CellTable",
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
    key, values = _choose_key(table, column)
    source, tables = table.scan(), {}
    if wanted is not None:
        tables["wanted"] = pa.table({"is_wanted": wanted})
        source += " POSITIONAL JOIN wanted WHERE is_wanted"
    text = table.trim(column)
    way = "DESC" if descending else "ASC"
    sql = f"""
        SELECT file_row_number FROM (
            SELECT file_row_number, text, {key} AS key FROM (
                SELECT file_row_number, {text} AS text FROM {source}))
        ORDER BY CASE WHEN text = '' THEN 2 WHEN key IS NULL THEN 1 ELSE 0 END, key {way},
            file_row_number LIMIT {int(limit)} OFFSET {int(offset)}
    """  # noqa: S608 - names of columns and numbers
    with table.query(**tables) as run:
        return run(sql, **values)["file_row_number"]


def _choose_key(table: "CellTable", column: int) -> tuple[str, dict[str, object]]:
    """Return a column's sort key in SQL, with the values of its parameters."""
    text = table.trim(column)
    filled = f"(SELECT {text} AS text FROM {table.scan()} WHERE {text} <> '')"  # noqa: S608
    first = f"(FROM {filled} LIMIT {_SAMPLE})"
    counts = ", ".join(f"count(*) FILTER ({test}) AS {name}" for name, test in _SAID.items())
    with table.query() as run:
        found = run(f"SELECT {counts} FROM {first}")  # noqa: S608
        said = {name: int(values[0]) for name, values in found.items()}
        is_day_first = said["days"] > said["months"]
        if said["days"] == said["months"]:
            is_day_first = not said["slashes"]
        days = (*_DAYS, *(_DAY_FIRST if is_day_first else _MONTH_FIRST))
        has_comma = said["commas"] > said["points"]
        if said["commas"] == said["points"]:
            has_comma = table.plan.delimiter == ";"
        kinds: tuple[tuple[str, dict[str, object]], ...] = (
            (_DATE_KEY, {"formats": [day + time for day in days for time in _TIMES]}),
            (_AMOUNT_KEY, {"comma": has_comma}),
        )
        for key, values in kinds:
            share = run(f"SELECT count({key}) / count(*) AS share FROM {first}", **values)  # noqa: S608
            if share["share"][0] >= _SORTED_AS_SHARE:
                return key, values
    return _TEXT_KEY, {}


@dataclass(frozen=True, slots=True)
class ValueTable:
    """One column's values, in order of first appearance, and their rows by outcome."""

    column: int
    texts: tuple[str, ...]
    counts: Counts

    @property
    def rows(self) -> Counts:
        """How many rows each value has."""
        rows: Counts = self.counts.sum(axis=1)
        return rows


def count_values(
    table: "CellTable", outcomes: NDArray[np.unsignedinteger], outcome_count: int
) -> dict[int, ValueTable]:
    """Count the values of the columns that have groups, from the left, by their rows' outcomes.

    Left out are the column of addresses, and columns whose values nearly all differ or hold
    addresses. A single value that looks like an address is never shown.
    """
    columns = [one for one in table.columns if one != table.plan.email_column]
    found: dict[int, ValueTable] = {}
    if not columns or not len(outcomes):
        return found
    with table.query(outcomes=pa.table({"outcome": outcomes})) as run:
        distinct = ", ".join(
            f"approx_count_distinct(c{one}) FILTER ({_is_short(one)} AND NOT contains(c{one}, '@'))"
            f" AS c{one}"
            for one in columns
        )
        about = run(f"SELECT {distinct} FROM {table.scan()}")  # noqa: S608
        for column in columns:
            if about[f"c{column}"][0] > 2 * VALUES_MAX or len(found) == COLUMNS_COUNTED_MAX:
                continue
            cells = run(
                f"""SELECT c{column} AS text, outcome, count(*) AS rows,
                min(file_row_number) AS first FROM {table.scan()} POSITIONAL JOIN outcomes
                WHERE {_is_short(column)} GROUP BY ALL"""  # noqa: S608
            )
            values = _group_values(
                pl.DataFrame(cells, schema_overrides=_TEXT), column, outcome_count
            )
            if values is not None:
                found[column] = values
    return found


def _is_short(column: int) -> str:
    return f"strlen(c{column}) <= {LONGEST_VALUE_BYTES}"


def _group_values(cells: pl.DataFrame, column: int, outcome_count: int) -> ValueTable | None:
    """Return a column's values; None where they are no groups."""
    raw = cells["text"].unique()
    texts = pl.Series([text.strip() for text in raw.to_list()], dtype=pl.String)
    is_address = pl.Series([_ADDRESS.search(text) is not None for text in texts], dtype=pl.Boolean)
    known = pl.DataFrame({"text": raw, "value": texts, "is_address": is_address})
    cells = cells.join(known, on="text")
    address_rows = int(cells.filter("is_address")["rows"].sum())
    cells = cells.filter(~pl.col("is_address"))
    order = cells.group_by("value").agg(pl.col("first").min(), pl.col("rows").sum()).sort("first")
    values = order["value"].to_list()
    filled = int(order.filter(pl.col("value") != "")["rows"].sum())
    distinct = len(values) - ("" in values)
    if not distinct or len(values) > VALUES_MAX or distinct > _NEARLY_ALL * filled:
        return None
    if address_rows > _ADDRESSES_MAX_SHARE * (filled + address_rows):
        return None
    numbers = pl.DataFrame({"value": order["value"], "number": np.arange(len(values))})
    cells = cells.join(numbers, on="value")
    counts = np.zeros((len(values), outcome_count), np.int64)
    places = cells["number"].to_numpy(), cells["outcome"].to_numpy()
    np.add.at(counts, places, cells["rows"].to_numpy())
    return ValueTable(column, tuple(values), counts)


def match_values(table: "CellTable", wanted: Mapping[int, Collection[str]]) -> Mask:
    """Return which rows have in each column one of the texts wanted there."""
    columns = [one for one in wanted if one in table.columns]
    conditions = [f"{table.trim(one)} IN (SELECT unnest($texts{one}))" for one in columns]
    values = {f"texts{one}": [*map(_clean, wanted[one])] for one in columns}
    return table.match(" AND ".join(conditions) or "false", **values)


def find_forbidding(table: "CellTable", kinds: Mapping[int, ConsentColumn]) -> Rows:
    """Return the rows with a cell that forbids mail; each distinct text is read once."""
    found = np.zeros(table.index.row_count, np.bool_)
    for column in kinds.keys() & set(table.columns):
        kind, name = kinds[column], name_column(column)
        words = f"regexp_matches({name}, '{_WORD}')"
        condition = f"{name} <> ''" if kind is ConsentColumn.OPT_OUT else words
        with table.query() as run:
            known = run(f"SELECT DISTINCT {name} FROM {table.scan()} WHERE {condition}")[name]  # noqa: S608
        forbidding = [text for text in known.tolist() if forbids_mail(kind, text)]
        if forbidding:
            found |= table.match(f"{name} IN (SELECT unnest($texts))", texts=forbidding)
    return np.flatnonzero(found)


def find_local_parts(table: "CellTable", wanted: Collection[str]) -> Mask:
    """Return which rows have one of some local parts, given in lower case."""
    local_part = f"split_part({table.address}, '@', 1)"
    return table.match(
        f"ltrim({local_part}, chr(0)) IN (SELECT unnest($wanted))", wanted=list(wanted)
    )


def find_addresses(table: "CellTable", keys: Sequence[str]) -> tuple[Rows, Rows]:
    """Return the rows whose address has one of some duplicate keys, rising, and its place."""
    wanted = pa.table({"wanted": pa.array(map(_clean, keys), pa.large_string())})
    wanted = wanted.append_column("place", pa.array(np.arange(len(wanted))))
    sql = f"""SELECT file_row_number AS row, place FROM {table.scan()}
        JOIN keys ON {table.address} = wanted ORDER BY row"""  # noqa: S608
    with table.query(keys=wanted) as run:
        found = run(sql)
    return found["row"], found["place"]


def pair_addresses(table: "CellTable", folder: Path, plan: InputPlan) -> tuple[Rows, Rows]:
    """Return the last rows of each address here and in another project; -1 where it is in one."""
    from winnow.lists.result.cell_table import open_table

    other = open_table(folder, plan)
    sides = (
        f"""SELECT {one.address} AS address, max(file_row_number) AS row
        FROM {one.scan(place)} WHERE {one.address} <> '' GROUP BY ALL"""  # noqa: S608
        for place, one in enumerate((table, other))
    )
    here, there = sides
    sql = f"""SELECT coalesce(here.row, -1) AS here, coalesce(there.row, -1) AS there
        FROM ({here}) here FULL JOIN ({there}) there USING (address)"""  # noqa: S608
    with table.query(other) as run:
        found = run(sql)
    return found["here"], found["there"]


def count_blank(table: "CellTable") -> int:
    """Return how many rows have no address."""
    return len(table.find_rows(f"{table.address} = ''"))


def _clean(text: str) -> str:
    """Return a text as UTF-8 can hold it."""
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
