"""Formulas come out as LibreOffice's own do when it deletes the rows, and as Python counts them."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import openpyxl
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from openpyxl.workbook.defined_name import DefinedName

from tests.libreoffice_rows import Job, work_out
from tests.lists.spellings import TRANSITIONAL
from tests.lists.xlsx_support import build_list, edit_parts, save
from tests.server import PROJECT
from winnow.lists.formats.xlsx.archive import open_archive
from winnow.lists.formats.xlsx.book import read_book
from winnow.lists.formats.xlsx.rewrite import rewrite_workbook
from winnow.lists.formats.xlsx.rows import SheetEdit

ELSEWHERE = PROJECT.parent / "shared" / "data" / "files"
ROWS = 12  # of numbers, in columns A to D
BOOKS_AT_ONCE = 12


@dataclass(frozen=True)
class Sheets:
    """Formulas by cell on the list's sheet and on another, and the rows that go."""

    home: dict[str, str]
    shared: tuple[tuple[str, str], ...]  # an area and the formula of its first cell
    other: dict[str, str]
    removed: tuple[int, ...]


def _dollar() -> st.SearchStrategy[str]:
    return st.sampled_from(["", "$"])


def _cells(columns: str) -> st.SearchStrategy[str]:
    parts = st.tuples(_dollar(), st.sampled_from(columns), _dollar(), st.integers(1, ROWS + 2))
    return parts.map(lambda found: "{}{}{}{}".format(*found))


def _whole_columns(columns: str) -> st.SearchStrategy[str]:
    end = st.tuples(_dollar(), st.sampled_from(columns)).map("".join)
    return st.tuples(end, end).map(":".join)


def _whole_rows() -> st.SearchStrategy[str]:
    end = st.tuples(_dollar(), st.integers(1, ROWS)).map(lambda found: "{}{}".format(*found))
    return st.tuples(end, end).map(":".join)


def _areas(columns: str) -> st.SearchStrategy[str]:
    return st.tuples(_cells(columns), _cells(columns)).map(":".join)


def _upright_areas(columns: str) -> st.SearchStrategy[str]:
    """Areas that stay upright wherever they are filled: LibreOffice mixes up others' dollars."""

    def word(found: tuple[str, str, str, str, str, tuple[int, int]]) -> str:
        before, column, last_before, last_column, dollar, rows = found
        first, last = sorted(rows)
        return f"{before}{column}{dollar}{first}:{last_before}{last_column}{dollar}{last}"

    rows = st.tuples(st.integers(1, ROWS), st.integers(1, ROWS))
    column = st.sampled_from(columns)
    return st.tuples(_dollar(), column, _dollar(), column, _dollar(), rows).map(word)


