"""Workbooks that other programs write, or attackers: bounded work, and the right words."""

import re
from datetime import date
from pathlib import Path

import pytest
from openpyxl.comments import Comment
from openpyxl.utils.datetime import CALENDAR_MAC_1904

from tests.lists.xlsx_support import build_list, edit_parts, run_batch, save
from winnow.core.errors import BrokenFile
from winnow.lists.formats.xlsx.archive import CHUNK_BYTES
from winnow.lists.formats.xlsx.cells import read_rows
from winnow.lists.inspection.inspect import read_head

SHEET = "xl/worksheets/sheet1.xml"
BOOK = "xl/workbook.xml"
ADDRESSES = [["email"], ["ana@x.org"], ["ben@x.org"], ["ana@x.org"], ["cid@x.org"]]


def _put_rows(path: Path, rows: bytes) -> Path:
    rows = b"<sheetData>" + rows + b"</sheetData>"
    return edit_parts(
        path, {SHEET: lambda sheet: re.sub(rb"(?s)<sheetData>.*</sheetData>", rows, sheet)}
    )


def _write_rows(count: int, cell: bytes) -> bytes:
    return b"".join(
        b'<row r="%d"><c r="A%d" t="str"><v>u%d@x.org</v></c>%b</row>'
        % (number, number, number % 400, cell.replace(b"#", b"%d" % number))
        for number in range(1, count + 1)
    )


def test_dates_count_from_1904_whatever_an_extension_says(tmp_path: Path) -> None:
    book = build_list([["email", "since"], ["ana@x.org", date(2020, 5, 4)]])
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
    assert head.sample_rows[0][1].startswith("2020-05-04")


@pytest.mark.parametrize("reference", [b"&#xD800;", b"&#x110000;"])
def test_references_to_no_character_in_a_drawing_are_refused(
    tmp_path: Path, reference: bytes
) -> None:
    book = build_list(ADDRESSES)
    book.active["A5"].comment = Comment("who?", "us")
    drawing = "xl/drawings/commentsDrawing1.vml"
    path = edit_parts(
        save(book, tmp_path),
        {drawing: lambda content: content.replace(b"Row>", b"Row>" + reference, 1)},
    )
    with pytest.raises(BrokenFile, match="no spreadsheet program writes"):
        run_batch(path)


@pytest.mark.parametrize(
    "share", [True, pytest.param(False, marks=pytest.mark.slow)], ids=["shared", "each-its-own"]
)
def test_formulas_out_of_all_proportion_are_refused(tmp_path: Path, share: bool) -> None:
    """64 kB took 38 s: each of 5,000 cells got a formula of 8 kB."""
    long = b"+".join([b"A1"] * 2_700)
    rows = _write_rows(600, b'<c r="B#"><f t="shared" si="0"/><v>1</v></c>')
    rows = rows.replace(b"<v>u1@x.org</v>", b"<v>email</v>", 1)
    if share:
        first = b'<f t="shared" si="0" ref="B1:B600">' + long + b"</f>"
        rows = rows.replace(b'<f t="shared" si="0"/>', first, 1)
    else:
        rows = rows.replace(b'<f t="shared" si="0"/>', b"<f>" + long + b"</f>")
    path = _put_rows(save(build_list(ADDRESSES), tmp_path), rows)
    assert path.stat().st_size < 128_000
    with pytest.raises(BrokenFile, match="formulas are too long for its size"):
        run_batch(path)


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
    path = edit_parts(
        path,
        {
            SHEET: lambda sheet: re.sub(rb'<c r="B5".*?</c>', cell, sheet),
            BOOK: lambda book: book.replace(
                b"fullCalcOnLoad", b"iterate" if is_calculated else b"fullCalcOnLoad"
            ),
        },
    )
    run = run_batch(path)
    assert run.load()["Data"]["B4"].value == left
    assert "formulas_replaced" in {notice.code for notice in run.outcome.notices}


@pytest.mark.parametrize("part", [SHEET, BOOK])
@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "iso-8859-1"])
def test_another_encoding_than_utf_8_is_refused(tmp_path: Path, part: str, encoding: str) -> None:
    def recode(content: bytes) -> bytes:
        text = content.decode().partition("?>")[2] or content.decode()
        return f'<?xml version="1.0" encoding="{encoding}"?>{text}'.encode(encoding)

    path = edit_parts(save(build_list(ADDRESSES), tmp_path), {part: recode})
    with pytest.raises(BrokenFile, match="in an encoding that is not read") as caught:
        read_head(path, path.name)
    assert "save it again" in (caught.value.hint or "")


def test_blanks_may_be_all_that_follows_the_rows(tmp_path: Path) -> None:
    rows = _write_rows(3, b"").replace(b"<v>u1@x.org</v>", b"<v>email</v>", 1)
    gap = b" " * (CHUNK_BYTES + 1)  # more than is read at once
    path = _put_rows(save(build_list(ADDRESSES), tmp_path), gap + rows + gap)
    assert len(run_batch(path).index_lines()) == 2


def test_a_module_sheet_has_no_part(tmp_path: Path) -> None:
    module = b'<sheet name="Module1" sheetId="9" state="visible" r:id=""/></sheets>'
    spaces = (
        b'<workbook xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
    )

    def add(book: bytes) -> bytes:
        book = book.replace(b"</sheets>", module)
        return book if b"xmlns:r=" in book else book.replace(b"<workbook", spaces, 1)

    path = edit_parts(save(build_list(ADDRESSES), tmp_path), {BOOK: add})
    assert read_head(path, path.name).sheets == ("Data",)
    assert len(run_batch(path).index_lines()) == 3


def test_a_large_protected_workbook_is_called_protected(tmp_path: Path) -> None:
    path = tmp_path / "list.xlsx"
    directory = "EncryptedPackage".encode("utf-16-le")  # of the container, at its end
    path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(200_000) + directory)
    with pytest.raises(BrokenFile, match="protected by a password"):
        read_head(path, path.name)


@pytest.mark.parametrize("row", [b'<row r="&#50;"/>', b'<row r="2"><c r="&#65;2"/></row>'])
def test_places_that_are_written_as_references_are_refused(tmp_path: Path, row: bytes) -> None:
    path = _put_rows(save(build_list(ADDRESSES), tmp_path), _write_rows(1, b"") + row)
    with pytest.raises(BrokenFile, match=r"attributes that no|number that is not valid"):
        read_head(path, path.name)


@pytest.mark.parametrize("opening", [b"<c>", b"<c ", b"<c r='", b'<c r="A1"><v>', b"<c><is>"])
def test_cells_without_end_take_no_longer_than_their_length(opening: bytes) -> None:
    """A look at each byte for each other one would take minutes."""
    [row] = read_rows(b'<row r="1">' + opening * 80_000, 0, lambda *_: b"")
    assert row.number == 1
