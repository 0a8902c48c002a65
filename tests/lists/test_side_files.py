"""Files of any shape laid beside a list: each as it is written elsewhere, and hostile ones."""

import gzip
import io
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pandas as pd
import pyarrow as pa
import pytest

from tests.libreoffice import convert
from tests.lists.side_support import names_address, read_side
from tests.lists.xlsx_support import make_workbook
from tests.lists.zips import write_zip
from winnow.core.errors import BrokenFile, WinnowError
from winnow.core.lists.side_files import FileCounts, NoteKind
from winnow.lists.marks.key_files import OwnKeys
from winnow.lists.side_files.tables import read_parts

ROWS = [("Ana", "ana@firm.example", "asked"), ("Bo", "BO@shop.example", "complained")]
HEADS = ["Name", "Email Address", "Why"]


def write_csv(delimiter: str = ",", encoding: str = "utf-8", line_end: str = "\n") -> bytes:
    lines = [delimiter.join(row) for row in [HEADS, *ROWS]]
    return (line_end.join(lines) + line_end).encode(encoding)


def write_frame(name: str, **options: object) -> bytes:
    out = io.BytesIO()
    frame = pd.DataFrame(ROWS, columns=HEADS)
    getattr(frame, name)(out, index=False, **options)
    return out.getvalue()


TWO_SHEETS = make_workbook(
    ("One", [HEADS, [*ROWS[0]]]),
    ("More", [[ROWS[1][1]]]),
    ("Old", [["gone@old.example"]]),
    hidden=("Old",),
)


def assert_both_are_named(keys: OwnKeys, counts: FileCounts) -> None:
    assert counts.addresses == 2
    assert names_address(keys, "ana@firm.example")
    assert names_address(keys, "bo@shop.example")
    assert not names_address(keys, "gone@old.example")


@pytest.mark.parametrize(
    ("content", "name"),
    [
        pytest.param(write_csv(), "a.csv", id="csv"),
        pytest.param(write_csv(";", "cp1252", "\r\n"), "a.csv", id="semicolons"),
        pytest.param(write_csv("\t"), "a.tsv", id="tsv"),
        pytest.param(write_csv("\t", "utf-16"), "a.txt", id="utf-16"),
        pytest.param(write_csv(",", "utf-8-sig"), "export", id="no-extension"),
        pytest.param(write_csv(line_end="\r"), "a.csv", id="cr-only"),
        pytest.param(gzip.compress(write_csv()), "a.csv.gz", id="gzip"),
        pytest.param(
            pa.Codec("zstd").compress(write_csv(), asbytes=True), "a.csv.zst", id="zstandard"
        ),
        pytest.param(write_frame("to_parquet"), "a.parquet", id="parquet"),
        pytest.param(write_frame("to_excel"), "a.xlsx", id="xlsx"),
        pytest.param(write_frame("to_excel"), "renamed.csv", id="xlsx-by-another-name"),
        pytest.param(TWO_SHEETS, "a.xlsx", id="two-sheets-and-a-hidden-one"),
        pytest.param(write_zip({"x/a.csv": write_csv()}), "a.zip", id="zip"),
        pytest.param(
            write_zip({"a.xlsx": write_frame("to_excel"), "__MACOSX/._a.xlsx": b"x"}),
            "a.zip",
            id="zip-of-a-workbook",
        ),
        pytest.param(write_zip({"../../etc/passwd": write_csv()}), "a.zip", id="zip-slip"),
    ],
)
def test_a_file_of_any_shape_names_the_same(tmp_path: Path, content: bytes, name: str) -> None:
    assert_both_are_named(*read_side(tmp_path, content, name))
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"file", "scratch"}


@pytest.mark.slow
def test_workbooks_of_other_programs_name_the_same(tmp_path: Path) -> None:
    (tmp_path / "book.xlsx").write_bytes(write_frame("to_excel"))
    book = convert(tmp_path / "book.xlsx", "ods", tmp_path)
    keys, counts = read_side(tmp_path, book.read_bytes(), book.name)
    assert_both_are_named(keys, counts)


def test_mailchimp_s_zip_takes_those_who_may_not_be_mailed(tmp_path: Path) -> None:
    members = ("subscribed", "unsubscribed", "cleaned", "nonsubscribed")
    parts = {
        f"{name}_members_export_8f2.csv": f"Email Address,First Name\n{name}@x.example,A\n".encode()
        for name in members
    }
    keys, counts = read_side(tmp_path, write_zip(parts), "export.zip")
    taken = [names_address(keys, f"{name}@x.example") for name in members]
    assert taken == [False, True, True, False]
    left = {note.name for note in counts.notes if note.kind is NoteKind.SUBSCRIBED}
    assert left == {"subscribed_members_export_8f2.csv", "nonsubscribed_members_export_8f2.csv"}


@pytest.mark.parametrize(
    "cells",
    [
        pytest.param(  # no more memory than cells
            {"A1": "ana@firm.example", "XFD1048576": "gone@old.example"},
            marks=pytest.mark.slow,
            id="far-apart",
        ),
        pytest.param({"A1": "ana@firm.example"}, id="beside-empty-sheets"),
    ],
)
def test_a_workbook_of_few_cells_is_read(tmp_path: Path, cells: dict[str, str]) -> None:
    book, out = openpyxl.Workbook(), io.BytesIO()
    for name, value in cells.items():
        book.active[name] = value
    book.create_sheet("Sheet2", 0)
    book.create_sheet("Sheet3")
    book.save(out)
    keys, _ = read_side(tmp_path, out.getvalue(), "a.xlsx")
    assert names_address(keys, "ana@firm.example")


