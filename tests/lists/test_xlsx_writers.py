"""Workbooks of four writers lose rows, and are then as if their writer had never had these.

Each has a twin, which the same program wrote of the rows that stay and their verdicts. openpyxl,
calamine and LibreOffice read both.
"""

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from python_calamine import CalamineWorkbook

from tests.libreoffice import save_again
from tests.libreoffice_rows import Job, work_out
from tests.lists.delimited_support import TRASH, run_file

xlsxwriter = pytest.importorskip("xlsxwriter")
GOLDEN = Path(__file__).parents[1] / "golden" / "exceljs"
LISTS = {"scattered": "abacdbefdg", "blocks": "xxxxyyzwwv"}  # a letter an address, rows 2 to 11


@dataclass(frozen=True)
class Rows:
    """A list, or what is left of it: each row's first number, which what belongs to it has."""

    values: Sequence[tuple[Any, ...]]
    header: Sequence[str] = ("email", "n", "note", "more", "twice")

    @property
    def last(self) -> int:
        return len(self.values) + 1

    @property
    def area(self) -> str:
        """All of it, with its header."""
        return f"A1:{'ABCDEFG'[len(self.header) - 1]}{self.last}"

    def find(self, *numbers: int) -> list[int]:
        """Return the numbers of rows today, of those that are still there."""
        return [place for place, row in enumerate(self.values, 2) if row[1] in numbers]

    def stay(self) -> "Rows":
        """Return the last row of each address, with its verdict."""
        kept = {row[0]: row for row in self.values}.values()
        verdicts = {True: ("black", "disposable"), False: ("white", "unlisted")}
        rows = [(*row, *verdicts[TRASH in row[0]]) for row in sorted(kept, key=lambda row: row[1])]
        return Rows(rows, (*self.header, "category", "domain_type"))


def make_rows(letters: str) -> Rows:
    emails = [f"{one}@{TRASH if one in 'cw' else 'firm.example.com'}" for one in letters]
    notes = ["noted" if n % 5 == 1 else None for n in range(len(letters))]
    return Rows([(email, n, notes[n - 1], None, None) for n, email in enumerate(emails, 1)])


def list_merged(rows: Rows) -> list[str]:
    found = (rows.find(3, 4), rows.find(7), rows.find(8, 9))
    return [f"C{one[0]}:D{one[-1]}" for one in found if one]


def _link(book: Any, sheet: Any, rows: Rows) -> None:
    for row in rows.find(2, 5, 10):
        sheet.write_url(f"A{row}", f"internal:Data!B{rows.last}", string=rows.values[row - 2][0])
    for row in rows.find(8):
        sheet.write_url(f"A{row}", "https://x.example/8", string=rows.values[row - 2][0])


def _chart(book: Any, sheet: Any, rows: Rows) -> None:
    chart = book.add_chart({"type": "bar"})
    areas = {"values": f"=Data!$B$2:$B${rows.last}", "categories": f"=Data!$A$2:$A${rows.last}"}
    chart.add_series(areas)
    sheet.insert_chart("J20", chart)


def _print(book: Any, sheet: Any, rows: Rows) -> None:
    sheet.print_area(f"A1:D{rows.last}")
    sheet.repeat_rows(0)


def _calculate(book: Any, sheet: Any, rows: Rows) -> None:
    for row in range(2, rows.last + 1):
        sheet.write_formula(f"E{row}", f"=B{row}*2")
    other = book.add_worksheet("Other")
    other.write_formula("A1", f"=SUM(Data!B2:B{rows.last})")
    other.write_formula("A2", f"=Data!$B${rows.last}+1")


def _resize(book: Any, sheet: Any, rows: Rows) -> None:
    sheet.freeze_panes(1, 0)
    for row in rows.find(2, 7):
        sheet.set_row(row - 1, 33)


FEATURES: dict[str, Callable[[Any, Any, Rows], object]] = {
    "table": lambda _, sheet, rows: sheet.add_table(
        rows.area, {"name": "List", "columns": [{"header": name} for name in rows.header]}
    ),
    "filter": lambda _, sheet, rows: sheet.autofilter(rows.area),
    "merged": lambda _, sheet, rows: [sheet.merge_range(one, None) for one in list_merged(rows)],
    "validation": lambda _, sheet, rows: sheet.data_validation(
        f"C2:C{rows.last}", {"validate": "list", "source": f"=$B$2:$B${rows.last}"}
    ),
    "condition": lambda book, sheet, rows: sheet.conditional_format(
        f"A2:D{rows.last}",
        {
            "type": "formula",
            "criteria": f"=$B2>$B${rows.last}-4",
            "format": book.add_format({"bold": True}),
        },
    ),
    "links": _link,
    "comments": lambda _, sheet, rows: [
        sheet.write_comment(f"B{row}", f"on {rows.values[row - 2][0]}", {"author": "us"})
        for row in rows.find(1, 4, 9)
    ],
    "chart": _chart,
    "print": _print,
    "names": lambda book, _, rows: book.define_name("Numbers", f"=Data!$B$2:$B${rows.last}"),
    "formulas": _calculate,
    "rows": _resize,
}


