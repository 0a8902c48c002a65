"""Repaired workbooks, read by openpyxl: an added column, replaced cells, formulas."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.styles import Font

from tests.lists.delimited_support import run_file
from tests.lists.xlsx_support import Run, build_judge, edit_parts, save
from winnow.core.addresses.address import duplicate_key
from winnow.core.lists.rows import RowFilter
from winnow.core.tasks.repair_choice import SAFE_REPAIRS, RepairChoice, RepairPlace
from winnow.core.tasks.run_options import RunOptions
from winnow.core.verdicts.judge import judge_text
from winnow.lists.inspection.inspect import plan_input, read_head
from winnow.lists.result.result_rows import ResultRows

EMAILS: tuple[str | None, ...] = (
    "Ana <ana@x.de>",
    "ana@x.de",
    "bob @trash.example.com",
    None,
    "no address",
    '"Ana, M." <m@x.de>',
    "cleo@gmail,com",
    "cleo@gmail.com",
    "a@b.de; c@d.de",
    "dora@gmial.com",
    "info@x.de.",
)
REPEATS = 40  # more rows than are looked at before
CHOICE = replace(SAFE_REPAIRS, domains={"gmial.com": "gmail.com"})


def make_book(emails: tuple[Any, ...]) -> Any:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Data"
    sheet.append(["id", "email", "note"])
    for number, email in enumerate(emails, start=1):
        sheet.append([number, email, f"note {number}"])
        sheet.cell(number + 1, 2).font = Font(bold=True)
    sheet.auto_filter.ref = f"A1:C{sheet.max_row}"
    return book


def clean(
    path: Path, place: RepairPlace, *, deduplicate: bool = False, choice: RepairChoice = CHOICE
) -> tuple[Run, ResultRows]:
    plan = plan_input(read_head(path, path.name), email_column=1)
    options = RunOptions(replace(choice, place=place))
    done = run_file(path, plan=plan, judge=build_judge(), deduplicate=deduplicate, options=options)
    return Run(done.outcome, done.folder / "result", plan), done.rows


def expect(place: RepairPlace, *, deduplicate: bool) -> tuple[list[tuple[Any, ...]], int]:
    """Return the sheet's rows that stay, and how many are repaired."""
    rows, judged = [], []
    for number, email in enumerate(EMAILS * REPEATS, start=1):
        repair = CHOICE.apply(email or "")
        new = repair.new if repair else email
        verdict = judge_text(build_judge(), new or "").verdict
        own = [number, new if place is RepairPlace.REPLACE else email, f"note {number}"]
        beside = new if place is RepairPlace.COLUMN else email
        rows.append((*own, beside, verdict.category.value, verdict.domain_type.value))
        judged.append((duplicate_key(new or ""), repair is not None))
    last = {key: number for number, (key, _) in enumerate(judged)}
    kept = [
        number
        for number, (key, _) in enumerate(judged)
        if not deduplicate or not key or last[key] == number
    ]
    return [rows[number] for number in kept], sum(judged[number][1] for number in kept)


@pytest.mark.parametrize("deduplicate", [False, True])
@pytest.mark.parametrize("place", RepairPlace)
def test_a_workbook(place: RepairPlace, deduplicate: bool, tmp_path: Path) -> None:
    path = save(make_book(EMAILS * REPEATS), tmp_path)
    run, rows = clean(path, place, deduplicate=deduplicate)
    expected, count = expect(place, deduplicate=deduplicate)
    is_column = place is RepairPlace.COLUMN
    beside = "email_repaired" if is_column else "email_original"
    header, *found = run.rows()
    assert header == ("id", "email", "note", beside, "category", "domain_type")
    assert [tuple(cell or None for cell in row) for row in found] == expected
    sheet = run.load()["Data"]
    assert all(sheet.cell(row, 2).font.bold for row in range(2, sheet.max_row + 1))
    assert sheet.auto_filter.ref == f"A1:F{sheet.max_row}"
    assert sum(run.outcome.summary.repaired.values()) == count
    page = rows.page(RowFilter(), 0, 1000)
    column = 3 if is_column else 1
    assert [row.email for row in page.rows] == [row[column] or "" for row in expected]


def test_what_xml_cannot_say_is_spelt_in_an_added_cell_as_it_was(tmp_path: Path) -> None:
    emails = ("a_x0001_b@x.de", "_x005F_x0041_@x.de", "Ana <ana@x.de>")
    run, _ = clean(save(make_book(emails), tmp_path), RepairPlace.REPLACE)
    assert [row[3] for row in run.rows()[1:]] == list(emails)


def test_cells_with_formulas_are_never_replaced(tmp_path: Path) -> None:
    book = make_book(('=A2&"@x.de"', "Ana <ana@x.de>"))
    path = edit_parts(save(book, tmp_path), {"xl/worksheets/sheet1.xml": give_formula_a_value})
    run, rows = clean(path, RepairPlace.REPLACE)
    assert rows.columns[-1] == "email_repaired"
    assert run.load()["Data"]["B2"].value == '=A2&"@x.de"'
    assert run.rows()[2][3] == "ana@x.de"
    assert [notice.code for notice in run.outcome.notices if "repair" in notice.code] == [
        "repaired_beside"
    ]


def give_formula_a_value(sheet: bytes) -> bytes:
    """Write what Excel keeps beside a formula; openpyxl writes none."""
    written, count = re.subn(
        rb'(<c r="B2"[^>]*?)(?: t="[a-z]+")?>(<f>.*?</f>)<v ?/?>(?:</v>)?',
        rb'\1 t="str">\2<v>Ana &lt;1@x.de&gt;</v>',
        sheet,
    )
    assert count == 1
    return written
