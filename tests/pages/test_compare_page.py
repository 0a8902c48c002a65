"""Two projects compared on their page."""

import re

import pytest
from streamlit.testing.v1 import AppTest

from components.frame import page_urls
from tests.applications import LIST, Clock, complete, delete_for_good, receive
from tests.pages.conftest import Desk, read_html
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.lists.cleaning import WhoDecides
from winnow.core.lists.comparison import NEVER_MAIL

LATER = (
    b"id,email\r\n"
    b"01,one@mailboxes.example\r\n"
    b"02,new@mailboxes.example\r\n"
    b"03,newer@throwaway.example\r\n"
)


def test_the_newest_two_are_compared_and_every_difference_is_a_file(
    desk: Desk, clock: Clock
) -> None:
    before = complete(desk.opened, LIST, project_name="letter")
    clock.advance(hours=1)
    another = complete(desk.opened, LIST, project_name="another")
    clock.advance(hours=1)
    now = complete(desk.opened, LATER, project_name="letter")
    app = desk.open(page_urls.COMPARE)
    assert app.query_params["before"] == before.task_id
    assert app.query_params["now"] == now.task_id
    picker = app.button_group(key="compare_difference")
    assert list(picker.options) == ["New 2", "Gone 2", "Newly said no 0", "Turned bad 0"]
    said = "1 address is in both lists and treated as before."
    assert said in [one.value for one in app.caption]
    assert list(app.dataframe[-1].value["Address"]) == [
        "new@mailboxes.example",
        "newer@throwaway.example",
    ]
    assert "3 rows" in read_html(app)
    (link,) = app.link_button
    assert link.value == "Download differences to mail: 4 addresses, CSV"
    sent = desk.services.downloads.open(link.url.rpartition("/")[2])
    assert sent.file_name == "letter-difference.csv"
    assert b"".join(sent.read_content()).count(b"\r\n") == 5
    app.button_group(key="compare_difference").set_value("gone").run()
    assert [one.url for one in app.link_button] == [link.url], "while it is drawn again"
    app = desk.open(page_urls.COMPARE, now=another.task_id)
    assert app.query_params["before"] == before.task_id, "none that is later"


def test_what_cannot_be_compared_is_said_or_left_aside(desk: Desk, clock: Clock) -> None:
    gone = complete(desk.opened)
    app = desk.open(page_urls.COMPARE)
    assert any("need two finished projects" in text.value for text in app.markdown)
    clock.advance(hours=1)
    older = complete(desk.opened)
    app = desk.open(page_urls.COMPARE)
    app.selectbox(key="compare_now").set_value(gone.task_id).run()
    assert any("Choose another one" in text.value for text in app.info)
    clock.advance(hours=1)
    newer = complete(desk.opened)
    delete_for_good(desk.services, gone.task_id)
    app = desk.open(page_urls.COMPARE, before=gone.task_id, now=newer.task_id)
    assert app.query_params["before"] == older.task_id


@pytest.mark.slow
def test_pages_lead_here_where_there_are_two_to_compare(desk: Desk, clock: Clock) -> None:
    before = complete(desk.opened)
    for app in (desk.open(page_urls.PROJECTS), desk.open(page_urls.PROJECT, task=before.task_id)):
        assert not [link for link in app.page_link if link.value.startswith("Compare")]
    clock.advance(hours=1)
    complete(desk.opened)
    links = desk.open(page_urls.PROJECTS).page_link
    assert "Compare two projects" in {link.value for link in links}


SAID = b"email,status\r\na@firma.example,Subscribed\r\nb@firma.example,Subscribed\r\n"
LEFT = b"email,Unsubscribed\r\nzoe@firma.example,yes\r\n"