def write(rows: Rows, features: Sequence[str], path: Path) -> Path:
    book = xlsxwriter.Workbook(path, {"strings_to_urls": False})
    sheet = book.add_worksheet("Data")
    for number, row in enumerate((rows.header, *rows.values)):
        sheet.write_row(number, 0, row)
    for feature in features:
        FEATURES[feature](book, sheet, rows)
    book.close()
    return path


def save_by_openpyxl(path: Path) -> Path:
    out = path.with_name(f"openpyxl-{path.name}")
    openpyxl.load_workbook(path).save(out)
    return out


def describe(path: Path, *, data_only: bool = False) -> dict[str, Any]:
    """Return all that names rows, and the cells, as openpyxl reads it."""
    with path.open("rb") as file:
        book = openpyxl.load_workbook(file, data_only=data_only)
    sheet = book["Data"]
    cells = [cell for row in sheet.iter_rows() for cell in row]
    charts = [series for chart in sheet._charts for series in chart.series]
    return {
        "table": {
            one.name: (one.ref, one.autoFilter.ref, [column.name for column in one.tableColumns])
            for one in sheet.tables.values()
        },
        "filter": sheet.auto_filter.ref,
        "merged": sorted(map(str, sheet.merged_cells.ranges)),
        "validation": [
            (str(one.sqref), one.formula1) for one in sheet.data_validations.dataValidation
        ],
        "condition": [
            (str(one.sqref), [rule.formula for rule in one.rules])
            for one in sheet.conditional_formatting
        ],
        "links": {
            cell.coordinate: cell.hyperlink.location or cell.hyperlink.target
            for cell in cells
            if cell.hyperlink
        },
        "comments": {cell.coordinate: cell.comment.text for cell in cells if cell.comment},
        "chart": [
            (one.val.numRef.f, one.cat and (one.cat.strRef or one.cat.numRef).f) for one in charts
        ],
        "print": (sheet.print_area, sheet.print_title_rows),
        "names": {name: one.attr_text for name, one in book.defined_names.items()},
        "formulas": {
            (one.title, cell.coordinate): cell.value
            for one in book
            for row in one.iter_rows()
            for cell in row
            if cell.value is not None
        },
        "rows": (
            sheet.freeze_panes,
            [row for row, one in sheet.row_dimensions.items() if one.height == 33],
        ),
    }


def read_by_calamine(path: Path) -> dict[str, Any]:
    sheet = CalamineWorkbook.from_path(path).get_sheet_by_name("Data")
    return {"values": sheet.to_python(), "merged": sorted(sheet.merged_cell_ranges)}


def compare(result: dict[str, Any], twin: dict[str, Any]) -> dict[str, Any]:
    """Return what differs."""
    return {name: (result[name], twin[name]) for name in twin if result[name] != twin[name]}


@pytest.mark.slow
def test_a_workbook_is_as_its_writer_would_have_written_it(tmp_path: Path) -> None:
    together = [name for name in FEATURES if name != "table"]  # which has the sheet's filter
    books = [("scattered", [name]) for name in FEATURES] + [(name, together) for name in LISTS]
    pairs: list[tuple[Path, Path]] = []
    for name, features in books:
        rows, stem = make_rows(LISTS[name]), f"{name}-{len(features)}-{features[0]}"
        before = write(rows, features, tmp_path / f"{stem}.xlsx")
        pairs.append((before, write(rows.stay(), features, tmp_path / f"{stem}-twin.xlsx")))
        assert compare(*map(describe, pairs[-1]))
    copies = save_again([path for pair in pairs for path in pair], tmp_path)
    pairs += [(save_by_openpyxl(before), save_by_openpyxl(twin)) for before, twin in pairs]
    pairs += zip(copies[::2], copies[1::2], strict=True)
    for name in LISTS:
        before = Path(shutil.copy(GOLDEN / f"{name}.xlsx", tmp_path / f"exceljs-{name}.xlsx"))
        pairs.append((before, GOLDEN / f"{name}-twin.xlsx"))
    assert len(pairs) >= 40
    found: dict[str, object] = {}
    jobs: list[Job] = []
    for number, (before, twin) in enumerate(pairs):
        judged = run_file(before).result_path, twin
        found[str(before)] = compare(*map(describe, judged))
        found[f"{before} by calamine"] = compare(*map(read_by_calamine, judged))
        jobs += [Job(one, tmp_path / f"{number}-{one.stem}.xlsx") for one in judged]
    work_out(jobs, tmp_path)
    for (before, _), one, other in zip(pairs, jobs[::2], jobs[1::2], strict=True):
        sheets = (describe(job.target, data_only=True) for job in (one, other))
        found[f"{before} by LibreOffice"] = compare(*sheets)
    assert {case: one for case, one in found.items() if one} == {}
