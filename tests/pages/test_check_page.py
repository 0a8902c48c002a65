"""One address, or a few, on the Check page."""

import csv
import io

import pytest

from components.check.checked_table import write_csv
from tests.applications import complete
from tests.pages.conftest import Desk, press, read_html
from winnow.core.addresses.pasted import split_pasted
from winnow.core.identities import LOCAL_ACCOUNT


def test_the_desk_says_what_to_do_and_what_was_checked_until_that_is_cleared(desk: Desk) -> None:
    app = desk.open()
    assert app.title[0].value == "Check an address"
    assert any("stays on this machine" in text.value for text in app.markdown)
    assert not app.dataframe
    press(app, "check_example")
    assert "ana@gmial.com" in read_html(app)
    press(app, "clear_recent")
    checks = desk.services.checks
    assert not checks.recent(LOCAL_ACCOUNT)
    for _ in range(2):
        checks.remember(
            LOCAL_ACCOUNT, [checks.check_address(LOCAL_ACCOUNT, "one@throwaway.example")]
        )
    app = desk.open()
    assert list(app.dataframe[0].value["address"]) == ["one@throwaway.example"]
    press(app, "clear_recent")
    assert not checks.recent(LOCAL_ACCOUNT)
    assert not app.dataframe


def test_who_is_left_out_of_every_mailing_never_reads_keep(desk: Desk) -> None:
    task = complete(desk.opened, b"email,Status\nana@mailboxes.example,Unsubscribed\n")
    desk.services.never_mail.remember(LOCAL_ACCOUNT, task.task_id)
    said = "This person said no in a list of yours, and that is remembered."
    checks = desk.services.checks
    checks.remember(LOCAL_ACCOUNT, [checks.check_address(LOCAL_ACCOUNT, "ana@mailboxes.example")])
    app = desk.check("ana@mailboxes.example")
    assert f'<p class="w-sentence">{said}</p><p class="w-advice">Cleaned lists' in read_html(app)
    assert ">keep</span>" not in read_html(app)
    assert app.dataframe[0].value["category"].map(list).tolist() == [["⊘ do not mail"]]
    app = desk.check("ana@mailboxes.example\nbo@mailboxes.example")
    assert "1 ✓ keep, 0 ◐ review, 1 ⊘ do not mail" in read_html(app)
    actions = app.dataframe[0].value["category"].map(list).tolist()
    assert actions == [["⊘ do not mail"], ["✓ keep"]]


def test_one_address_gets_its_verdict_evidence_and_nine_fields(desk: Desk) -> None:
    app = desk.check("ana@mailboxes.example")
    labels = [expander.label for expander in app.expander]
    assert labels == ["Why not remove it?", "For developers"]
    assert "DNS was not asked whether it exists and takes mail." in read_html(app)
    app.session_state["check_text"] = "one@throwaway.example"
    app.run()
    shown = read_html(app)
    assert "throwaway.example is a disposable mail service." in shown
    assert "It is on 2 lists, the newest of 2 Mar 2026." in shown
    assert '<span class="w-shape" aria-hidden="true">✕</span>remove</span>' in shown
    assert [expander.label for expander in app.expander] == ["For developers"]
    assert '"remaining_attempts_before_ban": 5' in app.code[0].value
    assert len(app.code[0].value.splitlines()) == 9 + 2


def test_several_lines_become_a_table(desk: Desk) -> None:
    app = desk.check("one@mailboxes.example\n\n two@throwaway.example \nnobody")
    table = app.dataframe[0].value
    assert list(table["address"]) == ["one@mailboxes.example", "two@throwaway.example", "nobody"]
    assert [chips[0] for chips in table["category"]] == ["✓ keep", "✕ remove", "✕ remove"]


def test_a_suggestion_is_a_button_that_checks_it(desk: Desk) -> None:
    app = desk.check("ana@mailboxes..example")
    assert "Correct it, or remove it from the list." in read_html(app)
    press(app, "suggestion")
    assert "w-keep" in read_html(app)
    recent = desk.services.checks.recent(LOCAL_ACCOUNT)
    assert [check.email for check in recent] == ["ana@mailboxes.example"]


PASTED = "To: One <one@mailboxes.example>, Two <two@throwaway.example>; =1@mailboxes.example"


def test_a_pasted_header_becomes_a_table_with_its_evidence(desk: Desk) -> None:
    app = desk.check(PASTED)
    assert "3 addresses: 2 ✓ keep, 0 ◐ review, 1 ✕ remove" in read_html(app)
    assert app.get("download_button")
    assert list(app.dataframe[0].value["why"]) == [
        "public mailbox provider",
        "disposable service on independent lists",
        "public mailbox provider",
    ]
    app.session_state["checked"] = {"selection": {"rows": [1], "columns": [], "cells": []}}
    app.run()
    assert "throwaway.example is a disposable mail service" in read_html(app)
    press(app, "checked_white")
    assert "3 addresses: 3 ✓ keep" in read_html(app)


def test_the_table_can_be_taken_along(desk: Desk) -> None:
    values = split_pasted(PASTED)
    results = desk.services.checks.check_many(LOCAL_ACCOUNT, values)
    assert list(csv.reader(io.StringIO(write_csv(results)))) == [
        ["address", "category", "domain_type", "reason", "action", "suggestion"],
        ["one@mailboxes.example", "white", "free", "public mailbox provider", "keep", ""],
        [
            *("two@throwaway.example", "black", "disposable"),
            *("disposable service on independent lists", "remove", ""),
        ],
        ["'=1@mailboxes.example", "white", "free", "public mailbox provider", "keep", ""],
    ]


def test_more_than_a_few_are_a_list(desk: Desk) -> None:
    app = desk.check("\n".join(f"n{number}@mailboxes.example" for number in range(201)))
    assert len(app.dataframe[0].value) == 200
    assert app.info[0].value.startswith("The first 200 of 201 addresses.")
    assert app.page_link[0].value == "Clean a list"


@pytest.mark.parametrize("text", ["one@throwaway.example", "nobody", "a@mailboxes.example\nb@x.de"])
def test_another_language_draws_the_page_too(desk: Desk, text: str) -> None:
    app = desk.open()
    app.context = {**app.context, "locale": "de-DE"}
    app.session_state["check_text"] = text
    app.run()
    assert not app.error
    if text == "one@throwaway.example":
        assert "02.03.2026" in read_html(app)
