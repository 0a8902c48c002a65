"""What registries and DNS said shows in the charts, and only where they were asked."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
import streamlit as st

import winnow.wiring
from tests.applications import KNOWN, Clock, complete, open_test_application
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.core.lists.dimensions import PROVIDER, Dimension
from winnow.core.lists.rows import RowFilter
from winnow.core.tasks.task import Task
from winnow.core.verdicts.facts import (
    AgeAnswer,
    AgeState,
    DomainFacts,
    MailAnswer,
    MailRoute,
)
from winnow.network.dns.static_resolver import StaticResolver
from winnow.network.rdap.static_registries import StaticRegistries
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


def test_mail_hosts_are_counted_where_they_were_asked_for(opened: Application) -> None:
    task = complete_asking(opened)
    assert count(opened, task, PROVIDER) == {
        "Google Workspace": 1,
        "Microsoft 365": 1,
        "hoster.com": 1,
        "mailboxes.example": 1,
    }


def test_what_was_not_asked_is_not_there(opened: Application) -> None:
    task = complete(opened, ADDRESSES)
    assert count(opened, task, PROVIDER) == {"mailboxes.example": 1}
