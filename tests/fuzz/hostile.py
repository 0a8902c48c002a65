"""Files built to hurt, written by a process that imports nothing of Winnow's."""

import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterable, Mapping
from itertools import chain, repeat
from pathlib import Path

MAIN = b"http://schemas.openxmlformats.org/spreadsheetml/2006/main"
CELL = b'<c t="inlineStr"><is><t>%s</t></is></c>'
SHEET = b'<worksheet xmlns="%s"><sheetData>%s</sheetData></worksheet>'
ROWS = (
    b"<row>" + CELL % b"email" + b"</row>",
    b"<row>" + CELL % b"ana@frei.de" + b"</row>",
)
PARTS = {
    "[Content_Types].xml": b"<Types/>",
    "_rels/.rels": b'<Relationships><Relationship Id="a" Type="x/officeDocument" '
    b'Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": b'<workbook xmlns:r="r"><sheets><sheet name="Data" r:id="s"/></sheets>'
    b"</workbook>",
    "xl/_rels/workbook.xml.rels": b'<Relationships><Relationship Id="s" Type="x/worksheet" '
    b'Target="worksheets/sheet1.xml"/></Relationships>',
    "xl/worksheets/sheet1.xml": SHEET % (MAIN, b"".join(ROWS)),
}
MIB = 1 << 20
SHEET_NAME, BOOK, RELATIONS = (
    *("xl/worksheets/sheet1.xml", "xl/workbook.xml"),
    "xl/_rels/workbook.xml.rels",
)
Parts = dict[str, bytes | Iterable[bytes]]


def sheet(block: bytes, times: int = 1) -> Parts:
    """Return a sheet with the same bytes many times between its rows and its end."""
    before, after = (SHEET % (MAIN, b"".join(ROWS) + b"\0")).split(b"\0")
    return {SHEET_NAME: chain([before], repeat(block, times), [after])}


def put_in(part: str, more: bytes) -> Parts:
    """Return a part with bytes before its root's end, by its name."""
    before, closing, after = PARTS[part].rpartition(b"</")
    return {part: before + more + closing + after}


def add_part(kind: bytes, content: bytes | Iterable[bytes]) -> Parts:
    """Return a part that the workbook points at, and its relations."""
    relation = b'<Relationship Id="k" Type="x/%s" Target="%s.xml"/>' % (kind, kind)
    return {**put_in(RELATIONS, relation), f"xl/{kind.decode()}.xml": content}


def name_string(index: bytes) -> Parts:
    """Return a sheet whose only address is a shared string."""
    return {SHEET_NAME: SHEET % (MAIN, ROWS[0] + b'<row><c t="s"><v>%s</v></c></row>' % index)}


def make_laughs() -> bytes:
    """Return entities of entities of entities."""
    entities = (
        b'<!ENTITY a%d "%s">' % (n, b"&a%d;" % (n - 1) * 10 if n else b"ha") for n in range(12)
    )
    return b"<!DOCTYPE x [" + b"".join(entities) + b"]><workbook>&a11;</workbook>"


def make_styles() -> bytes:
    """Return two million cell styles, and formats of whatever length."""
    formats = b'<numFmt numFmtId="200" formatCode="' + b"[" * 60_000 + b'"/>'
    styles = b"<numFmts>" + formats + b"</numFmts><cellXfs>" + b'<xf numFmtId="200"/>' * 1_100_000
    return b"<s>" + styles + b"</cellXfs></s>"


def number(form: bytes, count: int) -> bytes:
    """Return a text with many numbers put into it."""
    return b"".join(form % number for number in range(count))


