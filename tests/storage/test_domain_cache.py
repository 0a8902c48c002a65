"""Answers of DNS and of registries in the store: time, bounds, what was learned."""

from datetime import timedelta
from pathlib import Path

import pytest

from tests.applications import Clock
from winnow.core.network_answers import (
    ADDRESS,
    MAIL,
    ServerSighting,
    StoredAge,
    StoredAnswer,
)
from winnow.core.verdicts.facts import MailFacts, MailRoute
from winnow.storage.blobs.network_files import (
    MAIL_FILE_NAME,
    read_mail_facts,
    write_mail_file,
)
from winnow.storage.database.tables import domain_ages, domain_answers, mail_servers
from winnow.storage.repositories.network_answers import StoredNetworkAnswers, forget_old_answers
from winnow.wiring import Application

HOUR = timedelta(hours=1)


@pytest.fixture
def answers(opened: Application) -> StoredNetworkAnswers:
    return StoredNetworkAnswers(opened.database)


def make_answer(clock: Clock, name: str, *targets: str, life: timedelta = HOUR) -> StoredAnswer:
    return StoredAnswer(name, "mx", targets, clock.now, clock.now + life)


def make_age(clock: Clock, name: str, life: timedelta = HOUR) -> StoredAge:
    return StoredAge(name, None, clock.now, clock.now + life)


def test_the_newest_answer_holds_for_its_time(
    opened: Application, answers: StoredNetworkAnswers, clock: Clock
) -> None:
    names = [f"d{number}.example" for number in range(1_700)]
    answers.keep_answers(MAIL, [make_answer(clock, name, "old.example") for name in names])
    answers.keep_ages([make_age(clock, name) for name in names])
    clock.advance(minutes=5)
    newer = make_answer(clock, names[0], "mx.example", "b.example")
    answers.keep_answers(MAIL, [newer])
    answers.keep_ages([make_age(clock, names[0])])
    found = answers.read_answers(MAIL, [*names, "b.example"], clock.now)
    assert (len(found), found[names[0]]) == (1_700, newer)
    assert answers.read_answers(ADDRESS, names, clock.now) == {}
    clock.advance(minutes=55)
    assert answers.read_answers(MAIL, names, clock.now) == {names[0]: newer}
    assert list(answers.read_ages(names, clock.now)) == names[:1]
    clock.advance(minutes=5)
    assert answers.read_answers(MAIL, names, clock.now) == {}
    assert forget_old_answers(opened.database, clock.now) == 2 * 1_700


def test_the_cache_is_bounded_and_the_oldest_go(
    opened: Application, answers: StoredNetworkAnswers, clock: Clock
) -> None:
    for number in range(6):
        answer = make_answer(clock, f"d{number}.example", life=timedelta(days=1))
        answers.keep_answers(MAIL, [answer])
        answers.keep_ages([make_age(clock, answer.name, timedelta(days=1))])
        sighting = ServerSighting(f"s{number}", "a.example", True)
        answers.note_sightings([sighting], clock.now)
        clock.advance(minutes=1)
    bounds = {domain_answers: 2, mail_servers: 3, domain_ages: 1}
    forget_old_answers(opened.database, clock.now, bounds)
    names = [f"d{number}.example" for number in range(6)]
    found = answers.read_answers(MAIL, names, clock.now)
    assert sorted(found) == ["d4.example", "d5.example"]
    assert list(answers.read_ages(names, clock.now)) == ["d5.example"]
    servers = [f"s{number}" for number in range(6)]
    assert sorted(answers.count_served(servers)) == ["s3", "s4", "s5"]


def test_each_domain_counts_once_and_by_the_latest_word(
    answers: StoredNetworkAnswers, clock: Clock
) -> None:
    seen = [ServerSighting("mx", "a.example", True), ServerSighting("mx", "b.example", True)]
    answers.note_sightings(seen, clock.now)
    answers.note_sightings(seen, clock.now)
    answers.note_sightings([ServerSighting("mx", "b.example", False)], clock.now)
    assert answers.count_served(["mx", "other"]) == {"mx": (1, 1)}


def test_the_doctor_lists_servers_of_disposable_domains_alone(
    opened: Application, answers: StoredNetworkAnswers, clock: Clock
) -> None:
    for server, count in (("mx.many.example", 10), ("mx.few.example", 9), ("mx.mixed.example", 12)):
        seen = [ServerSighting(server, f"{number}.example", True) for number in range(count)]
        answers.note_sightings(seen, clock.now)
    answers.note_sightings([ServerSighting("mx.mixed.example", "honest.example", False)], clock.now)
    findings = {one.subject: one.text for one in opened.services.monitoring.examine()}
    assert findings["mail hosts"] == "learnt as disposable: mx.many.example"


def test_facts_of_a_task_come_back_from_its_file(tmp_path: Path, clock: Clock) -> None:
    facts = {
        "a.example": MailFacts(MailRoute.MX, "mx.example", "192.0.2.1", clock.now),
        "b.a.example": MailFacts(MailRoute.NO_MAIL, asked_at=clock.now),
        "c.example": MailFacts(MailRoute.UNKNOWN),
        "d.example": MailFacts(MailRoute.MX, "mx.example", disposable_mx="192.0.2.66"),
        "e.example": MailFacts(MailRoute.IMPLICIT_MX, parking="ns1.parking.example"),
    }
    write_mail_file(tmp_path, facts.items())
    assert {name: read_mail_facts(tmp_path, name) for name in facts} == facts
    assert read_mail_facts(tmp_path, "example") == MailFacts()
    assert read_mail_facts(tmp_path / "missing", "a.example") == MailFacts()
    (tmp_path / MAIL_FILE_NAME).write_text("\na.example\tmx\tmx.example\t192.0.2.1\t\n")  # of 0.1
    of_before = MailFacts(MailRoute.MX, "mx.example", "192.0.2.1")
    assert read_mail_facts(tmp_path, "a.example") == of_before


def test_old_lists_are_a_note_of_the_doctor_and_nothing_wrong(
    opened: Application, clock: Clock
) -> None:
    clock.advance(days=100)
    [found] = [one for one in opened.services.monitoring.examine() if one.subject == "domain data"]
    assert "winnow refresh" in (found.advice or "")
    assert found.is_note
