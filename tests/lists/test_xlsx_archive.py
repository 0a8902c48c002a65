"""What is no workbook, or a hostile one, is named and refused."""

import re
import zipfile
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

from tests.lists.xlsx_support import build_list, edit_parts, run_batch, save, share_strings
from winnow.core.errors import BrokenFile, InputError
from winnow.lists.formats.xlsx import archive as xlsx_archive
from winnow.lists.formats.xlsx.head import read_xlsx_head

SHEET = "xl/worksheets/sheet1.xml"
ROWS = [["email", "n"], ["ana@firm.example.com", 1], ["ben@firm.example.com", 2]]


@pytest.fixture
def workbook_path(tmp_path: Path) -> Path:
    return share_strings(save(build_list(ROWS), tmp_path))


@pytest.mark.parametrize(
    "part", ["xl/workbook.xml", SHEET, "xl/sharedStrings.xml", "xl/styles.xml"]
)
def test_document_types_are_refused(workbook_path: Path, part: str) -> None:
    def declare(content: bytes) -> bytes:
        text = content.decode("utf-8")
        start = text.find("?>") + 2 if text.startswith("<?xml") else 0
        entity = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>'
        return (entity + text[start:]).encode()

    with pytest.raises(BrokenFile) as caught:
        run_batch(edit_parts(workbook_path, {part: declare}))
    assert "document type" in caught.value.detail


