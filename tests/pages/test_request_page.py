"""A person asks: everything that is kept about one address, searched and written as a letter."""

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from components.frame import page_urls
from tests.applications import complete, stage, submit
from tests.pages.conftest import Desk, read_html
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.verdicts.verdict import Category


def search(app: AppTest, text: str) -> None:
    app.text_input(key="request_address").set_value(text)
    next(button for button in app.button if button.label == "Search").click()
    app.run()


def test_an_address_is_found_over_all_projects_with_a_letter(
    desk: Desk, handed_out: dict[str, tuple[str, Any]], caplog: pytest.LogCaptureFixture
) -> None:
    first = complete(desk.opened, project_name="first")
    desk.services.clock.advance(minutes=1)
    second = complete(desk.opened, project_name="second")
    complete(desk.opened, b"email\r\nother@mailboxes.example\r\n", project_name="without")
    stage(desk.opened, name="later.csv")
    desk.services.own_lists.add(LOCAL_ACCOUNT, "one@mailboxes.example", Category.BLACK, "")
    app = desk.open(page_urls.SETTINGS, tab="requests")
    assert not handed_out
    search(app, " One@mailboxes.example ")
    assert app.header[-1].value == "One@" + "\u2060" + r"mailboxes\.example"
    assert any("; 3 projects searched." in text.value for text in app.markdown)
    links = [link for link in app.page_link if link.proto.query_string.startswith("task=")]
    assert [link.value for link in links] == ["second", "first"]
    assert [link.proto.query_string for link in links] == [
        f"task={task.task_id}" for task in (second, first)
    ]
    shown = read_html(app)
    assert shown.count("<span>2 rows</span>") == 2
    assert "one@mailboxes.example: ✕ remove" in shown
    assert "later" in app.warning[0].value
    name, data = handed_out["Download the letter"]
    assert data.startswith(b"<!doctype html>")
    assert name == "answer-2026-11-20-with-address.html"
    assert "mailboxes" not in caplog.text
    assert not any("mailboxes" in str(value) for value in app.query_params.values())
    search(app, "no address")
    assert app.error[0].value.startswith("**The address is not one that mail can be sent to")
    assert app.text_input(key="request_address").value == "no address"


def test_a_single_check_can_be_explained(
    desk: Desk, handed_out: dict[str, tuple[str, Any]]
) -> None:
    desk.check("ana@throwaway.example")
    name, data = handed_out["Explain this decision"]
    assert data.startswith(b"<!doctype html>")
    assert name == "check-2026-11-20-decision-with-address.html"


def test_every_list_without_a_result_is_named_in_the_letter(
    desk: Desk, handed_out: dict[str, tuple[str, Any]]
) -> None:
    services = desk.services
    services.tasks.cancel(LOCAL_ACCOUNT, submit(desk.opened, project_name="ended").task_id)
    uploaded = [stage(desk.opened, name=f"list-{number}.csv").file_name for number in range(101)]
    app = desk.open(page_urls.SETTINGS, tab="requests")
    search(app, "ana@firm.de")
    (warning,) = app.warning
    said = warning.value.replace("\\", "")
    assert said.startswith("No checked list, so not searched: ended, ")
    assert said.endswith(" and 82 more. The letter names all.")
    letter = handed_out["Download the letter"][1].decode()
    assert [name for name in ["ended", *uploaded] if f">{name}<" not in letter] == []
