"""From submission to the end of a project."""

import hashlib
import json
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from tests.applications import (
    LIST,
    Clock,
    Interrupted,
    OpenApplication,
    complete,
    delete_for_good,
    measure_use,
    open_test_application,
    run,
    stage,
    submit,
)
from tests.full_disk import limited_file_size
from winnow.core.addresses.repair_kinds import RepairKind
from winnow.core.errors import BadField, EmailColumnMissing, Gone, TaskUnknown
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.lists.cleaning import WhoDecides
from winnow.core.lists.input_head import Choices
from winnow.core.lists.merging import Merge
from winnow.core.lists.silence import SilenceChoice
from winnow.core.meaning.columns import MailDecisions
from winnow.core.tasks.keep_rule import Keep, KeepRule
from winnow.core.tasks.repair_choice import SAFE_REPAIRS, RepairChoice, RepairPlace
from winnow.core.tasks.run_request import RunRequest
from winnow.core.tasks.task import KeyType, Task, TaskState
from winnow.storage.database.tables import tasks
from winnow.wiring import Application


def require_failed(opened: Application, task: Task, code: str) -> None:
    """Hold a failed task to leaving its upload alone, uncharged."""
    failed = opened.services.tasks.get(LOCAL_ACCOUNT, task.task_id)
    assert failed.error is not None
    assert (failed.state, failed.error["code"]) == (TaskState.FAILED, code)
    assert measure_use(opened) == (task.input_bytes, 0)
    assert not any(day.batch for day in opened.services.usage.days(LOCAL_ACCOUNT))
    assert list(opened.folder.results.iterdir()) == []


def test_a_disk_that_fills_up_fails_the_task_and_leaves_nothing(opened: Application) -> None:
    rows = b"".join(b"%07d,n%d@throwaway.example\r\n" % (n, n) for n in range(100_000))
    task = submit(opened, LIST + rows)
    with limited_file_size(1 << 20):
        run(opened)
    require_failed(opened, task, "storage_full")


def test_a_submission_is_not_refused_for_the_size_of_its_result(
    open_application: OpenApplication,
) -> None:
    content = b"email\n" + b"".join(b"%d\n" % number for number in range(5_000))
    opened = open_application(quota_bytes=3 * len(content))
    require_failed(opened, complete(opened, content), "quota_exceeded")


@pytest.mark.parametrize("row", [b"a\n", b"a@x%d.de\n", b"\n", b"x,,,,,\n"])
def test_a_result_fits_to_the_last_byte(tmp_path: Path, clock: Clock, row: bytes) -> None:
    content = b"email\n" + b"".join(row.replace(b"%d", b"%d" % n) for n in range(5_000)) + b"a\n"
    wide = open_test_application(tmp_path / "wide", clock)
    complete(wide, content)
    needed = max(wide.services.usage.storage(LOCAL_ACCOUNT).used_bytes, 3 * len(content))
    exact = open_test_application(tmp_path / "exact", clock, quota_bytes=needed)
    assert complete(exact, content).state is TaskState.COMPLETED
    assert exact.services.usage.storage(LOCAL_ACCOUNT).reserved_bytes == 0
    for opened in (wide, exact):
        opened.database.close()


def test_a_refused_submission_leaves_the_upload_to_the_next(
    opened: Application,
) -> None:
    upload = stage(opened, b"id,name\n1,x\n")
    with pytest.raises(EmailColumnMissing):
        opened.services.tasks.submit(LOCAL_ACCOUNT, upload.upload_id)
    assert opened.services.uploads.get(LOCAL_ACCOUNT, upload.upload_id) == upload
    task = opened.services.tasks.submit(
        LOCAL_ACCOUNT, upload.upload_id, RunRequest(email_column="name")
    )
    assert task.plan.email_column == 1
    with pytest.raises(Gone):  # an upload becomes one project only
        opened.services.tasks.submit(LOCAL_ACCOUNT, upload.upload_id)


