"""Rows in any order, page by page: DuckDB sorts the same rows."""

import csv
import io
import random
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import openpyxl
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.lists.delimited_support import make_judge
from winnow.core.lists.dimensions import CATEGORY
from winnow.core.lists.row_order import IN_FILE, RowOrder, SortBy
from winnow.core.lists.rows import Chosen, Row, RowFilter
from winnow.core.verdicts.words import phrase_reasons
from winnow.lists.batch import run_batch
from winnow.lists.inspection.inspect import plan_input, read_head
from winnow.lists.requests import BatchRequest
from winnow.lists.result import own_cells, row_sorter, sort_keys
from winnow.lists.result.result_rows import ResultRows
from winnow.lists.result.sort_keys import EMPTY, IS_CUT, SortKeys, pack_start

COLUMNS = ("id", "name", "email", "amount", "joined", "note")
NAMES = (
    *("Zoë", "zoe", "Ärzte", "arzt", "Ana", "ANA", "", "  ", "Ölmühle", "Éva", "eva b", "Zoltan"),
    *(
        "Friedrich",
        "friedrichshain",
        "Friedrichs",
        'say ""hi""',
        'say "ho"',
        "Иван",
        "иван",
        "日本",
    ),
)
AMOUNTS = ("12.50", "3", "-4.00", "1000.25", "", "200", "0", "7.1", "90000.5", "-0.5")
DATES = ("31.12.2023", "01.02.2024", "15.01.2024", "", "02.02.2024", "28.02.1999")
NOTES = ('5" disk', "two\nlines", "a;b", "x" * 300, "x" * 299 + "y", "", "Straße", "strasse")
TEXT_KEY = "lower(strip_accents(trim({0}, ' ' || chr(10))))"
KEYS = {
    COLUMNS.index("name"): TEXT_KEY.format("name"),
    COLUMNS.index("note"): TEXT_KEY.format("note"),
    COLUMNS.index("amount"): "try_cast(amount AS DOUBLE)",
    COLUMNS.index("joined"): "try_strptime(joined, '%d.%m.%Y')",
    SortBy.ADDRESS: TEXT_KEY.format("email"),
    SortBy.DOMAIN: "domain",
    SortBy.VERDICT: "list_position(['white', 'grey', 'black'], category)",
    SortBy.DOMAIN_TYPE: "lower(kind)",
    SortBy.REASON: "lower(reasons)",
    SortBy.FILE: "place",
}


def make_rows(count: int, seed: int) -> list[tuple[str, ...]]:
    pick = random.Random(seed)
    domains = ("frei.de", "FREI.de", "wegwerf.net", "firma.de", "büro.de", "no-dot", "x.example")
    return [
        (
            f"customer-{pick.randint(0, 9 * count):07}",
            pick.choice(NAMES),
            pick.choice(
                (f"{pick.choice('abcÄé')}nna{pick.randint(0, 99)}@{pick.choice(domains)}",) * 9
                + ("",)
            ),
            pick.choice(AMOUNTS),
            pick.choice(DATES),
            pick.choice(NOTES),
        )
        for _ in range(count)
    ]


def write_file(rows: list[tuple[str, ...]], kind: str, folder: Path) -> Path:
    path = folder / f"list.{kind}"
    if kind == "xlsx":
        book = openpyxl.Workbook()
        for row in (COLUMNS, *rows):
            book.active.append([cell or None for cell in row])
        book.save(path)
    elif kind == "parquet":
        pd.DataFrame(rows, columns=COLUMNS).to_parquet(path)
    else:
        text = io.StringIO()
        csv.writer(
            text,
            quoting=csv.QUOTE_ALL if kind == "tsv" else csv.QUOTE_MINIMAL,
            delimiter="\t" if kind == "tsv" else ",",
        ).writerows([COLUMNS, *rows])
        path.write_text(text.getvalue(), encoding="utf-8", newline="")
    return path


def open_rows(path: Path, *, deduplicate: bool = True) -> ResultRows:
    plan = plan_input(read_head(path, path.name), email_column=2)
    work = path.with_suffix(".work")
    work.mkdir()
    run_batch(
        BatchRequest(path, plan, make_judge(), work, deduplicate=deduplicate, report=lambda _: None)
    )
    return ResultRows.open(work, plan)


def sort_in_duckdb(rows: list[Row], order: RowOrder) -> list[int]:
    """Return the rows' numbers as DuckDB sorts them."""
    frame = pd.DataFrame([row.cells[: len(COLUMNS)] for row in rows], columns=COLUMNS)
    frame["place"] = [row.number for row in rows]
    frame["category"] = [row.verdict.category.value for row in rows]
    frame["kind"] = [row.verdict.domain_type.words for row in rows]
    frame["reasons"] = [phrase_reasons(row.verdict.reasons) for row in rows]
    known = (row.email.rpartition("@")[2].lower() for row in rows)
    usable = ["" if name in ("", "no-dot") else name.replace("ü", "u") for name in known]
    frame["domain"] = usable
    key, way = KEYS[order.by], "DESC" if order.descending else "ASC"
    blank = "place" if order.by in (SortBy.VERDICT, SortBy.FILE) else key
    is_blank = f"nullif(cast({blank} AS VARCHAR), '') IS NULL"
    with duckdb.connect() as judge:
        found = judge.from_df(frame).order(f"{is_blank}, {key} {way}, place").project("place")
        return [place for (place,) in found.fetchall()]


