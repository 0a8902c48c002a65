"""Workbooks that other programs write, odd but right: read as spreadsheet programs read them."""

import re
from datetime import date
from itertools import product
from pathlib import Path

import openpyxl
import pytest
from openpyxl.utils.datetime import CALENDAR_MAC_1904

from tests.lists.delimited_support import run_file
from tests.lists.xlsx_support import BOOK, RELATIONS, SHEET, build_list, edit_parts, save
from tests.lists.zips import read_zip, write_zip
from tests.tables import read_csv
from winnow.core.errors import BrokenFile
from winnow.core.lists.exports import DownloadChoice, Export
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.rows import RowFilter, Variant
from winnow.lists.formats.xlsx import read as scan
from winnow.lists.formats.xlsx.archive import CHUNK_BYTES
from winnow.lists.inspect import read_head

ADDRESSES = [["email"], ["ana@x.org"], ["ben@x.org"], ["ana@x.org"], ["cid@x.org"]]
END = b"</sheetData>"


@pytest.fixture
def workbook_path(tmp_path: Path) -> Path:
    return save(build_list(ADDRESSES), tmp_path)


def test_dates_count_from_1904_whatever_an_extension_says(tmp_path: Path) -> None:
    last = "2958465.999999988"  # DateTime.MaxValue of .NET; rounded it is in the year 10000
    rows = [["email", "since"], ["ana@x.org", date(2020, 5, 4)], ["ben@x.org", float(last)]]
    book = build_list(rows)
    book["Data"]["B3"].number_format = "yyyy-mm-dd"
    book.epoch = CALENDAR_MAC_1904
    extended = (
        b'<extLst><ext uri="{140A7094-0E35-4892-8432-C4D2E57EDEB5}" '
        b'xmlns:x15="http://schemas.microsoft.com/office/spreadsheetml/2010/11/main">'
        b'<x15:workbookPr chartTrackingRefBase="1"/></ext></extLst></workbook>'
    )
    path = edit_parts(
        save(book, tmp_path), {BOOK: lambda content: content.replace(b"</workbook>", extended)}
    )
    head = read_head(path, path.name)
    (_, since), (_, never) = head.sample_rows
    assert (since[:10], never) == ("2020-05-04", last)


@pytest.mark.parametrize(
    ("stored", "is_calculated", "left"),
    [(b"0", False, "=#REF!*2"), (b"7", False, 7), (b"0", True, 0), (b"", True, "=#REF!*2")],
)
def test_a_formula_that_was_never_worked_out_is_not_frozen(
    tmp_path: Path, stored: bytes, is_calculated: bool, left: str | int
) -> None:
    """XlsxWriter stores 0 for each formula and has readers work them out."""
    path = save(build_list([[*row, "n"] for row in ADDRESSES]), tmp_path)
    cell = b'<c r="B5"><f>B2*2</f><v>%b</v></c>' % stored
    asks = b"iterate" if is_calculated else b"fullCalcOnLoad"
    path = edit_parts(
        path,
        {
            SHEET: lambda sheet: re.sub(rb'<c r="B5".*?</c>', cell, sheet),
            BOOK: lambda book: book.replace(b"fullCalcOnLoad", asks),
        },
    )
    run = run_file(path)
    assert run.load()["Data"]["B4"].value == left
    assert "formulas_replaced" in {notice.code for notice in run.outcome.notices}


def test_blanks_may_be_all_that_follows_the_rows(workbook_path: Path) -> None:
    gap = b" " * (CHUNK_BYTES + 1)  # more than is read at once

    def space_out(sheet: bytes) -> bytes:
        return sheet.replace(b"<sheetData>", b"<sheetData>" + gap).replace(END, gap + END)

    assert len(run_file(edit_parts(workbook_path, {SHEET: space_out})).list_lines()) == 3


def test_a_module_sheet_has_no_part(workbook_path: Path) -> None:
    module = (
        b'<sheet name="Module1" sheetId="9" r:id="" '
        b'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"/></sheets>'
    )
    path = edit_parts(workbook_path, {BOOK: lambda book: book.replace(b"</sheets>", module)})
    assert read_head(path, path.name).sheets == ("Data",)
    assert len(run_file(path).list_lines()) == 3


VALUES = [b"<v></v>", b"<v/>", b"<v> </v>", b"<f>A1</f><v></v>", b""]
KINDS = [b"n", b"s", b"b", b"e", b"str", b"inlineStr", b"d", None]


