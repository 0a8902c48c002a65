"""Totals pass through; filters and tables take the added columns in; what a cell holds stays."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pytest
from openpyxl.worksheet.table import Table, TableColumn

from tests.lists.delimited_support import run_file
from tests.lists.xlsx_support import (
    BOOK,
    PEOPLE,
    SHEET,
    build_list,
    edit_parts,
    save,
    share_strings,
    store_values,
)
from tests.lists.zips import read_zip
from winnow.lists.formats.xlsx.read import is_total
from winnow.lists.formats.xlsx.write import write_filtered_xlsx
from winnow.lists.result.row_export import AddedCells


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
    header = [cell.value for cell in sheet[1]]
    assert header == ["email", None, None, "category", "domain_type"]
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


@pytest.mark.parametrize("width", [1, 2])
def test_an_address_without_a_stored_value_is_invalid(width: int, tmp_path: Path) -> None:
    rows = [["email", "n"], ['=LOWER("ANA@X.DE")', "=LEN(A2)"], [None, "=LEN(A3)"], ["ana@x.de"]]
    run = run_file(save(build_list([row[:width] for row in rows]), tmp_path))
    added = [row[width:] for row in run.read_sheet()]
    assert added[1:] == [("black", "invalid"), (None, None), ("white", "unlisted")]
    assert run.outcome.summary.invalid == 1


TABLE = "xl/tables/table1.xml"


def _filter(area: str, *, rows: list[list[Any]] | None = None) -> Any:
    workbook = build_list(rows or [["email", "n"], *PEOPLE])
    sheet = workbook.active
    sheet.auto_filter.ref = area
    sheet.auto_filter.add_sort_condition(area)
    return workbook


@pytest.mark.parametrize("deduplicate", [False, True])
def test_a_sheet_s_filter_and_its_hidden_name_take_the_columns_in(
    tmp_path: Path, *, deduplicate: bool
) -> None:
    workbook = _filter("A1:B4")
    workbook.create_sheet("Cover", 0)  # the name is that of the sheet's own tab
    run = run_file(save(workbook, tmp_path), deduplicate=deduplicate)
    last = 3 if deduplicate else 4
    result = run.load()["Data"]
    assert result.auto_filter.ref == f"A1:D{last}"
    assert result.auto_filter.sortState.ref == f"A1:D{last}"
    names = re.findall(rb"_FilterDatabase[^<]*!([^<!]*)</", read_zip(run.result_path)[BOOK])
    assert names == [b"$A$1:$D$%d" % last]


def test_a_filter_of_something_else_stays(tmp_path: Path) -> None:
    rows = [["email", "n"], ["ana@firm.example.com", 1, None, "x", "y"]]
    workbook = _filter("D1:E2", rows=rows)
    assert run_file(save(workbook, tmp_path)).load()["Data"].auto_filter.ref == "D1:E2"


def _tabulate(columns: list[str]) -> Any:
    workbook = build_list([columns, *PEOPLE])
    workbook.active.add_table(Table(displayName="List", ref="A1:B4"))
    return workbook


@pytest.mark.parametrize("is_table", [False, True], ids=["filter", "table"])
def test_a_download_with_more_columns_widens_them_again(tmp_path: Path, *, is_table: bool) -> None:
    workbook = _tabulate(["email", "n"]) if is_table else _filter("A1:B4")
    run = run_file(save(workbook, tmp_path), deduplicate=False)
    out, keep = tmp_path / "out.xlsx", np.array([True, False, True])
    texts = (("white", "unlisted", "no reason"),)
    added = AddedCells(np.zeros(3, np.uint32), texts, np.zeros(3, np.bool_))
    write_filtered_xlsx(
        run.result_path, keep, out, run.plan, added=added, extra_columns=("reason",)
    )
    sheet = openpyxl.load_workbook(out)["Data"]
    names = ["email", "n", "category", "domain_type", "reason"]
    assert [cell.value for cell in sheet[1]] == names
    held = sheet.tables["List"] if is_table else sheet
    assert (held.autoFilter if is_table else held.auto_filter).ref == "A1:E3"
    if is_table:
        assert held.ref == "A1:E3"
        assert [(column.id, column.name) for column in held.tableColumns] == [*enumerate(names, 1)]


def test_a_download_with_other_verdicts_alone_leaves_names_and_tables(tmp_path: Path) -> None:
    run = run_file(save(_tabulate(["email", "n"]), tmp_path), deduplicate=False)
    spaced = {TABLE: lambda content: content.replace(b'ref="A1:D4"', b'ref=" A1:D4 "')}
    result, out = edit_parts(run.result_path, spaced), tmp_path / "out.xlsx"
    texts, keep = (("black", "disposable"),), np.ones(3, np.bool_)
    added = AddedCells(np.zeros(3, np.uint32), texts, ~keep)
    write_filtered_xlsx(result, keep, out, run.plan, added=added)
    before, after = read_zip(result), read_zip(out)
    assert any(b"black" in after[part] and b"black" not in before[part] for part in after)
    assert b'ref=" A1:D4 "' in after[TABLE]
    assert after[BOOK] == before[BOOK]


def test_rows_with_a_formula_keep_a_verdict_that_is_stored(tmp_path: Path) -> None:
    rows = [[email, f"=ROW(A{row})"] for row, (email, _) in enumerate(PEOPLE, start=2)]
    run = run_file(save(build_list([["email", "n"], *rows]), tmp_path), deduplicate=False)
    out, keep = tmp_path / "out.xlsx", np.array([False, True, True])
    added = AddedCells(np.zeros(3, np.uint32), (("black", "disposable"),), np.ones(3, np.bool_))
    write_filtered_xlsx(run.result_path, keep, out, run.plan, added=added)
    before = [[cell.value for cell in row[2:]] for row in run.load()["Data"].iter_rows(min_row=3)]
    sheet = openpyxl.load_workbook(out)["Data"]
    assert [[cell.value for cell in row[2:]] for row in sheet.iter_rows(min_row=2)] == before


@pytest.mark.parametrize(
    ("columns", "change"),
    [
        (["email", "Category"], lambda content: content),
        (["email", "n"], lambda content: content.replace(b"<table ", b'<table tableType="xml" ')),
    ],
    ids=["a-name-that-differs-in-case", "a-table-of-another-source"],
)
def test_a_table_that_cannot_take_them_stays(
    tmp_path: Path, columns: list[str], change: Any
) -> None:
    """Excel mends a file whose table has two columns of one name, whatever their case."""
    path = edit_parts(save(_tabulate(columns), tmp_path), {TABLE: change})
    table = run_file(path).load()["Data"].tables["List"]
    assert table.ref == "A1:B3"
    assert all(isinstance(column, TableColumn) for column in table.tableColumns)
    assert len(table.tableColumns) == 2
