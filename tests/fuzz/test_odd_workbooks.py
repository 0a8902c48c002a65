"""Workbooks with values that no spreadsheet program writes, each in an otherwise plain one."""

import pytest

from tests.fuzz.entries import clean_parts, clean_workbook
from tests.fuzz.hostile import BOOK, CELL, MAIN, PARTS, RELATIONS, ROWS, SHEET, SHEET_NAME
from tests.lists.zips import write_zip

N = b"9" * 5000  # more digits than Python turns into a number
HEAD, ROW = ROWS
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
        clean_parts(PARTS | {SHEET_NAME: SHEET % (MAIN, rows)})


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
    clean_parts(PARTS | changed)


TARGETS = (
    *(b"../../../../etc/passwd", b"//server/x.xml", b"C:\\x", b"%00", b"http://evil.example/x"),
    N,
)
TABLES = (
    *(b'<table ref="A%s:B2"/>' % N, b'<table ref="x"/>', b"<table/>"),
    b'<table ref="A1:XFE99999999"/>',
    b'<table ref="A1:A2"><autoFilter ref="B%s"/></table>' % N,
)
RELATED = b'<Relationships><Relationship Id="t" Type="x/table" Target="../t.xml"/></Relationships>'
DIMENSION = b'<dimension ref="A1:B' + N + b'"/>' + OPEN
NAMED = (
    b'<definedNames><definedName name="x" localSheetId="%s">Data!$A$%s</definedName>'
    b"</definedNames></workbook>" % (N, N)
)
LONG_SHEET = SHEET % (MAIN, HEAD + ROW * 3)
CHANGES = [
    *({RELATIONS: PARTS[RELATIONS].replace(b"worksheets/sheet1.xml", one)} for one in TARGETS),
    *(
        {
            "xl/worksheets/_rels/sheet1.xml.rels": RELATED,
            "xl/t.xml": table,
            SHEET_NAME: LONG_SHEET,
        }
        for table in TABLES
    ),
    {
        SHEET_NAME: LONG_SHEET.replace(OPEN, DIMENSION),
        BOOK: PARTS[BOOK].replace(b"</workbook>", NAMED),
    },
]


@pytest.mark.parametrize("changes", CHANGES, ids=range(len(CHANGES)))
def test_odd_parts(changes: dict[str, bytes]) -> None:
    clean_parts(PARTS | changes)


def test_a_directory_that_points_before_the_file() -> None:
    packed = write_zip(PARTS)
    end = packed.rindex(b"PK\5\6")
    start = int.from_bytes(packed[end + 16 : end + 20], "little")  # APPNOTE.TXT, 4.3.16
    for shift in (1, 22, start):
        moved = (start + shift).to_bytes(4, "little")
        clean_workbook(packed[: end + 16] + moved + packed[end + 20 :])