def _formulas(
    columns: str, *, is_elsewhere: bool = False, is_shared: bool = False
) -> st.SearchStrategy[str]:
    """Formulas that look at some of the columns of numbers, from a sheet."""
    prefixes = st.sampled_from(["Data!", "'Data'!", "data!"] if is_elsewhere else ["", "Data!"])

    def place(areas: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        return st.tuples(prefixes, areas).map("".join)

    cell = place(_cells(columns))
    area = place(_upright_areas(columns) if is_shared else _areas(columns))
    areas = area | place(_whole_columns(columns))
    function = st.sampled_from(["SUM", "COUNT", "COUNTA", "MAX", "MIN", "ROWS", "COLUMNS"])
    forms = [
        st.tuples(function, areas).map(lambda found: "{}({})".format(*found)),
        st.tuples(areas, area).map(lambda found: "SUM({},{})".format(*found)),
        areas.map(lambda one: f'COUNTIF({one},">5")'),
        areas.map(lambda one: f"SUBTOTAL(9,{one})"),
        area.map(lambda one: f"INDEX({one},1,1)"),
        area.map(lambda one: f"AVERAGE({one})"),
        st.tuples(cell, cell).map(lambda found: "{}+2*{}".format(*found)),
        st.tuples(cell, area).map(lambda found: "IF({}>4,SUM({}),-1)".format(*found)),
        cell.map(lambda one: f'"A4:A6 "&ROW({one})'),
        st.just("SUM(Nums)+SUM(Wide)+log10(100)"),
    ]
    if is_elsewhere:
        rows = place(_whole_rows())
        # Not their sums: formulas that lost their cells keep a value here, and are #REF! there.
        forms += [
            rows.map(lambda one: f"SUM(INDEX({one},0,2))"),
            rows.map(lambda one: f"ROWS({one})"),
        ]
    return st.one_of(forms)


_HOME_CELLS = [f"{column}{row}" for column in "FG" for row in range(1, ROWS + 1)]
_OTHER_CELLS = [f"{column}{row}" for column in "AB" for row in range(1, 9)]
SHEETS = st.builds(
    Sheets,
    home=st.dictionaries(st.sampled_from(_HOME_CELLS), _formulas("ABCD"), min_size=8),
    shared=st.tuples(
        st.tuples(st.just(f"I2:I{ROWS}"), _formulas("ABCD", is_shared=True)),
        st.tuples(st.just("K1:M1"), _formulas("AB", is_shared=True)),
        st.tuples(st.just("K3:L9"), _formulas("AB", is_shared=True)),
    ),
    other=st.dictionaries(
        st.sampled_from(_OTHER_CELLS), _formulas("ABCD", is_elsewhere=True), min_size=8
    ),
    removed=st.sets(st.integers(2, ROWS), min_size=1, max_size=6).map(
        lambda rows: tuple(sorted(rows))
    ),
)


def _list_shared(shared: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return the formula elements of shared formulas by cell."""
    elements: dict[str, str] = {}
    for index, (area, formula) in enumerate(shared):
        first, last = area.split(":")
        for column in range(ord(first[0]), ord(last[0]) + 1):
            for row in range(int(first[1:]), int(last[1:]) + 1):
                cell = f"{chr(column)}{row}"
                is_first = cell == first
                text = f' ref="{area}">{escape(formula)}</f>' if is_first else "/>"
                elements[cell] = f'<f t="shared" si="{index}"{text}'
    return elements


def _render(sheets: Sheets, folder: Path, name: str) -> Path:
    home = {cell: f"<f>{escape(text)}</f>" for cell, text in sheets.home.items()}
    home |= _list_shared(sheets.shared)
    for row in range(1, ROWS + 1):
        for place, column in enumerate("ABCD"):
            if (row * 7 + place) % 5:
                home[f"{column}{row}"] = f"<v>{(row * 13 + place * 5) % 17}</v>"
    other = {cell: f"<f>{escape(text)}</f>" for cell, text in sheets.other.items()}
    book = build_list([])
    book.create_sheet("Other")
    for names, area in {"Nums": "$A$2:$B$9", "Wide": "$C:$D"}.items():
        book.defined_names[names] = DefinedName(names, attr_text=f"Data!{area}")
    cells = {"sheet1": home, "sheet2": other}
    parts = {f"xl/worksheets/{part}.xml": _render_sheet(found) for part, found in cells.items()}
    return edit_parts(save(book, folder, name), parts)


def _render_sheet(cells: dict[str, str]) -> bytes:
    rows: dict[int, list[str]] = {}
    for cell in sorted(cells):
        rows.setdefault(int(cell[1:]), []).append(f'<c r="{cell}">{cells[cell]}</c>')
    body = "".join(f'<row r="{row}">{"".join(rows[row])}</row>' for row in sorted(rows))
    return f'<worksheet xmlns="{TRANSITIONAL}"><sheetData>{body}</sheetData></worksheet>'.encode()


def _remove_rows(source: Path, target: Path, removed: Sequence[int]) -> None:
    with open_archive(source) as archive:
        book = read_book(archive)
        edit = SheetEdit(removed=removed)
        rewrite_workbook(archive, book, book.sheets[0], edit, target, lambda done: None)


def _read_values(path: Path) -> dict[tuple[str, str], Any]:
    workbook = openpyxl.load_workbook(path, data_only=True)
    return {
        (sheet.title, cell.coordinate): cell.value
        for sheet in workbook
        for row in sheet.iter_rows()
        for cell in row
        if cell.value is not None
    }


def _find_lost(path: Path) -> set[tuple[str, str]]:
    """Return the cells whose formula says that it lost a reference."""
    workbook = openpyxl.load_workbook(path)
    return {
        (sheet.title, cell.coordinate)
        for sheet in workbook
        for row in sheet.iter_rows()
        for cell in row
        if cell.data_type == "f" and "#REF!" in str(cell.value)
    }


def _is_same(found: Any, wanted: Any) -> bool:
    """Whether two values are one; a lost reference may fail in either of two ways."""
    if wanted == "#REF!":
        return str(found).startswith("#")
    return bool(found == wanted)


@pytest.mark.slow
@settings(
    max_examples=3,
    deadline=None,
    phases=[Phase.generate],  # each example is a start of LibreOffice, and holds many workbooks
    suppress_health_check=list(HealthCheck),
)
@given(st.lists(SHEETS, min_size=BOOKS_AT_ONCE, max_size=BOOKS_AT_ONCE))
def test_formulas_come_out_as_when_libreoffice_deletes_the_rows(books: list[Sheets]) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        jobs: list[Job] = []
        for place, sheets in enumerate(books):
            source, ours = _render(sheets, folder, f"{place}.xlsx"), folder / f"{place}-ours.xlsx"
            _remove_rows(source, ours, sheets.removed)
            jobs.append(Job(source, folder / f"{place}-deleted.xlsx", "Data", sheets.removed))
            jobs.append(Job(ours, folder / f"{place}-again.xlsx"))
        work_out(jobs, folder)
        for place, sheets in enumerate(books):
            wanted = _read_values(jobs[2 * place].target)
            found = _read_values(jobs[2 * place + 1].target)
            lost = _find_lost(folder / f"{place}-ours.xlsx")
            assert len(wanted) > 40
            differences = {
                cell: (found.get(cell), wanted.get(cell))
                for cell in wanted.keys() | found.keys()
                if not _is_same(found.get(cell), wanted.get(cell))
                and not (wanted.get(cell) == "#REF!" and cell in lost)  # it counts #REF! as a value
            }
            assert differences == {}, sheets


@pytest.mark.skipif(not ELSEWHERE.exists(), reason="the files from elsewhere are not there")
def test_shared_formulas_over_whole_columns_and_rows_from_elsewhere(tmp_path: Path) -> None:
    source = ELSEWHERE / "column_row_ranges.xlsx"
    jobs = []
    for removed in ((3,), (2, 4)):
        ours = tmp_path / f"{removed[0]}-ours.xlsx"
        _remove_rows(source, ours, removed)
        jobs.append(Job(source, tmp_path / f"{removed[0]}-deleted.xlsx", "Column ranges", removed))
        jobs.append(Job(ours, tmp_path / f"{removed[0]}-again.xlsx"))
        formulas = openpyxl.load_workbook(ours)["Column ranges"]
        assert [cell.value for cell in formulas[1]] == ["=SUM(E:F)", "=SUM(F:G)", "=SUM(G:H)"]
        assert [cell.value for cell in formulas[2]] == ["=SUM(E:F)", "=SUM(F:G)", "=SUM(G:H)"]
    work_out(jobs, tmp_path)
    for deleted, again in zip(jobs[::2], jobs[1::2], strict=True):
        assert _read_values(again.target) == _read_values(deleted.target)


@pytest.mark.skipif(not ELSEWHERE.exists(), reason="the files from elsewhere are not there")
def test_a_pivot_table_from_elsewhere_moves_with_its_cells(tmp_path: Path) -> None:
    ours = tmp_path / "ours.xlsx"
    _remove_rows(ELSEWHERE / "54436.xlsx", ours, (3, 5))
    (pivot,) = openpyxl.load_workbook(ours)["Sheet1"]._pivots
    assert pivot.location.ref == "A6:B9"
    assert pivot.cache.cacheSource.worksheetSource.ref == "A1:C4"
    assert pivot.cache.refreshOnLoad
