"""Files built to hurt, each cleaned in one process whose peak memory is told.

``python -m tests.fuzz.hostile FOLDER``: prints one line a file and, last, the peak in MiB.
"""

import re
import resource
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.fuzz.entries import clean_file
from winnow.core.errors import WinnowError
from winnow.lists.inspection.inspect import plan_input, read_head

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
START, END = "import sys; from pathlib import Path", "write(Path(sys.argv[1]))"


def write_zip(path: Path, **changed: bytes | Iterator[bytes]) -> None:
    """Write a workbook with some parts changed; names are given with ``__`` for the slash."""
    named = {name.replace("__", "/").replace("_xml", ".xml"): v for name, v in changed.items()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in {**PARTS, **named}.items():
            if isinstance(content, bytes):
                archive.writestr(name, content)
                continue
            with archive.open(name, "w", force_zip64=True) as part:
                for block in content:
                    part.write(block)


def build_sheet(block: bytes, times: int) -> Iterator[bytes]:
    """Yield a sheet with the same bytes many times between its rows."""
    before, after = (SHEET % (MAIN, b"".join(ROWS) + b"\0")).split(b"\0")
    yield before
    for _ in range(times):
        yield block
    yield after


def build_table(block: bytes, times: int) -> Iterator[bytes]:
    """Yield a part of the same bytes many times."""
    for _ in range(times):
        yield block


def write_bomb(path: Path) -> None:
    """A quarter of a gigabyte of blanks in a quarter of a megabyte."""
    write_zip(path, xl__worksheets__sheet1_xml=build_sheet(b" " * MIB, 256))


def write_rows(path: Path) -> None:
    """Empty rows without end."""
    write_zip(path, xl__worksheets__sheet1_xml=build_sheet(b"<row/>" * 100_000, 120))


def write_long_row(path: Path) -> None:
    """One row that never ends."""
    write_zip(path, xl__worksheets__sheet1_xml=build_sheet(b"<row>" + (CELL % b"x") * 9000, 6))


def write_wide(path: Path) -> None:
    """Every column that Excel has, and one more."""
    wide = b"<row>" + (CELL % b"x") * 16_385 + b"</row>"
    write_zip(path, xl__worksheets__sheet1_xml=build_sheet(wide, 3))


def write_long_text(path: Path) -> None:
    """A cell of a hundred megabytes."""
    write_zip(path, xl__worksheets__sheet1_xml=build_sheet(b"<row><c><v>" + b"x" * MIB, 100))


def write_deep(path: Path) -> None:
    """Elements within elements, a hundred thousand deep."""
    deep = b"<a>" * 100_000 + b"</a>" * 100_000
    write_zip(path, xl__workbook_xml=deep)


def write_deep_sheet(path: Path) -> None:
    """The same in the sheet itself."""
    write_zip(path, xl__worksheets__sheet1_xml=build_sheet(b"<row><c>" * 100_000, 5))


def write_laughs(path: Path) -> None:
    """Entities of entities of entities."""
    entities = b"".join(
        b'<!ENTITY a%d "%s">' % (n, b"&a%d;" % (n - 1) * 10 if n else b"ha") for n in range(12)
    )
    laugh = b"<!DOCTYPE x [" + entities + b"]><workbook>&a11;</workbook>"
    write_zip(path, xl__workbook_xml=laugh)


def write_external(path: Path) -> None:
    """A document type that names a file of this machine."""
    outside = b'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><workbook>&a;</workbook>'
    write_zip(path, xl__workbook_xml=outside)


def write_sheets(path: Path) -> None:
    """More sheets than anybody has, all in one part."""
    sheets = b'<sheet name="x" r:id="s"/>' * 50_000
    write_zip(
        path, xl__workbook_xml=b'<workbook xmlns:r="r"><sheets>' + sheets + b"</sheets></workbook>"
    )


def write_members(path: Path) -> None:
    """A zip of very many parts."""
    write_zip(path, **{f"x{number}": b"" for number in range(12_000)})


def write_strings(path: Path) -> None:
    """A table of shared strings that expands."""
    relation = PARTS["xl/_rels/workbook.xml.rels"].replace(
        b"</Rel",
        b'<Relationship Id="t" Type="x/sharedStrings" Target="sharedStrings.xml"/></Rel',
        1,
    )
    with_string = ROWS[0] + b'<row><c t="s"><v>999999999</v></c></row>'
    write_zip(
        path,
        **{"xl/_rels/workbook.xml.rels": relation},
        xl__sharedStrings_xml=build_table(b"<si><t>" + b"x" * 1000 + b"</t></si>", 90_000),
        xl__worksheets__sheet1_xml=SHEET % (MAIN, with_string),
    )


def write_references(path: Path) -> None:
    """Rows and columns with numbers beyond all bounds."""
    rows = b'<row r="99999999999"><c r="ZZZZZZZZ1"><v>1</v></c></row>' * 1000
    write_zip(path, xl__worksheets__sheet1_xml=build_sheet(rows, 1))


def write_comment(path: Path) -> None:
    """A comment that never ends."""
    write_zip(path, xl__worksheets__sheet1_xml=build_table(b"<!--" + b"-" * MIB, 80))


def put_in(part: str, more: bytes) -> dict[str, bytes]:
    """Return a part with bytes before its root's end, by its name."""
    before, closing, after = PARTS[part].rpartition(b"</")
    return {part: before + more + closing + after}


def write_relations(path: Path) -> None:
    """Fifteen million relations in sixty kilobytes."""
    write_zip(path, **put_in("xl/_rels/workbook.xml.rels", b"<a/>" * 15_000_000))


def write_names(path: Path) -> None:
    """Elements of which each has a name of its own."""
    names = b"".join(b"<n%d/>" % number for number in range(5_000_000))
    write_zip(path, **put_in("xl/workbook.xml", names))


def write_attributes(path: Path) -> None:
    """One element with five million attributes."""
    attributes = b"".join(b' a%d=""' % number for number in range(5_000_000))
    write_zip(path, **put_in("xl/_rels/workbook.xml.rels", b"<a" + attributes + b"/>"))


def write_attribute(path: Path) -> None:
    """One attribute of sixty megabytes."""
    more = b'<a b="' + b"x" * (60 * MIB) + b'"/>'
    write_zip(path, **put_in("xl/_rels/workbook.xml.rels", more))


def write_million_sheets(path: Path) -> None:
    """A million sheets in sixty kilobytes."""
    sheets = b"<sheets>" + b'<sheet name="x" r:id="s"/>' * 1_000_000
    write_zip(path, **{"xl/workbook.xml": PARTS["xl/workbook.xml"].replace(b"<sheets>", sheets)})


def write_comments(path: Path) -> None:
    """A hundred thousand comments without end, which once took hours."""
    write_zip(path, xl__worksheets__sheet1_xml=b"<!--a" * 100_000)


def add_part(kind: bytes, name: str, content: bytes | Iterator[bytes]) -> dict[str, Any]:
    """Return a part that the workbook points at, and its relations."""
    relation = b'<Relationship Id="k" Type="x/%s" Target="%s"/>' % (kind, name.encode())
    return {**put_in("xl/_rels/workbook.xml.rels", relation), f"xl/{name}": content}


def write_styles(path: Path) -> None:
    """Two million cell styles, and formats of whatever length."""
    formats = b'<numFmt numFmtId="200" formatCode="' + b"[" * 60_000 + b'"/>'
    styles = b"<numFmts>" + formats + b"</numFmts><cellXfs>" + b'<xf numFmtId="200"/>' * 1_100_000
    write_zip(path, **add_part(b"styles", "styles.xml", b"<s>" + styles + b"</cellXfs></s>"))


def write_chain(path: Path) -> None:
    """A chain of six million calculations, which nobody needs to read."""
    chain = b"<calcChain>" + b'<c r="A1"/>' * 6_000_000 + b"</calcChain>"
    write_zip(path, **add_part(b"calcChain", "calcChain.xml", chain))


def write_blank_strings(path: Path) -> None:
    """Six million shared strings that show nothing."""
    strings = build_table(b"<si/>" * 100_000, 60)
    write_zip(path, **add_part(b"sharedStrings", "sharedStrings.xml", strings))


def write_no_strings(path: Path) -> None:
    """A table of shared strings without one, on and on."""
    strings = build_table(b"<sst>" + b"x" * MIB, 60)
    parts = add_part(b"sharedStrings", "sharedStrings.xml", strings)
    with_string = ROWS[0] + b'<row><c t="s"><v>0</v></c></row>'
    write_zip(path, **parts, xl__worksheets__sheet1_xml=SHEET % (MAIN, with_string))


def write_merges(path: Path) -> None:
    """A million and a half merged cells behind the rows."""
    merges = b"<mergeCells>" + b'<mergeCell ref="B1:C1048576"/>' * 1_500_000 + b"</mergeCells>"
    sheet = b'<worksheet xmlns="%s"><sheetData>%s</sheetData>%s</worksheet>'
    write_zip(path, xl__worksheets__sheet1_xml=sheet % (MAIN, b"".join(ROWS), merges))


def write_sparse(path: Path) -> None:
    """Two cells, as far from each other as a sheet is wide and long."""
    first = b'<row r="1"><c r="A1" t="inlineStr"><is><t>email</t></is></c></row>'
    last = b'<row r="1048576"><c r="XFD1048576" t="inlineStr"><is><t>x</t></is></c></row>'
    write_zip(path, xl__worksheets__sheet1_xml=SHEET % (MAIN, first + last))


def write_zips(path: Path) -> None:
    """A zip bomb for whoever unpacks all there is."""
    write_zip(path, **{f"xl/media/{number}.zip": bytes(60 * MIB) for number in range(6)})


def write_empty_elements(path: Path) -> None:
    """Rows of cells that hold nothing, as many as a part may repeat."""
    block = (b"<row>" + b"<c/>" * 4_000 + b"</row>") * 50
    write_zip(path, xl__worksheets__sheet1_xml=build_sheet(block, 4))


def write_text(path: Path, start: bytes, byte: bytes, mebibytes: int) -> None:
    """Write a list that goes on and on with one byte."""
    with path.open("wb") as file:
        file.write(start)
        for _ in range(mebibytes):
            file.write(byte * MIB)


def write_cell(path: Path) -> None:
    """A quote that opens and never closes, over 200 MB."""
    write_text(path, b'email,x\na@b.de,"', b"x", 200)


def write_line(path: Path) -> None:
    """200 MB without a line break."""
    write_text(path, b"email\n", b"x", 200)


def write_columns(path: Path) -> None:
    """A header of a million columns."""
    path.write_bytes(b"email" + b",x" * MIB + b"\na@b.de\n")


def write_ragged(path: Path) -> None:
    """A narrow list with one row of a million cells behind its first megabyte."""
    path.write_bytes(b"email,x\n" + b"a@b.de,1\n" * 200_000 + b"a@b.de" + b",x" * MIB + b"\n")


def write_quotes(path: Path) -> None:
    """Nothing but quotes."""
    write_text(path, b"email,x\n", b'"', 50)


def write_breaks(path: Path) -> None:
    """Nothing but line breaks."""
    write_text(path, b"email\n", b"\n", 50)


def write_short_rows(path: Path) -> None:
    """Twelve million rows of two bytes."""
    with path.open("wb") as file:
        file.write(b"email\n")
        for _ in range(24):
            file.write(b"a\n" * 500_000)


def write_blank_lines(path: Path) -> None:
    """Thirty million lines and one row."""
    write_text(path, b"email\n", b"\n", 30)
    with path.open("ab") as file:
        file.write(b"a@b.de\n")


def write_utf16(path: Path) -> None:
    """UTF-16 that is cut in the middle of a character."""
    path.write_bytes("email\na@b.de\n".encode("utf-16") * 10 + b"\x3d\xd8" * (2 * MIB) + b"\n")


BOOKS: tuple[Callable[[Path], None], ...] = (
    *(write_bomb, write_rows, write_long_row, write_wide, write_long_text, write_deep),
    *(write_deep_sheet, write_laughs, write_external, write_sheets, write_members),
    *(write_strings, write_references, write_comment, write_relations),
    *(write_names, write_attributes, write_attribute, write_million_sheets, write_comments),
    *(write_styles, write_chain, write_blank_strings, write_no_strings, write_merges),
    *(write_sparse, write_zips, write_empty_elements),
)
TEXTS: tuple[Callable[[Path], None], ...] = (
    *(write_cell, write_line, write_columns, write_ragged, write_quotes, write_breaks),
    *(write_short_rows, write_blank_lines, write_utf16),
)


def read_peak_mib() -> int:
    """Return the most memory that this program took.

    The usage of the process would count what its parent had when it began.
    """
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    (peak,) = re.findall(r"VmHWM:\s+(\d+) kB", status.read_text())
    return int(peak) // 1024


def write_apart(write: Callable[[Path], None], path: Path) -> None:
    """Write a file in a process of its own, whose memory counts for nobody."""
    code = f"from tests.fuzz.hostile import {write.__name__} as write"
    subprocess.run([sys.executable, "-c", f"{START}; {code}; {END}", path], check=True)


def forget_peak() -> None:
    """Let the peak count from now on, where the system can (Linux)."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def main() -> None:
    """Write each file, look at it, clean it, and throw it away."""
    folder = Path(sys.argv[1])
    chosen = sys.argv[2:]
    for write in (*BOOKS, *TEXTS):
        if chosen and write.__name__ not in chosen:
            continue
        path = folder / ("list.xlsx" if write in BOOKS else "list.csv")
        write_apart(write, path)
        forget_peak()
        try:
            plan_input(read_head(path, path.name), email_column=0)
            said = "read"
        except WinnowError as error:
            said = f"{error.code}: {error.detail}"
        clean_file(path, path.name)
        told = f"{write.__name__} {read_peak_mib()} MiB {time.process_time():.1f} s {said}"
        print(told, flush=True)  # noqa: T201
        path.unlink()


if __name__ == "__main__":
    main()