@pytest.mark.parametrize(
    ("given", "name"),
    [
        (None, "list"),
        ("  ", "list"),
        (" spring ", "spring"),
        ("a/b\\c\n\u202e", "a/b\\c \u202e"),
        ("x" * 50, "x" * 50),
    ],
)
def test_project_names(opened: Application, given: str | None, name: str) -> None:
    assert submit(opened, project_name=given).project_name == name


OTHER_CHOICES: dict[type, dict[str, object]] = {
    Choices: {
        "encoding": "cp1252",
        "delimiter": ";",
        "has_header": False,
        "sheet": "Two",
        "email_column": 0,
        "first_row": 2,
        "escape": "",
        "second_email_column": 0,
    },
    KeepRule: {"keep": Keep.FIRST, "joins_aliases": True, "adds_mailbox": True},
    RepairChoice: {
        "kinds": frozenset({RepairKind.BLANKS}),
        "domains": {"a.de": "b.de"},
        "singles": {"a@b.de": None},
        "place": RepairPlace.COLUMN,
    },
    RunRequest: {
        "choices": Choices("latin-1"),
        "mail": MailDecisions({"status": False}),
        "email_column": "id",
        "second_email_column": "id",
        "deduplicate": False,
        "keep": KeepRule(Keep.NEWEST, 0),
        "repair": RepairChoice(),
        "silence": SilenceChoice(1),
        "left_out": ((1, "x"),),
        "who_decides": WhoDecides.NEWEST,
        "made_from": "another",
        "merge": Merge((), 0),
    },
}


def test_a_used_idempotency_key_takes_no_other_fields(opened: Application) -> None:
    first = submit(opened, idempotency_key="k1")
    others: list[dict[str, object]] = [
        *({"project_name": "autumn"}, {"project_name": None}, {"name": "other.csv"}),
        *({"key_type": KeyType.SANDBOX}, {"keep": KeepRule(Keep.NEWEST, "0")}),
        *({name: value} for name, value in OTHER_CHOICES[RunRequest].items()),
    ]
    for field, kind in {"choices": Choices, "keep": KeepRule, "repair": RepairChoice}.items():
        others += [{field: kind(**{name: one})} for name, one in OTHER_CHOICES[kind].items()]
    for other in others:
        with pytest.raises(BadField, match="was used with another file name, project name"):
            submit(opened, idempotency_key="k1", **other)
        assert submit(opened, idempotency_key="k1").task_id == first.task_id


@pytest.mark.parametrize("kind", OTHER_CHOICES)
def test_no_choice_is_missing_among_the_other_fields(kind: type) -> None:
    assert {one.name for one in fields(kind)} - {"keep_by"} == OTHER_CHOICES[kind].keys()


@pytest.mark.parametrize("second", [{}, {"choices": Choices(has_header=False)}])
def test_a_used_idempotency_key_of_0_2_still_finds_its_task(
    opened: Application, second: dict[str, Any]
) -> None:
    """By the rule of then, which ignored how the list is read."""
    first = submit(opened, project_name="autumn", idempotency_key="k1", repair=SAFE_REPAIRS)
    repair = {"kinds": sorted(SAFE_REPAIRS.kinds), "domains": {}, "singles": {}, "place": "column"}
    told = ["list.csv", "autumn", True, None, "live", {"repair": repair}]
    digest = hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()
    opened.database.run(update(tasks).values(fields_digest=digest))
    again = submit(
        opened, project_name="autumn", idempotency_key="k1", repair=SAFE_REPAIRS, **second
    )
    assert again.task_id == first.task_id
    with pytest.raises(BadField, match="was used with another file name"):
        submit(opened, project_name="autumn", idempotency_key="k1", deduplicate=False)


