"""A workbook goes in and comes out whole: openpyxl compares both."""

import datetime
from pathlib import Path
from typing import Any

import pytest
from openpyxl.styles import Font, PatternFill
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.table import Table

from tests.lists.delimited_support import TRASH, find_plan, run_file
from tests.lists.xlsx_support import SHEET, build_list, edit_parts, save, store_values
from winnow.core.errors import BrokenFile
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.input_head import Choices
from winnow.lists.engine.row_ranks import RowRanks
from winnow.lists.format_registry import find_format
from winnow.lists.inspect import read_head
from winnow.lists.list_source import ReadOptions
from winnow.lists.requests import RowsRequest

OTHER = "xl/worksheets/sheet2.xml"
EMAILS = ["a@firm.example.com", "b@firm.example.com", "a@firm.example.com"]
WHEN = datetime.datetime(2024, 2, 29, 13, 45)  # noqa: DTZ001 - cells have no zone


def _build_rich() -> Any:
    """Row 3 is an earlier duplicate of row 6: every row from 4 on moves up by one."""
    workbook = build_list(
        [
            ["id", "email", "when", "amount", "double"],
            ["0001", "ana@firm.example.com", WHEN, 12.5, "=D2*2"],
            ["0002", "dup@firm.example.com", WHEN, 1, "=D3*2"],
            ["0003", f"x@{TRASH}", WHEN, 7, "=D4*2"],
            ["0004", "not an address", WHEN, 8, "=D5*2"],
            ["0005", "DUP@Firm.example.com ", WHEN, 9, "=D6+D3"],
            ["0006", "info@firm.example.com", None, True, "=SUM(D$2:D7)"],
        ]
    )
    sheet = workbook.active
    sheet.column_dimensions["B"].width = 31.5
    sheet["B1"].font = sheet["E1"].font = Font(bold=True)
    for row in range(2, 8):
        sheet.cell(row, 4).number_format = "#,##0.00"
    sheet.row_dimensions[5].hidden = True
    sheet["B4"].fill = PatternFill("solid", fgColor="FFFF00")
    sheet.merge_cells("A10:C11")
    sheet["A10"] = None
    other = workbook.create_sheet("Other")
    other["A1"] = "=SUM(Data!D2:D7)"
    other["A2"] = "=Data!D4"
    other["A3"] = '="Data!D4"&Other!D4'
    other["B7"] = WHEN
    return workbook


def test_the_workbook_is_kept_and_rows_move_with_what_points_at_them(tmp_path: Path) -> None:
    run = run_file(save(_build_rich(), tmp_path))
    workbook = run.load()
    sheet = workbook["Data"]
    assert [cell.value for cell in sheet["E"][:6]] == [
        "double",
        "=D2*2",
        "=D3*2",
        "=D4*2",
        "=D5+#REF!",
        "=SUM(D$2:D6)",
    ]
    assert sheet["F1"].font.bold
    assert sheet["C3"].number_format == "yyyy-mm-dd h:mm:ss"
    assert sheet["D3"].number_format == "#,##0.00"
    assert sheet["B3"].fill.fgColor.rgb == "00FFFF00"
    assert sheet.column_dimensions["B"].width == 31.5
    assert sheet.row_dimensions[4].hidden
    assert not sheet.row_dimensions[5].hidden
    other = workbook["Other"]
    assert [other[name].value for name in ("A1", "A2", "A3")] == [
        "=SUM(Data!D2:D6)",
        "=Data!D3",
        '="Data!D4"&Other!D4',
    ]
    assert other["B7"].value == WHEN
    assert sheet.dimensions == "A1:G10"
    assert workbook.calculation.fullCalcOnLoad
    summary = run.outcome.summary
    assert (summary.rows_in, summary.rows_out, summary.duplicates_removed) == (6, 5, 1)
    assert (summary.invalid, summary.charged) == (1, 4)
    assert summary.by_category == {"white": 3, "black": 2}
    assert summary.by_domain_type == {"unlisted": 3, "disposable": 1, "invalid": 1}
    assert run.list_lines()[:2] == [
        "0001,ana@firm.example.com,2024-02-29 13:45:00,12.5,",
        f"0003,x@{TRASH},2024-02-29 13:45:00,7,",
    ]
    assert not list(run.result_path.parent.glob("pass.*"))
    codes = {notice.code for notice in run.outcome.notices}
    assert codes == {"formulas_replaced", "formulas_without_values"}


def test_the_progress_of_reading_does_not_go_back(tmp_path: Path) -> None:
    rows = [["email"], *([f"u{number}@firm.example.com"] for number in range(200))]
    path = save(build_list(rows), tmp_path)
    told: list[int] = []

    def report(rows: int, total: int | None, done_bytes: int) -> None:
        told.append(done_bytes)

    request = RowsRequest(path, find_plan(path), tmp_path, block_bytes=64, report=report)
    with find_format(FileFormat.XLSX).open_source(request) as source:
        blocks = [source.bytes_done for _ in source.read(ReadOptions({}, RowRanks()))]
        assert len(blocks) > 2
        assert [*told, *blocks] == sorted([*told, *blocks])
        assert blocks[-1] == source.size_bytes