def test_a_header_that_lies_about_the_size_does_not_help_a_bomb(
    workbook_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(xlsx_archive, "RATIO_FREE_BYTES", 1 << 20)
    bomb = edit_parts(
        workbook_path,
        {SHEET: lambda c: c.replace(b"<sheetData>", b"<sheetData>" + b" " * (40 << 20))},
    )
    content = bytearray(bomb.read_bytes())
    with zipfile.ZipFile(bomb) as archive:
        declared = archive.getinfo(SHEET).file_size.to_bytes(4, "little")
    content[:] = content.replace(declared, (70_000).to_bytes(4, "little"))
    bomb.write_bytes(content)
    with pytest.raises(BrokenFile):
        read_xlsx_head(bomb)


def test_too_large_a_total_is_refused(workbook_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xlsx_archive, "MAX_TOTAL_BYTES", 1000)
    with pytest.raises(BrokenFile, match="zip bomb"):
        read_xlsx_head(workbook_path)


END = b"</sheetData>"


def _replace(old: bytes, new: bytes) -> Callable[[bytes], bytes]:
    return lambda content: content.replace(old, new)


def _add(row: bytes) -> Callable[[bytes], bytes]:
    return _replace(END, row + END)


def _declare_macros(content: bytes) -> bytes:
    return re.sub(rb"[\w.-]*sheet\.main\+xml", b"ms-excel.sheet.macroEnabled.main+xml", content)


BOOK, TYPES, LINKS = "xl/workbook.xml", "[Content_Types].xml", "xl/_rels/workbook.xml.rels"
DAMAGE = {
    "no-workbook-part": (BOOK, None, "lacks its part workbook.xml"),
    "no-relations": ("_rels/.rels", None, "names no workbook"),
    "no-book": ("_rels/.rels", _replace(b"/officeDocument", b"/x"), "names no workbook"),
    "just-a-zip": (TYPES, None, "but not a workbook"),
    "macros": (TYPES, _declare_macros, "has macros"),
    "no-relation": (BOOK, _replace(b'r:id="', b'r:id="no'), "has no part"),
    "no-part": (LINKS, _replace(b"worksheets/", b"x/"), "has no part"),
    "no-xml": (BOOK, _replace(b"<sheets>", b"<sheets"), "not well-formed"),
    "sheet-cut": (SHEET, lambda content: content[: len(content) // 2], "not well-formed"),
    "sheet-is-html": (SHEET, b"<html></html>", "has no rows"),
    "styles-cut": ("xl/styles.xml", b"<a", "not well-formed"),
    "nul-bytes": (SHEET, _replace(b"<v>1</v>", b"<v>1</v>\0"), "not well-formed"),
    "no-such-shared-string": (
        SHEET, _replace(b'<c r="B2" t="n"><v>1', b'<c r="B2" t="s"><v>99'), "row 1 cannot be read"
    ),
    "beyond-the-last-column": (
        SHEET, _replace(b'<c r="B3"', b'<c r="XFE3"'), "row 2 has more than 16,384 columns"
    ),
    "row-nought": (SHEET, _replace(b'r="1"', b'r="0"'), "first row is out of order"),
    "row-twice": (SHEET, _add(b'<row r="2"/>'), "row after row 3 is out of order"),
    "elsewhere": (
        SHEET, _add(b'<row r="9"><c r="A7"/></row>'), "row 3 has a cell with the reference"
    ),
    "cells": (
        SHEET, _add(b'<row r="9"><c r="B9"/><c r="A9"/></row>'), "has cells out of order"
    ),
    "no-number": (SHEET, _add(b'<row r="x"/>'), "has a number that is not valid"),
    "unclosed": (SHEET, _add(b'<row r="9"><c></row>'), "not well-formed"),
    "no-value": (SHEET, _add(b'<row r="9"><c t="n"><v>x</v></c></row>'), "cannot be read"),
}  # fmt: skip


@pytest.mark.parametrize("name", DAMAGE)
def test_what_cannot_be_read_is_named_with_a_way_on(workbook_path: Path, name: str) -> None:
    part, change, words = DAMAGE[name]
    with pytest.raises(InputError) as caught:
        run_batch(edit_parts(workbook_path, {part: change}))
    assert words in caught.value.detail
    assert "save it" in (caught.value.hint or "").lower()


def test_a_number_of_any_length_in_another_column_refuses_nothing(workbook_path: Path) -> None:
    row = b'<row r="9"><c r="C9"><v>' + b"1" * 101 + b"</v></c></row>"
    long = edit_parts(workbook_path, {SHEET: lambda content: content.replace(END, row + END)})
    plain = run_batch(workbook_path).outcome.summary.rows_in
    assert run_batch(long).outcome.summary.rows_in == plain + 1


VALUES = [b"<v></v>", b"<v/>", b"<v> </v>", b"<f>A1</f><v></v>", b""]
KINDS = ["n", "s", "b", "e", "str", "inlineStr", "d", None]


def test_typed_cells_without_a_value_are_empty_cells(workbook_path: Path) -> None:
    cells = [
        (b' t="%s"' % kind.encode() if kind else b"") + b">" + value
        for kind, value in product(KINDS, VALUES)
    ]
    rows = b"".join(
        b'<row r="%d"><c r="A%d" t="inlineStr"><is><t>u%d@x.org</t></is></c>'
        b'<c r="B%d"%s</c></row>' % (number, number, number, number, cell)
        for number, cell in enumerate(cells, start=4)
    )
    path = edit_parts(workbook_path, {SHEET: lambda content: content.replace(END, rows + END)})
    run = run_batch(path)
    assert run.outcome.summary.rows_in == 2 + len(cells)
    assert [line.partition(",")[2].strip() for line in run.index_lines()[2:]] == [""] * len(cells)


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
    workbook_path: Path, tmp_path: Path, member: str, target: str
) -> None:
    named = tmp_path / "named.xlsx"
    with zipfile.ZipFile(workbook_path) as source, zipfile.ZipFile(named, "w") as out:
        for name in source.namelist():
            content = source.read(name)
            if name == "xl/_rels/workbook.xml.rels":
                content = re.sub(
                    rb"/?(xl/)?worksheets/sheet1\.xml", lambda _: target.encode(), content
                )
            out.writestr(member if name == SHEET else name, content)
    run = run_batch(named)
    assert run.outcome.summary.rows_in == 2
    with zipfile.ZipFile(run.result_path) as result:
        assert not [name for name in result.namelist() if "\\" in name or name.startswith("/")]


def test_a_zip_with_two_parts_of_one_name_is_refused(workbook_path: Path) -> None:
    with zipfile.ZipFile(workbook_path, "a") as archive:
        archive.writestr(r"xl\worksheets\Sheet1.xml", b"<worksheet/>")
    with pytest.raises(BrokenFile, match="two parts of one name"):
        run_batch(workbook_path)
