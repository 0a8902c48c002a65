"""Formulas come out as when LibreOffice deletes the rows; rows of public workbooks stay whole."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import product
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.workbook.defined_name import DefinedName

from tests.libreoffice import save_again
from tests.libreoffice_rows import Job, work_out
from tests.lists.delimited_support import find_kept, run_file
from tests.lists.spellings import TRANSITIONAL
from tests.lists.xlsx_support import build_list, edit_parts, remove_rows, save
from winnow.core.lists.file_format import FileFormat
from winnow.core.tasks.input_plan import InputPlan
from winnow.lists.formats.xlsx.head import read_xlsx_head

ROWS = 12  # of numbers, in columns A to D
BOOKS = 30


@dataclass(frozen=True)
class Sheets:
    """Formulas by cell on the list's sheet and on another, and the rows that go."""

    home: dict[str, str]
    shared: tuple[tuple[str, str], ...]  # an area and the formula of its first cell
    other: dict[str, str]
    removed: tuple[int, ...]


class Dice:
    """Draws formulas that look at columns of numbers, from one of the two sheets."""

    def __init__(self, seed: int) -> None:
        self.pick = random.Random(seed)

    def draw_sheets(self) -> Sheets:
        areas = (f"I2:I{ROWS}", "ABCD"), ("K1:M1", "AB"), ("K3:L9", "AB")
        return Sheets(
            {cell: self.formula("ABCD") for cell in self.pick.sample(_HOME_CELLS, 16)},
            tuple((area, self.formula(columns, is_shared=True)) for area, columns in areas),
            {cell: self.formula("ABCD", is_elsewhere=True) for cell in _OTHER_CELLS},
            tuple(sorted(self.pick.sample(range(2, ROWS + 1), self.pick.randint(1, 6)))),
        )

    def formula(self, columns: str, *, is_elsewhere: bool = False, is_shared: bool = False) -> str:
        prefix = self.pick.choice(["Data!", "'Data'!", "data!"] if is_elsewhere else ["", "Data!"])
        cell, other = prefix + self.cell(columns), prefix + self.cell(columns)
        area = prefix + self.area(columns, is_upright=is_shared)
        wide = self.pick.choice([area, prefix + self.ends(columns)])
        function = self.pick.choice(["SUM", "COUNT", "COUNTA", "MAX", "MIN", "ROWS", "COLUMNS"])
        forms = [
            f"{function}({wide})", f"SUM({wide},{area})", f'COUNTIF({wide},">5")',
            f"SUBTOTAL(9,{wide})", f"INDEX({area},1,1)", f"AVERAGE({area})", f"{cell}+2*{other}",
            f"IF({cell}>4,SUM({area}),-1)", f'"A4:A6 "&ROW({cell})',
            "SUM(Nums)+SUM(Wide)+log10(100)",
        ]  # fmt: skip
        if is_elsewhere:
            rows = prefix + self.ends(range(1, ROWS + 1))
            # Not their sums: formulas that lost their cells keep a value here, and are #REF! there.
            forms += [f"SUM(INDEX({rows},0,2))", f"ROWS({rows})"]
        return self.pick.choice(forms)

    def dollar(self) -> str:
        return self.pick.choice(["", "$"])

    def cell(self, columns: str) -> str:
        place = self.pick.choice(columns), self.dollar(), self.pick.randint(1, ROWS + 2)
        return "{}{}{}{}".format(self.dollar(), *place)

    def area(self, columns: str, *, is_upright: bool) -> str:
        """``is_upright`` wherever it is filled: LibreOffice mixes up others' dollars."""
        if not is_upright:
            return f"{self.cell(columns)}:{self.cell(columns)}"
        left, right = self.pick.choices(columns, k=2)
        first, last = sorted(self.pick.choices(range(1, ROWS + 1), k=2))
        dollar = self.dollar()
        return f"{self.dollar()}{left}{dollar}{first}:{self.dollar()}{right}{dollar}{last}"

    def ends(self, of: Sequence[Any]) -> str:
        """Whole columns or rows."""
        first, last = self.pick.choices(of, k=2)
        return f"{self.dollar()}{first}:{self.dollar()}{last}"


_HOME_CELLS = [f"{column}{row}" for column in "FG" for row in range(1, ROWS + 1)]
_OTHER_CELLS = [f"{column}{row}" for column in "AB" for row in range(1, 9)]


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


