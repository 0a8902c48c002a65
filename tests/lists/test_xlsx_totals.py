"""Totals below, above and within a list pass through; what a cell holds, blanks too, stays."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import openpyxl
import pytest

from tests.lists.delimited_support import run_file
from tests.lists.xlsx_support import (
    PEOPLE,
    SHEET,
    build_list,
    edit_parts,
    save,
    share_strings,
    store_values,
)
from winnow.lists.formats.xlsx.rewrite import write_filtered_xlsx
from winnow.lists.formats.xlsx.scan import is_total


def test_totals_below_the_list_are_no_rows_of_it(tmp_path: Path) -> None:
    totals = [["", "=SUM(B2:B4)"], [None, "=AVERAGE(B2:B4)"], [], ["", "=SUBTOTAL(9,$B$1:$B$5)"]]
    workbook = build_list([["email", "n"], *PEOPLE, *totals])
    path = edit_parts(save(workbook, tmp_path), {SHEET: store_values})
    run = run_file(path)
    assert run.outcome.summary.rows_in == 3
    assert run.outcome.summary.invalid == 0
    assert [row[1:] for row in run.read_sheet()] == [
        ("n", "category", "domain_type"),
        (2, "white", "unlisted"),
        (4, "white", "unlisted"),
        ("=SUM(B2:B3)", None, None),
        ("=AVERAGE(B2:B3)", None, None),
        (None, None, None),
        ("=SUBTOTAL(9,$B$1:$B$4)", None, None),
    ]
    notice = next(one for one in run.outcome.notices if one.code == "totals_row")
    assert (notice.lines, notice.count) == ((5, 6, 8), 3)
    assert len(run.list_lines()) == 2


def test_a_download_knows_totals_whose_rows_all_went(tmp_path: Path) -> None:
    rows = [["email", "n"], *PEOPLE[1:], ["", "=SUM(B2:B3)"], ["", "note"]]
    run = run_file(edit_parts(save(build_list(rows), tmp_path), {SHEET: store_values}))
    assert run.outcome.summary.rows_in == 3
    out = tmp_path / "out.xlsx"
    write_filtered_xlsx(run.result_path, np.array([False, False, True]), out, run.plan)
    sheet = openpyxl.load_workbook(out)["Data"]
    assert [row[2] for row in sheet.iter_rows(values_only=True)] == ["category", None, "black"]
    again = tmp_path / "again.xlsx"
    write_filtered_xlsx(out, np.array([True]), again, run.plan)
    assert openpyxl.load_workbook(again)["Data"].max_row == 3


@pytest.mark.parametrize(
    ("rows", "rows_in"),
    [
        pytest.param([[None, "=SUM(B3:B5)"], *PEOPLE], 3, id="above-the-list"),
        pytest.param(
            [
                *PEOPLE[:2],
                [None, "=SUBTOTAL(9,B2:B3)"],
                ["c@firm.example.com", 1],
                ["d@firm.example.com", 1],
                [None, "=SUBTOTAL(9,B5:B6)"],
                ["", "=SUBTOTAL(9,B2:B7)"],
            ],
            4,
            id="within-the-list",
        ),
    ],
)
def test_totals_elsewhere_pass(tmp_path: Path, rows: list[list[object]], rows_in: int) -> None:
    path = save(build_list([["email", "n"], *rows]), tmp_path)
    summary = run_file(edit_parts(path, {SHEET: store_values})).outcome.summary
    assert (summary.rows_in, summary.invalid) == (rows_in, 0)


NO_TOTALS = (
    "SUM(B$2:B9)",  # its own row among them: a running total
    "B8*2",
    "SUM(C8:D8)",  # side by side
    "VLOOKUP(A9,$F$2:$G$5,2,0)",  # a table somewhere
    *("SUM(Other!B2:B8)", "COUNTIF(A:A,A9)", '"B2:B8"', "List[@n]"),
)
TOTALS = ("SUM(B2:B8)", "SUM(Data!$B$2:$B$8)", "SUM(2:8)/2", "SUM(List[n])", "COUNTA(B8:B8)")


@pytest.mark.parametrize("formula", NO_TOTALS + TOTALS)
def test_formulas_over_the_list_make_a_total(formula: str) -> None:
    assert is_total([formula.encode()], 9, "Data") is (formula in TOTALS)


def store_empty_text(path: Path) -> Path:
    """Store what a formula shows as Excel does: an empty text beside it."""
    form, empty = rb'<c r="C2"><f>(.*?)</f>.*?</c>', rb'<c r="C2" t="str"><f>\1</f><v></v></c>'
    return edit_parts(path, {SHEET: lambda content: re.sub(form, empty, content)})


@pytest.mark.parametrize("store", [lambda path: path, share_strings, store_empty_text])
@pytest.mark.parametrize("held", [" ", "\t", "\u00a0", '=IF(A2="","x","")'])
def test_nothing_is_written_over(tmp_path: Path, held: str, store: Callable[[Path], Path]) -> None:
    rows = [["email"], ["ana@firm.example.com", None, held], ["ben@firm.example.com"]]
    sheet = run_file(store(save(build_list(rows), tmp_path))).load()["Data"]
    assert sheet["C2"].value == held
    assert [sheet.cell(1, column).value for column in range(1, 6)] == [
        "email",
        None,
        None,
        "category",
        "domain_type",
    ]
    assert sheet["D2"].value == "white"


def test_formulas_without_a_stored_value_are_told(tmp_path: Path) -> None:
    rows = [
        ["email", "n", "gross"],
        *([*row, f"=B{place}*2"] for place, row in enumerate(PEOPLE, 2)),
    ]
    path = save(build_list(rows), tmp_path)  # openpyxl stores no values
    (notice,) = (
        one for one in run_file(path).outcome.notices if one.code == "formulas_without_values"
    )
    assert notice.count == 3
    assert notice.text.startswith("3 formulas have no value in this workbook")
    worked_out = edit_parts(path, {SHEET: store_values})
    assert all(one.code != notice.code for one in run_file(worked_out).outcome.notices)
