"""Reports of a finished project: counts as a workbook and as an HTML page."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from winnow.core.errors import ResultNotReady
from winnow.core.lists.cleaning import Cleaning
from winnow.core.lists.facets import Facets
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.rows import Row
from winnow.core.tasks.repair_choice import RepairRow
from winnow.core.tasks.task import Task
from winnow.lists.reports.report_page import write_report_page
from winnow.lists.reports.summary_book import write_summary_book
from winnow.services.uploads.names import make_file_stem

BOOK_TYPE = FileFormat.XLSX.traits.media_type


@dataclass(frozen=True, slots=True)
class Report:
    """A small file, whole in memory."""

    file_name: str
    media_type: str
    content: bytes


def make_report(task: Task, cleaning: Cleaning | None = None) -> Report:
    """Return a project's counts as a workbook; it contains no address.

    Args:
        task: As shown on the page, with the counts of the own lists.
        cleaning: Which rows are removed; None: the report does not say.

    Raises:
        ResultNotReady: The task has no counts yet.
    """
    if task.summary is None:
        raise ResultNotReady("The project has no counts yet.")
    name = f"{make_file_stem(task.project_name)}-report.xlsx"
    return Report(name, BOOK_TYPE, write_summary_book(task, task.summary, cleaning))


def make_report_page(
    task: Task,
    made_at: datetime,
    cleaning: Cleaning | None = None,
    removed: Sequence[Row] | None = None,
    facets: Facets | None = None,
    repaired: Sequence[RepairRow] = (),
) -> Report:
    """Return a project's counts as one HTML page, self-contained.

    It contains no address unless ``removed`` or ``repaired`` is given; then the name says so.

    Args:
        task: As for ``make_report``.
        made_at: When it is made, in UTC.
        cleaning: As for ``make_report``.
        removed: The first removed rows, to be listed with their addresses.
        facets: The counts of all rows; None: no charts of providers, countries and ages.
        repaired: The first repaired rows, to be listed with their addresses.

    Raises:
        ResultNotReady: The task has no counts yet.
    """
    if task.summary is None:
        raise ResultNotReady("The project has no counts yet.")
    page = write_report_page(task, task.summary, made_at, cleaning, removed, facets, repaired)
    words = "report" if removed is None and not repaired else "report-with-addresses"
    name = f"{make_file_stem(task.project_name)}-{words}.html"
    return Report(name, "text/html", page.encode("utf-8", "replace"))


def make_reports(
    task: Task, made_at: datetime, cleaning: Cleaning, facets: Facets
) -> tuple[Report, ...]:
    """Return every report of a project for the download of all files; without addresses.

    Args and errors are those of ``make_report_page``.
    """
    page = make_report_page(task, made_at, cleaning, facets=facets)
    return page, make_report(task, cleaning)
