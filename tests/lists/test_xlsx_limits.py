"""Workbooks whose small parts are built to take memory or time end in an error, soon."""

import struct
import zipfile
from pathlib import Path

import pytest

from tests.lists.xlsx_support import build_list, edit_parts, run_batch, save, share_strings
from winnow.core.errors import BrokenFile
from winnow.lists.formats.xlsx import cells, head
from winnow.lists.formats.xlsx.head import read_xlsx_head

SHEET = "xl/worksheets/sheet1.xml"
BOOK = "xl/workbook.xml"
RELATIONS = "xl/_rels/workbook.xml.rels"
TYPES = "[Content_Types].xml"
STYLES = "xl/styles.xml"
ROWS = [["email", "n"], ["ana@firm.example.com", 1], ["ben@firm.example.com", 2]]


@pytest.fixture
def workbook_path(tmp_path: Path) -> Path:
    return save(build_list(ROWS), tmp_path)


def _put_in(content: bytes, more: bytes) -> bytes:
    """Put bytes before the root's end."""
    before, closing, after = content.rpartition(b"</")
    return before + more + closing + after


@pytest.mark.parametrize(
    "more",
    [
        b"<a/>" * 1_000_000,
        b"<a>" * 400 + b"</a>" * 400,
        b"<a" + b"".join(b' a%d=""' % number for number in range(3000)) + b"/>",
        b"".join(b"<a%d/>" % number for number in range(15_000)),
        b"x" * (8 << 20),
    ],
    ids=["elements", "depth", "attributes", "names", "text"],
)
def test_what_a_small_part_need_not_hold_is_passed_over(workbook_path: Path, more: bytes) -> None:
    """None of it is kept."""
    for part in (RELATIONS, BOOK, TYPES, STYLES):
        workbook_path = edit_parts(workbook_path, {part: lambda content: _put_in(content, more)})
    assert read_xlsx_head(workbook_path)[0].columns == ("email", "n")


@pytest.mark.parametrize("more", [b"<a%d/>", b'<a b%d=""/>'], ids=["elements", "attributes"])
def test_so_many_names_are_read_and_no_more(workbook_path: Path, more: bytes) -> None:
    """The parser remembers each; those of a sheet are counted in a part of it."""
    all_names = b"".join(more % number for number in range(2_000_000))
    path = edit_parts(workbook_path, {SHEET: lambda content: _put_in(content, all_names)})
    with pytest.raises(BrokenFile, match="more than any spreadsheet program writes"):
        run_batch(path)


@pytest.mark.parametrize("odd", [b"<!-- a -->", b"<?a ?>", b"<![CDATA[a]]>"])
def test_comments_and_the_like_are_refused(workbook_path: Path, odd: bytes) -> None:
    workbook_path = edit_parts(
        workbook_path,
        {SHEET: lambda content: content.replace(b"<t>email", b"<t>" + odd + b"email")},
    )
    with pytest.raises(BrokenFile, match="marks that no spreadsheet program writes"):
        read_xlsx_head(workbook_path)


@pytest.mark.parametrize(("name", "most"), [("MAX_FIRST_CELLS", 5), ("MAX_STRING_BYTES", 100)])
def test_first_rows_of_all_sheets_are_kept_within_bounds(
    workbook_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, most: int
) -> None:
    workbook_path = save(build_list([*ROWS, ["x" * 200]]), workbook_path.parent)
    monkeypatch.setattr(head, name, most)
    with pytest.raises(BrokenFile, match="too large to look into"):
        read_xlsx_head(share_strings(workbook_path))


def test_a_long_text_in_every_cell_is_read_a_few_rows_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A string of 1 MiB that all rows share would take gigabytes."""
    rows = [["email", "note"], *[[f"u{number}@x.org", "x" * 200] for number in range(9)]]
    path = share_strings(save(build_list(rows), tmp_path))
    monkeypatch.setattr(cells, "MAX_TEXT_BYTES", 1000)
    run = run_batch(path)
    assert run.index_lines() == [f"u{number}@x.org,{'x' * 200}" for number in range(9)]
    monkeypatch.setattr(cells, "MAX_TEXT_BYTES", 150)
    path.with_suffix(".work").rename(tmp_path / "before")
    with pytest.raises(BrokenFile, match="row after row 1 cannot be read"):
        run_batch(path, plan=run.plan)


def test_a_part_that_lies_within_another_is_refused(workbook_path: Path) -> None:
    data = workbook_path.read_bytes()
    entries = [place for place in range(len(data)) if data.startswith(b"PK\x01\x02", place)]
    first, second = entries[0], entries[1]
    offset = data[first + 42 : first + 46]
    workbook_path.write_bytes(data[: second + 42] + offset + data[second + 46 :])
    with pytest.raises(BrokenFile, match="lies within another part"):
        read_xlsx_head(workbook_path)


def test_a_directory_larger_than_any_is_not_read(workbook_path: Path) -> None:
    with zipfile.ZipFile(workbook_path, "a") as archive:
        for number in range(30_000):
            info = zipfile.ZipInfo(f"x{number}")
            info.comment = b"c" * 200
            archive.writestr(info, b"")
    with pytest.raises(BrokenFile, match="directory"):
        read_xlsx_head(workbook_path)


def test_a_directory_that_says_to_be_huge_is_not_believed(workbook_path: Path) -> None:
    data = bytearray(workbook_path.read_bytes())
    end = data.rindex(b"PK\x05\x06")
    data[end + 12 : end + 16] = struct.pack("<I", 0xFFFFFF00)
    workbook_path.write_bytes(data)
    with pytest.raises(BrokenFile):
        read_xlsx_head(workbook_path)