def page_through(rows: ResultRows, order: RowOrder, some: RowFilter, step: int) -> list[int]:
    count = rows.count(some)
    pages = [rows.page(some, start, step, order).rows for start in range(0, count + step, step)]
    return [row.number for page in pages for row in page]


@pytest.fixture(params=["csv", "tsv", "xlsx", "parquet"])
def made(request: pytest.FixtureRequest, tmp_path: Path) -> ResultRows:
    return open_rows(write_file(make_rows(400, 11), request.param, tmp_path))


@pytest.mark.parametrize("is_packed", [False, True], ids=["ranked", "packed"])
def test_any_order_is_duckdbs(
    made: ResultRows, is_packed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Packed keys are those of long lists; stretches of a few rows are a long list's as well."""
    monkeypatch.setattr(own_cells, "ROWS_PER_STRETCH", 64)
    monkeypatch.setattr(row_sorter, "_ROWS_LOOKED_AT", 32)
    if is_packed:
        monkeypatch.setattr(sort_keys, "RANKED_MOST", 0)
    everything = RowFilter()
    rows = list(made.page(everything, 0, 1_000).rows)
    for by in KEYS:
        for descending in (False, True):
            order = RowOrder(by, descending)
            wanted = sort_in_duckdb(rows, order)
            assert page_through(made, order, everything, 7) == wanted, order
    black = RowFilter(Chosen().choose(CATEGORY, "black"))
    chosen = [row for row in rows if row.verdict.category == "black"]
    assert 0 < len(chosen) < len(rows)
    for by in (SortBy.ADDRESS, SortBy.REASON, 1):
        order = RowOrder(by, True)
        assert page_through(made, order, black, 50) == sort_in_duckdb(chosen, order)


def test_numbers_of_customers_begin_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sort_keys, "RANKED_MOST", 0)
    rows = open_rows(write_file(make_rows(300, 5), "csv", tmp_path), deduplicate=False)
    numbers = page_through(rows, RowOrder(0), RowFilter(), 30)
    ids = [rows.row(number).cells[0] for number in numbers]
    assert ids == sorted(ids)


def test_the_files_order_backwards(made: ResultRows) -> None:
    count = made.count(RowFilter())
    numbers = page_through(made, RowOrder(SortBy.FILE, True), RowFilter(), 50)
    assert numbers == list(range(count, 0, -1))


def test_a_column_that_is_not_there_leaves_the_files_order(made: ResultRows) -> None:
    assert page_through(made, RowOrder(99), RowFilter(), 50)[:3] == [1, 2, 3]
    assert made.page(RowFilter(text="nothing has this"), 0, 50, RowOrder(1)).rows == ()


@given(
    st.lists(st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=12)),
    st.text(max_size=3),
)
def test_keys_sort_as_texts_do(texts: list[str], prefix: str) -> None:
    """A key that is not cut is the whole text's; one that is says how it begins."""
    texts = [prefix * (number % 2) + text for number, text in enumerate(texts)]
    keys = pack_start(pl.Series(texts, dtype=pl.String), prefix.replace("\0", "")).tolist()
    filled = [(text.encode(), key) for text, key in zip(texts, keys, strict=True) if text]
    assert all(key == int(EMPTY) for text, key in zip(texts, keys, strict=True) if not text)
    for one, key in filled:
        for other, other_key in filled:
            if key == other_key and not key & int(IS_CUT):
                assert one == other or b"\0" in one + other
            elif key != other_key and b"\0" not in one + other:
                assert (one < other) == (key < other_key)


@pytest.mark.parametrize("descending", [False, True])
def test_pages_are_cut_out_of_the_whole_order(descending: bool) -> None:
    pick = np.random.default_rng(3)
    keys = pick.integers(0, 5, 500).astype(np.uint64)
    keys[pick.random(500) < 0.1] = EMPTY
    mask = pick.random(500) < 0.7
    frame = pd.DataFrame({"key": keys.astype(float), "row": range(500)})[mask]
    frame.loc[frame["key"] > 1e18, "key"] = np.nan
    wanted = frame.sort_values("key", ascending=not descending, kind="stable", na_position="last")
    found: list[Any] = []
    for start in range(0, 501, 13):
        found += row_sorter.pick_rows(
            SortKeys(keys), mask, start, 13, descending=descending
        ).tolist()
    assert found == wanted["row"].tolist()


@given(st.sampled_from([*SortBy, 0, 7, 99_998]), st.booleans())
def test_an_order_comes_back_from_an_address(by: SortBy | int, descending: bool) -> None:
    order = RowOrder(by, descending)
    assert RowOrder.parse(order.word()) == order


@given(st.text())
def test_any_address_is_an_order(text: str) -> None:
    order = RowOrder.parse(text)
    assert order == IN_FILE or RowOrder.parse(order.word()) == order