def test_a_value_that_may_be_out_of_date_is_not_kept(tmp_path: Path) -> None:
    """LibreOffice shows stored values even where the workbook asks for new ones."""

    def store(content: bytes) -> bytes:
        return store_values(content).replace(b"&amp;#", b"&#")

    workbook = build_list([["email", "n"], *([email, "=2+1"] for email in EMAILS)], title="O'Brien")
    names = {"Late": "Twice+1", "Twice": "2*SUM(Übersicht)", "Übersicht": "'O''Brien'!$B$2:$B$4"}
    for name, text in names.items():
        workbook.defined_names[name] = DefinedName(name, attr_text=text)
    other = workbook.create_sheet("Other")
    values = {
        "=SUM('O''Brien'!B2:B4)": None,
        "=COUNTA('O''Brien'!A:A)": None,
        "=SUM(List[n])": None,
        **dict.fromkeys(("=SUM(Übersicht)", "=SUM(&#220;bersicht)", "=Twice", "=Late")),
        "='O''Brien'!B3*2": 41,
        "=SUM('O''Brien'!B3:B4)": 41,
    }
    for formula in values:
        other.append([formula, "=A1"])
    path = edit_parts(save(workbook, tmp_path), dict.fromkeys((OTHER, SHEET), store))
    result = run_file(path).load(data_only=True)
    assert [cell.value for cell in result["Other"]["A"]] == list(values.values())
    assert [cell.value for cell in result["Other"]["B"]] == [41] * len(values)
    assert [cell.value for cell in result["O'Brien"]["B"]] == ["n", 41, 41]


def test_a_table_shrinks_with_its_rows_and_its_totals_pass_through(tmp_path: Path) -> None:
    workbook = build_list(
        [["email", "n"], ["a@firm.example.com", 1], ["a@firm.example.com", 2], ["Total", 3]]
    )
    table = Table(displayName="List", ref="A1:B4", totalsRowCount=1)
    workbook.active.add_table(table)
    run = run_file(save(workbook, tmp_path))
    sheet = run.load()["Data"]
    assert sheet.tables["List"].ref == "A1:D3"
    assert run.read_sheet() == [
        ("email", "n", "category", "domain_type"),
        ("a@firm.example.com", 2, "white", "unlisted"),
        ("Total", 3, None, None),
    ]
    assert run.outcome.summary.rows_in == 2
    assert run.outcome.notices[0].code == "totals_row"


def test_blank_rows_pass_and_blank_emails_are_invalid(tmp_path: Path) -> None:
    blank = [[one, None] for one in (None, " ", "_x000B_", "_x001A_ _x000C_")]
    rows = [["email", "n"], ["", 1], *blank, [None, 1], ["ana@firm.example.com", 2]]
    run = run_file(save(build_list(rows), tmp_path))
    found = run.read_sheet()
    assert [row[:2] for row in found[2:6]] == [tuple(row) for row in blank]
    assert [row[2:] for row in found] == [
        ("category", "domain_type"),
        ("black", "invalid"),
        *[(None, None)] * 4,
        ("black", "invalid"),
        ("white", "unlisted"),
    ]
    assert (run.outcome.summary.rows_in, run.outcome.summary.invalid) == (3, 2)


def test_a_header_without_a_name_is_the_header_of_one_column_too(tmp_path: Path) -> None:
    path = save(build_list([["\ufeff"], *([email] for email in EMAILS)]), tmp_path)
    run = run_file(path, plan=find_plan(path, Choices(has_header=True), column=0))
    assert run.plan.columns == ("",)  # without the byte order mark
    assert [row[0] for row in run.read_sheet()[1:]] == EMAILS[1:]
    assert run.outcome.summary.duplicates_removed == 1


def test_titles_stay_and_only_a_header_s_merged_cells_make_room(tmp_path: Path) -> None:
    rows = [["Our list"], [], ["n", "email", "parts"], [1, "ana@firm.example.com", 2]]
    workbook = build_list(rows)
    for area in ("A1:H1", "C3:E3"):
        workbook.active.merge_cells(area)
    path = save(workbook, tmp_path)
    (notice,) = read_head(path, path.name).notices
    assert (notice.code, notice.count) == ("header_below_top", 1)
    run = run_file(path)
    title, _, header, row = run.read_sheet()
    assert title[0] == "Our list"
    assert header == ("n", "email", "parts", None, None, "category", "domain_type", None)
    assert row == (1, "ana@firm.example.com", 2, None, None, "white", "unlisted", None)
    merged = run.load()["Data"].merged_cells.ranges
    assert sorted(str(area) for area in merged) == ["A1:H1", "C3:E3"]


def test_formatted_empty_cells_make_room(tmp_path: Path) -> None:
    workbook = build_list([["email"], ["ana@firm.example.com"]])
    for column in "BCD":
        workbook.active[f"{column}2"].font = Font(bold=True)
    run = run_file(save(workbook, tmp_path))
    assert run.read_sheet() == [
        ("email", "category", "domain_type", None),
        ("ana@firm.example.com", "white", "unlisted", None),
    ]


@pytest.mark.slow
def test_a_sheet_at_its_last_column_is_refused(tmp_path: Path) -> None:
    workbook = build_list([["email"], ["ana@firm.example.com"]])
    workbook.active["XFC1"] = "last"
    with pytest.raises(BrokenFile, match="no room"):
        run_file(save(workbook, tmp_path))
