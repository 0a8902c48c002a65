"""What is no workbook, or a hostile one, is named and refused, soon."""

import dataclasses
import re
import struct
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType

import pytest
from openpyxl.comments import Comment

from tests.lists.delimited_support import find_plan, run_file
from tests.lists.xlsx_support import (
    BOOK,
    PEOPLE,
    RELATIONS,
    SHEET,
    build_list,
    edit_parts,
    save,
    share_strings,
)
from winnow.core.errors import BrokenFile, InputError
from winnow.lists.formats.xlsx import archive as xlsx_archive
from winnow.lists.formats.xlsx import cells, head, plain_rows
from winnow.lists.formats.xlsx.cells import read_cells
from winnow.lists.formats.xlsx.head import read_xlsx_head
from winnow.lists.formats.xlsx.sheet import open_sheet

ROWS = [["email", "n"], *PEOPLE]
TYPES, STYLES, STRINGS = "[Content_Types].xml", "xl/styles.xml", "xl/sharedStrings.xml"
DRAWING = "xl/drawings/commentsDrawing1.vml"
END = b"</sheetData>"
Change = Callable[[bytes], bytes] | bytes | None


@pytest.fixture
def workbook_path(tmp_path: Path) -> Path:
    book = build_list(ROWS)
    book.active["A3"].comment = Comment("who?", "us")
    return share_strings(save(book, tmp_path))


def replace(old: bytes, new: bytes) -> Change:
    return lambda content: content.replace(old, new)


def add(row: bytes) -> Change:
    return replace(END, row + END)


def declare_macros(content: bytes) -> bytes:
    return re.sub(rb"[\w.-]*sheet\.main\+xml", b"ms-excel.sheet.macroEnabled.main+xml", content)


def declare_type(content: bytes) -> bytes:
    text = content.decode("utf-8")
    start = text.find("?>") + 2 if text.startswith("<?xml") else 0
    entity = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>'
    return (entity + text[start:]).encode()


def recode(encoding: str) -> Change:
    def write(content: bytes) -> bytes:
        text = content.decode().partition("?>")[2] or content.decode()
        return f'<?xml version="1.0" encoding="{encoding}"?>{text}'.encode(encoding)

    return write


def put_in(more: bytes) -> Callable[[bytes], bytes]:
    """Put bytes before the root's end."""

    def put(content: bytes) -> bytes:
        before, closing, after = content.rpartition(b"</")
        return before + more + closing + after

    return put


def name_all(form: bytes) -> Change:
    """Put two million names into a sheet: the parser remembers each, those in a part count."""
    return put_in(b"".join(form % number for number in range(2_000_000)))


