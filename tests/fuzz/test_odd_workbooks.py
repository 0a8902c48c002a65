"""Workbooks with values that no spreadsheet program writes, each in an otherwise plain one."""

import pytest

from tests.fuzz.entries import clean_workbook, put_parts
from tests.fuzz.hostile import CELL, MAIN, PARTS, ROWS, SHEET

N = b"9" * 5000  # more digits than Python turns into a number
HEAD, ROW = ROWS
SHEET_NAME, RELATIONS = "xl/worksheets/sheet1.xml", "xl/_rels/workbook.xml.rels"
CLOSE, OPEN = b"</sheetData>", b"<sheetData>"


def relate(kind: bytes, target: bytes) -> bytes:
    added = b'<Relationship Id="t" Type="x/%s" Target="%s"/></Rel' % (kind, target)
    return PARTS[RELATIONS].replace(b"</Rel", added, 1)


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(b'<row><c t="s"><v>x</v></c></row>', id="shared-text"),
        pytest.param(b'<row><c t="s"><v>-1</v></c></row>', id="shared-negative"),
        pytest.param(b'<row><c t="s"><v>' + N + b"</v></c></row>", id="shared-huge"),
        pytest.param(b'<row r="' + N + b'">' + CELL % b"a@b.de" + b"</row>", id="row-huge"),
        pytest.param('<row r="²">'.encode() + CELL % b"a@b.de" + b"</row>", id="row-raised"),
        pytest.param(b'<row><c s="' + N + b'"><v>5</v></c></row>', id="style-huge"),
        pytest.param(b"<row><c><v>" + N + b"</v></c></row>", id="number-huge"),
        pytest.param(b'<row><c t="b"><v>' + N + b"</v></c></row>", id="truth-huge"),
        pytest.param(b'<row><c r="' + b"Z" * 5000 + b'1"><v>1</v></c></row>', id="column-huge"),
        pytest.param(b"<row>" + CELL % (b"&#" + N + b";") + b"</row>", id="reference-huge"),
        pytest.param(b"<row>" + CELL % b"&#1114112;" + b"</row>", id="reference-beyond"),
        pytest.param(b"<row>" + CELL % b"&#xD800;a@b.de" + b"</row>", id="half-a-character"),
        pytest.param(b"<row>" + CELL % b"_xD800_a@b.de" + b"</row>", id="half-escaped"),
        pytest.param(b'<row><c t="d"><v>2026-99-99</v></c></row>', id="no-date"),
        pytest.param(CLOSE + b'<autoFilter ref="A' + N + b':B9"/>' + OPEN, id="filter"),
        pytest.param(CLOSE + b'<mergeCell ref="A1:' + N + b'"/>' + OPEN, id="merge"),
        pytest.param(
            b'<row><c><f t="shared" si="' + N + b'" ref="A1:A' + N + b'">A' + N + b"</f></c></row>",
            id="formula",
        ),
    ],
)
def test_odd_rows(row: bytes) -> None:
    for rows in (HEAD + row + ROW, HEAD + ROW * 3 + row + ROW):
        clean_workbook(put_parts((PARTS | {SHEET_NAME: SHEET % (MAIN, rows)}).items()))


@pytest.mark.parametrize("value", [b"5", b"1e400", b"nan", b"-99999999", b"x", N], ids=len)
@pytest.mark.parametrize("number_format", ["²".encode(), N, b"x", b"200", b"22"], ids=len)
def test_odd_styles(value: bytes, number_format: bytes) -> None:
    styles = b'<styleSheet><cellXfs count="-1"><xf numFmtId="%s"/></cellXfs></styleSheet>'
    row = b'<row><c s="0"><v>' + value + b"</v></c></row>"
    changed = {
        RELATIONS: relate(b"styles", b"styles.xml"),
        "xl/styles.xml": styles % number_format,
        SHEET_NAME: SHEET % (MAIN, HEAD + row + ROW * 2),
    }
    clean_workbook(put_parts((PARTS | changed).items()))


@pytest.mark.parametrize(
    "target",
    [b"../../../../etc/passwd", b"//server/x.xml", b"C:\\x", b"%00", b"http://evil.example/x", N],
    ids=len,
)
def test_odd_targets(target: bytes) -> None:
    changed = PARTS[RELATIONS].replace(b"worksheets/sheet1.xml", target)
    clean_workbook(put_parts((PARTS | {RELATIONS: changed}).items()))


@pytest.mark.parametrize(
    "table",
    [
        b'<table ref="A%s:B2"/>' % N,
        b'<table ref="x"/>',
        b"<table/>",
        b'<table ref="A1:XFE99999999"/>',
        b'<table ref="A1:A2"><autoFilter ref="B%s"/></table>' % N,
    ],
    ids=len,
)
def test_odd_tables(table: bytes) -> None:
    related = (
        b'<Relationships><Relationship Id="t" Type="x/table" Target="../t.xml"/></Relationships>'
    )
    changed = {
        "xl/worksheets/_rels/sheet1.xml.rels": related,
        "xl/t.xml": table,
        SHEET_NAME: SHEET % (MAIN, HEAD + ROW * 3),
    }
    clean_workbook(put_parts((PARTS | changed).items()))


def test_an_odd_dimension_and_an_odd_name() -> None:
    sheet = (SHEET % (MAIN, HEAD + ROW * 2)).replace(
        OPEN, b'<dimension ref="A1:B' + N + b'"/>' + OPEN
    )
    named = PARTS["xl/workbook.xml"].replace(
        b"</workbook>",
        b'<definedNames><definedName name="x" localSheetId="%s">Data!$A$%s</definedName>'
        b"</definedNames></workbook>" % (N, N),
    )
    clean_workbook(put_parts((PARTS | {SHEET_NAME: sheet, "xl/workbook.xml": named}).items()))


def test_a_directory_that_points_before_the_file() -> None:
    packed = put_parts(PARTS.items())
    end = packed.rindex(b"PK\5\6")
    start = int.from_bytes(packed[end + 16 : end + 20], "little")  # APPNOTE.TXT, 4.3.16
    for shift in (1, 22, start):
        moved = (start + shift).to_bytes(4, "little")
        clean_workbook(packed[: end + 16] + moved + packed[end + 20 :])
