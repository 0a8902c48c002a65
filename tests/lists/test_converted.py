"""OpenDocument and old Excel: read, told beforehand, given back as XLSX."""

from pathlib import Path

import openpyxl
import pytest

from tests.applications import complete, follow
from tests.libreoffice import convert
from tests.lists.delimited_support import run_file
from tests.lists.test_converted_values import write_cells
from tests.workbooks import read_cells
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.core.errors import BrokenFile
from winnow.core.lists.exports import DownloadChoice, Export
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.rows import Variant
from winnow.lists.formats.converted.value_book import Sheet, write_value_book
from winnow.lists.inspection.inspect import read_head
from winnow.lists.result.row_text import RESULT_NAME
from winnow.lists.unpacked_size import UnpackedSize
from winnow.wiring import Application

ROWS = [
    ["Fair 2026"],
    [],
    ["", "email", "n", "when"],
    ["", "a@mailboxes.example", 5, "2024-01-05"],
    ["", "b@trash.example.com", 1.25, "=1+1"],
    ["", "a@mailboxes.example", "007", "x\u2028y"],
]


@pytest.fixture
def ods(tmp_path: Path) -> Path:
    return write_cells(tmp_path / "list.ods", *ROWS, name="Liste")


def clean(path: Path) -> list[tuple[object, ...]]:
    folder = run_file(path).folder
    assert not list(folder.glob("pass.*"))
    return read_cells((folder / RESULT_NAME).rename(folder / "result.xlsx"))


def test_an_opendocument_list_comes_back_as_a_workbook(ods: Path) -> None:
    head = read_head(ods, "list.ods")
    assert head.file_format is FileFormat.ODS
    assert (head.first_row, head.row_count, head.sheet) == (3, 3, "Liste")
    assert "comes back as an Excel workbook" in head.notices[0].text
    found = clean(ods)
    assert found[0][0] == "Fair 2026"
    assert found[2:] == [
        (None, "email", "n", "when", "category", "domain_type"),
        (None, "b@trash.example.com", 1.25, "=1+1", "black", "disposable"),
        (None, "a@mailboxes.example", "007", "x\u2028y", "white", "unlisted"),
    ]


def test_texts_stay_texts_in_their_places_whatever_they_hold(tmp_path: Path) -> None:
    texts, path = ("email", "_x0041_", "a\x01b", "\ufffe", "=1+1"), tmp_path / "out.xlsx"
    rows = [["", "", *texts], [], [None, None, *texts]]
    write_value_book([Sheet("A", True, rows)], path, UnpackedSize(0))
    assert read_head(path, path.name).columns == ("", "", *texts)
    cells = [cell for row in openpyxl.load_workbook(path)["A"] for cell in row if cell.value]
    assert [cell.coordinate for cell in cells] == [f"{at}{row}" for row in (1, 3) for at in "CDEFG"]
    assert {cell.data_type for cell in cells} == {"s"}


@pytest.mark.slow
def test_libreoffice_s_own_files_say_the_same(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for row in ROWS:
        book.active.append([None if cell == "" else cell for cell in row])
    for row in book.active:
        for cell in row:
            cell.data_type = "s" if isinstance(cell.value, str) else cell.data_type
    book.create_sheet("Hidden").sheet_state = "hidden"
    source = tmp_path / "list.xlsx"
    book.save(source)
    wanted = clean(source)
    for extension in ("ods", "xls"):
        path = convert(source, extension, tmp_path)
        assert read_head(path, path.name).sheets == ("Sheet",)
        assert clean(path) == wanted


def test_a_project_of_it_is_a_workbook_all_the_way(opened: Application, ods: Path) -> None:
    task = complete(opened, ods.read_bytes(), name="list.ods", project_name="fair")
    assert task.plan.file_format is FileFormat.ODS
    downloads = opened.services.downloads
    names = {
        DownloadChoice(): "fair-cleaned.xlsx",
        DownloadChoice(file_format=FileFormat.XLSX, adds_reason=True): "fair-cleaned.xlsx",
        DownloadChoice(file_format=FileFormat.CSV): "fair-cleaned.csv",
    }
    for choice, name in names.items():
        export = Export(Variant.CLEANED, choice)
        sent = follow(opened, downloads.issue(LOCAL_ACCOUNT, task.task_id, export))
        media_type = FileFormat(name.rpartition(".")[2]).traits.media_type
        assert (sent.file_name, sent.media_type) == (name, media_type)
        assert b"".join(sent.read())
    stored = downloads.issue(LOCAL_ACCOUNT, task.task_id)
    assert stored.file_name == "fair-checked.xlsx"
    assert not list(opened.folder.variants.glob("preview-*"))


def test_columns_left_of_the_list_keep_their_places(tmp_path: Path) -> None:
    path = write_cells(tmp_path / "a.ods", ["", "email"], ["", "a@x.de"])
    assert read_head(path, "a.ods").columns == ("", "email")


def test_a_cell_that_excel_cannot_hold_is_refused(tmp_path: Path) -> None:
    path = write_cells(tmp_path / "a.ods", ["email"], ["a@x.de " + "x" * 40_000])
    with pytest.raises(BrokenFile, match="32,767"):
        read_head(path, "a.ods")