def test_a_project_page_says_what_differs_since_the_last_list(desk: Desk, clock: Clock) -> None:
    before = complete(desk.opened, SAID, project_name="October")
    assert not find_since(desk.open(page_urls.PROJECT, task=before.task_id))
    never_mail = desk.services.never_mail
    never_mail.remember(LOCAL_ACCOUNT, complete(desk.opened, LEFT).task_id)
    assert not find_since(desk.open(page_urls.PROJECT, task=before.task_id)), "nothing before it"
    never_mail.turn(LOCAL_ACCOUNT, is_on=False)
    clock.advance(days=28)
    later = SAID.replace(
        b"b@firma.example,Sub", b"c@firma.example,Subscribed\r\nb@firma.example,Unsub"
    )
    now = complete(desk.opened, later, project_name="November")
    app = desk.open(page_urls.PROJECT, task=now.task_id)
    assert find_since(app) == ["New 1", "Gone 0", "Newly said no 1", "Turned bad 0"]
    files = {one.value: one.disabled for one in app.link_button if one.value[:3] in ("Add", "Sup")}
    assert files == {"Add: 1 row": False, "Suppress: 1 row": False}
    shown = {"before": before.task_id, "now": now.task_id, "show": "said_no"}
    app = desk.open(page_urls.COMPARE, **shown)
    (row,) = app.dataframe[-1].value.to_dict("records")
    assert row["Address"] == "b@firma.example"
    assert [row[one].partition(",")[0] for one in ("Before", "Now")] == ["✓ keep", "⊘ do not mail"]
    (link,) = app.link_button
    assert link.value == "Download differences to mail: 1 address, CSV", "who says no is not in it"
    sent = desk.services.downloads.open(link.url.rpartition("/")[2])
    assert b"".join(sent.read_content()).count(b"\r\n") == 2
    assert dict(app.query_params) == shown
    delete_for_good(desk.services, before.task_id)
    assert not find_since(desk.open(page_urls.PROJECT, task=now.task_id))
    never_mail.turn(LOCAL_ACCOUNT, is_on=True)
    received = receive(desk.opened, SAID.replace(b"a@firma.example,S", b"a@firma.example,Uns"))
    app = desk.open(page_urls.PROJECT, task=now.task_id)
    assert find_since(app) == ["Newly said no 1", "Turned bad 0"]
    app = desk.open(page_urls.COMPARE, before=NEVER_MAIL, now=now.task_id)
    assert "Newly said no 1" in app.button_group(key="compare_difference").options
    page = desk.open(page_urls.PROJECT, task=now.task_id)
    assert page.link_button[0].value == "Download 2 rows"
    made = desk.services.own_files.add_earlier(LOCAL_ACCOUNT, now.task_id, received)
    page.run()
    assert page.link_button[0].value == "Download 1 row", "and the whole page follows"
    assert find_since(page) == ["New 1", "Gone 0", "Newly said no 1", "Turned bad 0"]
    app = desk.open(page_urls.COMPARE, before=made.file_id, now=now.task_id)
    assert app.selectbox(key="compare_before").value == made.file_id


def test_each_list_is_shown_by_who_decides_in_it(desk: Desk, clock: Clock) -> None:
    torn = SAID + b"a@firma.example,Unsubscribed\r\na@firma.example,Subscribed\r\n"
    more = b"c@firma.example,Unsubscribed\r\nc@firma.example,Subscribed\r\n"
    before = complete(desk.opened, torn)
    clock.advance(hours=1)
    now = complete(desk.opened, torn + more, who_decides=WhoDecides.KEPT)
    app = desk.open(page_urls.COMPARE, before=before.task_id, now=now.task_id)
    assert re.findall(r"rows: (\d) ✓ keep", read_html(app)) == ["1", "3"]
    assert list(app.dataframe[-1].value["Address"]) == ["c@firma.example"]
    assert "keep" in app.dataframe[-1].value["Now"].iloc[0]


def find_since(app: AppTest) -> list[str]:
    """Return the words of the links to differences since the last list."""
    return [one.value for one in app.page_link if "show=" in one.proto.query_string]