DAMAGE = {
    "no-workbook-part": (BOOK, None, "lacks its part workbook.xml"),
    "no-relations": ("_rels/.rels", None, "names no workbook"),
    "no-book": ("_rels/.rels", replace(b"/officeDocument", b"/x"), "names no workbook"),
    "just-a-zip": (TYPES, None, "but not a workbook"),
    "macros": (TYPES, declare_macros, "has macros"),
    "no-relation": (BOOK, replace(b'r:id="', b'r:id="no'), "has no part"),
    "no-part": (RELATIONS, replace(b"worksheets/", b"x/"), "has no part"),
    "no-xml": (BOOK, replace(b"<sheets>", b"<sheets"), "not well-formed"),
    "sheet-cut": (SHEET, lambda content: content[: len(content) // 2], "not well-formed"),
    "sheet-is-html": (SHEET, b"<html></html>", "has no rows"),
    "styles-cut": (STYLES, b"<a", "not well-formed"),
    "nul-bytes": (SHEET, replace(b"<v>1</v>", b"<v>1</v>\0"), "not well-formed"),
    "no-such-shared-string": (
        SHEET, replace(b'<c r="B2" t="n"><v>1', b'<c r="B2" t="s"><v>99'), "row 1 cannot be read"
    ),
    "beyond-the-last-column": (
        SHEET, replace(b'<c r="B3"', b'<c r="XFE3"'), "row 2 has more than 16,384 columns"
    ),
    "row-nought": (SHEET, replace(b'r="1"', b'r="0"'), "first row is out of order"),
    "row-twice": (SHEET, add(b'<row r="2"/>'), "row after row 4 is out of order"),
    "elsewhere": (
        SHEET, add(b'<row r="9"><c r="A7"/></row>'), "row 4 has a cell with the reference"
    ),
    "cells": (SHEET, add(b'<row r="9"><c r="B9"/><c r="A9"/></row>'), "has cells out of order"),
    "no-number": (SHEET, add(b'<row r="x"/>'), "has a number that is not valid"),
    "unclosed": (SHEET, add(b'<row r="9"><c></row>'), "not well-formed"),
    "no-value": (SHEET, add(b'<row r="9"><c t="n"><v>x</v></c></row>'), "cannot be read"),
    "row-as-reference": (SHEET, add(b'<row r="&#57;"/>'), "number that is not valid"),
    "cell-as-reference": (SHEET, add(b'<row r="9"><c r="&#65;9"/></row>'), "attributes that no"),
    **{
        f"{reference}-in-a-drawing": (
            DRAWING, replace(b"Row>", b"Row>" + reference.encode()), "no spreadsheet program writes"
        )
        for reference in ("&#xD800;", "&#x110000;")
    },
    **{
        f"document-type-in-{part}": (part, declare_type, "document type")
        for part in (BOOK, SHEET, STRINGS, STYLES)
    },
    **{
        f"{encoding}-in-{part}": (part, recode(encoding), "in an encoding that is not read")
        for part in (SHEET, BOOK)
        for encoding in ("utf-16", "utf-16-le", "iso-8859-1")
    },
    **{
        odd: (SHEET, replace(b"<v>", b"<v>" + odd.encode()), "marks that no spreadsheet program")
        for odd in ("<!-- a -->", "<?a ?>", "<![CDATA[a]]>")
    },
    "relations": (
        RELATIONS,
        put_in(b'<Relationship Id="x" Type="a" Target="c"/>' * 10_001),
        "points at more than 10,000 others",
    ),
    "names-of-elements": (SHEET, name_all(b"<a%d/>"), "more than any spreadsheet program writes"),
    "names-of-attributes": (
        SHEET, name_all(b'<a b%d=""/>'), "more than any spreadsheet program writes"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", DAMAGE)
def test_what_cannot_be_read_is_named_with_a_way_on(workbook_path: Path, name: str) -> None:
    part, change, words = DAMAGE[name]
    with pytest.raises(InputError) as caught:
        run_file(edit_parts(workbook_path, {part: change}))
    assert words in caught.value.detail
    assert "save it" in (caught.value.hint or "").lower()


def test_a_header_that_lies_about_the_size_does_not_help_a_bomb(
    workbook_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(xlsx_archive, "RATIO_FREE_BYTES", 1 << 20)
    blanks = replace(b"<sheetData>", b"<sheetData>" + b" " * (40 << 20))
    bomb = edit_parts(workbook_path, {SHEET: blanks})
    content = bytearray(bomb.read_bytes())
    with zipfile.ZipFile(bomb) as archive:
        declared = archive.getinfo(SHEET).file_size.to_bytes(4, "little")
    content[:] = content.replace(declared, (70_000).to_bytes(4, "little"))
    bomb.write_bytes(content)
    with pytest.raises(BrokenFile):
        read_xlsx_head(bomb)


def repeat_a_name(path: Path) -> None:
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(r"xl\worksheets\Sheet1.xml", b"<worksheet/>")


def lay_a_part_within_another(path: Path) -> None:
    data = path.read_bytes()
    first, second = [found.start() for found in re.finditer(b"PK\x01\x02", data)][:2]
    offset = data[first + 42 : first + 46]
    path.write_bytes(data[: second + 42] + offset + data[second + 46 :])


def write_a_huge_directory(path: Path) -> None:
    with zipfile.ZipFile(path, "a") as archive:
        for number in range(30_000):
            info = zipfile.ZipInfo(f"x{number}")
            info.comment = b"c" * 200
            archive.writestr(info, b"")


def say_that_the_directory_is_huge(path: Path) -> None:
    data = bytearray(path.read_bytes())
    end = data.rindex(b"PK\x05\x06")
    data[end + 12 : end + 16] = struct.pack("<I", 0xFFFFFF00)
    path.write_bytes(data)


def protect(path: Path) -> None:
    directory = "EncryptedPackage".encode("utf-16-le")  # of the container, at its end
    path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(200_000) + directory)


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (repeat_a_name, "two parts of one name"),
        (lay_a_part_within_another, "lies within another part"),
        (write_a_huge_directory, "directory"),
        (say_that_the_directory_is_huge, "truncated or damaged"),
        (protect, "protected by a password"),
    ],
)
def test_an_archive_that_no_program_packs_is_refused(
    workbook_path: Path, damage: Callable[[Path], None], words: str
) -> None:
    damage(workbook_path)
    with pytest.raises(BrokenFile, match=words):
        read_xlsx_head(workbook_path)


@pytest.mark.parametrize(
    "more",
    [
        b"<a/>" * 200_000,
        b"<a>" * 400 + b"</a>" * 400,
        b"<a" + b"".join(b' a%d=""' % number for number in range(3000)) + b"/>",
        b"".join(b"<a%d/>" % number for number in range(15_000)),
        b"x" * (8 << 20),
    ],
    ids=["elements", "depth", "attributes", "names", "text"],
)
def test_what_a_small_part_need_not_hold_is_passed_over(workbook_path: Path, more: bytes) -> None:
    """None of it is kept."""
    changes: Mapping[str, Change] = dict.fromkeys((RELATIONS, BOOK, TYPES, STYLES), put_in(more))
    path = edit_parts(workbook_path, changes)
    assert read_xlsx_head(path)[0].columns == ("email", "n")


@pytest.mark.parametrize(
    ("module", "name", "words"),
    [
        (xlsx_archive, "MAX_TOTAL_BYTES", "zip bomb"),
        (head, "MAX_FIRST_BYTES", "too large to look into"),
        (head, "MAX_STRING_BYTES", "too large to look into"),
    ],
)
def test_what_is_kept_of_a_workbook_has_bounds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: ModuleType, name: str, words: str
) -> None:
    path = share_strings(save(build_list([*ROWS, ["x" * 200]]), tmp_path))
    monkeypatch.setattr(module, name, 100)
    with pytest.raises(BrokenFile, match=words):
        read_xlsx_head(path)


def test_a_long_text_in_every_cell_is_read_a_few_rows_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A string of 1 MiB that all rows share would take gigabytes."""
    rows = [["email", "note"], *[[f"u{number}@x.org", "x" * 200] for number in range(9)]]
    path = share_strings(save(build_list(rows), tmp_path))
    plan = find_plan(path)
    for module in (cells, plain_rows):
        monkeypatch.setattr(module, "MAX_TEXT_BYTES", 1000)
    found = run_file(path, plan=plan).list_lines()
    assert found == [f"u{number}@x.org,{'x' * 200}" for number in range(9)]
    for module in (cells, plain_rows):
        monkeypatch.setattr(module, "MAX_TEXT_BYTES", 150)
    with pytest.raises(BrokenFile, match="row after row 1 cannot be read"):
        run_file(path, plan=plan)


@pytest.mark.parametrize(
    "is_shared", [True, pytest.param(False, marks=pytest.mark.slow)], ids=["shared", "each-its-own"]
)
def test_formulas_out_of_all_proportion_are_refused(tmp_path: Path, is_shared: bool) -> None:
    """64 kB took 38 s: each of 5,000 cells got a formula of 8 kB."""
    long = b"+".join([b"A1"] * 2_700)
    first = b'<f t="shared" si="0" ref="B2:B600">' + long + b"</f>"
    others = b'<f t="shared" si="0"/>' if is_shared else b"<f>" + long + b"</f>"
    rows = b"".join(
        b'<row r="%d"><c t="str"><v>u%d@x.org</v></c><c>%b<v>1</v></c></row>'
        % (number, number % 400, first if is_shared and number == 2 else others)
        for number in range(2, 601)
    )
    path = edit_parts(save(build_list([["email"]]), tmp_path), {SHEET: add(rows)})
    assert path.stat().st_size < 128_000
    with pytest.raises(BrokenFile, match="formulas are too long for its size"):
        run_file(path)


@pytest.mark.parametrize("opening", [b"<c>", b"<c ", b"<c r='", b'<c r="A1"><v>', b"<c><is>"])
def test_cells_without_end_take_no_longer_than_their_length(opening: bytes) -> None:
    """A look at each byte for each other one would take minutes."""
    assert not any(cell.text for cell in read_cells(opening * 80_000, 1, lambda *_: b""))


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        *((number, "1899-12-31") for number in (b"14", b"017", b"27", b"36", b"50", b"58")),
        *((number, "12:00:00") for number in (b"18", b"21", b"45", b"47")),
        (b"22", "1899-12-31 12:00:00"),
        *((number, "0.5") for number in (b"0", b"13", b"23", b"26", b"37", b"49", b"59")),
    ],
)
def test_number_formats_without_a_code_show_days_and_times(
    tmp_path: Path, number: bytes, shown: str
) -> None:
    """ISO/IEC 29500-1, 18.8.30."""
    book = build_list([["email", "at"], ["ana@firm.example.com", 0.5]])
    book.active["B2"].number_format = "mm-dd-yy"
    style = replace(b'numFmtId="14"', b'numFmtId="' + number + b'"')
    path = edit_parts(save(book, tmp_path), {STYLES: style})
    assert read_xlsx_head(path)[0].rows_below[0][1][1] == shown


def test_a_sheet_that_is_gone_is_missed(workbook_path: Path, tmp_path: Path) -> None:
    plan = dataclasses.replace(find_plan(workbook_path), sheet="Gone")
    with pytest.raises(BrokenFile, match="no longer has the sheet") as caught:
        open_sheet(workbook_path, plan, tmp_path).__enter__()
    assert caught.value.sheet == "Gone"


def test_a_relation_to_a_part_that_is_not_there_counts_for_none(workbook_path: Path) -> None:
    assert read_xlsx_head(edit_parts(workbook_path, {STYLES: None}))[0].columns == ("email", "n")
