"""However a workbook is spelled, each row keeps its own cells, verdict and links.

openpyxl says what is in the workbooks before and after.
"""

import random
import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import openpyxl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from openpyxl.styles import Font
from openpyxl.worksheet.hyperlink import Hyperlink

from tests.lists.delimited_support import JUDGE, TRASH, find_kept, find_plan, run_file
from tests.lists.spellings import SPELLINGS, respell
from tests.lists.xlsx_support import BOOK, RELATIONS, SHEET, build_list, edit_parts, save
from winnow.core.judging.judge import judge_text
from winnow.core.lists.exports import Export
from winnow.core.lists.rows import Variant
from winnow.core.verdicts.verdict import Category
from winnow.lists.engine.row_ranks import RowRanks
from winnow.lists.format_registry import write_export
from winnow.lists.formats.xlsx import archive as xlsx_archive
from winnow.lists.list_source import ReadOptions
from winnow.lists.preview import open_part
from winnow.lists.requests import RewriteRequest, RowsRequest

ADDRESSES = (
    "ana@firm.example.com",
    " Ana@FIRM.example.com",
    f"x+tag@{TRASH}",
    "info@münchen.example",
    "no at sign",
    "a&b@firm.example.com",
    "Ana <ana@firm.example.com>",
    "b'quote@firm.example.com",
    "u1@x.org",
    "u2@x.org",
)
OTHERS = (
    "x > y", "]", 'say "so"', "line\nbreak", "tab\tbed", "ü€", 7, True,
    "r='A9'", "t='s'", "a='b' > c", "'",
)  # fmt: skip
Values = tuple[Any, ...]


@dataclass(frozen=True)
class Table:
    """A list as it is in a sheet: its rows by number, the header first, some of them blank."""

    rows: dict[int, Values]
    email_column: int


def draw_table(dice: random.Random, row_count: int) -> Table:
    """Return a list with a title above it or none, gaps, blank rows and doubled addresses."""
    width = dice.randint(1, 5)
    column = dice.randrange(width)
    number = dice.choice([1, 1, 1, 3])
    header = tuple("email" if place == column else f"head {place}" for place in range(width))
    rows: dict[int, Values] = {number: header}
    for _ in range(row_count):
        number += dice.choice([1, 1, 1, 1, 2, 3])
        values = [dice.choice((*OTHERS, None, None)) for _ in range(width)]
        values[column] = dice.choice(ADDRESSES)
        rows[number] = tuple(values) if dice.random() < 0.9 else ()
    return Table(rows, column)


def write(table: Table, path: Path, names: Collection[str]) -> Path:
    """Write a list with links, and formulas about it in a second sheet, in some spellings."""
    book = build_list([])
    sheet, check = book.active, book.create_sheet("Check")
    letter = "ABCDE"[table.email_column]
    for number, values in table.rows.items():
        check.cell(number, 1, f"=Data!${letter}${number}")
        for column, value in enumerate(values, start=1):
            cell = sheet.cell(number, column, value)
            if value is None and number % 2:
                cell.font = Font(bold=True)  # an empty cell, and not none
        if values:
            text = values[table.email_column]
            ref = f"{letter}{number}"
            sheet[ref].hyperlink = Hyperlink(ref=ref, location="Check!A1", tooltip=text)
    return respell(save(book, path.parent, path.name), names)


def expect(
    table: Table, *, deduplicate: bool = True, is_cleaned: bool = False
) -> dict[int, Values]:
    """Return the rows that stay by their old numbers; ``is_cleaned``: without black ones."""
    (first, header), *rows = table.rows.items()
    emails = [row[table.email_column] if row else None for _, row in rows]
    expected = {first: (*header, "category", "domain_type")}
    for place in find_kept(emails) if deduplicate else range(len(rows)):
        (number, row), verdict = rows[place], judge_text(JUDGE, emails[place] or "").verdict
        if not (row and is_cleaned and verdict.category is Category.BLACK):
            expected[number] = (*row, verdict.category, verdict.domain_type) if row else row
    return expected