ONE_SHEET = b'<sheet name="x" r:id="s"/>'
FAR = (
    b'<row r="1"><c r="A1" t="inlineStr"><is><t>email</t></is></c></row>'
    b'<row r="1048576"><c r="XFD1048576" t="inlineStr"><is><t>x</t></is></c></row>'
)
MERGES = b"<mergeCells>" + b'<mergeCell ref="B1:C1048576"/>' * 1_500_000 + b"</mergeCells>"
BOOKS: Mapping[str, Callable[[], Parts]] = {
    "blanks in a sheet": lambda: sheet(b" " * MIB, 256),
    "empty rows": lambda: sheet(b"<row/>" * 100_000, 120),
    "a row without end": lambda: sheet(b"<row>" + (CELL % b"x") * 9000, 6),
    "one column too many": lambda: sheet(b"<row>" + (CELL % b"x") * 16_385 + b"</row>", 3),
    "a cell of a hundred megabytes": lambda: sheet(b"<row><c><v>" + b"x" * MIB, 100),
    "a deep workbook": lambda: {BOOK: b"<a>" * 100_000 + b"</a>" * 100_000},
    "a deep sheet": lambda: sheet(b"<row><c>" * 100_000, 5),
    "laughs": lambda: {BOOK: make_laughs()},
    "a file of this machine": lambda: {
        BOOK: b'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><workbook>&a;</workbook>'
    },
    "sheets of one part": lambda: {
        BOOK: b'<workbook xmlns:r="r"><sheets>' + ONE_SHEET * 50_000 + b"</sheets></workbook>"
    },
    "members": lambda: {f"x{number}": b"" for number in range(12_000)},
    "strings": lambda: {
        **add_part(b"sharedStrings", repeat(b"<si><t>" + b"x" * 1000 + b"</t></si>", 90_000)),
        **name_string(b"999999999"),
    },
    "references beyond bounds": lambda: sheet(
        b'<row r="99999999999"><c r="ZZZZZZZZ1"><v>1</v></c></row>' * 1000
    ),
    "a comment without end": lambda: {SHEET_NAME: repeat(b"<!--" + b"-" * MIB, 80)},
    "relations": lambda: put_in(RELATIONS, b"<a/>" * 15_000_000),
    "names": lambda: put_in(BOOK, number(b"<n%d/>", 5_000_000)),
    "attributes": lambda: put_in(RELATIONS, b"<a" + number(b' a%d=""', 5_000_000) + b"/>"),
    "an attribute": lambda: put_in(RELATIONS, b'<a b="' + b"x" * (60 * MIB) + b'"/>'),
    "a million sheets": lambda: {
        BOOK: PARTS[BOOK].replace(b"<sheets>", b"<sheets>" + ONE_SHEET * 1_000_000)
    },
    "comments": lambda: {SHEET_NAME: b"<!--a" * 100_000},  # it once took hours
    "styles": lambda: add_part(b"styles", make_styles()),
    "a chain of calculations": lambda: add_part(
        b"calcChain", b"<calcChain>" + b'<c r="A1"/>' * 6_000_000 + b"</calcChain>"
    ),
    "blank strings": lambda: add_part(b"sharedStrings", repeat(b"<si/>" * 100_000, 60)),
    "no strings": lambda: {
        **add_part(b"sharedStrings", repeat(b"<sst>" + b"x" * MIB, 60)),
        **name_string(b"0"),
    },
    "merged cells": lambda: {
        SHEET_NAME: (SHEET % (MAIN, b"".join(ROWS))).replace(b"</w", MERGES + b"</w")
    },
    "far cells": lambda: {SHEET_NAME: SHEET % (MAIN, FAR)},
    "zips": lambda: {f"xl/media/{number}.zip": bytes(60 * MIB) for number in range(6)},
    "empty elements": lambda: sheet((b"<row>" + b"<c/>" * 4_000 + b"</row>") * 50, 4),
}
"""Parts of a plain workbook in place of its own, or more of them."""

TEXTS: Mapping[str, Callable[[], Iterable[bytes]]] = {
    "a cell": lambda: chain([b'email,x\na@b.de,"'], repeat(b"x" * MIB, 200)),
    "a line": lambda: chain([b"email\n"], repeat(b"x" * MIB, 200)),
    "columns": lambda: [b"email" + b",x" * MIB + b"\na@b.de\n"],
    "a ragged row": lambda: [
        b"email,x\n" + b"a@b.de,1\n" * 200_000 + b"a@b.de" + b",x" * MIB + b"\n"
    ],
    "quotes": lambda: chain([b"email,x\n"], repeat(b'"' * MIB, 50)),
    "breaks": lambda: chain([b"email\n"], repeat(b"\n" * MIB, 50)),
    "short rows": lambda: chain([b"email\n"], repeat(b"a\n" * 500_000, 24)),
    "blank lines": lambda: chain([b"email\n"], repeat(b"\n" * MIB, 30), [b"a@b.de\n"]),
    "half characters": lambda: [
        "email\na@b.de\n".encode("utf-16") * 10 + b"\x3d\xd8" * (2 * MIB) + b"\n"
    ],
}


def write(name: str, path: Path) -> None:
    """Write a file of one of the tables."""
    if name in TEXTS:
        with path.open("wb") as file:
            file.writelines(TEXTS[name]())
        return
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for part, content in {**PARTS, **BOOKS[name]()}.items():
            with archive.open(part, "w", force_zip64=True) as file:
                file.writelines([content] if isinstance(content, bytes) else content)


def write_apart(name: str, path: Path) -> None:
    """Write a file in a process of its own, whose memory counts for nobody."""
    code = "import sys, pathlib; from tests.fuzz.hostile import write"
    end = "write(sys.argv[1], pathlib.Path(sys.argv[2]))"
    subprocess.run([sys.executable, "-c", f"{code}; {end}", name, path], check=True)
