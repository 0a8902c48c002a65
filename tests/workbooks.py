"""Small workbooks, written and read by openpyxl."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import openpyxl


def write_workbook(path: Path, rows: Iterable[tuple[Any, ...]]) -> Path:
    """Write rows into the first sheet."""
    book = openpyxl.Workbook()
    sheet = book.active
    for row in rows:
        sheet.append(row)
    book.save(path)
    return path


def read_cells(path: Path) -> list[tuple[Any, ...]]:
    """Return the values of the first sheet."""
    return list(openpyxl.load_workbook(path).active.iter_rows(values_only=True))
