"""OpenDocument and old Excel: each value is read and given back as XLSX; none burst."""

import shutil
import zipfile
from collections.abc import Callable, Sequence
from datetime import datetime, time, timedelta
from pathlib import Path
from xml.sax.saxutils import escape

import openpyxl
import pytest

from tests.applications import complete, follow
from tests.libreoffice import convert
from tests.lists.delimited_support import run_file
from tests.workbooks import read_cells
from winnow.core.errors import BrokenFile
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.lists.exports import DownloadChoice, Export
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.rows import Variant
from winnow.lists.format_registry import find_format
from winnow.lists.formats.converted.write import Sheet, write_value_book
from winnow.lists.inspect import read_head
from winnow.lists.inspection.signature import split_file_name
from winnow.lists.result.row_text import RESULT_NAME
from winnow.lists.unpacked_size import UnpackedSize
from winnow.wiring import Application

SPACES = "".join(
    f' xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for name in ("office", "table", "text", "style")
)
CALCEXT = ' xmlns:calcext="urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0"'
OLD_EXCEL = Path(__file__).parents[1] / "golden" / "old_excel"
EMPTY = "<table:table-cell/>"
MIME = "application/vnd.oasis.opendocument.spreadsheet"


def write_ods(path: Path, sheets: str, manifest: str = "<manifest/>", styles: str = "") -> Path:
    """Write a spreadsheet whose first entry is not its media type."""
    content = (
        f"<office:document-content{SPACES}{CALCEXT}>{styles}<office:body><office:spreadsheet>"
        f"{sheets}</office:spreadsheet></office:body></office:document-content>"
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("content.xml", content)
        archive.writestr("META-INF/manifest.xml", manifest)
        archive.writestr("mimetype", MIME)
    return path


def write_cells(path: Path, *rows: Sequence[str | float], name: str = "A") -> Path:
    """Write one sheet as OpenDocument 1.3, part 3, 9 has it; a cell may be XML of its own."""
    lines = ["".join(map(write_cell, row)) or EMPTY for row in rows]
    table = "".join(f"<table:table-row>{line}</table:table-row>" for line in lines)
    return write_ods(path, f'<table:table table:name="{name}">{table}</table:table>')


def write_cell(value: str | float) -> str:
    if isinstance(value, str):
        text = f'office:value-type="string"><text:p>{escape(value)}</text:p></table:table-cell>'
        return (value if value.startswith("<") else f"<table:table-cell {text}") if value else EMPTY
    return f'<table:table-cell office:value-type="float" office:value="{value}"/>'


def read_book(path: Path) -> openpyxl.Workbook:
    """Return what a list becomes, as openpyxl reads it."""
    out = path.with_name("converted.xlsx")
    find_format(split_file_name(path.name)[1]).unwrap(path, out)
    return openpyxl.load_workbook(out)


def read_values(path: Path) -> list[object]:
    return [cell.value for cell in read_book(path).active[1]]


DAY_AND_TIME = datetime(2024, 1, 5, 12, 30, 15)  # noqa: DTZ001  # cells have no zone
VALUES = [
    ('office:value-type="time" office:time-value="PT36H00M00S"', timedelta(hours=36)),
    ('office:value-type="time" office:time-value="PT13H05M00S"', time(13, 5)),
    ('office:value-type="date" office:date-value="2024-01-05"', datetime(2024, 1, 5)),  # noqa: DTZ001
    ('office:value-type="boolean" office:boolean-value="true"', True),
    ('office:value-type="percentage" office:value="0.5"', 0.5),
    ('office:value-type="float" office:value="1E+20"', "1" + 20 * "0"),
    ('office:value-type="float" office:value="-1E+300"', -1e300),
    ('office:value-type="string" office:string-value="x"', "x"),
    ('office:value-type="string" office:string-value="PT1H4M13S"', "PT1H4M13S"),
    ('office:value-type="string" office:string-value="=1+1"', "=1+1"),
    ('office:value-type="string" office:string-value=" two  spaces "', " two  spaces "),
    ('office:value-type="string" office:string-value="a&lt;&amp;&gt;&quot;b"', 'a<&>"b'),
    ('office:value-type="string" office:string-value="line&#10;line"', "line\nline"),
    ('office:value-type="float" office:value="5"', 5),
    ('office:value-type="float" office:value="-7"', -7),
    ('office:value-type="float" office:value="1.25"', 1.25),
    ('office:value-type="date" office:date-value="2024-01-05T12:30:15"', DAY_AND_TIME),
    ('office:value-type="date" office:date-value="1600-01-02"', "1600-01-02"),
]


def test_opendocument_values_are_what_they_are(tmp_path: Path) -> None:
    cells = [
        f"<table:table-cell {cell}><text:p>shown</text:p></table:table-cell>" for cell, _ in VALUES
    ]
    assert read_values(write_cells(tmp_path / "a.ods", cells)) == [value for _, value in VALUES]


def test_sheets_have_names_that_excel_takes(tmp_path: Path) -> None:
    names = ["n" * 40, "N" * 32, "a/b", "hidden"]
    styles = (
        '<office:automatic-styles><style:style style:name="h" style:family="table">'
        '<style:table-properties table:display="false"/></style:style></office:automatic-styles>'
    )
    row = '<table:table-row><table:table-cell office:value-type="float" office:value="1"/>'
    sheets = "".join(
        f'<table:table table:name="{name}" table:style-name="{name[0]}">{row}</table:table-row>'
        "</table:table>"
        for name in names
    )
    book = read_book(write_ods(tmp_path / "a.ods", sheets, styles=styles))
    assert [(one.title, one.sheet_state) for one in book] == [
        ("n" * 28, "visible"),
        ("N" * 28 + "1", "visible"),
        ("a_b", "visible"),
        ("hidden", "hidden"),
    ]


def test_values_of_old_excel_are_what_they_are(tmp_path: Path) -> None:
    """Number 14 is the format of a date, unless a file says otherwise, as this one does."""
    path = Path(shutil.copy(OLD_EXCEL / "values.xls", tmp_path))
    assert read_values(path) == [
        *("Zürich", 45000.5, timedelta(hours=36)),
        *(datetime(2023, 3, 15), datetime(2023, 3, 15, 12)),  # noqa: DTZ001
        *("#DIV/0!", time(12)),
    ]


PROTECTED = "<manifest><file-entry><encryption-data/></file-entry></manifest>"


def write_a_text(path: Path) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("mimetype", "content.xml", "META-INF/manifest.xml"):
            archive.writestr(name, MIME if name == "mimetype" else "<text/>")
    return path


def repeat_cells(path: Path) -> Path:
    cell = (
        '<table:table-cell table:number-columns-repeated="16384" office:value-type="string">'
        "<text:p>x</text:p>"
    )
    row = f'<table:table-row table:number-rows-repeated="1048576">{cell}</table:table-cell>'
    return write_ods(path, f'<table:table table:name="A">{row}</table:table-row></table:table>')


@pytest.mark.parametrize(
    ("make", "words"),
    [
        pytest.param(lambda _: OLD_EXCEL / "protected.xls", "by a password", id="protected-xls"),
        pytest.param(lambda path: write_ods(path, "", PROTECTED), "password", id="protected-ods"),
        pytest.param(write_a_text, "no spreadsheet", id="text"),
        pytest.param(lambda path: write_cells(path, ["x" * 32_768]), "32,767", id="long-cell"),
        pytest.param(lambda _: OLD_EXCEL / "looping.xls", "damaged", id="sectors-in-a-loop"),
        pytest.param(repeat_cells, "damaged", marks=pytest.mark.slow, id="repeated-cells"),
        pytest.param(
            lambda path: write_ods(path, " " * (80 << 20)), "unpacks to more than",
            marks=pytest.mark.slow, id="bomb",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_read_takes_little_to_be_refused(
    tmp_path: Path, make: Callable[[Path], Path], words: str
) -> None:
    path = make(tmp_path / "a.ods")
    with pytest.raises(BrokenFile, match=words):
        read_head(path, path.name)


ROWS = [
    ["", "Fair 2026"],
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
    assert found[0][1] == "Fair 2026"
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
        assert b"".join(sent.read_content())
    stored = downloads.issue(LOCAL_ACCOUNT, task.task_id)
    assert stored.file_name == "fair-checked.xlsx"
    assert not list(opened.folder.variants.glob("preview-*"))
