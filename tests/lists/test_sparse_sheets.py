"""Sheets whose cells stand far apart: whole in every view and download, or refused."""

from pathlib import Path

import openpyxl
import pytest

from tests.lists.delimited_support import find_plan, run_file
from tests.lists.xlsx_support import build_list, save
from tests.tables import read_csv
from winnow.core.errors import BrokenFile
from winnow.core.lists.exports import DownloadChoice, Export
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.rows import RowFilter, Variant
from winnow.lists.formats.xlsx.scan import SheetScanner
from winnow.lists.formats.xlsx.sheet import open_sheet
from winnow.lists.result.row_text import expand_runs

LAST = 1_500
TEXTS = ('say "hi", ü', "two\nlines", ",,,,,,,,,,,,", "plain", "\ttab", '"')


@pytest.mark.parametrize("email_column", [1, LAST - 1])
def test_every_view_has_every_cell(tmp_path: Path, email_column: int) -> None:
    rows = [{5: "near", email_column: "email"}]
    for number in range(40):
        row = {1 + number * 37 % LAST: TEXTS[number % len(TEXTS)]}
        if number % 3 == 0:
            row[LAST] = f"far {number}"
        rows.append(row | {email_column: f"ana{number}@firma{number % 7}.de"})
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("Data")
    for cells in rows:
        sheet.append([cells.get(column) for column in range(1, max(cells) + 1)])
    run = run_file(save(book, tmp_path))
    wanted = [[cells.get(column, "") for column in range(1, LAST + 1)] for cells in rows]
    assert len(run.rows.columns) == LAST
    assert [list(row.cells) for row in run.rows.page(RowFilter(), 0, 99).rows] == wanted[1:]
    for file_format, delimiter in ((FileFormat.CSV, ","), (FileFormat.TSV, "\t")):
        pieces = run.rows.stream(Export(Variant.AUGMENTED, DownloadChoice(file_format=file_format)))
        text = b"".join(pieces).decode("utf-8-sig")
        told = read_csv(text, delimiter)
        assert [row[:LAST] for row in told] == wanted
        assert {len(row) for row in told} == {LAST + 2}


def test_a_list_that_is_too_wide_for_its_rows_is_refused(tmp_path: Path) -> None:
    path = save(build_list([["email"], ["a@x.de"], ["b@x.de", *[None] * 9, "far"]]), tmp_path)
    plan = find_plan(path)
    for most_cells in (22, 21):
        with open_sheet(path, plan, tmp_path) as opened:
            scanner = SheetScanner(opened, opened.stream(), most_cells)
            if most_cells == 22:
                scanner.scan(tmp_path / "lines", lambda rows, size: None)
                continue
            with pytest.raises(BrokenFile, match="in column K, so that 2 rows are too wide"):
                scanner.scan(tmp_path / "lines", lambda rows, size: None)


def test_runs_of_empty_cells_in_results_of_before_come_back_whole() -> None:
    assert expand_runs(b"ana@x.de\xff\xf9\xf9\xf8\xf8\xf8,\xc3\xbc", b",") == (
        b"ana@x.de" + b"," * 9 + "ü".encode()
    )
