"""The frame around every page: navigation, first address, foot line, sign-in, local time."""

from datetime import UTC, datetime
from html import unescape
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from components.frame import page_urls
from components.frame.frame import describe_data
from components.frame.session import show_local
from tests.applications import Clock, OpenApplication, complete
from tests.pages.conftest import SHELL, Desk, read_html
from tests.waiting import PATIENCE_SECONDS
from winnow.core.identities import LOCAL_ACCOUNT, Identity, Role
from winnow.core.release import VERSION
from winnow.core.tasks.task import KeyType
from winnow.core.verdicts.verdict import Category
from winnow.services.accounts import sign_in


@pytest.mark.parametrize("place", page_urls.PLACES, ids=lambda place: place.stem)
def test_every_page_opens_and_ends_with_the_foot_line(desk: Desk, place: Path) -> None:
    app = desk.open(place)
    assert app.title
    foot = next(part for part in read_html(app).splitlines() if 'class="w-foot"' in part)
    assert desk.services.network.status_text().rstrip(".") in unescape(foot)
    assert "Domain lists" in foot
    assert f"Winnow {VERSION}" in foot


def test_every_page_of_the_folder_is_in_the_frame() -> None:
    folder = page_urls.CHECK.parent
    assert {page.name for page in folder.glob("*.py")} - {"__init__.py"} == {
        place.name for place in page_urls.PLACES
    }


def test_a_page_counts_while_it_is_drawn(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    pages, seen = desk.services.drawn_pages, []
    monkeypatch.setattr(st, "logo", lambda *args, **options: seen.append(pages.count))
    desk.open()
    assert (seen, pages.count) == ([1], 0)


def test_with_a_password_nothing_shows_without_its_cookie(
    open_application: OpenApplication,
) -> None:
    open_application(password="a long password")
    app = AppTest.from_file(SHELL, default_timeout=PATIENCE_SECONDS).run()
    assert [title.value for title in app.title] == ["Sign in"]
    assert app.link_button[0].url == "/desk/sign-in"
    assert 'class="w-foot"' not in read_html(app)


def read_all(app: AppTest) -> str:
    """Return the text of every element and the cells of every table."""
    texts = [str(element.proto) for element in app.main]
    return "\n".join([*texts, *(table.value.to_string() for table in app.dataframe)])


@pytest.mark.slow
@pytest.mark.parametrize("place", page_urls.PLACES, ids=lambda place: place.stem)
def test_pages_show_what_the_account_of_who_asks_has_and_nothing_else(
    place: Path, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    services = desk.services
    task = complete(desk.opened, b"email\nsecret@throwaway.example\n", project_name="secret")
    services.own_lists.add(LOCAL_ACCOUNT, "secret.example", Category.BLACK, "secret")
    services.keys.create(LOCAL_ACCOUNT, "secret", KeyType.LIVE)
    checked = services.checks.check_address(LOCAL_ACCOUNT, "secret@mailboxes.example")
    services.checks.remember(LOCAL_ACCOUNT, [checked])
    services.accounts.create("other")
    services.own_lists.add("other", "theirs.example", Category.WHITE)
    query = {"task": task.task_id} if place == page_urls.PROJECT else {"tab": "api"}
    empty = {page_urls.CLEAN, page_urls.COMPARE}
    shows = place not in empty  # these wait for what is entered, or for two
    mine = desk.open(place, **query)
    assert ("secret" in read_all(mine)) == shows
    monkeypatch.setattr(sign_in, "LOCAL_IDENTITY", Identity("other", "bo", Role.ADMIN))
    app = desk.open(place, **query)
    assert "secret" not in read_all(app)
    assert ("theirs.example" in read_all(app)) == (place == page_urls.RULES)


def test_the_foot_line_says_how_old_the_data_is() -> None:
    today = Clock().now.date()
    assert describe_data("2026-11-09.3fa2c1", today) == ("Domain lists of 9 Nov 2026, 11 days old")
    assert describe_data("table", today) == "Domain lists: table"


@pytest.mark.parametrize(
    ("zone", "shown"),
    [
        ("Europe/Berlin", "21 Nov 2026, 00:05"),
        ("America/New_York", "20 Nov 2026, 18:05"),
        ("Asia/Kolkata", "21 Nov 2026, 04:35"),
        ("Etc/UTC", "20 Nov 2026, 23:05 UTC"),
        ("Nowhere/At_All", "20 Nov 2026, 23:05 UTC"),
        ("../../etc/passwd", "20 Nov 2026, 23:05 UTC"),
        (None, "20 Nov 2026, 23:05 UTC"),
    ],
)
def test_a_moment_is_shown_by_the_browsers_clock(
    monkeypatch: pytest.MonkeyPatch, zone: str | None, shown: str
) -> None:
    monkeypatch.setattr(type(st.context), "timezone", zone)
    moment = datetime(2026, 11, 20, 23, 5, tzinfo=UTC)
    assert show_local(moment) == shown


def test_a_project_says_when_it_was_submitted_and_until_when_it_is_kept(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(st.context), "timezone", "Pacific/Auckland")
    shown = read_html(desk.open_project())
    assert "Submitted 21 Nov 2026, 01:00<" in shown
    assert "Kept until 21 Dec 2026, 30 days left" in shown
