"""Report of a finished project: its counts as an HTML page."""

from dataclasses import dataclass
from datetime import datetime

from winnow.core.errors import ResultNotReady
from winnow.core.lists.cleaning import Cleaning
from winnow.core.lists.facets import Facets
from winnow.core.tasks.task import Task
from winnow.lists.reports.report_page import write_report_page
from winnow.services.uploads.names import make_file_stem


@dataclass(frozen=True, slots=True)
class Report:
    """A small file, whole in memory."""

    file_name: str
    media_type: str
    content: bytes


def make_report(
    task: Task,
    made_at: datetime,
    cleaning: Cleaning | None = None,
    facets: Facets | None = None,
) -> Report:
    """Return a project's counts as one self-contained HTML page; it contains no address.

    Args:
        task: As shown on the page, with the counts of the own lists.
        made_at: When it is made, in UTC.
        cleaning: Which rows are removed; None: the report does not say.
        facets: The counts of all rows; None: providers are not shown.

    Raises:
        ResultNotReady: The task has no counts yet.
    """
    if task.summary is None:
        raise ResultNotReady("The project has no counts yet.")
    page = write_report_page(task, task.summary, made_at, cleaning, facets)
    name = f"{make_file_stem(task.project_name)}-report.html"
    return Report(name, "text/html", page.encode("utf-8", "replace"))
