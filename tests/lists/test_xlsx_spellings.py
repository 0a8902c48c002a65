"""However a workbook is spelled, each row keeps its own cells, verdict and links.

The workbooks are made up in every spelling that the formats leave free; openpyxl and LibreOffice
say what stands in them before and after.
"""

import random
import re
from dataclasses import fields, replace
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import openpyxl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.libreoffice import save_again
from tests.lists.odd_spellings import LETTERS, TRANSITIONAL, Habits, Table, Value, render
from tests.lists.xlsx_support import TRASH, Run, build_judge, edit_parts, run_batch
from winnow.core.addresses.address import duplicate_key
from winnow.core.lists.exports import Export
from winnow.core.lists.rows import Variant
from winnow.core.tasks.run_options import USUAL
from winnow.core.verdicts.judge import judge_text
from winnow.core.verdicts.verdict import Category
from winnow.lists.engine.row_ranks import RowRanks
from winnow.lists.formats.xlsx import archive as xlsx_archive
from winnow.lists.formats.xlsx.filter import write_variant_xlsx
from winnow.lists.inspection.inspect import plan_input, read_head
from winnow.lists.preview.list_part import PartRequest, open_part
from winnow.lists.requests import RewriteRequest
from winnow.lists.result.result_rows import ResultRows

ADDRESSES = (
    "ana@firm.example.com",
    " Ana@FIRM.example.com",
    f"x+tag@{TRASH}",
    "info@münchen.example",
    "no at sign",
    "a&b@firm.example.com",
    "Ana <ana@firm.example.com>",
    "b'quote@firm.example.com",
    "many",
)
OTHERS: tuple[Value, ...] = ("", "x > y", "]", 'say "so"', "line\nbreak", "tab\tbed", "ü€", 7, True)
SWITCHES = [entry.name for entry in fields(Habits) if entry.type is bool or entry.type == "bool"]


def draw_habits(dice: random.Random) -> Habits:
    """Return habits with about a third of the freedoms."""
    return Habits(
        **{name: dice.random() < 0.35 for name in SWITCHES},
        prefix=dice.choice(["", "", "x:", "main:", "ns0:"]),
        relation_prefix=dice.choice(["r", "r", "d3p1"]),
        texts=dice.choice(["shared", "inline", "formula", "any"]),
        encoding=dice.choice(["utf-8", "UTF-8"]),
    )


def draw_table(dice: random.Random, row_count: int) -> Table:
    """Return a list with titles above it, gaps, blank rows and doubled addresses."""
    width = dice.randint(1, 5)
    email_column = dice.randrange(width)
    header_row = dice.choice([1, 1, 1, 3])
    rows: dict[int, dict[int, Value]] = {}
    if header_row > 1 and dice.random() < 0.5:
        rows[1] = {0: "Our list"}
    rows[header_row] = {
        column: "email" if column == email_column else f"head {column}" for column in range(width)
    }
    number = header_row
    for _ in range(row_count):
        number += dice.choice([1, 1, 1, 1, 2, 3])
        values: dict[int, Value] = {}
        for column in range(width):
            if column == email_column:
                values[column] = dice.choice(ADDRESSES).replace(
                    "many", f"u{dice.randrange(9)}@x.org"
                )
            elif dice.random() < 0.7:
                values[column] = dice.choice(OTHERS)
            elif dice.random() < 0.5:
                values[column] = None
        rows[number] = values if dice.random() < 0.9 else {}
    return Table(rows, email_column, header_row)


Expected = list[tuple[int, tuple[Value, ...]]]


def expect(table: Table, *, deduplicate: bool, is_cleaned: bool = False) -> Expected:
    """Say what must come out: for each row that stays its old number and its values.

    ``is_cleaned``: as the download without black rows.
    """
    judge = build_judge()
    width = len(table.rows[table.header_row])
    keys = {
        number: duplicate_key(str(values[table.email_column]))
        for number, values in table.rows.items()
        if number > table.header_row and values
    }
    last = {key: number for number, key in keys.items()}
    expected: Expected = []
    for number, values in table.rows.items():
        spread = tuple(values.get(column) for column in range(width))
        if number == table.header_row:
            spread += ("category", "domain_type")
        elif number in keys:
            if deduplicate and last[keys[number]] != number:
                continue
            verdict = judge_text(judge, str(values[table.email_column])).verdict
            if is_cleaned and verdict.category is Category.BLACK:
                continue
            spread += (verdict.category.value, verdict.domain_type.value)
        expected.append((number, spread))
    return expected


def place(expected: Expected, table: Table) -> dict[int, int]:
    """Return where the rows that stay come to stand, by their old number."""
    gone = sorted(set(table.rows) - {number for number, _ in expected})
    return {number: number - sum(1 for other in gone if other < number) for number, _ in expected}


