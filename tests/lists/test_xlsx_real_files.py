"""Public workbooks that once came out wrong, where the folder with them stands beside."""

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from tests.libreoffice import save_again
from tests.lists.delimited_support import find_kept, run_file
from winnow.core.lists.file_format import FileFormat
from winnow.core.tasks.task import InputPlan
from winnow.lists.formats.xlsx.head import read_xlsx_head

FILES = Path(__file__).parents[3] / "shared" / "data" / "files"


def find(name: str) -> Path:
    path = FILES / name
    if not path.exists():
        pytest.skip(f"no {FILES} beside the project")
    return path


def read_sheet(path: Path, sheet: str) -> list[tuple[Any, ...]]:
    with path.open("rb") as file:
        book = openpyxl.load_workbook(file, data_only=True)
    return [row for row in book[sheet].iter_rows(values_only=True) if any(row)]


def strip(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """Cut a row after its last value: cells without one make room for what is added."""
    return next((row[:end] for end in range(len(row), 0, -1) if row[end - 1] is not None), ())


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
@pytest.mark.filterwarnings("ignore::UserWarning:openpyxl")
def test_rows_stay_together(tmp_path: Path) -> None:
    """Whatever column the verdicts are about: openpyxl and LibreOffice see the rows of before."""
    cases: list[tuple[Path, str, list[tuple[Any, ...]]]] = []
    for (name, column), deduplicate in product(LISTS.items(), (True, False)):
        path = tmp_path / f"{deduplicate}-{name}"
        path.write_bytes(find(name).read_bytes())
        sheet = next(found for found in read_xlsx_head(path) if column in found.columns)
        place = sheet.columns.index(column)
        plan = InputPlan(
            FileFormat.XLSX, place, sheet.columns, sheet=sheet.name, first_row=sheet.header_row
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
        width = max(len(row) for row in map(strip, wanted))
        for judged in (result, copy):
            assert cut(read_sheet(judged, sheet_name), width) == cut(wanted, width)
