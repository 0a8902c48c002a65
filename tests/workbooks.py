"""Small workbooks, written and read by openpyxl."""

import io
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import openpyxl

from tests.tables import write_csv


def write_workbook(path: Path, rows: Iterable[tuple[Any, ...]]) -> Path:
    """Write rows into the first sheet."""
    book = openpyxl.Workbook()
    sheet = book.active
    for row in rows:
        sheet.append(row)
    book.save(path)
    return path


def write_sheets(sheets: Mapping[str, Iterable[tuple[Any, ...]]]) -> bytes:
    """Return a workbook with the rows of each sheet."""
    book, content = openpyxl.Workbook(), io.BytesIO()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(content)
    return content.getvalue()


def write_table(path: Path, rows: Iterable[tuple[str, ...]]) -> Path:
    """Write rows of texts as a workbook or as CSV, by the file's extension."""
    if path.suffix == ".xlsx":
        return write_workbook(path, [tuple(cell or None for cell in row) for row in rows])
    path.write_bytes(write_csv(rows))
    return path


def read_cells(path: Path) -> list[tuple[Any, ...]]:
    """Return the values of the first sheet."""
    return list(openpyxl.load_workbook(path).active.iter_rows(values_only=True))
