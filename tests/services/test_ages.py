"""Ages behind their switch: whom is asked, what comes of it, what stays."""

from datetime import timedelta
from threading import Event
from typing import Any

import pytest

from tests.applications import (
    KNOWN,
    Clock,
    OpenApplication,
    complete,
    explain,
    read_verdicts,
    submit,
)
from tests.network.static_answers import StaticRegistries, StaticResolver
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.judging.check_result import CheckResult
from winnow.core.ports import Registries
from winnow.core.tasks.task import Task, TaskState
from winnow.core.verdicts.facts import AgeAnswer, AgeState, DnsAnswer, DomainFacts, MailRoute
from winnow.core.verdicts.reasons import Reason
from winnow.storage.repositories.network_answers import StoredNetworkAnswers
from winnow.wiring import Application

DAY = timedelta(days=1)
NAMED = (
    *(DomainFacts(name, registrable=name) for name in ("young.com", "old.com", "silent.com")),
    *(DomainFacts(name, registrable=name) for name in ("bare.com", "gone.com", "kurz.github.io")),
    DomainFacts("a.old.com", registrable="old.com"),
    *(facts._replace(registrable=f"{facts.domain}.com") for facts in KNOWN.values()),
)


@pytest.fixture
def registries(clock: Clock) -> StaticRegistries:
    return StaticRegistries(
        {
            "young.com": AgeAnswer(AgeState.KNOWN, clock.now - 29 * DAY),
            "old.com": AgeAnswer(AgeState.KNOWN, clock.now - 30 * DAY),
            "bare.com": AgeAnswer(AgeState.NOT_SAID),
            "mailboxes.example.com": AgeAnswer(AgeState.KNOWN, clock.now - 900 * DAY),
        }
    )


@pytest.fixture
def open_application(open_application: OpenApplication) -> OpenApplication:
    """Open backends that ask registries for the age of the names above."""

    def open_with(registries: Registries | None = None, **more: Any) -> Application:
        known = {facts.domain: facts for facts in NAMED}
        opened = open_application(registries=registries, known=known, **more)
        opened.services.network.turn("rdap", True)
        return opened

    return open_with


def check(opened: Application, address: str) -> CheckResult:
    return opened.services.checks.check_address(LOCAL_ACCOUNT, address)


def tell_age(opened: Application, address: str) -> str:
    return str(check(opened, address).fields["domain_age"])


def find_notice(task: Task) -> str:
    return next(notice.text for notice in task.notices if notice.code == "registry_use")


def test_single_checks_tell_the_age_and_remember_it(
    open_application: OpenApplication, registries: StaticRegistries, clock: Clock
) -> None:
    opened = open_application(registries)
    young = check(opened, "ana@young.com")
    assert young.fields["domain_age"] == "29"
    assert (young.fields["category"], young.fields["type"]) == ("grey", "suspicious signs")
    (evidence,) = young.evidence
    assert evidence.reason is Reason.NEWLY_REGISTERED
    found = (evidence.source, evidence.matched, evidence.asked_at)
    assert found == ("RDAP at rdap.com.example", "2026-10-22", clock.now)
    assert tell_age(opened, "ana@old.com") == "30"
    assert tell_age(opened, "ana@a.old.com") == "30"
    assert check(opened, "ana@old.com").fields["category"] == "white"
    assert tell_age(opened, "ana@mailboxes.example") == "unknown"  # its suffix lends names
    assert tell_age(opened, "ana@kurz.github.io") == "unknown"
    assert tell_age(opened, "not an address") == "unknown"
    assert registries.asked == ["young.com", "old.com"]
    assert opened.services.network.status_text() == "RDAP on: 2 domains asked today, no addresses"
    clock.advance(days=2)
    assert tell_age(opened, "ana@young.com") == "31"
    assert check(opened, "ana@young.com").fields["category"] == "white"
    assert len(registries.asked) == 2
    clock.advance(days=179)
    tell_age(opened, "ana@young.com")
    assert len(registries.asked) == 3


def test_what_is_not_said_and_what_is_unknown_are_asked_again_in_time(
    open_application: OpenApplication, registries: StaticRegistries, clock: Clock
) -> None:
    opened = open_application(registries)
    for hours, asked in ((0, 2), (0.5, 2), (1, 3), (25, 5)):
        clock.advance(hours=hours)
        assert tell_age(opened, "ana@bare.com") == "unknown"
        assert tell_age(opened, "ana@silent.com") == "unknown"
        assert len(registries.asked) == asked
    assert check(opened, "ana@silent.com").fields["category"] == "white"