@pytest.mark.parametrize("pack", [gzip.compress, lambda text: write_zip({"a.csv": text})])
def test_what_is_packed_ends_at_a_size(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "a"
    path.write_bytes(pack(b"ana@firm.example\n" * 100_000))
    list(read_parts(path, "a.csv", tmp_path, []))
    with pytest.raises(BrokenFile, match="unpacks to more than"):
        list(read_parts(path, "a.csv", tmp_path, [], most_bytes=1 << 20))


@pytest.mark.parametrize(
    ("content", "name", "said"),
    [
        pytest.param(b"", "a.csv", "no row", id="empty"),
        pytest.param(b"\n\n  \n", "a.txt", "no row", id="blank"),
        pytest.param(b"name\nAna\n", "a.csv", "no address", id="nobody"),
        pytest.param(b"%PDF-1.7 ana@x.de", "a.csv", "PDF document", id="pdf"),
        pytest.param(b"<html>ana@x.de", "a.csv", "HTML page", id="html"),
        pytest.param(b"PK\x03\x04broken", "a.zip", "zip is damaged", id="broken-zip"),
        pytest.param(
            write_zip({"a.csv": write_csv()})[:-25], "a.zip", "zip is damaged", id="cut-zip"
        ),
        pytest.param(write_zip({}), "a.zip", "no file", id="empty-zip"),
        pytest.param(
            write_zip({"b.zip": write_zip({"a.csv": b"a@b.de"})}),
            "a.zip",
            "ZIP archive",
            id="nested",
        ),
        pytest.param(
            write_zip({"a.gz": gzip.compress(b"a@b.de")}), "a.zip", "gzip archive", id="nested-gzip"
        ),
        pytest.param(write_zip({"a.pdf": b"%PDF-1.7"}), "a.zip", "PDF document", id="zip-of-a-pdf"),
        pytest.param(
            write_zip({f"{n}.txt": b"a@b.de" for n in range(1001)}),
            "a.zip",
            "1,000 files",
            id="many",
        ),
        pytest.param(write_frame("to_excel")[:-200], "a.xlsx", "zip is damaged", id="cut-workbook"),
        pytest.param(write_frame("to_parquet")[:-9], "a.parquet", "ends early", id="cut-parquet"),
        pytest.param(gzip.compress(write_csv())[:-9], "a.gz", "ends too early", id="cut-gzip"),
        pytest.param(b"\xff\xfea\x00b", "a.txt", "UTF-16", id="cut-utf-16"),
        pytest.param(b'email\n"ana@x.de\n' * 3, "a.csv", "never closes", id="open-quote"),
        pytest.param(b"\x00" * 5000, "a.csv", "NUL byte", id="zeros"),
    ],
)
def test_what_cannot_be_read_is_refused_in_words(
    tmp_path: Path, content: bytes, name: str, said: str
) -> None:
    with pytest.raises(WinnowError) as raised:
        read_side(tmp_path, content, name)
    assert said in raised.value.detail
    assert "@" not in f"{raised.value.detail} {raised.value.hint}"


WRONGLY = (
    *("ana@firm,example", "ana @firm.example", "SMTP:ana@firm.example", "ana@firm.example."),
    *("ana@firm.example#mailto:ana@firm.example#", "x@shop.example ::: ana@firm.example"),
)
ANA, BO, US = "ana@firm.example", "bo@shop.example", "us@own.example"
ALL_OF_A_LINE = (
    f"{ANA};{BO};{US}",
    f"{ANA}, {BO}, {US}",
    f"{ANA}\t{BO}\t{US}",
    f"To: Ana A <{ANA}>, Bo B <{BO}>, Us <{US}>",
    f"{ANA}, {BO}\n{US}\n",
    f"{ANA}; {BO}\n{US}; {ANA}\n",
    f"cc;{ANA};{BO}\nbcc;{US};\n",
)


@pytest.mark.parametrize(
    ("text", "named", "left_out"),
    [
        *((text, {ANA, BO, US}, 0) for text in ALL_OF_A_LINE),
        *((f'Email,Why\n"{cell}",asked\n', {ANA}, 0) for cell in WRONGLY),
        pytest.param(  # who added an entry is not on it
            f"added_by,email,domain\n{US},{ANA},\n{US},,shop.example\n", {ANA, BO}, 0, id="added_by"
        ),
        pytest.param(
            "owner;kunde\n" + f"{US};{ANA}\n" + "".join(f"{US};c{n}@c.example\n" for n in range(9)),
            *({ANA}, 0),
            id="the-column-with-different-addresses",
        ),
        pytest.param(f"Email,Why\n{BO},x\nMr. {ANA},asked\n", {BO}, 1, id="who-may-be-another"),
    ],
)
def test_who_is_named(tmp_path: Path, text: str, named: set[str], left_out: int) -> None:
    keys, counts = read_side(tmp_path, text, "no.csv" if left_out or "," in text else "no.txt")
    assert {one for one in (ANA, BO, US) if names_address(keys, one)} == named
    assert counts.left_out == left_out