def test_a_key_used_with_the_removed_column_mailbox_still_finds_its_task(
    opened: Application,
) -> None:
    first, keep = submit(opened, idempotency_key="k1"), KeepRule(adds_mailbox=True)
    told = ["list.csv", "spring", "live", {"keep": {"adds_mailbox": True}}]
    digest = hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()
    opened.database.run(update(tasks).values(fields_digest=f"2 {digest}"))
    assert submit(opened, idempotency_key="k1", keep=keep).task_id == first.task_id
    with pytest.raises(BadField, match="mailbox: was removed"):
        submit(opened, idempotency_key="k2", keep=keep)


def test_projects_are_listed_the_newest_first(opened: Application, clock: Clock) -> None:
    for number in range(3):
        submit(opened, project_name=f"list {number}")
        clock.advance(seconds=1)
    listed = opened.services.tasks.list(LOCAL_ACCOUNT)
    assert [task.project_name for task in listed] == ["list 2", "list 1", "list 0"]


def test_a_project_is_renamed_in_any_state_and_its_key_still_finds_it(opened: Application) -> None:
    task, tasks = submit(opened, project_name="old", idempotency_key="k1"), opened.services.tasks
    for name in ("  new name ", "newest"):
        tasks.rename(LOCAL_ACCOUNT, task.task_id, name)
        assert submit(opened, project_name="old", idempotency_key="k1").task_id == task.task_id
        assert tasks.get(LOCAL_ACCOUNT, task.task_id).project_name == name.strip()
        assert [one.project_name for one in tasks.list(LOCAL_ACCOUNT)] == [name.strip()]
        run(opened)
        assert [one.state for one in tasks.list(LOCAL_ACCOUNT)] == [TaskState.COMPLETED]
    link = opened.services.downloads.issue(LOCAL_ACCOUNT, task.task_id)
    assert link.file_name == "newest-checked.csv"


def test_a_list_of_projects_keeps_nothing_that_a_commit_between_its_reads_changed(
    opened: Application,
) -> None:
    services = opened.services
    gone, renamed = complete(opened), complete(opened)

    def act() -> None:
        services.deletions.delete(LOCAL_ACCOUNT, [gone.task_id])
        services.tasks.rename(LOCAL_ACCOUNT, renamed.task_id, "autumn")

    database = Interrupted(opened.database, "fetch", lambda: None, act)
    tasks = replace(services.tasks, database=database)
    for _ in range(2):
        assert [(one.task_id, one.project_name) for one in tasks.list(LOCAL_ACCOUNT)] == [
            (renamed.task_id, "autumn")
        ]
    services.deletions.undo(LOCAL_ACCOUNT, [gone.task_id])
    assert tasks.list(LOCAL_ACCOUNT) == services.tasks.list(LOCAL_ACCOUNT)


def test_no_name_reaches_what_is_gone_and_none_is_empty_or_long(opened: Application) -> None:
    opened.services.accounts.create("other")
    task = complete(opened)
    for name in ("", "   ", "x" * 51, "\ud800"):
        with pytest.raises(BadField, match="project_name"):
            opened.services.tasks.rename(LOCAL_ACCOUNT, task.task_id, name)
    assert opened.services.tasks.get(LOCAL_ACCOUNT, task.task_id) == task
    with pytest.raises(TaskUnknown):
        opened.services.tasks.rename("other", task.task_id, "theirs")
    delete_for_good(opened.services, task.task_id)
    with pytest.raises(Gone):
        opened.services.tasks.rename(LOCAL_ACCOUNT, task.task_id, "late")


def test_a_cancelled_task_is_failed_and_uncharged(opened: Application) -> None:
    task = submit(opened)
    cancelled = opened.services.tasks.cancel(LOCAL_ACCOUNT, task.task_id)
    assert cancelled.state is TaskState.FAILED
    assert cancelled.error is not None
    assert cancelled.error["code"] == "cancelled"
    run(opened)
    assert opened.services.tasks.get(LOCAL_ACCOUNT, task.task_id).state is TaskState.FAILED
    assert opened.services.usage.storage(LOCAL_ACCOUNT).reserved_bytes == 0
    done = complete(opened)
    assert opened.services.tasks.cancel(LOCAL_ACCOUNT, done.task_id) == done
