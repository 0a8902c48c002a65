"""Rows that are seen, ticked or meant for a mail platform, as the project page offers them."""

import csv
import io

import pytest

from components.frame import page_urls
from components.project.rows_table import click_rows, read_ticks
from tests.applications import Clock, complete
from tests.pages.conftest import Desk, open_options, open_tab
from winnow.core.lists import rows
from winnow.core.lists.exports import rows_from_json, rows_to_json
from winnow.core.lists.platforms import Platform
from winnow.wiring import Application

LIST = b"".join(
    b"%d,Ana%d,p%d@%s\r\n" % (one, one, one, (b"mailboxes.example", b"throwaway.example")[one % 2])
    for one in range(120)
)
LIST = b"nr,Vorname,email\r\n" + LIST


def read(opened: Application, url: str) -> list[list[str]]:
    sent = opened.services.downloads.open(url.rpartition("/")[2])
    return list(csv.reader(io.StringIO(b"".join(sent.read_content()).decode(), newline="")))


def find_rows(app, label: str):  # type: ignore[no-untyped-def]
    """Return the link to the rows left out in the menu of this label, which is open."""
    open_tab(app, "rows_download")
    assert label in [one.proto.popover.label for one in app.get("popover")]
    (link,) = (link for link in app.link_button if link.key == "download_selection_removed")
    return link


def find_link(app, key: str):  # type: ignore[no-untyped-def]
    (link,) = (link for link in app.link_button if link.key == key)
    return link


def test_what_is_seen_is_a_file_of_the_chosen_form(desk: Desk) -> None:
    app = desk.open_project(LIST, **{"action": "remove", "with": "reason"})
    link = find_rows(app, "Download these 60 rows: 0 to mail, 60 left out")
    head, *found = read(desk.opened, link.url)
    assert head[-1] == "reason"
    assert [int(row[0]) for row in found] == list(range(1, 120, 2))
    app.text_input(key="filter_search").set_value("p11@throwaway.example").run()
    link = find_rows(app, "Download this row: 0 to mail, 1 left out")
    assert [row[0] for row in read(desk.opened, link.url)[1:]] == ["11"]
    assert "p11" not in str(app.query_params)


@pytest.mark.slow
def test_the_platform_is_remembered_in_a_session(desk: Desk) -> None:
    task_id = complete(desk.opened, LIST).task_id
    app = open_options(desk.open(page_urls.PROJECT, task=task_id))
    assert app.link_button[0].value == "Download 60 rows"
    app.button_group(key="download_for").set_value(Platform.HUBSPOT).run()
    assert app.link_button[0].value == "Download 60 rows for HubSpot"
    other = complete(desk.opened, LIST).task_id
    app = desk.open(page_urls.PROJECT, task=other)
    app.session_state["platform"] = Platform.KLAVIYO
    app = open_options(app.run())
    assert app.link_button[0].value == "Download 60 rows for Klaviyo"
    assert read(desk.opened, app.link_button[0].url)[0][0] == "Email"
    suppression = find_link(app, "platform_suppression")
    assert suppression.value == "Suppression file for Klaviyo: 60 rows"
    assert len(read(desk.opened, suppression.url)) == 61
    open_options(app, "Columns").checkbox(key="platform_others").check().run()
    app = open_options(app, "Files")  # the choice holds while its widget is not drawn
    assert "nr" in read(desk.opened, app.link_button[0].url)[0]


def test_rows_to_mail_and_rows_left_out_are_told_apart(desk: Desk) -> None:
    app = desk.open_project(LIST)
    app.session_state["platform"] = Platform.KLAVIYO
    open_tab(app, "rows_download")
    labels = [one.proto.popover.label for one in app.get("popover")]
    assert "Download these 120 rows: 60 to mail, 60 left out" in labels
    files = {link.key: read(desk.opened, link.url)[1:] for link in app.link_button}
    mailed, gone = files["platform_download_rows"], files["platform_suppression_rows"]
    assert (len(mailed), len(gone)) == (60, 60)
    assert not {row[0] for row in mailed} & {row[0] for row in gone}
    app = desk.open_project(LIST, action="keep")
    app.session_state["platform"] = Platform.KLAVIYO
    open_tab(app, "rows_download")
    assert "platform_suppression_rows" not in [link.key for link in app.link_button]


def test_a_link_stays_until_shortly_before_it_expires(desk: Desk, clock: Clock) -> None:
    app = desk.open_project(LIST)
    first = find_link(app, "download_cleaned").url
    assert find_link(app.run(), "download_cleaned").url == first
    clock.advance(minutes=30)
    later = find_link(app.run(), "download_cleaned").url
    assert later != first
    assert read(desk.opened, later) == read(desk.opened, first)


def test_clicks_add_up_over_pages_and_end_at_a_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("components.project.rows_table.TICKED_MAX", 4)
    here = range(1, 51)
    click_rows("a", here, [1, 2])
    click_rows("a", range(51, 101), [60])
    click_rows("a", here, [2])
    assert read_ticks("a") == {2, 60}
    assert read_ticks("b") == set()
    said: list[str] = []
    monkeypatch.setattr("streamlit.toast", said.append)
    click_rows("a", range(51, 101), [60, 70, 80, 90])
    assert read_ticks("a") == {2, 60}
    assert said == ["At most 4 rows can be selected. Filter, then download these rows."]
    click_rows("a", here, [])
    assert read_ticks("a") == {60}


def test_ticks_survive_their_link() -> None:
    ticked = frozenset({3, 1})
    assert rows_from_json(rows_to_json(ticked)) == ticked
    assert rows.TICKED_MAX < 10_000  # a link's row stays small
