"""Summary workbook: a finished project's counts to share, without addresses."""

from collections.abc import Iterable, Mapping, Sequence
from io import BytesIO
from typing import Any

from winnow.core.lists.cleaning import Cleaning
from winnow.core.tasks.task import Summary, Task
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Category, name_action
from winnow.lists.reports.report_tables import list_repairs
from winnow.words import say

_HEADER_FILL = "F1EFE9"
_WIDTH_MOST = 90
_COUNT_FORMAT, _SHARE_FORMAT = "#,##0", "0.0 %"

Cell = str | int | float


def write_summary_book(task: Task, summary: Summary, cleaning: Cleaning | None = None) -> bytes:
    """Return an .xlsx with the counts of a completed task: totals, types, reasons, domains.

    With ``cleaning`` also what is removed. Texts that begin like a formula stay texts.
    """
    from openpyxl import Workbook  # only when a report is asked for

    book = Workbook()
    sheet = book.active
    sheet.title = say("Summary")
    _fill(sheet, (say("What"), say("Value")), _list_totals(task, summary))
    _fill(
        book.create_sheet(say("What to do")),
        (say("Action"), say("In the file"), say("Rows"), say("Share")),
        _list_categories(summary),
    )
    if cleaning is not None:
        header = (say("What"), say("Rule"), say("Rows"), say("Share"))
        _fill(book.create_sheet(say("What is removed")), header, _list_effect(cleaning))
    if summary.repaired:
        columns = (say("What was wrong"), say("Rows"))
        _fill(book.create_sheet(say("What was repaired")), columns, list_repairs(summary))
    types = book.create_sheet(say("Domain types"))
    rows = sorted(summary.by_category_and_type, key=lambda entry: -entry[2])
    _fill(
        types,
        (say("Domain type"), say("In the file"), say("Rows"), say("Share")),
        ((name, category, count, _share(count, summary)) for category, name, count in rows),
    )
    _add_bars(types, len(rows))
    _fill(
        book.create_sheet(say("Reasons")),
        (say("Reason"), say("Rule"), say("Rows"), say("Share")),
        (
            (code, say(Reason(code).rule), count, _share(count, summary))
            for code, count in _by_size(summary.by_reason)
        ),
    )
    _fill(
        book.create_sheet(say("Largest domains")),
        (say("Domain"), say("In the file"), say("Rows"), say("Share")),
        (
            (domain, category, count, _share(count, summary))
            for domain, category, count in summary.top_domains
        ),
    )
    out = BytesIO()
    book.save(out)
    return out.getvalue()


def _list_totals(task: Task, summary: Summary) -> Iterable[tuple[Cell, ...]]:
    yield say("Project"), task.project_name
    yield say("File"), task.file_name
    if task.options.merge is not None:
        for file in task.options.merge.files:
            yield say("Rows merged from {file}", file=file.file_name), file.rows
    yield say("Submitted (UTC)"), f"{task.submitted_at:%Y-%m-%d %H:%M}"
    yield say("Rows in the file"), summary.rows_in
    yield say("Duplicates removed"), summary.duplicates_removed
    yield say("Rows in the result"), summary.rows_out
    yield say("Not an address"), summary.invalid
    yield say("Version of the domain lists"), summary.data_version
    yield say("Meaning of keep"), say("No problem is known. It does not promise that mail arrives.")


def _list_categories(summary: Summary) -> Iterable[tuple[Cell, ...]]:
    for category in Category:
        count = summary.by_category.get(category.value, 0)
        yield name_action(category), category.value, count, _share(count, summary)


def _list_effect(cleaning: Cleaning) -> Iterable[tuple[Cell, ...]]:
    effect = cleaning.effect
    chosen = ", ".join(say(ground.words) for ground in cleaning.grounds)
    whole = effect.rows or 1
    yield say("Kept rows"), "", effect.kept, effect.kept / whole
    picked = say("Chosen: {chosen}", chosen=chosen or say("nothing"))
    yield say("Rows that are removed"), picked, effect.lost, effect.lost / whole
    yield say("Kept rows to review"), "", effect.review, effect.review / whole
    for reason, count in sorted(effect.lost_by_reason.items(), key=lambda item: -item[1]):
        removed = say("Removed: {reason}", reason=say(reason.words))
        yield removed, say(reason.rule), count, count / whole


def _share(count: int, summary: Summary) -> float:
    return count / summary.rows_out if summary.rows_out else 0.0


def _by_size(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: -item[1])


def _fill(sheet: Any, header: Sequence[str], rows: Iterable[tuple[Cell, ...]]) -> None:
    from openpyxl.styles import Font, PatternFill
    from openpyxl.utils import get_column_letter

    widths = [len(name) for name in header]
    for number, row in enumerate((tuple(header), *rows), start=1):
        for position, value in enumerate(row):
            cell = sheet.cell(number, position + 1, value)
            if isinstance(value, str):
                cell.data_type = "s"
            elif isinstance(value, float):
                cell.number_format = _SHARE_FORMAT
            else:
                cell.number_format = _COUNT_FORMAT
            if number == 1:
                cell.font = Font(bold=True)
                cell.fill = PatternFill("solid", start_color=_HEADER_FILL)
            widths[position] = max(widths[position], len(str(value)))
    for position, width in enumerate(widths, start=1):
        sheet.column_dimensions[get_column_letter(position)].width = min(width + 2, _WIDTH_MOST)
    sheet.freeze_panes = "A2"


def _add_bars(sheet: Any, row_count: int) -> None:
    from openpyxl.chart import BarChart, Reference

    if not row_count:
        return
    chart = BarChart()
    chart.type = "bar"
    chart.title = say("Rows by domain type")
    chart.legend = None
    chart.y_axis.delete = chart.x_axis.delete = False
    chart.x_axis.scaling.orientation = "maxMin"
    chart.add_data(Reference(sheet, min_col=3, min_row=1, max_row=row_count + 1), True)
    chart.set_categories(Reference(sheet, min_col=1, min_row=2, max_row=row_count + 1))
    sheet.add_chart(chart, "F2")