def test_a_registry_without_time_is_not_counted(open_application: OpenApplication) -> None:
    opened = open_application(StaticRegistries({"young.com": AgeAnswer(AgeState.NOT_ASKED)}))
    assert tell_age(opened, "ana@young.com") == "unknown"
    assert opened.services.network.status_text() == "RDAP on: 0 domains asked today, no addresses"


def test_a_list_asks_for_what_nothing_is_known_of_the_frequent_first(
    open_application: OpenApplication, registries: StaticRegistries
) -> None:
    opened = open_application(registries)
    task = complete(
        opened,
        b"email\nana@throwaway.example\nana@mailboxes.example\nana@silent.com\nana@young.com\n"
        b"bob@young.com\nana@old.com\nbob@old.com\ncid@a.old.com\nana@kurz.github.io\nnone\n",
    )
    assert registries.asked == ["young.com", "old.com", "silent.com"]
    rows = read_verdicts(opened, task)
    assert rows["bob@young.com"] == ("suspicious signs", (Reason.NEWLY_REGISTERED,))
    assert rows["ana@old.com"] == ("unlisted", (Reason.UNLISTED,))
    assert rows["ana@silent.com"] == ("unlisted", (Reason.UNLISTED,))
    assert find_notice(task) == (
        "Sent to the network: 3 domains to their registries, no addresses. "
        "Answered: 2; no answer: 1; not asked: 0; known from earlier: 0."
    )
    again = complete(opened, b"email\nana@young.com\nana@silent.com\nana@bare.com\n")
    assert registries.asked[3:] == ["bare.com"]
    assert find_notice(again).endswith("known from earlier: 2.")


def test_registries_are_asked_after_dns_and_what_both_said_stays_with_the_task(
    open_application: OpenApplication, registries: StaticRegistries, clock: Clock
) -> None:
    ran_at = clock.now
    mail = {
        "young.com": DnsAnswer(MailRoute.MX, ("mx.young.com",), 3600),
        "old.com": DnsAnswer(MailRoute.MX, ("mx.old.com",), 3600),
        "gone.com": DnsAnswer(MailRoute.NOT_FOUND, (), 3600),
    }
    opened = open_application(registries, resolver=StaticResolver(mail))
    opened.services.network.turn("dns", True)
    task = complete(opened, b"email\nana@young.com\nana@gone.com\nana@old.com\n")
    assert read_verdicts(opened, task) == {
        "ana@young.com": ("suspicious signs", (Reason.NEWLY_REGISTERED,)),
        "ana@old.com": ("business", (Reason.WORKING_MAIL,)),
        "ana@gone.com": ("no website", (Reason.DOMAIN_NOT_FOUND,)),
    }
    assert tell_age(opened, "ana@gone.com") == "unknown"
    assert sorted(registries.asked) == ["old.com", "young.com"]
    assert opened.services.network.status_text() == (
        "DNS on: 3 domains asked today, RDAP on: 2 domains asked today, no addresses"
    )
    for switch in ("dns", "rdap"):
        opened.services.network.turn(switch, False)
    clock.advance(days=20)
    opened.services.retention.sweep(clock.now)
    age, mail_said = explain(opened, task, 1)[0], explain(opened, task, 3)[0]
    assert (age.source, age.matched) == ("RDAP at rdap.com.example", "2026-10-22")
    assert (mail_said.source, mail_said.matched) == ("DNS", "mx.old.com")
    assert (age.asked_at, mail_said.dated) == (ran_at, ran_at.date())


def test_a_stop_in_the_middle_keeps_what_came(
    open_application: OpenApplication, clock: Clock
) -> None:
    stopping = Event()

    class Stopping(StaticRegistries):
        def ask_ages(self, domains, *, budget_seconds, tick):  # type: ignore[no-untyped-def]
            for found in super().ask_ages(domains, budget_seconds=budget_seconds, tick=tick):
                yield found
                stopping.set()

    registries = Stopping({"young.com": AgeAnswer(AgeState.KNOWN, clock.now - DAY)})
    opened = open_application(registries)
    task = submit(opened, b"email\nana@young.com\nana@old.com\n")
    opened.services.runs.run_next("test", stopping)
    after = opened.services.tasks.get(LOCAL_ACCOUNT, task.task_id)
    assert after.state is TaskState.PROCESSING
    assert list(
        StoredNetworkAnswers(opened.database).read_ages(["young.com", "old.com"], clock.now)
    ) == ["young.com"]