def list_rows(table: Table) -> dict[int, tuple[Any, ...]]:
    """Return a list's rows with values by number, as ``read_rows`` does."""
    width = 1 + max(column for values in table.rows.values() for column in values)
    spread = {
        number: strip(tuple(values.get(column) for column in range(width)))
        for number, values in table.rows.items()
    }
    return {number: row for number, row in spread.items() if row}


def list_expected(expected: Expected, table: Table) -> dict[int, tuple[Any, ...]]:
    """Return the rows that must come out, by their new numbers."""
    places = place(expected, table)
    spread = {places[number]: strip(row) for number, row in expected}
    return {number: row for number, row in spread.items() if row}


def read_rows(path: Path) -> dict[int, tuple[Any, ...]]:
    """Return the first sheet's rows with values by number, as openpyxl reads them."""
    with path.open("rb") as file:
        sheet = openpyxl.load_workbook(file, data_only=True)["Data"]
    spread = map(strip, sheet.iter_rows(values_only=True))
    return {number: row for number, row in enumerate(spread, start=1) if row}


def strip(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """An empty text and no cell at all are one to the reader."""
    plain = [None if value == "" else value for value in values]
    while plain and plain[-1] is None:
        plain.pop()
    return tuple(plain)


def check_result(table: Table, expected: Expected, result_path: Path) -> None:
    """Compare a result cell by cell with what must come out; its links and formulas as well."""
    assert read_rows(result_path) == list_expected(expected, table)
    with result_path.open("rb") as file:
        book = openpyxl.load_workbook(file)
    letter = LETTERS[table.email_column]
    places, values = place(expected, table), dict(expected)
    for number, target in places.items():
        text = values[number][table.email_column]
        if number > table.header_row and isinstance(text, str):
            assert book["Data"][f"{letter}{target}"].hyperlink.tooltip == text
        assert book["Check"][f"A{number}"].value == f"=Data!${letter}${target}"


def write_cleaned(run: Run, out_path: Path) -> Path:
    """Write the download of a page without black rows."""
    rows = ResultRows(run.result_path.parent, run.plan)
    write_variant_xlsx(
        RewriteRequest(run.result_path, rows, out_path, run.plan, Export(Variant.CLEANED))
    )
    return out_path


@pytest.mark.slow
@pytest.mark.parametrize("deduplicate", [True, False], ids=["rows-go", "rows-stay"])
@pytest.mark.parametrize("switch", ["as-excel", "prefix", *SWITCHES])
def test_each_freedom_alone(tmp_path: Path, switch: str, deduplicate: bool) -> None:
    special = {
        "as-excel": Habits(),
        "prefix": Habits(prefix="x:"),
    }
    habits = special.get(switch) or replace(Habits(texts="any"), **{switch: True})
    table = draw_table(random.Random(7), 30)
    path = tmp_path / "list.xlsx"
    path.write_bytes(render(table, habits, seed=7))
    run = run_batch(path, deduplicate=deduplicate)
    cleaned = write_cleaned(run, tmp_path / "cleaned.xlsx")
    if not habits.strict:  # openpyxl knows only the transitional namespaces
        check_result(table, expect(table, deduplicate=deduplicate), run.result_path)
        expected = expect(table, deduplicate=deduplicate, is_cleaned=True)
        check_result(table, expected, cleaned)


@pytest.mark.parametrize(
    "cell",
    [
        b'<c t="str" r="A%d"><v>%s</v></c>',
        b'<c s="0" t="str" r="A%d"><v>%s</v></c>',
        b'<c t="str" s="0" r="A%d"><v>%s</v></c>',
        b"<c r='A%d' t='str'><v>%s</v></c>",
        b"<c t='str' s='0' r='A%d'><v xml:space='preserve'>%s</v></c>",
        b'<c  r = "A%d" t="str"><v>%s</v></c>',
        b'<c\n\tt="str"\tr="A%d"\n><v>%s</v></c>',
        b'<c r="A%d" t="str"><v>%s</v></c >',
        b'<c cm="1" r="a%d" t="str"><v>%s</v></c>',
    ],
)
@pytest.mark.parametrize("text", ["t='x' r='A1'", ' t="str" s="0" r="A9"', "a='b' > c", "'"])
def test_a_cell_is_found_however_its_tag_is_spelled(tmp_path: Path, cell: bytes, text: str) -> None:
    """Texts that look like attributes stay as they are; those of a row stay in their row."""
    rows = b"".join(
        b'<row r="%d">%s<c r="B%d" t="str"><v>u%d@x.org</v></c></row>'
        % (n, cell % (n, escape(text, quote=False).replace("&gt;", ">").encode()), n, n % 3)
        for n in range(2, 9)
    )
    head = b'<row r="1"><c r="A1" t="str"><v>a</v></c><c r="B1" t="str"><v>email</v></c></row>'
    path = tmp_path / "list.xlsx"
    path.write_bytes(render(draw_table(random.Random(5), 1), Habits(), seed=5))
    sheet = b'<worksheet xmlns="%s"><sheetData>%s</sheetData></worksheet>'
    path = edit_parts(path, {"xl/sheets/data.xml": sheet % (TRANSITIONAL.encode(), head + rows)})
    found = read_rows(run_batch(path).result_path)
    assert [row[:2] for row in found.values()] == [
        ("a", "email"),
        *((text, f"u{n % 3}@x.org") for n in (6, 7, 8)),
    ]
    assert list(found) == [1, 2, 3, 4]


@pytest.mark.parametrize("switch", ["pretty", "blanks_in_tags", "rows_without_numbers"])
def test_a_preview_reads_a_sheet_in_another_spelling(tmp_path: Path, switch: str) -> None:
    """Of a large sheet only the beginning is read."""
    table = draw_table(random.Random(5), 400)
    path = tmp_path / "list.xlsx"
    path.write_bytes(render(table, replace(Habits(texts="inline"), **{switch: True}), seed=5))
    gap = b"</row >" + b" " * 10_000  # two chunks are enough for a beginning and a rest
    spelled = {"xl/sheets/data.xml": lambda sheet: re.sub(rb"</row\s*>", gap, sheet)}
    path = edit_parts(path, spelled)
    request = PartRequest(path, plan_input(read_head(path, path.name)), USUAL, tmp_path, 0)
    with open_part(request, RowRanks(USUAL.keep)) as part:
        assert not part.is_whole
        assert len(part.addresses.codes) > 50


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    switches=st.sets(st.sampled_from([name for name in SWITCHES if name != "strict"])),
    texts=st.sampled_from(["shared", "inline", "formula", "any"]),
    prefix=st.sampled_from(["", "x:", "main:"]),
    encoding=st.sampled_from(["utf-8", "UTF-8"]),
    seed=st.integers(0, 2**32),
    deduplicate=st.booleans(),
    chunk=st.sampled_from([700, 1 << 20]),
)
def test_rows_keep_their_cells_in_every_spelling(
    switches: set[str],
    texts: str,
    prefix: str,
    encoding: str,
    seed: int,
    deduplicate: bool,
    chunk: int,
) -> None:
    habits = Habits(**dict.fromkeys(switches, True), texts=texts, prefix=prefix, encoding=encoding)
    table = draw_table(random.Random(seed), 12)
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(xlsx_archive, "CHUNK_BYTES", chunk)
        path = Path(folder) / "list.xlsx"
        path.write_bytes(render(table, habits, seed))
        if not habits.backslashes and not habits.leading_slashes:  # openpyxl finds no part there
            assert read_rows(path) == list_rows(table)
        run = run_batch(path, deduplicate=deduplicate)
        check_result(table, expect(table, deduplicate=deduplicate), run.result_path)
        expected = expect(table, deduplicate=deduplicate, is_cleaned=True)
        check_result(table, expected, write_cleaned(run, Path(folder) / "cleaned.xlsx"))


