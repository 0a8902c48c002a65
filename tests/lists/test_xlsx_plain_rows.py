"""Sheets come out of the ways for plain rows as of those for every row, byte for byte."""

import random
import re
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.lists.xlsx_support import SHEET, build_list, edit_parts, save, share_strings
from tests.lists.zips import read_zip
from winnow.core.errors import WinnowError
from winnow.core.lists.file_format import FileFormat
from winnow.core.tasks.input_plan import InputPlan
from winnow.lists.formats.xlsx import archive, plain_rows, rows
from winnow.lists.formats.xlsx.plain_rows import PLAIN_ROW, PlainRows, read_lines
from winnow.lists.formats.xlsx.read import SheetScanner
from winnow.lists.formats.xlsx.references.widening import AddedColumns
from winnow.lists.formats.xlsx.sheet import open_sheet
from winnow.lists.formats.xlsx.text import CellTexts, SharedStrings
from winnow.lists.formats.xlsx.write import plan_edit, rewrite_workbook

PLAN = InputPlan(FileFormat.XLSX, 0, ("email", "n", "note"), sheet="Data")
HEADER = b'<row r="1"><c r="A1" t="s"><v>1</v></c><c r="C1" t="s"><v>2</v></c></row>'
TEXTS = (
    b"a@x.org", b"a@x.org", b"7&quot;", b'7"', b"_x000D_", b"&#13;", b"a,b", b"a\nb", b" ",
    b"r&amp;d", b"\xc3\xbc", b"",
)  # fmt: skip
PLAIN = (  # {p}: the place
    *(b'<c r="{p}" t="inlineStr"><is><t>%b</t></is></c>' % text for text in TEXTS),
    b'<c r="{p}" t="inlineStr"><is><t xml:space="preserve"> a@x.org </t></is></c>',
    b'<c r="{p}"/>', b'<c r="{p}" s="1"/>', b'<c r="{p}" s="7"></c>', b'<c r="{p}"><v>7</v></c>',
    b'<c r="{p}" s="1"><v>44000.5</v></c>', b'<c r="{p}" t="n"><v>1E5</v></c>',
    b'<c r="{p}" t="s"><v>2</v></c>', b'<c r="{p}" s="2" t="s"><v>3</v></c>',
    b'<c r="{p}" t="b"><v>1</v></c>', b'<c r="{p}" t="e"><v>#N/A</v></c>',
    b'<c r="{p}" t="str"><v>a &lt; b</v></c>', b'<c r="{p}" s="123456789012"><v>1</v></c>',
)  # fmt: skip
ODD_CELLS = {
    "formula": b'<c r="{p}"><f>A1+1</f><v>7</v></c>',
    "formula-without-value": b'<c r="{p}"><f>SUM(A2:A4)</f></c>',
    "rich-text": b'<c r="{p}" t="inlineStr"><is><r><t>a</t></r><r><t>b</t></r></is></c>',
    "reading-aid": b'<c r="{p}" t="inlineStr"><is><t>a</t><rPh><t>k</t></rPh></is></c>',
    "no-text": b'<c r="{p}" t="inlineStr"><is><t/></is></c>',
    "text-as-number": b'<c r="{p}" t="n"><is><t>a</t></is></c>',
    "single-quotes": b"<c r='{p}'><v>7</v></c>",
    "another-order": b'<c t="s" r="{p}"><v>2</v></c>',
    "two-blanks": b'<c  r="{p}"><v>7</v></c>',
    "metadata": b'<c r="{p}" cm="1"><v>7</v></c>',
    "no-place": b"<c><v>7</v></c>",
    "fixed-place": b'<c r="${p}"><v>7</v></c>',
    "zeros": b'<c r="C0{n}"><v>7</v></c>',
    "value-with-an-attribute": b'<c r="{p}"><v xml:space="preserve">7</v></c>',
    "blank-in-the-end": b'<c r="{p}"><v>7</v></c >',
    "extension": b'<c r="{p}"><v>7</v><extLst/></c>',
    "right-of-the-list": b'<c r="ZZ{n}"><v>1</v></c>',
    "another-row": b'<c r="C9{n}"><v>1</v></c>',
    "prefix": b'<x:c xmlns:x="x" r="{p}"><v>7</v></x:c>',
}
ODD_ROWS = {  # {c}: the cells, {n}: the number
    "no-number": b"<row>{c}</row>",
    "single-quotes": b"<row r='{n}'>{c}</row>",
    "number-behind": b'<row ht="3" r="{n}">{c}</row>',
    "zeros": b'<row r="0{n}">{c}</row>',
    "closed": b'<row r="{n}"/>',
    "greater": b'<row r="{n}" ht=">">{c}</row>',
    "blank-in-the-end": b'<row r="{n}">{c}</row >',
    "cells-behind": b'<row r="{n}">{c}</row><c r="D{n}"><v>{n}</v></c>',
    "rows-within": b'<row r="{n}">{c}<row r="{n}"></row></row>',
}
TOO_HIGH = b'<row r="1048577">{c}</row>'
ONE_CELL = b'<c r="A4" t="s"><v>1</v></c>'


