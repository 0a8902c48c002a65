"""Repaired workbooks, read by openpyxl: an added column, replaced cells, formulas."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from openpyxl.styles import Font

from tests.lists.delimited_support import JUDGE, Run, find_kept, find_plan, run_file
from tests.lists.xlsx_support import SHEET, build_list, edit_parts, save
from winnow.core.lists.rows import RowFilter
from winnow.core.tasks.repair_choice import SAFE_REPAIRS, RepairPlace
from winnow.core.tasks.run_options import RunOptions
from winnow.core.verdicts.judge import judge_text

EMAILS: tuple[str | None, ...] = (
    *("Ana <ana@x.de>", "ana@x.de", "bob @trash.example.com", None, "no address"),
    *('"Ana, M." <m@x.de>', "cleo@gmail,com", "cleo@gmail.com", "a@b.de; c@d.de"),
    *("dora@gmial.com", "info@x.de."),
) * 40  # more rows than are looked at before
CHOICE = replace(SAFE_REPAIRS, domains={"gmial.com": "gmail.com"})


def make_book(emails: tuple[str | None, ...]) -> Any:
    rows = [[number, email, f"note {number}"] for number, email in enumerate(emails, start=1)]
    book = build_list([["id", "email", "note"], *rows])
    for (cell,) in book.active.iter_rows(2, min_col=2, max_col=2):
        cell.font = Font(bold=True)
    book.active.auto_filter.ref = f"A1:C{len(emails) + 1}"
    return book


def clean(path: Path, place: RepairPlace, *, deduplicate: bool = False) -> Run:
    options = RunOptions(replace(CHOICE, place=place))
    return run_file(path, plan=find_plan(path, column=1), deduplicate=deduplicate, options=options)


@pytest.mark.parametrize("deduplicate", [False, True])
@pytest.mark.parametrize("place", RepairPlace)
def test_a_workbook(place: RepairPlace, deduplicate: bool, tmp_path: Path) -> None:
    repairs = [CHOICE.apply(email or "") for email in EMAILS]
    judged = [one.new if one else email for one, email in zip(repairs, EMAILS, strict=True)]
    kept = find_kept(judged) if deduplicate else list(range(len(EMAILS)))
    verdicts = [judge_text(JUDGE, email or "").verdict for email in judged]
    is_column = place is RepairPlace.COLUMN
    own, beside = (EMAILS, judged) if is_column else (judged, EMAILS)

    run = clean(save(make_book(EMAILS), tmp_path), place, deduplicate=deduplicate)
    header, *found = run.read_sheet()
    name = "email_repaired" if is_column else "email_original"
    assert header == ("id", "email", "note", name, "category", "domain_type")
    assert [tuple(cell or None for cell in row) for row in found] == [
        (n + 1, own[n], f"note {n + 1}", beside[n], verdicts[n].category, verdicts[n].domain_type)
        for n in kept
    ]
    sheet = run.load()["Data"]
    assert all(sheet.cell(row, 2).font.bold for row in range(2, sheet.max_row + 1))
    assert sheet.auto_filter.ref == f"A1:F{sheet.max_row}"
    assert sum(run.outcome.summary.repaired.values()) == sum(bool(repairs[n]) for n in kept)
    page = run.rows.page(RowFilter(), 0, 1000)
    assert [row.email for row in page.rows] == [judged[n] or "" for n in kept]


def test_what_xml_cannot_say_is_spelt_in_an_added_cell_as_it_was(tmp_path: Path) -> None:
    emails = ("a_x0001_b@x.de", "_x005F_x0041_@x.de", "Ana <ana@x.de>")
    run = clean(save(make_book(emails), tmp_path), RepairPlace.REPLACE)
    assert [row[3] for row in run.read_sheet()[1:]] == list(emails)


def test_cells_with_formulas_are_never_replaced(tmp_path: Path) -> None:
    book = make_book(('=A2&"@x.de"', "Ana <ana@x.de>"))
    run = clean(
        edit_parts(save(book, tmp_path), {SHEET: give_formula_a_value}), RepairPlace.REPLACE
    )
    assert run.rows.columns[-1] == "email_repaired"
    assert run.load()["Data"]["B2"].value == '=A2&"@x.de"'
    assert run.read_sheet()[2][3] == "ana@x.de"
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
