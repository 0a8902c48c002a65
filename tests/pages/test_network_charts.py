"""What registries and DNS said shows in the charts, and only where they were asked."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
import streamlit as st

import winnow.wiring
from components.frame import page_urls
from tests.applications import KNOWN, Clock, complete, open_test_application
from tests.pages.conftest import OpenPage, open_tab, read_html
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.core.lists.dimensions import AGE, PROVIDER, Dimension
from winnow.core.lists.facets import Bar
from winnow.core.lists.rows import RowFilter
from winnow.core.tasks.task import Task
from winnow.core.verdicts.facts import (
    AgeAnswer,
    AgeState,
    DomainFacts,
    MailAnswer,
    MailFacts,
    MailRoute,
)
from winnow.network.dns.static_resolver import StaticResolver
from winnow.network.rdap.static_registries import StaticRegistries
from winnow.storage.blobs.network_files import read_mail_hosts, write_mail_file
from winnow.wiring import Application

DAY = timedelta(days=1)
ADDRESSES = (
    b"email\r\nana@young.com\r\nbo@old.com\r\ncy@shop.old.com\r\ndi@own.com\r\ned@silent.com\r\n"
    b"flo@mailboxes.example\r\n"
)


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Application]:
    """A backend with registries and DNS from tables, both switched on."""
    clock = Clock()
    for name in ("young.com", "old.com", "own.com", "silent.com"):
        monkeypatch.setitem(KNOWN, name, DomainFacts(name, registrable=name))
    below = DomainFacts("shop.old.com", registrable="old.com")
    monkeypatch.setitem(KNOWN, below.domain, below)
    ages = {
        "young.com": AgeAnswer(AgeState.KNOWN, clock.now - 9 * DAY),
        "old.com": AgeAnswer(AgeState.KNOWN, clock.now - 7000 * DAY),
    }
    hosts = {
        "young.com": "young-com.mail.protection.outlook.com",
        "old.com": "aspmx.l.google.com",
        "shop.old.com": "mx3.hoster.com",
        "own.com": "mx.own.com",
    }
    mail = {name: MailAnswer(MailRoute.MX, (host,), 300) for name, host in hosts.items()}
    built = open_test_application(tmp_path, clock, StaticResolver(mail), StaticRegistries(ages))
    monkeypatch.setattr(winnow.wiring, "services", lambda: built.services)
    yield built
    st.cache_data.clear()
    built.database.close()


def complete_asking(opened: Application) -> Task:
    for part in ("dns", "rdap"):
        opened.services.network.turn(part, True)
    return complete(opened, ADDRESSES)


def count(opened: Application, task: Task, dimension: Dimension) -> dict[str, int]:
    facets = opened.services.results.facets(LOCAL_ACCOUNT, task.task_id, RowFilter())
    return {bar.value: bar.total for bar in facets[dimension].bars}


def test_ages_and_mail_hosts_are_counted_where_they_were_asked_for(
    opened: Application,
) -> None:
    task = complete_asking(opened)
    assert count(opened, task, AGE) == {"older": 2, "30-days": 1, "unknown": 3}
    assert count(opened, task, PROVIDER) == {
        "Google Workspace": 1,
        "Microsoft 365": 1,
        "hoster.com": 1,
        "mailboxes.example": 1,
    }


def test_what_was_not_asked_is_not_there(opened: Application) -> None:
    task = complete(opened, ADDRESSES)
    assert count(opened, task, AGE) == {}
    assert count(opened, task, PROVIDER) == {"mailboxes.example": 1}


def test_ages_do_not_change_while_a_project_grows_old(opened: Application) -> None:
    task = complete_asking(opened)
    opened.services.clock.advance(days=20)  # type: ignore[attr-defined]
    facets = opened.services.results.facets(LOCAL_ACCOUNT, task.task_id, RowFilter())
    assert Bar("30-days", (0, 1, 0)) in facets[AGE].bars


@pytest.mark.slow
def test_the_chart_of_ages_stands_with_its_menu_and_filters_the_table(
    opened: Application, open_page: OpenPage
) -> None:
    app = open_page(page_urls.PROJECT, task=complete_asking(opened).task_id)
    open_tab(app, "tabs", "Breakdown")
    assert "Age of the domains" in app.selectbox(key="breakdown_shown").options
    open_tab(app, "tabs", "Rows")
    menu = open_tab(app, "more_filters").multiselect(key="filter_age")
    assert set(menu.options) == {"Under 30 days 1", "Over 10 years 2", "Unknown or not asked 3"}
    menu.set_value(["older"]).run()
    assert not app.exception
    assert app.query_params["age"] == "older"
    assert any("2 of 6 rows" in text.value for text in app.markdown)
    assert list(app.dataframe[-1].value["email"]) == ["bo@old.com", "cy@shop.old.com"]
    app.button(key="drop_age_older").click().run()
    assert not app.exception
    assert "age" not in app.query_params


def test_without_ages_there_is_neither_chart_nor_menu(
    opened: Application, open_page: OpenPage
) -> None:
    app = open_page(page_urls.PROJECT, task=complete(opened, ADDRESSES).task_id)
    open_tab(app, "more_filters")
    open_tab(app, "tabs", "Breakdown")
    assert "Age of the domains" not in app.selectbox(key="breakdown_shown").options
    assert "filter_age" not in {box.key for box in app.multiselect}
    assert "Age of" not in read_html(app)


@pytest.mark.slow
def test_an_age_of_a_shared_address_finds_nothing_where_none_is_known(
    opened: Application, open_page: OpenPage
) -> None:
    app = open_page(page_urls.PROJECT, task=complete(opened, ADDRESSES).task_id, age="older")
    assert "No row matches" in app.info[0].value
    app.button(key="drop_age_older").click().run()
    assert len(app.dataframe[-1].value) == 6


def test_mail_hosts_are_read_in_bulk(tmp_path: Path) -> None:
    assert list(read_mail_hosts(tmp_path)) == []
    answers = [
        ("a.example", MailFacts(MailRoute.MX, mx_host="mx.a.example")),
        ("b.example", MailFacts(MailRoute.UNKNOWN)),
        ("c.example", MailFacts(MailRoute.MX, mx_host="mx.c.example")),
    ]
    write_mail_file(tmp_path, answers)
    assert list(read_mail_hosts(tmp_path)) == [
        (["a.example", "c.example"], ["mx.a.example", "mx.c.example"])
    ]
