"""The trend of projects of one name, on the Compare page."""

from components.frame import page_urls
from components.projects.comparison import word_trend
from tests.applications import LIST, Clock, complete
from tests.pages.conftest import OpenPage
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.core.tasks.task import Task
from winnow.wiring import Application

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
    assert not find_trend(app), "the newest project is the only one of its name"
    newest = opened.services.tasks.list(LOCAL_ACCOUNT)[1]
    app = open_page(page_urls.COMPARE, now=newest.task_id)
    assert not app.exception
    finding = "To remove: 33.3 % on 20 Nov 2026, down from 66.7 % on 20 Nov 2026."
    assert f"**{finding}**" in [one.value for one in app.markdown]
    [table] = find_trend(app)
    assert list(table["Rows"]) == ["3", "3", "3"]
    assert list(table["✕ remove"]) == ["2 (66.7 %)", "1 (33.3 %)", "1 (33.3 %)"]


def find_trend(app):  # type: ignore[no-untyped-def]
    return [table.value for table in app.dataframe if "Submitted" in table.value]


def test_a_trend_without_a_change_says_so(opened: Application) -> None:
    projects = clean_three(opened)
    assert word_trend((projects[0], projects[0])).startswith("To remove: 66.7 %")
