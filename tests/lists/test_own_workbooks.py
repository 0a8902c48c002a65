"""A workbook seen through other your lists is the workbook judged with them, however written."""

from pathlib import Path
from tempfile import TemporaryDirectory

import openpyxl
import pytest
from hypothesis import HealthCheck, assume, given, settings

from tests.lists.odd_spellings import FORMS, ROWS, Habits, render_rows
from tests.lists.test_own_overlay import build
from tests.lists.xlsx_support import TRASH, build_judge, ignore_progress
from winnow.core.errors import InputError
from winnow.core.lists.exports import Export
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.rows import Variant
from winnow.core.own_lists.patterns import OwnLists
from winnow.core.tasks.task import InputPlan
from winnow.core.verdicts.verdict import Category
from winnow.lists.batch import run_batch
from winnow.lists.formats.xlsx.filter import write_variant_xlsx
from winnow.lists.requests import BatchRequest, RewriteRequest
from winnow.lists.result.cell_questions import CellReader
from winnow.lists.result.result_rows import ResultRows
from winnow.lists.result.row_view import RowView

HEAD = ("a", "email", "c")
PLAN = InputPlan(FileFormat.XLSX, 1, HEAD, sheet="Data")
THEN = build(1, {TRASH: Category.WHITE})
NOW = build(2, {f"*.{TRASH}": Category.GREY, "ana@example.org": Category.BLACK})


def judge_with(own: OwnLists, source: bytes, folder: Path) -> Path:
    folder.mkdir()
    (folder / "list.xlsx").write_bytes(source)
    judge = build_judge().put_own_first(own)
    run_batch(
        BatchRequest(
            folder / "list.xlsx", PLAN, judge, folder, deduplicate=True, report=ignore_progress
        )
    )
    return folder


def read(path: Path) -> list[tuple]:
    with path.open("rb") as file:
        rows = openpyxl.load_workbook(file)["Data"].iter_rows(values_only=True)
        return [tuple(value if value != "" else None for value in row) for row in rows]


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(rows=ROWS)
def test_the_added_cells_are_replaced_and_nothing_else(form: Habits, rows: list[tuple]) -> None:
    source = render_rows([HEAD, *rows, (1, f"bo@{TRASH}", None), (2, "ana@example.org", "x")], form)
    with TemporaryDirectory() as name:
        folder = Path(name)
        try:
            before = judge_with(THEN, source, folder / "then")
        except InputError:
            assume(False)
        after = judge_with(NOW, source, folder / "now")
        overlay = RowView.lay_own(CellReader(before, PLAN), NOW)
        seen = ResultRows(before, PLAN, overlay)
        assert seen.alters_result
        out = folder / "out.xlsx"
        write_variant_xlsx(RewriteRequest(before / "result", seen, out, PLAN))
        assert read(out) == read(after / "result")
        write_variant_xlsx(
            RewriteRequest(before / "result", seen, out, PLAN, Export(Variant.CLEANED))
        )
        cleaned = folder / "cleaned.xlsx"
        judged = ResultRows(after, PLAN)
        write_variant_xlsx(
            RewriteRequest(after / "result", judged, cleaned, PLAN, Export(Variant.CLEANED))
        )
        assert read(out) == read(cleaned)
