"""Sheets whose cells stand far apart: small on the disk, whole in every view and download."""

import csv
import io
from pathlib import Path

import numpy as np
import openpyxl
import pytest
from openpyxl.utils import get_column_letter

from tests.lists.xlsx_support import Run, edit_parts, run_batch, save
from winnow.core.lists.comparison import Difference
from winnow.core.lists.dimensions import REASON
from winnow.core.lists.exports import DownloadChoice, Export
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.rows import Chosen, RowFilter, Variant
from winnow.core.own_lists.patterns import OwnLists
from winnow.core.verdicts.facts import OwnEntry
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Category
from winnow.lists.result.cell_questions import CellReader
from winnow.lists.result.comparing import ComparedProject, ComparedRows
from winnow.lists.result.result_rows import ResultRows
from winnow.lists.result.row_text import expand_runs, word_run
from winnow.lists.result.row_view import RowView

LAST = 1_500
TEXTS = ('say "hi", ü', "two\nlines", ",,,,,,,,,,,,", "plain", "\ttab", '"')


def put_far_apart(email_column: int, row_count: int) -> list[dict[int, str]]:
    """Make rows as cells by column, from 1."""
    rows = [{5: "near", email_column: "email"}]
    for number in range(row_count):
        row = {email_column: f"ana{number}@firma{number % 7}.de"}
        row[1 + number * 37 % LAST] = TEXTS[number % len(TEXTS)]
        if number % 3 == 0:
            row[LAST] = f"far {number}"
        row[email_column] = f"ana{number}@firma{number % 7}.de"
        rows.append(row)
    return rows


def run_sheet(folder: Path, rows: list[dict[int, str]], *, is_plain: bool) -> Run:
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("Data")
    for cells in rows:
        sheet.append([cells.get(column) for column in range(1, max(cells) + 1)])
    path = save(book, folder)

    def respell(content: bytes) -> bytes:
        return content if is_plain else content.replace(b"<row r=", b"<row  r=")

    return run_batch(edit_parts(path, {"xl/worksheets/sheet1.xml": respell}))


def spread(cells: dict[int, str]) -> list[str]:
    return [cells.get(column, "") for column in range(1, LAST + 1)]


@pytest.mark.parametrize("is_plain", [True, False], ids=["plain", "odd"])
@pytest.mark.parametrize("email_column", [1, 9, LAST - 1])
def test_every_view_has_every_cell(tmp_path: Path, email_column: int, is_plain: bool) -> None:
    rows = put_far_apart(email_column, 40)
    run = run_sheet(tmp_path, rows, is_plain=is_plain)
    folder = run.result_path.parent
    seen = ResultRows(folder, run.plan)
    wanted = [spread(cells) for cells in rows]
    assert len(seen.columns) == LAST
    assert [list(row.cells) for row in seen.page(RowFilter(), 0, 99).rows] == wanted[1:]
    for file_format, delimiter in ((FileFormat.CSV, ","), (FileFormat.TSV, "\t")):
        for choice in (DownloadChoice(file_format=file_format), DownloadChoice()):
            pieces = seen.stream(Export(Variant.AUGMENTED, choice))
            text = b"".join(pieces).decode("utf-8-sig")
            mark = delimiter if choice.file_format else ","
            told = list(csv.reader(io.StringIO(text, newline=""), delimiter=mark))
            assert [row[:LAST] for row in told] == wanted
            assert {len(row) for row in told} == {LAST + 2}
    found = seen.page(RowFilter(text=",,"), 0, 99).rows
    assert [row.number for row in found] == [
        number for number, row in enumerate(wanted) if number and any(",," in cell for cell in row)
    ]
    email = rows[7][email_column]
    assert [row.email for row in seen.page(RowFilter(text=email), 0, 9).rows] == [email]


@pytest.mark.parametrize("email_column", [1, LAST - 1])
def test_comparisons_and_own_lists_find_the_address(tmp_path: Path, email_column: int) -> None:
    rows = put_far_apart(email_column, 60)
    (tmp_path / "now").mkdir()
    before = run_sheet(tmp_path, rows, is_plain=True)
    now = run_sheet(tmp_path / "now", rows[:-1], is_plain=False)
    sides = [
        ComparedProject(CellReader(run.result_path.parent, run.plan), None) for run in (before, now)
    ]
    compared = ComparedRows(*sides)
    told = compared.comparison
    assert (told.same, told.gone, told.new) == (59, 1, 0)
    (gone,) = compared.page(Difference.GONE, 0, 9)
    assert gone.email == rows[-1][email_column]
    entry = OwnEntry(Category.BLACK, rows[5][email_column], Reason.OWN_ADDRESS)
    folder, plan = before.result_path.parent, before.plan
    overlay = RowView.lay_own(CellReader(folder, plan), OwnLists.build(2, [entry]))
    seen = ResultRows(folder, plan, overlay)
    (black,) = seen.page(RowFilter(Chosen().choose(REASON, Reason.OWN_ADDRESS)), 0, 9).rows
    assert black.number == 5


def test_the_index_grows_with_the_cells_not_with_the_sheet(tmp_path: Path) -> None:
    count = 2_000
    rows = [{1: "email"}, *({1: f"u{number}@x.de"} for number in range(count))]
    sizes = []
    for name, far in (("narrow", None), ("one", 2), ("each", range(1, count + 1))):
        cells = [dict(row) for row in rows]
        for place in (far,) if isinstance(far, int) else far or ():
            cells[place][16_382] = "1"
        (tmp_path / name).mkdir()
        run = write_sparse(tmp_path / name, cells)
        sizes.append((run.result_path.parent / "rows.csv").stat().st_size)
    narrow, one, each = sizes
    assert one <= narrow + 10 * count
    assert each <= narrow + 20 * count


def write_sparse(folder: Path, rows: list[dict[int, str]]) -> Run:
    """Write cells that are there only: openpyxl would write the empty ones between them."""
    path = save(openpyxl.Workbook(), folder)
    lines = []
    for number, cells in enumerate(rows, start=1):
        told = "".join(
            f'<c r="{get_column_letter(column)}{number}" t="inlineStr"><is><t>{text}</t></is></c>'
            for column, text in sorted(cells.items())
        )
        lines.append(f'<row r="{number}">{told}</row>')
    sheet = (
        '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
        f"<sheetData>{''.join(lines)}</sheetData></worksheet>"
    ).encode()
    edited = edit_parts(path, {"xl/worksheets/sheet1.xml": sheet})
    return run_batch(edited.replace(path))


def test_runs_come_back_whole() -> None:
    counts = [*range(300), *np.arange(300, 16_400, 131).tolist()]
    for count in counts:
        told = b"ana@x.de" + word_run(count, b",") + "ü".encode()
        assert expand_runs(told, b",") == b"ana@x.de" + b"," * count + "ü".encode()
        assert len(told) <= len(b"ana@x.de") + 7 + 2
