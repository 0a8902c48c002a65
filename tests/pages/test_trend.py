"""The trend of projects of one name, on the Compare page."""

from components.compare.comparison import build_trend_chart, word_trend
from components.frame import page_urls
from components.frame.session import show_local_date
from tests.applications import LIST, Clock, complete
from tests.pages.conftest import OpenPage
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.core.tasks.task import Task
from winnow.wiring import Application
from winnow.words import speaking

LATER = LIST.replace(b"04,not an address\r\n", b"05,new@mailboxes.example\r\n")


def clean_three(opened: Application) -> tuple[Task, ...]:
    clock = opened.services.clock
    assert isinstance(clock, Clock)
    for content in (LIST, LATER, LATER):
        clock.advance(hours=1)
        complete(opened, content, project_name="News")
    return tuple(reversed(opened.services.tasks.list(LOCAL_ACCOUNT)))


def test_three_lists_of_one_name_show_their_trend(opened: Application, open_page: OpenPage) -> None:
    clean_three(opened)
    opened.services.clock.advance(hours=1)
    complete(opened, LIST, project_name="Another")
    app = open_page(page_urls.COMPARE)
    assert not app.get("plotly_chart"), "the newest project is the only one of its name"
    newest = opened.services.tasks.list(LOCAL_ACCOUNT)[1]
    app = open_page(page_urls.COMPARE, now=newest.task_id)
    assert not app.exception
    finding = "To remove: 33.3 % on 20 Nov 2026, down from 66.7 % on 20 Nov 2026."
    [chart] = app.get("plotly_chart")
    assert chart.proto.alt == finding
    [table] = [table.value for table in app.dataframe if "Submitted" in table.value]
    assert list(table["Rows"]) == ["3", "3", "3"]


def test_the_lines_are_the_shares_of_the_rows(opened: Application) -> None:
    projects = clean_three(opened)
    figure = build_trend_chart(projects)
    shares = [[round(value, 1) for value in trace.y] for trace in figure.data]
    assert shares == [[33.3, 66.7, 66.7], [0.0, 0.0, 0.0], [66.7, 33.3, 33.3]]
    assert [trace.name for trace in figure.data] == ["✓ keep", "◐ review", "✕ remove"]
    assert word_trend((projects[0], projects[0])).startswith("To remove: 66.7 %")
    with speaking("de"):
        axis = build_trend_chart(projects).layout.xaxis
        days = [show_local_date(project.submitted_at) for project in projects]
    assert (axis.ticktext[0], axis.ticktext[-1]) == (days[0], days[-1])
    assert "." in days[0]
