"""Repaired lists: each row has the verdict of its repaired address; openpyxl reads workbooks."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from openpyxl.styles import Font

from tests.lists.delimited_support import (
    JUDGE,
    MadeList,
    Record,
    Run,
    find_kept,
    find_plan,
    run_file,
    run_list,
    scratch_folder,
)
from tests.lists.test_delimited_properties import EMAILS, made_lists
from tests.lists.xlsx_support import SHEET, build_list, edit_parts, save, store_values
from tests.tables import read_csv
from winnow.core.addresses.repair_kinds import RepairKind
from winnow.core.judging.judge import judge_text
from winnow.core.lists.rows import RowFilter
from winnow.core.tasks.repair_choice import SAFE_REPAIRS, RepairChoice, RepairPlace
from winnow.core.tasks.run_request import RunRequest

EVERYTHING = RepairChoice(
    frozenset(RepairKind),
    {"gmial.com": "gmail.com", "gmailcom": "gmail.com"},
    {"mailto:ana@frei.de": None, "ana @firma.de": None, "bob@gmial.com": None},
)
SINGLES = RepairChoice(
    singles={
        "mailto:ana@frei.de": "ana@frei.de",
        "ana@frei.de; b@frei.de": "b@frei.de",
        "bob@gmial.com": "bob@gmail.com",
        "ana@gmailcom": "ana@gmail.com",
    }
)
CHOICES = {"safe": SAFE_REPAIRS, "everything": EVERYTHING, "singles": SINGLES}
ODD = st.sampled_from(
    (
        "Ana <ana@frei.de>", "mailto:ana@frei.de", "ana @firma.de", "ana@frei.de.", "'ana@frei.de'",
        "bob@gmial.com", "ana@gmailcom", "ana\uff20frei.de", "ana@frei.de; b@frei.de",
        "ana@frei.de, ana@frei.de", "ana\u00a0@frei.de", "Mr. ana@frei.de", '"ana" <ana@frei.de>',
        "ana\n@frei.de", "\u00dcnal <ana@frei.de>", "ana@frei,de", "ana(at)frei.de",
        "Ana [ AT ] frei.de",
    )
)  # fmt: skip
LETTERS = "an@.,;'\"<>() \u00a0\u200b\uff20\uff41\u00fc=+"
VALUES = st.builds(
    "{}ana@frei.de{}".format, st.text(LETTERS, max_size=3), st.text(LETTERS, max_size=3)
)


@pytest.mark.parametrize("choice", CHOICES.values(), ids=CHOICES)
@pytest.mark.parametrize("place", RepairPlace)
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(made=made_lists(ODD | VALUES | EMAILS), deduplicate=st.booleans())
def test_rows_are_judged_and_kept_by_their_repaired_addresses(
    choice: RepairChoice, place: RepairPlace, made: MadeList, deduplicate: bool
) -> None:
    if not made.rows():
        return
    choice = replace(choice, place=place)
    repairs = {id(row): choice.apply(made.email_of(row)) for row in made.rows()}

    def settle(row: Record) -> str:
        repair = repairs[id(row)]
        return repair.new if repair else made.email_of(row)

    kept = made.kept(deduplicate=deduplicate, settle=settle)
    stays = set(map(id, kept))

    def add(row: Record) -> tuple[str, ...] | None:
        verdict = judge_text(JUDGE, settle(row)).verdict
        beside = settle(row) if place is RepairPlace.COLUMN else made.email_of(row)
        added = (beside, verdict.category.value, verdict.domain_type.value)
        return added if id(row) in stays else None

    with scratch_folder() as folder:
        done = run_list(
            made.data, made.plan, Path(folder),
            deduplicate=deduplicate, options=RunRequest(repair=choice), block_bytes=100,
        )  # fmt: skip
        page = done.rows.page(RowFilter(), 0, 100)
    assert [row.email for row in page.rows] == [settle(row) for row in kept]
    kinds = Counter(repair.kind.value for row in kept if (repair := repairs[id(row)]))
    assert done.outcome.summary.repaired == kinds
    extra = "email_repaired" if place is RepairPlace.COLUMN else "email_original"
    rows = read_cells(made, made.write((extra, "category", "domain_type"), add))
    if place is RepairPlace.REPLACE:
        for cells, row in zip(rows[len(rows) - len(kept) :], kept, strict=True):
            cells[made.column] = settle(row)
    assert read_cells(made, done.result) == rows
    position = 0
    for row in kept:  # what is not repaired stays byte for byte
        if place is RepairPlace.COLUMN or repairs[id(row)] is None:
            raw = row.raw.encode(made.encoding, "surrogatepass")
            position = done.result.index(raw, position) + len(raw)


def read_cells(made: MadeList, content: bytes) -> list[list[str]]:
    """Return the cells of a result's rows as Python's csv reads them."""
    text = content.removeprefix(made.bom).decode(made.encoding, "surrogatepass")
    return [row for row in read_csv(text, made.delimiter, strict=False) if len(row) > 1]


PEOPLE: tuple[str | None, ...] = (
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


def repair_book(path: Path, place: RepairPlace, *, deduplicate: bool = False) -> Run:
    options = RunRequest(repair=replace(CHOICE, place=place))
    return run_file(path, plan=find_plan(path, column=1), deduplicate=deduplicate, options=options)


@pytest.mark.parametrize("deduplicate", [False, True])
@pytest.mark.parametrize("place", RepairPlace)
def test_a_workbook(place: RepairPlace, deduplicate: bool, tmp_path: Path) -> None:
    repairs = [CHOICE.apply(email or "") for email in PEOPLE]
    judged = [one.new if one else email for one, email in zip(repairs, PEOPLE, strict=True)]
    kept = find_kept(judged) if deduplicate else list(range(len(PEOPLE)))
    verdicts = [judge_text(JUDGE, email or "").verdict for email in judged]
    is_column = place is RepairPlace.COLUMN
    own, beside = (PEOPLE, judged) if is_column else (judged, PEOPLE)

    run = repair_book(save(make_book(PEOPLE), tmp_path), place, deduplicate=deduplicate)
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
    run = repair_book(save(make_book(emails), tmp_path), RepairPlace.REPLACE)
    assert [row[3] for row in run.read_sheet()[1:]] == list(emails)


def test_cells_with_formulas_are_never_replaced(tmp_path: Path) -> None:
    def store(sheet: bytes) -> bytes:
        text = sheet.replace(b'<c r="B2"', b'<c r="B2" t="str"')
        return store_values(text, b"Ana &lt;1@x.de&gt;")

    book = make_book(('=A2&"@x.de"', "Ana <ana@x.de>"))
    run = repair_book(edit_parts(save(book, tmp_path), {SHEET: store}), RepairPlace.REPLACE)
    assert run.rows.columns[-1] == "email_repaired"
    assert run.load()["Data"]["B2"].value == '=A2&"@x.de"'
    assert run.read_sheet()[2][3] == "ana@x.de"
    assert [notice.code for notice in run.outcome.notices if "repair" in notice.code] == [
        "repaired_beside"
    ]
