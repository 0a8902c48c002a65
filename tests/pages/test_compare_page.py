"""Two projects compared on their page."""

import pytest

from components.frame import page_urls
from tests.applications import LIST, Clock, complete
from tests.pages.conftest import OpenPage, open_tab, read_html
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.wiring import Application

LATER = (
    b"id,email\r\n"
    b"01,one@mailboxes.example\r\n"
    b"02,new@mailboxes.example\r\n"
    b"03,newer@throwaway.example\r\n"
)


def test_one_project_is_too_few(opened: Application, open_page: OpenPage) -> None:
    complete(opened)
    app = open_page(page_urls.COMPARE)
    assert any("need two finished projects" in text.value for text in app.markdown)


def test_the_newest_two_are_compared_at_once(opened: Application, open_page: OpenPage) -> None:
    before = complete(opened, LIST, project_name="letter")
    _advance(opened)
    complete(opened, LIST, project_name="another")
    _advance(opened)
    now = complete(opened, LATER, project_name="letter")
    app = open_page(page_urls.COMPARE)
    assert app.query_params["before"] == before.task_id
    assert app.query_params["now"] == now.task_id
    assert {one.label: one.value for one in app.metric} == {
        "New": "2",
        "Gone": "2",
        "Changed": "0",
        "Same": "1",
    }
    assert list(app.dataframe[-1].value["Address"]) == [
        "new@mailboxes.example",
        "newer@throwaway.example",
    ]
    assert "3 rows" in read_html(app)


def test_twice_the_same_says_so(opened: Application, open_page: OpenPage) -> None:
    first = complete(opened)
    _advance(opened)
    complete(opened)
    app = open_page(page_urls.COMPARE)
    app.selectbox(key="compare_now").set_value(first.task_id).run()
    assert not app.exception
    assert any("Choose another one" in text.value for text in app.info)


def test_a_deleted_project_of_the_address_is_left_aside(
    opened: Application, open_page: OpenPage
) -> None:
    gone = complete(opened)
    _advance(opened)
    older = complete(opened)
    _advance(opened)
    newer = complete(opened)
    opened.services.tasks.delete(LOCAL_ACCOUNT, gone.task_id)
    app = open_page(page_urls.COMPARE, before=gone.task_id, now=newer.task_id)
    assert app.query_params["before"] == older.task_id


def test_every_difference_is_behind_a_link(opened: Application, open_page: OpenPage) -> None:
    before = complete(opened, LIST, project_name="letter")
    _advance(opened)
    now = complete(opened, LATER, project_name="letter")
    app = open_page(page_urls.COMPARE, before=before.task_id, now=now.task_id)
    (button,) = app.get("link_button")
    assert button.proto.label == "Download all differences: 4 addresses, CSV"
    opened = opened.services.downloads.open(button.proto.url.rpartition("/")[2])
    assert opened.file_name == "letter-difference.csv"
    assert b"".join(opened.read()).count(b"\r\n") == 5


@pytest.mark.slow
def test_pages_lead_here_where_there_are_two_to_compare(
    opened: Application, open_page: OpenPage
) -> None:
    before = complete(opened)
    for app in (open_page(page_urls.PROJECTS), open_page(page_urls.PROJECT, task=before.task_id)):
        assert not [link for link in app.page_link if link.value.startswith("Compare")]
    _advance(opened)
    now = complete(opened)
    app = open_page(page_urls.PROJECTS)
    assert "Compare two projects" in {link.value for link in app.page_link}
    links = open_tab(open_page(page_urls.PROJECT, task=now.task_id), "tabs", "History").page_link
    (link,) = (link for link in links if link.value.startswith("Compare"))
    assert link.value == "Compare with an earlier list"
    assert link.proto.query_string == f"now={now.task_id}"
    links = open_tab(open_page(page_urls.PROJECT, task=before.task_id), "tabs", "History").page_link
    assert not [link for link in links if link.value.startswith("Compare")]


def _advance(opened: Application) -> None:
    clock = opened.services.clock
    assert isinstance(clock, Clock)
    clock.advance(hours=1)


def test_the_link_stays_while_the_page_is_drawn_again(
    opened: Application, open_page: OpenPage
) -> None:
    complete(opened, LIST)
    _advance(opened)
    complete(opened, LATER)
    app = open_page(page_urls.COMPARE)
    first = [link.url for link in app.link_button]
    app.button_group(key="compare_difference").set_value("gone").run()
    assert [link.url for link in app.link_button] == first
