"""The settings of the last list with the same headings, offered for the next one."""

import pytest
from sqlalchemy import select

from components.frame import page_urls
from tests.applications import Clock, complete, delete_for_good, run
from tests.pages.conftest import Desk, open_options, press, read_captions, read_html, read_markdown
from winnow.core.addresses.repair_kinds import SAFE_KINDS
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.lists.cleaning import WhoDecides
from winnow.core.lists.input_head import Choices
from winnow.core.lists.silence import DayOrder, SilenceChoice
from winnow.core.meaning.columns import MailDecisions
from winnow.core.tasks.keep_rule import Keep, KeepRule
from winnow.core.tasks.repair_choice import RepairChoice
from winnow.storage.database.tables import mail_choices
from winnow.storage.repositories import mail_choices as storage
from winnow.wiring import Application

DATED = (
    b"E-Mail;Status;Changed;Other mail\r\n"
    b"a@firma.example;ok;2026-01-02;\r\nb@firma.example;Unsubscribed;;\r\n"
)


def test_the_last_list_with_the_same_headings_offers_its_settings(desk: Desk, clock: Clock) -> None:
    keep = KeepRule(Keep.NEWEST, 2, joins_aliases=True)
    read, repair = Choices(second_email_column=3), RepairChoice(SAFE_KINDS)
    asked = {"keep": keep, "repair": repair, "silence": SilenceChoice(2, DayOrder.MONTH)}
    asked["who_decides"] = WhoDecides.NEWEST
    task = complete(desk.opened, DATED, choices=read, email_column=0, **asked)
    delete_for_good(desk.services, task.task_id)
    other = b"Other mail;Changed;E-Mail;Status\r\n;;c@firma.example;ok\r\n"
    app = desk.open_list(other)
    assert "your list of 20 Nov 2026: 2 rows, 1 said no or bounced" in read_markdown(app)
    press(app, "last_settings")
    assert "last_settings" not in {one.key for one in app.button}
    [removal] = [one for one in app.toggle if one.label == "Remove duplicates"]
    assert "No duplicates." in read_html(app)
    removal.set_value(False).run()
    press(app, "last_settings")  # once more, after another choice
    assert "last_settings" not in {one.key for one in app.button}
    press(app, "go_start")
    run(desk.opened)
    (made,) = desk.services.tasks.list(LOCAL_ACCOUNT)
    rule = KeepRule(Keep.NEWEST, 1, joins_aliases=True)
    assert (made.request.keep, made.request.repair) == (rule, repair)
    assert made.request.silence == SilenceChoice(1, DayOrder.MONTH)
    assert made.request.who_decides is WhoDecides.NEWEST
    assert (made.plan.email_column, made.plan.second_email_column) == (2, 0)
    stored = " ".join(map(str, desk.opened.database.fetch(select(mail_choices))))
    assert "@" not in stored
    assert "firma" not in stored
    assert "This looks like" not in read_markdown(
        desk.open_list(other.replace(b"Status", b"State"))
    )


def test_many_decisions_of_earlier_months_hide_no_last_list(desk: Desk, clock: Clock) -> None:
    mail, choices = MailDecisions(), desk.services.mail_choices
    for number in range(60):
        mail = mail.decide_value("Status", f"Gold {number}", is_mailed=False)
    task = complete(desk.opened, DATED, email_column=0, mail=mail)
    last = choices.find_last(LOCAL_ACCOUNT, task.plan.columns)
    assert last is not None
    assert last[0].rows == 2
    recalled = choices.recall(LOCAL_ACCOUNT, task.plan.columns, ())
    assert recalled == MailDecisions(), "no page decided it, but a client or a recipe"
    app = desk.open(page_urls.PROJECT, task=task.task_id)
    open_options(app, "Report and link")
    assert not app.exception
    assert "10 decisions on values are not in the settings" in read_captions(app)


def test_the_preview_heeds_duplicates_once_settings_were_taken(desk: Desk, clock: Clock) -> None:
    content = DATED.replace(b"b@", b"A@")
    complete(desk.opened, content, email_column=0, deduplicate=False)
    app = desk.open_list(content)
    assert "1 duplicate will be removed" in read_html(app)
    press(app, "last_settings")
    assert "1 duplicate is kept." in read_html(app)


def test_what_is_stored_of_lists_is_bounded(
    opened: Application, monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    monkeypatch.setattr(storage, "KEPT", 2)
    for name in ("One", "Two", "Two", "Three"):
        clock.advance(hours=1)
        complete(opened, f"email,{name}\r\na@firma.example,\r\n".encode())
    complete(opened, b"email,p@firma.example\r\na@firma.example,\r\n")
    found = opened.services.mail_choices.find_last
    kept = [found(LOCAL_ACCOUNT, ("email", one)) is not None for one in ("One", "Two", "Three")]
    assert kept == [False, True, True]
    assert found(LOCAL_ACCOUNT, ("email", "p@firma.example")) is None
