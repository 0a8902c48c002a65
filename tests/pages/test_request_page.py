"""A person asks: everything that is kept about one address, searched and written as a letter."""

from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from components.frame import page_urls
from tests.applications import complete, stage
from tests.pages.conftest import Desk, read_html
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.core.verdicts.verdict import Category


@pytest.fixture
def handed_out(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str, bytes]]:
    """What each download button hands out: label, name, bytes."""
    found: list[tuple[str, str, bytes]] = []
    button = st.download_button

    def keep(label: str, data: bytes, **options: Any) -> bool:
        found.append((label, options["file_name"], data))
        return button(label, data, **options)

    monkeypatch.setattr(st, "download_button", keep)
    return found


def search(app: AppTest, text: str) -> None:
    app.text_input(key="request_address").set_value(text)
    next(button for button in app.button if button.label == "Search").click()
    app.run()


def test_it_finds_rows_and_hands_out_a_letter_that_holds(
    desk: Desk, handed_out: list[tuple[str, str, bytes]]
) -> None:
    complete(desk.opened)
    stage(desk.opened, name="later.csv")
    app = desk.open(page_urls.SETTINGS, tab="requests")
    assert not handed_out
    search(app, "TWO@throwaway.example")
    assert app.header[-1].value == r"TWO@" + "\u2060" + r"throwaway\.example"
    said = "1 row in your projects; 1 project searched."
    assert f"**{said}**" in [one.value for one in app.markdown]
    assert "spring" in [one.label for one in app.page_link]
    assert "later" in app.warning[0].value
    label, name, data = handed_out[-1]
    assert data.startswith(b"<!doctype html>")
    assert (label, name) == ("Download the letter", "answer-2026-11-20-with-address.html")
    assert not any("@" in value for values in app.query_params.values() for value in values)


def test_one_address_is_found_over_all_projects(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    first = complete(desk.opened, project_name="first")
    desk.services.clock.advance(days=1)
    second = complete(desk.opened, project_name="second")
    complete(desk.opened, b"email\r\nother@mailboxes.example\r\n", project_name="without")
    desk.services.own_lists.add(LOCAL_ACCOUNT, "one@mailboxes.example", Category.BLACK, "")
    app = desk.open(page_urls.SETTINGS, tab="requests")
    search(app, " One@mailboxes.example ")
    assert any("; 3 projects searched." in text.value for text in app.markdown)
    names = [link.value for link in app.page_link if link.proto.query_string.startswith("task=")]
    assert names == ["second", "first"]
    shown = read_html(app)
    assert shown.count("Decided by your lists.") == 2
    assert shown.count("Row 3 ") == 2
    assert "one@mailboxes.example: ✕ remove" in shown
    assert "mailboxes" not in caplog.text
    assert not any("mailboxes" in str(value) for value in app.query_params.values())
    assert {first.task_id, second.task_id} <= {
        str(one.proto.query_string).removeprefix("task=") for one in app.page_link
    }


def test_what_is_no_address_is_said_and_kept(desk: Desk) -> None:
    complete(desk.opened)
    app = desk.open(page_urls.SETTINGS, tab="requests")
    search(app, "no address")
    assert app.error[0].value.startswith("**The address is not one that mail can be sent to")
    assert app.text_input(key="request_address").value == "no address"


def test_a_single_check_can_be_explained(
    desk: Desk, handed_out: list[tuple[str, str, bytes]]
) -> None:
    desk.check("ana@throwaway.example")
    label, name, data = handed_out[-1]
    assert data.startswith(b"<!doctype html>")
    assert (label, name) == (
        "Explain this decision",
        "check-2026-11-20-decision-with-address.html",
    )