def list_filled(rows: dict[int, Values]) -> dict[int, Values]:
    """Return rows that hold something, without the empty cells at their ends."""
    plain = {number: [None if cell == "" else cell for cell in row] for number, row in rows.items()}
    for row in plain.values():
        while row and row[-1] is None:
            row.pop()
    return {number: tuple(row) for number, row in plain.items() if row}


def read_rows(path: Path) -> dict[int, Values]:
    with path.open("rb") as file:
        sheet = openpyxl.load_workbook(file, data_only=True)["Data"]
    return list_filled(dict(enumerate(sheet.iter_rows(values_only=True), start=1)))


def check_result(table: Table, expected: dict[int, Values], path: Path) -> None:
    """Compare a result cell by cell with what must come out; its links and formulas as well."""
    gone = table.rows.keys() - expected.keys()
    numbers = {number: number - sum(one < number for one in gone) for number in expected}
    assert read_rows(path) == list_filled(
        {numbers[number]: row for number, row in expected.items()}
    )
    with path.open("rb") as file:
        book = openpyxl.load_workbook(file)
    letter = "ABCDE"[table.email_column]
    for number, target in numbers.items():
        if row := table.rows[number]:
            link = book["Data"][f"{letter}{target}"].hyperlink
            assert link.tooltip == row[table.email_column]
        assert book["Check"][f"A{number}"].value == f"=Data!${letter}${target}"


def check(table: Table, path: Path, *, deduplicate: bool = True) -> None:
    """Run a list, and compare its result and the cleaned download."""
    run = run_file(path, deduplicate=deduplicate)
    check_result(table, expect(table, deduplicate=deduplicate), run.result_path)
    cleaned, export = path.with_name("cleaned.xlsx"), Export(Variant.CLEANED)
    write_export(RewriteRequest(run.result_path, run.rows, cleaned, run.plan, export))
    check_result(table, expect(table, deduplicate=deduplicate, is_cleaned=True), cleaned)


@pytest.mark.parametrize("name", ["as-openpyxl", *SPELLINGS])
def test_each_spelling_alone(tmp_path: Path, name: str) -> None:
    table = draw_table(random.Random(7), 30)
    check(table, write(table, tmp_path / "list.xlsx", {name}))


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    names=st.sets(st.sampled_from(list(SPELLINGS))),
    seed=st.integers(0, 2**32),
    deduplicate=st.booleans(),
    chunk=st.sampled_from([700, 1 << 20]),
)
def test_spellings_together(names: set[str], seed: int, deduplicate: bool, chunk: int) -> None:
    table = draw_table(random.Random(seed), 12)
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(xlsx_archive, "CHUNK_BYTES", chunk)
        path = write(table, Path(folder) / "list.xlsx", names)
        assert read_rows(path) == list_filled(table.rows)
        check(table, path, deduplicate=deduplicate)


def test_a_workbook_in_the_strict_namespaces_is_read(tmp_path: Path) -> None:
    """Without openpyxl, which does not know them."""

    def make_strict(part: bytes) -> bytes:
        strict = b"http://purl.oclc.org/ooxml/"
        return re.sub(rb"http://schemas.openxmlformats.org/(\w+)/2006/", strict + rb"\1/", part)

    path = save(build_list([["email", "n"], ["ana@x.org", 1], ["ana@x.org", 2]]), tmp_path)
    parts = ["_rels/.rels", BOOK, RELATIONS, "xl/styles.xml", SHEET]
    run = run_file(edit_parts(path, dict.fromkeys(parts, make_strict)))
    assert run.list_lines() == ["ana@x.org,2"]


@pytest.mark.parametrize("name", ["spaced-out", "without-references"])
def test_a_preview_reads_a_sheet_in_another_spelling(tmp_path: Path, name: str) -> None:
    """Of a large sheet only the beginning is read."""
    path = write(draw_table(random.Random(5), 400), tmp_path / "list.xlsx", {name})
    gap = b"</row >" + b" " * 10_000  # two chunks are enough for a beginning and a rest
    path = edit_parts(path, {SHEET: lambda sheet: re.sub(rb"</row\s*>", gap, sheet)})
    request = RowsRequest(path, find_plan(path), tmp_path)
    with open_part(request, ReadOptions({}, RowRanks()), 0) as (_, store, is_whole):
        assert not is_whole
        assert store.row_count > 50
