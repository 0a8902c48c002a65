"""Totals below, above and within a list pass through; what a cell holds, blanks too, stays."""

import re
from pathlib import Path

import numpy as np
import openpyxl
import pytest

from tests.lists.xlsx_support import (
    build_list,
    edit_parts,
    run_batch,
    save,
    share_strings,
    store_values,
)
from winnow.lists.formats.xlsx.filter import write_filtered_xlsx
from winnow.lists.formats.xlsx.scan import is_total

SHEET = "xl/worksheets/sheet1.xml"
PEOPLE = [["ana@firm.example.com", 1], ["ben@firm.example.com", 2], ["ana@firm.example.com", 4]]


def test_totals_below_the_list_are_no_rows_of_it(tmp_path: Path) -> None:
    totals = [["", "=SUM(B2:B4)"], [None, "=AVERAGE(B2:B4)"], [], ["", "=SUBTOTAL(9,$B$1:$B$5)"]]
    workbook = build_list([["email", "n"], *PEOPLE, *totals])
    path = edit_parts(save(workbook, tmp_path), {SHEET: store_values})
    run = run_batch(path)
    assert run.outcome.summary.rows_in == 3
    assert run.outcome.summary.invalid == 0
    assert [row[1:] for row in run.rows()] == [
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
    assert len(run.index_lines()) == 2


def test_a_download_knows_totals_whose_rows_all_went(tmp_path: Path) -> None:
    rows = [["email", "n"], *PEOPLE[1:], ["", "=SUM(B2:B3)"], ["", "note"]]
    run = run_batch(edit_parts(save(build_list(rows), tmp_path), {SHEET: store_values}))
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
    summary = run_batch(edit_parts(path, {SHEET: store_values})).outcome.summary
    assert (summary.rows_in, summary.invalid) == (rows_in, 0)


@pytest.mark.parametrize(
    "formula",
    [
        "SUM(B$2:B9)",  # its own row among them: a running total
        "B8*2",
        "SUM(C8:D8)",  # side by side
        "VLOOKUP(A9,$F$2:$G$5,2,0)",  # a table somewhere
        "SUM(Other!B2:B8)",
        "COUNTIF(A:A,A9)",
        '"B2:B8"',
        "List[@n]",
    ],
)
def test_other_formulas_make_no_total(formula: str) -> None:
    assert not is_total([formula.encode()], 9, "Data")


@pytest.mark.parametrize(
    "formula", ["SUM(B2:B8)", "SUM(Data!$B$2:$B$8)", "SUM(2:8)/2", "SUM(List[n])", "COUNTA(B8:B8)"]
)
def test_formulas_over_the_list_make_a_total(formula: str) -> None:
    assert is_total([formula.encode()], 9, "Data")


@pytest.mark.parametrize("is_shared", [False, True], ids=["inline-strings", "shared-strings"])
@pytest.mark.parametrize("held", [" ", "\t", "\u00a0", '=IF(A2="","x","")'])
def test_nothing_is_written_over(tmp_path: Path, held: str, *, is_shared: bool) -> None:
    rows = [["email"], ["ana@firm.example.com", None, held], ["ben@firm.example.com"]]
    path = save(build_list(rows), tmp_path)
    sheet = run_batch(share_strings(path) if is_shared else path).load()["Data"]
    assert sheet["C2"].value == held
    assert [sheet.cell(1, column).value for column in range(1, 6)] == [
        "email",
        None,
        None,
        "category",
        "domain_type",
    ]
    assert sheet["D2"].value == "white"


def test_a_formula_that_shows_nothing_is_not_written_over(tmp_path: Path) -> None:
    """As Excel stores it: an empty text beside the formula."""

    def store(content: bytes) -> bytes:
        empty = rb'<c r="C2" t="str"><f>\1</f><v></v></c>'
        return re.sub(rb'<c r="C2"><f>(.*?)</f>.*?</c>', empty, content)

    rows = [["email"], ["ana@firm.example.com", None, '=IF(A2="","x","")']]
    path = edit_parts(save(build_list(rows), tmp_path), {SHEET: store})
    sheet = run_batch(path).load()["Data"]
    assert sheet["C2"].value == '=IF(A2="","x","")'
    assert sheet["D1"].value == "category"


def test_formulas_without_a_stored_value_are_told(tmp_path: Path) -> None:
    rows = [
        ["email", "n", "gross"],
        *([*row, f"=B{place}*2"] for place, row in enumerate(PEOPLE, 2)),
    ]
    path = save(build_list(rows), tmp_path)  # openpyxl stores no values
    (notice,) = (
        one for one in run_batch(path).outcome.notices if one.code == "formulas_without_values"
    )
    assert notice.count == 3
    assert notice.text.startswith("3 formulas have no value in this workbook")
    worked_out = edit_parts(path, {SHEET: store_values})
    assert all(one.code != notice.code for one in run_batch(worked_out).outcome.notices)
