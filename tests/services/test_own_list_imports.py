"""Files of any shape that go on an own list."""

import io
import zipfile
from pathlib import Path

import openpyxl
import pytest

from tests.applications import Clock, open_test_application
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.core.errors import BadField, BrokenFile
from winnow.core.verdicts.verdict import Category
from winnow.services.own import own_lists
from winnow.wiring import Application


@pytest.fixture
def opened(tmp_path: Path, clock: Clock) -> Application:
    return open_test_application(tmp_path, clock)


def list_entries(opened: Application) -> dict[str, str]:
    entries = opened.services.own_lists.list(LOCAL_ACCOUNT, limit=100).entries
    return {entry.pattern: entry.category.value for entry in entries}


def write_workbook() -> bytes:
    book, out = openpyxl.Workbook(), io.BytesIO()
    book.active.append(["Kunde", "E-Mail"])
    book.active.append(["Ana", "ANA@firm.example"])
    book.save(out)
    return out.getvalue()


def write_zip() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("a.txt", "ana@firm.example\n")
    return out.getvalue()


@pytest.mark.parametrize(
    ("name", "data", "patterns"),
    [
        pytest.param("a.txt", b"ana@firm.example\n*.shop.example\n@x.example\n",
                     {"ana@firm.example", "*.shop.example", "x.example"}, id="text"),
        pytest.param("a.csv", b"Domain;Why\nfirm.example;ours\n", {"firm.example"}, id="csv"),
        pytest.param("a.xlsx", write_workbook(), {"ana@firm.example"}, id="workbook"),
        pytest.param("a.zip", write_zip(), {"ana@firm.example"}, id="zip"),
    ],
)  # fmt: skip
def test_all_that_a_file_names_goes_on_the_list_chosen(
    opened: Application, name: str, data: bytes, patterns: set[str]
) -> None:
    report = opened.services.own_lists.import_file(LOCAL_ACCOUNT, name, data, Category.BLACK)
    assert (report.added, report.refused_count) == (len(patterns), 0)
    assert list_entries(opened) == dict.fromkeys(patterns, "black")


def test_our_own_export_says_itself_where_each_goes(opened: Application) -> None:
    data = b"pattern,category,note\na.example,white,ours\n"
    opened.services.own_lists.import_file(LOCAL_ACCOUNT, "own.csv", data, Category.BLACK)
    assert list_entries(opened) == {"a.example": "white"}


def test_lines_left_out_are_named(opened: Application) -> None:
    data = b"# ours\nana@firm.example\nnobody\nco.uk\n"
    report = opened.services.own_lists.import_file(LOCAL_ACCOUNT, "a.txt", data, Category.GREY)
    assert list_entries(opened) == {"ana@firm.example": "grey"}
    assert [line.line for line in report.refused] == [3, 4]


def test_too_many_change_nothing(opened: Application, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_lists, "ENTRIES_MAX", 2)
    data = b"a.example\nb.example\nc.example\n"
    with pytest.raises(BadField):
        opened.services.own_lists.import_file(LOCAL_ACCOUNT, "a.txt", data, Category.GREY)
    assert not list_entries(opened)


def test_a_broken_file_changes_nothing(opened: Application) -> None:
    with pytest.raises(BrokenFile):
        opened.services.own_lists.import_file(
            LOCAL_ACCOUNT, "a.zip", write_zip()[:-30], Category.GREY
        )
    assert not list_entries(opened)