@pytest.mark.slow
def test_libreoffice_sees_the_same(tmp_path: Path) -> None:
    """What LibreOffice reads before is the list that was made up; what it reads after, the rest."""
    cases: list[tuple[dict[int, tuple[Any, ...]], Path]] = []
    for seed in range(30):
        dice = random.Random(seed)
        habits, table = draw_habits(dice), draw_table(dice, 12)
        folder = tmp_path / str(seed)
        folder.mkdir()
        path = folder / f"list-{seed}.xlsx"
        path.write_bytes(render(table, habits, seed))
        if not habits.backslashes and not habits.leading_slashes:  # it finds no part there either
            cases.append((list_rows(table), path))
        deduplicate = seed % 3 > 0
        run = run_batch(path, deduplicate=deduplicate)
        cleaned = write_cleaned(run, folder / f"cleaned-{seed}.xlsx")
        expected = expect(table, deduplicate=deduplicate, is_cleaned=True)
        cases.append((list_expected(expected, table), cleaned))
        result = run.result_path.rename(folder / f"result-{seed}.xlsx")
        cases.append((list_expected(expect(table, deduplicate=deduplicate), table), result))
    copies = save_again([path for _, path in cases], tmp_path)
    for (rows, _), copy in zip(cases, copies, strict=True):
        assert read_rows(copy) == rows
