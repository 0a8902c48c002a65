"""Bounces that were imported: beside every verdict of the pages, and never the API's."""

import pytest

from tests.applications import Clock, OpenApplication, complete, download
from tests.services.test_suppressions import LIST, receive
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.core.lists.cleaning import CleaningPolicy
from winnow.core.lists.rows import Variant
from winnow.core.lists.side_files import MailOutcome, OwnFile, OwnFileKind
from winnow.core.tasks.task import KeyType
from winnow.core.verdicts.domain_types import Ground
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Category
from winnow.wiring import Application

FILE = (
    b"email,bounce_type,date\nANA@mailboxes.example,hard,2026-05-03\n"
    b"cy@firma.example,soft,2026-05-04\neve@other.example,delivered,2026-05-05\n"
    b"bo@throwaway.example,hard,2026-05-06\n"
)


def import_file(opened: Application, content: bytes = FILE) -> OwnFile:
    received = receive(opened, content, "bounces.csv")
    return opened.services.own_files.add(LOCAL_ACCOUNT, OwnFileKind.BOUNCES, received)


def list_reasons(opened: Application, task_id: str, number: int) -> tuple[Reason, ...]:
    return opened.services.results.row(LOCAL_ACCOUNT, task_id, number).verdict.reasons


def test_rows_that_bounced_for_good_are_left_out(opened: Application) -> None:
    task = complete(opened, LIST)
    before = download(opened, task, Variant.CLEANED)
    import_file(opened)
    assert list_reasons(opened, task.task_id, 1)[-1] is Reason.BOUNCED_HARD
    assert list_reasons(opened, task.task_id, 3)[-1] is Reason.BOUNCED_SOFT
    assert Reason.BOUNCED_SOFT not in list_reasons(opened, task.task_id, 6)
    assert b"1,ana@mailboxes.example" in before
    after = download(opened, task, Variant.CLEANED)
    assert b"1,ana@mailboxes.example" not in after
    assert b"3,cy@firma.example" in after
    policy = CleaningPolicy()
    effect = opened.services.results.weigh(LOCAL_ACCOUNT, task.task_id, policy)
    assert effect.by_ground[Ground.BOUNCED] == 1  # the black one goes as black
    assert effect.lost_by_reason[Reason.BOUNCED_HARD] == 1
    opened.services.own_lists.add(LOCAL_ACCOUNT, "mailboxes.example", Category.WHITE)
    effect = opened.services.results.weigh(LOCAL_ACCOUNT, task.task_id, policy)
    assert effect.by_ground.get(Ground.BOUNCED, 0) == 0  # a keep list outranks a bounce


def test_a_bounce_is_evidence_with_its_day_and_file(opened: Application) -> None:
    import_file(opened)
    told = opened.services.checks.check(LOCAL_ACCOUNT, "Ana@Mailboxes.example").evidence[-1]
    assert (told.reason, f"{told.dated}") == (Reason.BOUNCED_HARD, "2026-05-03")
    assert told.source == "your bounce file bounces.csv"
    arrived = opened.services.checks.check(LOCAL_ACCOUNT, "eve@other.example").evidence[-1]
    assert "arrived" in arrived.rule
    task = complete(opened, LIST)
    row = opened.services.results.row(LOCAL_ACCOUNT, task.task_id, 1)
    evidence = opened.services.results.explain(LOCAL_ACCOUNT, task.task_id, row).evidence
    assert evidence[0].source == told.source
    assert len([one for one in evidence if one.reason is Reason.BOUNCED_HARD]) == 1


def test_the_api_answers_as_before(opened: Application) -> None:
    _, secret = opened.services.keys.create(LOCAL_ACCOUNT, "script", KeyType.LIVE)
    key = opened.services.keys.authenticate(secret)
    before = opened.services.checks.check_for_key(key, "127.0.0.1", "ana@mailboxes.example")
    task = complete(opened, LIST)
    stored = download(opened, task, Variant.ORIGINAL)
    import_file(opened)
    after = opened.services.checks.check_for_key(key, "127.0.0.1", "ana@mailboxes.example")
    assert after == before
    assert download(opened, task, Variant.ORIGINAL) == stored
    assert opened.services.tasks.get(LOCAL_ACCOUNT, task.task_id).summary == task.summary


def test_of_several_files_the_newest_event_counts(opened: Application, clock: Clock) -> None:
    task = complete(opened, LIST)
    import_file(opened)
    clock.advance(seconds=1)
    import_file(opened, b"email,type,date\nana@mailboxes.example,delivered,2026-06-01\n")
    assert Reason.BOUNCED_HARD not in list_reasons(opened, task.task_id, 1)
    clock.advance(seconds=1)
    import_file(opened, b"email,type,date\nana@mailboxes.example,soft,2026-07-01\n")
    assert list_reasons(opened, task.task_id, 1)[-1] is Reason.BOUNCED_SOFT


def test_imports_outlive_a_restart_and_their_projects(
    opened: Application, open_application: OpenApplication, clock: Clock
) -> None:
    task = complete(opened, LIST)
    import_file(opened)
    opened.services.tasks.delete(LOCAL_ACCOUNT, task.task_id)
    opened.services.retention.sweep(clock())
    opened.database.close()
    again = open_application()
    [kept] = again.services.own_files.list(LOCAL_ACCOUNT, OwnFileKind.BOUNCES)
    assert kept.counts.by_outcome == {
        MailOutcome.HARD: 2,
        MailOutcome.SOFT: 1,
        MailOutcome.DELIVERED: 1,
    }
    later = complete(again, LIST)
    assert list_reasons(again, later.task_id, 1)[-1] is Reason.BOUNCED_HARD


def test_a_sandbox_project_knows_of_none(opened: Application) -> None:
    import_file(opened)
    task = complete(opened, LIST, key_type=KeyType.SANDBOX)
    assert Reason.BOUNCED_HARD not in list_reasons(opened, task.task_id, 1)


def test_no_address_is_kept_of_an_import(
    opened: Application, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    import_file(opened, b"email,type\nSecret.Person@hidden.example,hard\n")
    kept = b"".join(path.read_bytes() for path in opened.folder.root.rglob("*") if path.is_file())
    for word in (b"hidden.example", b"secret.person", b"Secret.Person", b"person@"):
        assert word not in kept
        assert word.decode() not in caplog.text