def word_row(
    number: int, cells: bytes, form: bytes = b'<row r="{n}" spans="1:3">{c}</row>'
) -> bytes:
    return form.replace(b"{c}", cells).replace(b"{n}", b"%d" % number)


def word_cell(cell: bytes, column: int, number: int) -> bytes:
    return cell.replace(b"{p}", b"%c%d" % (b"ABCDE"[column], number)).replace(
        b"{n}", b"%d" % number
    )


def word_sheet(dice: random.Random, oddness: float, faults: float) -> bytes:
    """Return the XML of a sheet's rows; oddness and faults are shares of the cells and rows."""
    written, number = [HEADER] * dice.randint(0, 1), 1
    for _ in range(dice.randrange(60)):
        number += dice.choice((1, 1, 1, 1, 1, 3))
        number -= 5 * (dice.random() < faults)
        cells = list[bytes]()
        for column in sorted(dice.sample(range(5), dice.choice((0, 1, 2, 3, 3, 3)))):
            is_odd = dice.random() < oddness or column > 2
            if column < 3 or dice.random() < oddness:
                cell = dice.choice([*ODD_CELLS.values(), *PLAIN] if is_odd else PLAIN)
                cells.append(word_cell(cell, column, number))
        if dice.random() < faults:
            dice.shuffle(cells)
        if dice.random() < faults:
            cells.append(b'<c r="E%d" t="%b"><v>x</v></c>' % (number, dice.choice((b"n", b"s"))))
        form = dice.choice([*ODD_ROWS.values(), TOO_HIGH]) if dice.random() < oddness else None
        row = word_row(number, b"".join(cells), *([form] if form else ()))
        written.append(row + dice.choice((b"", b"", b"", b"\n")))
    return b"".join(written)


def word_cells(number: int, cell: bytes) -> bytes:
    """Return a row with one cell, in its second column where the cell does not say."""
    return word_row(number, word_cell(cell, 1, number))


Outcome = tuple[tuple[Any, ...], bytes, Any]
"""What came of a sheet: the scanner's findings, the list, and the parts, or a fault's words."""


def run(path: Path, folder: Path, seed: int) -> Outcome:
    """Scan a sheet, then remove some rows, and give the others cells and new addresses."""
    folder.mkdir()
    text, out, dice = folder / "text", folder / "out.xlsx", np.random.default_rng(seed)
    scanner = None
    try:
        with open_sheet(path, PLAN, folder) as opened:
            scanner = SheetScanner(opened, opened.stream())
            scanner.scan(text, lambda *_: None)
            numbers = np.array(scanner.numbers)
            is_gone = dice.random(len(numbers)) < dice.choice((0, 0.3))
            first = max(3, scanner.columns.last_held + 1) - dice.integers(0, 2)
            columns = AddedColumns(1, 0, int(first), ("category",))
            codes = dice.integers(0, 3, int((~is_gone).sum()))
            edit = plan_edit(
                numbers[is_gone], numbers[~is_gone], codes, [("b",), ("w & g",)], columns
            )
            edit.replaced.update({int(one): "new@x.org" for one in numbers[~is_gone][::7]})
            losses = rewrite_workbook(opened, edit, out)
    except WinnowError as error:
        return (str(error), scanner and list(scanner.numbers)), b"", None
    found = (scanner.columns, scanner.totals_rows, list(numbers), scanner.has_email_formulas)
    return (*found, scanner.valueless_count, losses), text.read_bytes(), read_zip(out)


@pytest.fixture
def make_book(tmp_path: Path) -> Callable[[bytes], Path]:
    """Return a maker of workbooks with four shared strings from the rows of their first sheet."""
    path = share_strings(save(build_list([["email"]] * 3), tmp_path))
    before, opening, _ = read_zip(path)[SHEET].partition(b"<sheetData>")
    ending = b"</sheetData></worksheet>"
    return lambda xml: edit_parts(path, {SHEET: before + opening + xml + ending})


