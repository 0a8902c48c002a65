"""Filters and tables take the added columns in: sorting keeps verdicts beside their rows."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pytest
from openpyxl.worksheet.table import Table, TableColumn

from tests.lists.delimited_support import run_file
from tests.lists.xlsx_support import BOOK, PEOPLE, build_list, edit_parts, save
from tests.lists.zips import read_zip
from winnow.lists.formats.xlsx.rewrite import write_filtered_xlsx
from winnow.lists.result.row_export import AddedCells

TABLE = "xl/tables/table1.xml"


def _give_reason(row_count: int) -> AddedCells:
    texts = (("white", "unlisted", "no reason"),)
    return AddedCells(np.zeros(row_count, np.uint32), texts, np.zeros(row_count, np.bool_))


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


def _tabulate(columns: list[str], **more: Any) -> Any:
    workbook = build_list([columns, *PEOPLE])
    table = Table(displayName="List", ref="A1:B4", **more)
    workbook.active.add_table(table)
    return workbook


@pytest.mark.parametrize("is_table", [False, True], ids=["filter", "table"])
def test_a_download_with_more_columns_widens_them_again(tmp_path: Path, *, is_table: bool) -> None:
    workbook = _tabulate(["email", "n"]) if is_table else _filter("A1:B4")
    run = run_file(save(workbook, tmp_path), deduplicate=False)
    out, keep = tmp_path / "out.xlsx", np.array([True, False, True])
    added = _give_reason(3)
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
