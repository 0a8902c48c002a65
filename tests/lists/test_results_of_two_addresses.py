"""Results of 0.2 in which both addresses of a row were judged open, and are browsed and sent.

``golden/two_addresses`` was written by 0.2. Each result has the columns ``email_category`` and
``when_category`` behind ``email_used``.
"""

from pathlib import Path

import pytest

from tests.lists.test_kept_rows import read_cells
from tests.tables import read_csv
from winnow.core.lists.dimensions import CATEGORY
from winnow.core.lists.exports import DownloadChoice, Export
from winnow.core.lists.platforms import Platform, PlatformFile
from winnow.core.lists.rows import Chosen, RowFilter, Variant
from winnow.core.own_lists.patterns import OwnLists
from winnow.core.tasks.task import FileFormat, InputPlan
from winnow.core.verdicts.facts import OwnEntry
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Category
from winnow.lists.format_registry import find_format
from winnow.lists.requests import RewriteRequest
from winnow.lists.result.cell_table import CellReader
from winnow.lists.result.result_rows import ResultRows
from winnow.lists.result.row_text import RESULT_NAME
from winnow.lists.result.row_view import RowView

FOLDER = Path(__file__).parents[1] / "golden" / "two_addresses"
COLUMNS = ("id", "email", "when", "note", "city")
HEADER = [*COLUMNS, "email_used", "email_category", "when_category", "category", "domain_type"]
FORMATS = [FileFormat.CSV, FileFormat.XLSX, FileFormat.PARQUET]


def plan_of(file_format: FileFormat) -> InputPlan:
    sheet, first_row = ("Sheet", 1) if file_format is FileFormat.XLSX else (None, 0)
    return InputPlan(
        file_format, 1, COLUMNS, sheet=sheet, first_row=first_row,
        second_email_column=2, judges_both=True,
    )  # fmt: skip


@pytest.mark.parametrize("file_format", FORMATS)
def test_it_is_browsed_by_the_address_that_was_used(file_format: FileFormat) -> None:
    work, plan = FOLDER / file_format, plan_of(file_format)
    rows = ResultRows(work, plan)
    found = rows.page(RowFilter(), 0, 9).rows
    assert [row.email for row in found] == ["b@wegwerf.net", "A@frei.de"]
    assert [row.verdict.category for row in found] == [Category.BLACK, Category.WHITE]
    white = rows.page(RowFilter(Chosen().choose(CATEGORY, "white")), 0, 9).rows
    assert [row.cells[0] for row in white] == ["4"]
    sent = rows.stream(Export(Variant.CLEANED, platform=PlatformFile(Platform.KLAVIYO)))
    text = b"".join(sent).decode("utf-8-sig")
    assert [row[0] for row in read_csv(text)][1:] == ["A@frei.de"]


@pytest.mark.parametrize("file_format", FORMATS)
def test_its_file_keeps_the_category_of_each_address(
    file_format: FileFormat, tmp_path: Path
) -> None:
    work, plan, out = FOLDER / file_format, plan_of(file_format), tmp_path / "out"
    own = OwnLists.build(2, [OwnEntry(Category.GREY, "frei.de", Reason.OWN_DOMAIN)])
    rows = ResultRows(work, plan, RowView.lay_own(CellReader(work, plan), own))
    export = Export(choice=DownloadChoice(adds_reason=True))
    if file_format.traits.is_text:
        assert b"".join(ResultRows(work, plan).stream()) == (work / RESULT_NAME).read_bytes()
        out.write_bytes(b"".join(rows.stream(export)))
    else:
        request = RewriteRequest(work / RESULT_NAME, rows, out, plan, export)
        find_format(file_format).rewrite(request)
    header, *found = read_cells(f"list.{file_format}", out.read_bytes())
    assert header == [*HEADER, "reason"]
    assert [row[5:10] for row in found] == [
        ["b@wegwerf.net", "black", "", "black", "disposable"],
        ["A@frei.de", "", "white", "grey", "grey"],
    ]
