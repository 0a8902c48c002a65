"""The audit log: who did what with which id, without addresses, for a year."""

import csv
import io
from datetime import timedelta

from tests.applications import Clock, OpenApplication, complete, stage, sweep
from winnow.core.identities import (
    COMMAND_LINE,
    LOCAL_ACCOUNT,
    LOCAL_IDENTITY,
    Event,
    Identity,
    Role,
)
from winnow.core.tasks.task import KeyType
from winnow.core.verdicts.verdict import Category


def test_each_event_is_recorded_with_its_id(open_application: OpenApplication) -> None:
    opened = open_application()
    desk = opened.services.act_as(LOCAL_IDENTITY)
    task = desk.tasks.submit(LOCAL_ACCOUNT, stage(opened).upload_id)
    done = complete(opened, project_name="second")
    desk.own_lists.add(LOCAL_ACCOUNT, "ana@secret.example", Category.BLACK)
    desk.own_lists.remove(LOCAL_ACCOUNT, ["ana@secret.example"])
    desk.deletions.delete(LOCAL_ACCOUNT, [task.task_id, done.task_id, "unknown"])
    desk.deletions.undo(LOCAL_ACCOUNT, [task.task_id])
    desk.deletions.finish(LOCAL_ACCOUNT, [task.task_id, done.task_id])
    key, _ = desk.keys.create(LOCAL_ACCOUNT, "x", KeyType.LIVE)
    desk.keys.revoke(LOCAL_ACCOUNT, key.prefix)
    desk.network.turn("dns", True)
    opened.services.act_as(COMMAND_LINE).people.add("ana", Role.ADMIN, None)
    entries = opened.services.audit_log.list()[::-1]
    found = [(one.person, one.event, one.subject) for one in entries]
    deleted = {("local", Event.DELETED, one.task_id) for one in (task, done)}
    assert found[:3] == [
        ("local", Event.SUBMITTED, task.task_id),
        ("local", Event.OVERRULED, "black"),
        ("local", Event.LISTS_CHANGED, ""),
    ]
    assert set(found[3:5]) == deleted
    assert found[5:] == [
        ("local", Event.RESTORED, task.task_id),
        ("local", Event.ERASED, done.task_id),
        ("local", Event.KEY_MADE, key.prefix),
        ("local", Event.KEY_REVOKED, key.prefix),
        ("local", Event.NETWORK_CHANGED, "dns"),
        ("command line", Event.PEOPLE_CHANGED, "ana"),
    ]
    assert b"secret.example" not in opened.services.audit_log.export_csv()


def test_the_export_has_no_formulas(open_application: OpenApplication) -> None:
    log = open_application().services.audit_log
    evil = Identity(LOCAL_ACCOUNT, "=cmd|' /C calc'!A0", Role.ADMIN)
    log.record(Event.DELETED, evil, "+1", "x")
    rows = list(csv.reader(io.StringIO(log.export_csv().decode("utf-8-sig"))))
    assert rows[0] == ["time", "person", "key", "event", "subject"]
    assert [row[1:] for row in rows[1:]] == [
        ["'=cmd|' /C calc'!A0", "", "deleted", "x"],
        ["'=cmd|' /C calc'!A0", "", "deleted", "'+1"],
    ]


def test_entries_are_kept_for_a_year(open_application: OpenApplication, clock: Clock) -> None:
    opened = open_application()
    log = opened.services.audit_log
    log.record(Event.SIGNED_IN, LOCAL_IDENTITY, "")
    clock.advance(days=365)
    sweep(opened)
    assert len(log.list()) == 1
    clock.now += timedelta(seconds=1)
    assert log.list() == ()
    sweep(opened)
    clock.now -= timedelta(days=2)
    assert log.list() == ()