def run_both_ways(path: Path, seed: int, patch: pytest.MonkeyPatch) -> Outcome:
    """Compare what comes of a sheet by column and row by row."""
    folder = path.parent / f"{seed}"
    folder.mkdir()
    patch.setattr(plain_rows, "LEAST_ROWS", 1)
    by_column = run(path, folder / "by-column", seed)
    patch.setattr(plain_rows, "MOST_COLUMNS", 0)
    patch.setattr(rows, "PLAIN_ROW", re.compile(rb"(?!)"))
    assert by_column == run(path, folder / "row-by-row", seed)
    return by_column


@pytest.mark.parametrize("case_count", [25, pytest.param(1500, marks=pytest.mark.slow)])
def test_random_sheets_come_out_alike(
    make_book: Callable[[bytes], Path], case_count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    finished = 0
    for seed in range(case_count):
        dice = random.Random(seed)
        path = make_book(word_sheet(dice, dice.choice((0, 0.05, 0.3)), dice.choice((0, 0.02))))
        with monkeypatch.context() as patch:
            patch.setattr(archive, "CHUNK_BYTES", dice.choice((500, 1 << 20)))
            finished += bool(run_both_ways(path, seed, patch)[2])
    assert finished > case_count // 4


def split(xml: bytes, patch: pytest.MonkeyPatch) -> list[tuple[bool, bytes]]:
    """Return runs of plain rows, and what is between them."""
    patch.setattr(plain_rows, "LEAST_ROWS", 1)
    return [(bool(run.numbers), run.xml) for run in PlainRows(3, 1).split(xml)]


@pytest.mark.parametrize("cell", PLAIN)
def test_what_programs_write_is_plain(cell: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    xml = b"".join(word_row(n, word_cell(cell, 0, n) + word_cell(cell, 2, n)) for n in range(2, 9))
    assert split(xml, monkeypatch) == [(True, xml)]
    assert len(PLAIN_ROW.findall(xml)) == 7


@pytest.mark.parametrize(
    "odd",
    [
        *(pytest.param(word_cells(4, cell), id=name) for name, cell in ODD_CELLS.items()),
        *(pytest.param(word_row(4, ONE_CELL, row), id=name) for name, row in ODD_ROWS.items()),
    ],
)
def test_each_odd_shape_is_left_to_the_way_for_every_row(
    odd: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    above, below = (word_cells(number, PLAIN[0]) for number in (3, 5))
    assert split(above + odd + below, monkeypatch) == [(True, above), (False, odd), (True, below)]


@pytest.mark.parametrize(
    "cell",
    [
        pytest.param(b'<c r="{p}"/>', id="blank"),
        pytest.param(b'<c r="{p}" t="str"><v>&#13; </v></c>', id="blanks"),
        pytest.param(b'<c r="{p}" t="s"><v>99</v></c>', id="no-such-text"),
        pytest.param(b'<c r="{p}"><v>x</v></c>', id="not-a-number"),
        pytest.param(b'<c r="{p}" t="str"><v>xxxxx</v></c>', id="too-much-text"),
        pytest.param(b'<c r="C{n}"><v>1</v></c>', id="right-of-what-is-reached"),
    ],
)
def test_rows_in_doubt_are_left_to_the_way_for_every_row(
    cell: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plain_rows, "LEAST_ROWS", 1)
    monkeypatch.setattr(plain_rows, "MAX_TEXT_BYTES", 4)
    with closing(SharedStrings(None, None, None)) as strings:  # type: ignore[arg-type]
        texts = CellTexts(strings, [], starts_1904=False)
        for one, is_in_doubt in ((b'<c r="{p}"><v>7</v></c>', False), (cell, True)):
            (found,) = PlainRows(3, 1).split(word_cells(4, one))
            assert (read_lines(found, texts.read, 1, 3) is None) == is_in_doubt


@pytest.mark.parametrize("content", [b't="inlineStr"><is><t>7"</t></is>', b's="7"><v>1</v>'])
def test_a_text_or_style_like_the_old_number_keeps_it(content: bytes) -> None:
    number = rows._number_plain_cells
    assert number(b'<c r="A7" %b</c>' % content, b'7"', b"6") == b'<c r="A6" %b</c>' % content
