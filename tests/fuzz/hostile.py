"""Files built to hurt, each cleaned in one process whose peak memory is told.

``python -m tests.fuzz.hostile FOLDER``: prints one line a file and, last, the peak in MiB.
"""

import re
import resource
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

from backend.core.errors import WinnowError
from backend.files.inspection.inspect import plan_input, read_head
from tests.fuzz.entries import clean_file

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


def write_utf16(path: Path) -> None:
    """UTF-16 that is cut in the middle of a character."""
    path.write_bytes("email\na@b.de\n".encode("utf-16") * 10 + b"\x3d\xd8" * (2 * MIB) + b"\n")


BOOKS: tuple[Callable[[Path], None], ...] = (
    *(write_bomb, write_rows, write_long_row, write_wide, write_long_text, write_deep),
    *(write_deep_sheet, write_laughs, write_external, write_sheets, write_members),
    *(write_strings, write_references, write_comment),
)
TEXTS: tuple[Callable[[Path], None], ...] = (
    *(write_cell, write_line, write_columns, write_ragged, write_quotes, write_breaks),
    write_utf16,
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


def main() -> None:
    """Write each file, look at it, clean it, and throw it away."""
    folder = Path(sys.argv[1])
    for write in (*BOOKS, *TEXTS):
        path = folder / ("list.xlsx" if write in BOOKS else "list.csv")
        write(path)
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