def test_cells_without_a_value_are_empty_and_numbers_of_any_length_pass(
    workbook_path: Path,
) -> None:
    empty = [b' t="%s">' % kind if kind else b">" for kind in KINDS]
    cells = [b">%s" % (b"<v>" + b"1" * 101 + b"</v>"), *map(b"".join, product(empty, VALUES))]
    rows = b"".join(
        b'<row r="%d"><c t="inlineStr"><is><t>u%d@x.org</t></is></c><c%s</c></row>'
        % (number, number, cell)
        for number, cell in enumerate(cells, start=6)
    )
    path = edit_parts(workbook_path, {SHEET: lambda sheet: sheet.replace(END, rows + END)})
    run = run_file(path)
    assert run.outcome.summary.rows_in == 4 + len(cells)
    found = [line.partition(",")[2].strip() for line in run.list_lines()[4:]]
    assert found == [""] * (len(cells) - 1)


@pytest.mark.parametrize(
    ("member", "target"),
    [
        ("xl/worksheets/sheet1.xml", r"worksheets\sheet1.xml"),
        ("xl/worksheets/sheet1.xml", r"\xl\worksheets\sheet1.xml"),
        ("xl/worksheets/sheet1.xml", "./worksheets/../worksheets/SHEET1.xml"),
        (r"xl\worksheets\sheet1.xml", "/xl/worksheets/sheet1.xml"),
        (r"\xl\Worksheets\Sheet1.XML", "worksheets/sheet1.xml"),
        ("xl/worksheets/my%20sheet.xml", "worksheets/my%20sheet.xml"),
        ("xl/worksheets/my sheet.xml", "worksheets/my%20sheet.xml"),
        ("/xl/worksheets/sheet%31.xml", "worksheets/sheet1.xml"),
    ],
)
def test_a_part_is_found_by_any_spelling_of_its_name(
    workbook_path: Path, member: str, target: str
) -> None:
    named, parts = workbook_path.with_name("named.xlsx"), read_zip(workbook_path)
    sheet, written = parts.pop(SHEET), target.encode()
    parts[RELATIONS] = re.sub(
        rb"/?(xl/)?worksheets/sheet1\.xml", lambda _: written, parts[RELATIONS]
    )
    named.write_bytes(write_zip({**parts, member: sheet}))
    run = run_file(named)
    assert run.outcome.summary.rows_in == 4
    names = list(read_zip(run.result_path))
    assert not [name for name in names if "\\" in name or name.startswith("/")]


LAST = 1_500
TEXTS = ('say "hi", ü', "two\nlines", ",,,,,,,,,,,,", "plain", "\ttab", '"')


@pytest.mark.parametrize("email_column", [1, LAST - 1])
def test_every_view_has_every_cell(tmp_path: Path, email_column: int) -> None:
    rows = [{5: "near", email_column: "email"}]
    for number in range(40):
        row = {1 + number * 37 % LAST: TEXTS[number % len(TEXTS)]}
        if number % 3 == 0:
            row[LAST] = f"far {number}"
        rows.append(row | {email_column: f"ana{number}@firma{number % 7}.de"})
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("Data")
    for cells in rows:
        sheet.append([cells.get(column) for column in range(1, max(cells) + 1)])
    run = run_file(save(book, tmp_path))
    wanted = [[cells.get(column, "") for column in range(1, LAST + 1)] for cells in rows]
    assert len(run.rows.columns) == LAST
    assert [list(row.cells) for row in run.rows.page(RowFilter(), 0, 99).rows] == wanted[1:]
    for file_format, delimiter in ((FileFormat.CSV, ","), (FileFormat.TSV, "\t")):
        pieces = run.rows.stream(Export(Variant.AUGMENTED, DownloadChoice(file_format=file_format)))
        text = b"".join(pieces).decode("utf-8-sig")
        told = read_csv(text, delimiter)
        assert [row[:LAST] for row in told] == wanted
        assert {len(row) for row in told} == {LAST + 2}


def test_a_list_that_is_too_wide_for_its_rows_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = save(build_list([["email"], ["a@x.de"], ["b@x.de", *[None] * 9, "far"]]), tmp_path)
    monkeypatch.setattr(scan, "MOST_CELLS", 22)
    assert run_file(path).outcome.summary.rows_in == 2
    monkeypatch.setattr(scan, "MOST_CELLS", 21)
    with pytest.raises(BrokenFile, match="in column K, so that 2 rows are too wide"):
        run_file(path)
