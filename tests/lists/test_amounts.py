"""Amounts as people write them, and their sums by what becomes of the rows, against pandas."""

import io
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

from tests.lists.delimited_support import make_judge, run_list
from winnow.core.lists.amounts import find_money_column
from winnow.core.lists.file_format import FileFormat
from winnow.core.tasks.task import InputPlan
from winnow.core.verdicts.verdict import Category
from winnow.lists.result import own_cells
from winnow.lists.result.amounts import AmountSums, read_amounts, tell_amounts
from winnow.lists.result.result_rows import ResultRows


@pytest.mark.parametrize(
    ("cell", "amount"),
    [
        ("7", 7),
        (" -7.5 ", -7.5),
        ("1,234.56", 1234.56),
        ("1.234,56 €", 1234.56),
        ("1 234,50 kr", 1234.5),
        ("1\u202f234,50\u00a0€", 1234.5),
        ("CHF 1'234.50", 1234.5),
        ("US$ 5.00", 5),
        ("£12", 12),
        ("€-5", -5),
        ("-€5", -5),
        ("\u22123,50", -3.5),
        ("(12.30)", -12.3),
        ("100-", -100),
        ("5,-", 5),
        ("5.\u2013", 5),
        ("1.234.567", 1234567),
        ("1,234,567.891", 1234567.891),
        ("1,00,000", 100000),
        ("12.345,678", 12345.678),
        ("0.125", 0.125),
        ("0,125", 0.125),
        ("1.2345", 1.2345),
        (".5", 0.5),
        ("1.5e+05", 150000),
        ("007", 7),
    ],
)
def test_an_amount(cell: str, amount: float) -> None:
    found = read_amounts(pl.Series([cell])).row(0, named=True)
    assert (found["amount"], found["doubtful"]) == (pytest.approx(amount), "")


@pytest.mark.parametrize(
    "cell",
    [
        *("n/a", "-", "€", "1,2,3", "1.2.3,4", "1.234,5.6", "2026-01-02", "12:30", "1/2", "5 %"),
        *("+49 30 1234567", "abc 7", "1.2.3", "--5", "abc12", "1,23.45", "1" * 60, "nan", "inf"),
    ],
)
def test_what_is_no_amount(cell: str) -> None:
    found = read_amounts(pl.Series([cell])).row(0, named=True)
    assert (found["is_filled"], found["amount"]) == (True, None)


def _sum(*cells: str, has_semicolons: bool = False) -> float:
    sums = AmountSums(1, has_semicolons)
    for some in (cells[:1], cells[1:]):
        amounts = read_amounts(pl.Series(list(some), dtype=pl.String))
        sums.add(amounts, np.zeros(len(some), np.int64))
    return float(sums.sums[0])


def test_a_thousand_or_a_decimal_is_told_by_the_other_cells() -> None:
    assert _sum("1.234", "2,50") == pytest.approx(1236.5)
    assert _sum("1.234", "2.50") == pytest.approx(3.734)
    assert _sum("1,234", "2.50") == pytest.approx(1236.5)
    assert _sum("1,234", "2,50") == pytest.approx(3.734)
    assert _sum("1.234", "1.000.000") == pytest.approx(1001234)


def test_a_thousand_or_a_decimal_is_else_told_by_the_lists_dialect() -> None:
    assert _sum("1.234", "5") == pytest.approx(6.234)
    assert _sum("1.234", "5", has_semicolons=True) == pytest.approx(1239)
    assert _sum("1,234", "5") == pytest.approx(1239)


def test_a_column_of_amounts_is_known_by_its_first_cells() -> None:
    assert tell_amounts(pl.Series(["", "1,50 €", "2,00 €", *["3"] * 20, "n/a"]))
    assert not tell_amounts(pl.Series(["", "", ""]))
    assert not tell_amounts(pl.Series(["1", "DE", "AT"]))
    assert not tell_amounts(pl.Series([], dtype=pl.String))


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (("id", "Umsatz 2026", "PLZ"), "Umsatz 2026"),
        (("order value", "Total revenue"), "Total revenue"),
        (("id", "age"), None),
    ],
)
def test_the_column_that_speaks_of_money(names: tuple[str, ...], found: str | None) -> None:
    assert find_money_column(names) == found


EMAILS = ("ana@firm.de", "bo@wegwerf.net", "info@frei.de", "foo")


@pytest.mark.parametrize("encoding", ["utf-8", "windows-1252"])
def test_sums_are_those_of_pandas(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoding: str
) -> None:
    monkeypatch.setattr(own_cells, "ROWS_PER_STRETCH", 100)
    rng = np.random.default_rng(7)
    amounts = (rng.integers(0, 10**7, 1_000) / 100).tolist()
    cells = [f"{amount:,.2f}".translate(str.maketrans(",.", ".,")) + " €" for amount in amounts]
    lines = [f'{EMAILS[n % 4]};"{cell}";{n % 3}' for n, cell in enumerate(cells)]
    data = "email;Umsatz;n\r\n" + "\r\n".join(lines) + "\r\n"
    plan = InputPlan(FileFormat.CSV, 0, ("email", "Umsatz", "n"), delimiter=";", encoding=encoding)
    run = run_list(data.encode(encoding), plan, make_judge(), tmp_path, deduplicate=False)
    frame = pd.read_csv(io.BytesIO(run.result), sep=";", encoding=encoding)
    frame["Umsatz"] = (
        frame["Umsatz"].str.strip(" €").str.replace(".", "").str.replace(",", ".").astype(float)
    )
    assert run.rows.own_columns.amount_columns == (1, 2)
    for name, column in (("Umsatz", 1), ("n", 2)):
        sums = run.rows.own_columns.sum(column)
        assert _by_category(run.rows, sums) == pytest.approx(
            frame.groupby("category")[name].sum().to_dict()
        )
        assert (sums.filled, sums.unread) == (1_000, 0)


def _by_category(rows: ResultRows, sums: AmountSums) -> dict[str, float]:
    found = dict.fromkeys([category.value for category in Category], 0.0)
    for verdict, amount in zip(rows.own_columns.outcomes.verdicts, sums.sums, strict=True):
        found[verdict.category.value] += float(amount)
    return {category: amount for category, amount in found.items() if amount}