def _read(path: Path, *, data_only: bool = True) -> dict[tuple[str, str], Any]:
    """Return the values, or the formulas, by sheet and cell."""
    return {
        (sheet.title, cell.coordinate): cell.value
        for sheet in openpyxl.load_workbook(path, data_only=data_only)
        for row in sheet.iter_rows()
        for cell in row
        if cell.value is not None
    }


def _is_same(found: Any, wanted: Any) -> bool:
    """Whether two values are one; a lost reference may fail in either of two ways."""
    if wanted == "#REF!":
        return str(found).startswith("#")
    return bool(found == wanted)


@pytest.mark.slow
def test_formulas_come_out_as_when_libreoffice_deletes_the_rows(tmp_path: Path) -> None:
    books, jobs = [Dice(seed).draw_sheets() for seed in range(BOOKS)], []
    for place, sheets in enumerate(books):
        source = _render(sheets, tmp_path, f"{place}.xlsx")
        ours = tmp_path / f"{place}-ours.xlsx"
        remove_rows(source, ours, sheets.removed)
        jobs.append(Job(source, tmp_path / f"{place}-deleted.xlsx", "Data", sheets.removed))
        jobs.append(Job(ours, tmp_path / f"{place}-again.xlsx"))
    work_out(jobs, tmp_path)
    for place, sheets in enumerate(books):
        wanted, found = (_read(jobs[2 * place + which].target) for which in (0, 1))
        formulas = _read(tmp_path / f"{place}-ours.xlsx", data_only=False)
        lost = {cell for cell, text in formulas.items() if "#REF!" in str(text)}
        assert len(wanted) > 40
        differences = {
            cell: (found.get(cell), wanted.get(cell))
            for cell in wanted.keys() | found.keys()
            if not _is_same(found.get(cell), wanted.get(cell))
            and not (wanted.get(cell) == "#REF!" and cell in lost)  # it counts #REF! as a value
        }
        assert differences == {}, sheets


FILES = Path(__file__).parents[3] / "shared" / "data" / "files"


def read_sheet(path: Path, sheet: str) -> list[tuple[Any, ...]]:
    with path.open("rb") as file:
        book = openpyxl.load_workbook(file, data_only=True)
    return [row for row in book[sheet].iter_rows(values_only=True) if any(row)]


def cut(rows: Sequence[tuple[Any, ...]], width: int) -> list[tuple[Any, ...]]:
    padded = [(*row, *[None] * width)[:width] for row in rows]
    return [tuple(None if value == "" else value for value in row) for row in padded]


LISTS = {
    "ne_1033_data.xlsx": "county",
    "bug66675.xlsx": "",
    "closedxml_inputfile.xlsx": "Month",
    "56702.xlsx": "gender",
}


@pytest.mark.slow
@pytest.mark.skipif(not FILES.exists(), reason="the files from elsewhere are not here")
@pytest.mark.filterwarnings("ignore::UserWarning:openpyxl")
def test_rows_stay_together(tmp_path: Path) -> None:
    """Whatever column the verdicts are about: openpyxl and LibreOffice see the rows of before."""
    cases: list[tuple[Path, str, list[tuple[Any, ...]]]] = []
    for (name, column), deduplicate in product(LISTS.items(), (True, False)):
        path = tmp_path / f"{deduplicate}-{name}"
        path.write_bytes((FILES / name).read_bytes())
        sheet = next(found for found in read_xlsx_head(path) if column in found.columns)
        place = sheet.columns.index(column)
        header_row = sheet.first_rows[sheet.header_place][0]
        plan = InputPlan(
            FileFormat.XLSX, place, sheet.columns, sheet=sheet.name, first_row=header_row
        )
        before = read_sheet(path, sheet.name)
        run = run_file(path, plan=plan, deduplicate=deduplicate)
        values = [str(row[place] or "") for row in before[1:]]
        kept = find_kept(values) if deduplicate else range(len(values))
        wanted = [before[0], *(before[1 + number] for number in kept)]
        result = run.result_path.rename(tmp_path / f"result-{deduplicate}-{name}")
        cases.append((result, sheet.name, wanted))
    copies = save_again([result for result, _, _ in cases], tmp_path)
    for (result, sheet_name, wanted), copy in zip(cases, copies, strict=True):
        # cells without a value at the end of a row make room for what is added
        width = max(end for row in wanted for end, cell in enumerate(row, 1) if cell is not None)
        for judged in (result, copy):
            assert cut(read_sheet(judged, sheet_name), width) == cut(wanted, width)
