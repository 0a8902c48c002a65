"""Workbooks: the same rows as the CSV lists, in one sheet as openpyxl writes it."""

from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.list_data import HEADER, make_domains, make_lines
from benchmarks.lists import EMAIL_COLUMN, cache_folder

SHEET = "List"


def write_workbook(path: str, row_count: str) -> dict[str, Any]:
    """Write a workbook of so many rows beside its header."""
    import csv

    from openpyxl import Workbook

    book = Workbook(write_only=True)
    sheet = book.create_sheet(SHEET)
    for row in csv.reader(make_lines(int(row_count), make_domains())):
        sheet.append(row)
    book.save(path)
    return {}


def run_winnow(source: str, folder: str) -> dict[str, Any]:
    """Run the whole job and keep the workbook."""
    from winnow.core.lists.file_format import FileFormat
    from winnow.core.tasks.task import InputPlan
    from winnow.core.verdicts.judge import LiveJudge
    from winnow.domain_data.loader import open_knowledge
    from winnow.lists.batch import run_batch
    from winnow.lists.requests import BatchRequest

    columns = tuple(HEADER.strip().split(","))
    outcome = run_batch(
        BatchRequest(
            Path(source),
            InputPlan(FileFormat.XLSX, EMAIL_COLUMN, columns, sheet=SHEET),
            LiveJudge(open_knowledge(cache_folder())),
            Path(folder),
            deduplicate=True,
            report=lambda progress: None,
        )
    )
    return {"rows_out": outcome.summary.rows_out}


def append_with_openpyxl(source: str, folder: str) -> dict[str, Any]:
    """Load, append two cells a row, save: no validation, no duplicates."""
    from openpyxl import load_workbook

    book = load_workbook(source)
    sheet = book[SHEET]
    column = sheet.max_column
    for number in range(1, sheet.max_row + 1):
        sheet.cell(number, column + 1, "white")
        sheet.cell(number, column + 2, "unlisted")
    book.save(Path(folder) / "result")
    return {}


def count_rows(result: Path) -> int:
    """Return how many rows a second reader sees below the header."""
    from openpyxl import load_workbook

    with result.open("rb") as file:
        sheet = load_workbook(file, read_only=True)[SHEET]
        return sum(1 for _ in islice(sheet.iter_rows(values_only=True), 1, None))
