"""A list run again, by another rule or newer data; asked for twice, it is one project."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier

import pytest

from tests.applications import (
    DISPOSABLE,
    KNOWN,
    OpenApplication,
    complete,
    delete_for_good,
    run,
    stage,
)
from winnow.core.addresses.repair_kinds import SAFE_KINDS
from winnow.core.errors import BadField, Gone, QuotaExceeded, TaskUnknown
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.lists.input_head import Choices
from winnow.core.tasks.keep_rule import KEEP_LAST, Keep, KeepRule
from winnow.core.tasks.repair_choice import SAFE_REPAIRS, RepairChoice, RepairPlace
from winnow.core.tasks.run_request import RunRequest
from winnow.core.tasks.task import Task, TaskState
from winnow.core.verdicts.facts import DomainFacts
from winnow.wiring import Application

LIST = b"email,n\r\nAna <ana@gmail.com>,1\r\nbo@gmail.com,2\r\nbo@gmail.com,3\r\n"
DATED = b"id,email,when\n1,a@gmail.com,3.1.2024\n2,mailto:a@gmail.com,\n3,A@gmail.com,2.1.2024\n"
SAFE = RepairChoice(SAFE_KINDS)


@pytest.fixture
def task(opened: Application) -> Task:
    return complete(opened, LIST)


def repair(opened: Application, task: Task, choice: RepairChoice = SAFE) -> Task:
    return opened.services.repairs.run(LOCAL_ACCOUNT, task.task_id, choice)


def keep(opened: Application, task: Task, rule: Keep) -> Task:
    return opened.services.duplicates.run_again(LOCAL_ACCOUNT, task.task_id, KeepRule(rule))


def test_a_repair_asked_for_twice_is_one_project(opened: Application, task: Task) -> None:
    first = repair(opened, task)
    assert repair(opened, task).task_id == first.task_id
    run(opened)
    again = repair(opened, task)
    assert (again.task_id, again.state) == (first.task_id, TaskState.COMPLETED)
    assert len(opened.services.tasks.list(LOCAL_ACCOUNT)) == 2
    assert opened.services.uploads.list_waiting(LOCAL_ACCOUNT) == ()


def test_pressed_at_the_same_moment_it_is_one_project(opened: Application, task: Task) -> None:
    barrier = Barrier(4)

    def press(_: int) -> str:
        barrier.wait()
        return repair(opened, task).task_id

    with ThreadPoolExecutor(4) as threads:
        assert len(set(threads.map(press, range(4)))) == 1
    assert len(opened.services.tasks.list(LOCAL_ACCOUNT)) == 2
    used = opened.services.usage.storage(LOCAL_ACCOUNT).used_bytes
    assert used == 2 * len(LIST) + task.result_bytes  # no copy of the list was left behind


def test_another_choice_is_another_project(opened: Application, task: Task) -> None:
    made = [
        repair(opened, task),
        repair(opened, task, RepairChoice(SAFE_KINDS, place=RepairPlace.COLUMN)),
        *(keep(opened, task, rule) for rule in (Keep.FIRST, Keep.COMPLETE, Keep.FIRST)),
    ]
    assert len({one.task_id for one in made}) == 4


def test_a_do_not_mail_file_that_came_since_counts(opened: Application, task: Task) -> None:
    first, files = repair(opened, task), opened.services.own_files
    run(opened)
    received = stage(opened, b"bo@gmail.com\n", name="do-not-mail.txt")
    files.add_to_task(LOCAL_ACCOUNT, task.task_id, received)
    second = repair(opened, task)
    assert second.task_id != first.task_id
    assert len(files.list_of_task(LOCAL_ACCOUNT, second.task_id)) == 1


def test_one_that_was_stopped_or_deleted_is_made_anew(opened: Application, task: Task) -> None:
    tasks, made = opened.services.tasks, [repair(opened, task)]

    def delete(account: str, task_id: str) -> None:
        opened.services.deletions.delete(account, [task_id])

    for end in (tasks.cancel, tasks.cancel, delete):
        end(LOCAL_ACCOUNT, made[-1].task_id)
        made.append(repair(opened, task))
    assert len({one.task_id for one in made}) == 4
    assert repair(opened, task).task_id == made[-1].task_id


@pytest.mark.parametrize("deduplicate", [True, False])
def test_a_list_checked_again_is_another_project_of_the_same_name(
    open_application: OpenApplication, deduplicate: bool
) -> None:
    content = b"Mail;email\na@fresh.example;b@fresh.example\nA@fresh.example;c@fresh.example\n"
    earlier = open_application(data_version="2026-11-03.one")
    task = complete(earlier, content, deduplicate=deduplicate, email_column="Mail")
    newer = {
        **KNOWN,
        "fresh.example": DISPOSABLE._replace(domain="fresh.example"),
        "throwaway.example": DomainFacts("throwaway.example"),
    }
    opened = open_application(known=newer, data_version="2026-11-20.two")
    again = opened.services.tasks.submit_again(LOCAL_ACCOUNT, task.task_id)
    run(opened)
    done = opened.services.tasks.get(LOCAL_ACCOUNT, again.task_id)
    assert done.task_id != task.task_id
    assert (done.project_name, done.file_name) == (task.project_name, task.file_name)
    assert (done.plan, done.request.deduplicate) == (task.plan, deduplicate)
    assert done.summary is not None
    assert done.summary.by_category == {"black": 1 if deduplicate else 2}
    assert done.summary.charged == (1 if deduplicate else 2)
    assert done.summary.data_version == "2026-11-20.two"
    assert opened.services.tasks.get(LOCAL_ACCOUNT, task.task_id).summary == task.summary


def test_without_room_or_a_list_nothing_is_submitted(open_application: OpenApplication) -> None:
    task = complete(open_application(), DATED)
    opened = open_application(quota_bytes=2 * len(DATED))
    with pytest.raises(QuotaExceeded):
        opened.services.tasks.submit_again(LOCAL_ACCOUNT, task.task_id)
    assert len(opened.services.tasks.list(LOCAL_ACCOUNT)) == 1
    assert len(list(opened.folder.inputs.iterdir())) == 1
    delete_for_good(opened.services, task.task_id)
    with pytest.raises(Gone):
        opened.services.tasks.submit_again(LOCAL_ACCOUNT, task.task_id)


def test_an_upload_shows_duplicates_by_the_rule_that_is_asked_for(opened: Application) -> None:
    upload_id, services = stage(opened, DATED).upload_id, opened.services
    head = services.uploads.read_head(LOCAL_ACCOUNT, upload_id, Choices())

    def find_staying(keep: KeepRule) -> list[int]:
        found = services.duplicates.look(LOCAL_ACCOUNT, upload_id, head, 1, keep)
        return [row.number for group in found.groups for row in group.rows if row.stays]

    assert find_staying(KEEP_LAST) == [4]
    assert find_staying(KeepRule(Keep.FIRST)) == [2]
    assert find_staying(KeepRule(Keep.NEWEST, "when")) == [2]
    with pytest.raises(BadField, match="keep_by"):
        find_staying(KeepRule(Keep.NEWEST, 9))
    with pytest.raises(Gone):
        services.duplicates.look("other", upload_id, head, 1, KEEP_LAST)


def test_a_project_is_its_accounts(opened: Application, task: Task) -> None:
    duplicates = opened.services.duplicates
    assert duplicates.look_back(LOCAL_ACCOUNT, task.task_id).group_count == 1
    opened.services.accounts.create("other")
    for call in (
        lambda: duplicates.look_back("other", task.task_id),
        lambda: duplicates.run_again("other", task.task_id, KeepRule(Keep.FIRST)),
        lambda: duplicates.look_back(LOCAL_ACCOUNT, "no such task"),
    ):
        with pytest.raises(TaskUnknown):
            call()
    delete_for_good(opened.services, task.task_id)
    with pytest.raises(Gone):
        duplicates.look_back(LOCAL_ACCOUNT, task.task_id)


def test_a_run_by_another_rule_keeps_all_else(opened: Application) -> None:
    first = complete(opened, DATED, repair=SAFE_REPAIRS, second_email_column="when")
    asked = replace(first.request, made_from="another")
    task = opened.services.tasks.submit_again(LOCAL_ACCOUNT, first.task_id, request=asked)
    made = keep(opened, task, Keep.FIRST)
    assert (made.plan, made.project_name) == (task.plan, task.project_name)
    assert made.request == RunRequest(repair=SAFE_REPAIRS, keep=KeepRule(Keep.FIRST))
    run(opened)
    done = opened.services.tasks.get(LOCAL_ACCOUNT, made.task_id)
    assert done.summary is not None
    assert (done.summary.rows_out, done.summary.duplicates_removed) == (1, 2)
