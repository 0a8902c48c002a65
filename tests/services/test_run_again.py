"""A list run again: asked for twice, it is one project as long as nothing has changed."""

import threading

import pytest

from tests.applications import complete, run, stage
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.core.addresses.repair_kinds import SAFE_KINDS
from winnow.core.tasks.keep_rule import Keep, KeepRule
from winnow.core.tasks.repair_choice import RepairChoice, RepairPlace
from winnow.core.tasks.task import Task, TaskState
from winnow.wiring import Application

LIST = b"email,n\r\nAna <ana@gmail.com>,1\r\nbo@gmail.com,2\r\nbo@gmail.com,3\r\n"
SAFE = RepairChoice(SAFE_KINDS)


@pytest.fixture
def task(opened: Application) -> Task:
    return complete(opened, LIST)


def count(opened: Application) -> int:
    return len(opened.services.tasks.list(LOCAL_ACCOUNT))


def test_a_repair_asked_for_twice_is_one_project(opened: Application, task: Task) -> None:
    repairs = opened.services.repairs
    first = repairs.run(LOCAL_ACCOUNT, task.task_id, SAFE)
    assert repairs.run(LOCAL_ACCOUNT, task.task_id, SAFE).task_id == first.task_id
    run(opened)
    again = repairs.run(LOCAL_ACCOUNT, task.task_id, SAFE)
    assert (again.task_id, again.state) == (first.task_id, TaskState.COMPLETED)
    assert count(opened) == 2
    assert opened.services.uploads.list_waiting(LOCAL_ACCOUNT) == ()


def test_pressed_at_the_same_moment_it_is_one_project(opened: Application, task: Task) -> None:
    barrier, made = threading.Barrier(4), []

    def press() -> None:
        barrier.wait()
        made.append(opened.services.repairs.run(LOCAL_ACCOUNT, task.task_id, SAFE).task_id)

    threads = [threading.Thread(target=press) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(made), len(set(made)), count(opened)) == (4, 1, 2)
    used = opened.services.usage.storage(LOCAL_ACCOUNT).used_bytes
    run(opened)
    assert used == 2 * len(LIST) + task.result_bytes  # no copy of the list was left behind


def test_another_choice_is_another_project(opened: Application, task: Task) -> None:
    repairs, duplicates = opened.services.repairs, opened.services.duplicates
    made = {
        repairs.run(LOCAL_ACCOUNT, task.task_id, SAFE).task_id,
        repairs.run(
            LOCAL_ACCOUNT, task.task_id, RepairChoice(SAFE_KINDS, place=RepairPlace.COLUMN)
        ).task_id,
        duplicates.run_again(LOCAL_ACCOUNT, task.task_id, KeepRule(Keep.FIRST)).task_id,
        duplicates.run_again(LOCAL_ACCOUNT, task.task_id, KeepRule(Keep.COMPLETE)).task_id,
        duplicates.run_again(LOCAL_ACCOUNT, task.task_id, KeepRule(Keep.FIRST)).task_id,
    }
    assert len(made) == 4


def test_a_do_not_mail_file_that_came_since_counts(opened: Application, task: Task) -> None:
    first = opened.services.repairs.run(LOCAL_ACCOUNT, task.task_id, SAFE)
    run(opened)
    received = stage(opened, b"bo@gmail.com\n", name="do-not-mail.txt")
    opened.services.own_files.add_to_task(LOCAL_ACCOUNT, task.task_id, received)
    second = opened.services.repairs.run(LOCAL_ACCOUNT, task.task_id, SAFE)
    assert second.task_id != first.task_id
    assert len(opened.services.own_files.list_of_task(LOCAL_ACCOUNT, second.task_id)) == 1


def test_one_that_was_stopped_or_deleted_is_made_anew(opened: Application, task: Task) -> None:
    services = opened.services
    made = [services.repairs.run(LOCAL_ACCOUNT, task.task_id, SAFE)]
    for end in (services.tasks.cancel, services.tasks.cancel, services.tasks.delete):
        end(LOCAL_ACCOUNT, made[-1].task_id)
        made.append(services.repairs.run(LOCAL_ACCOUNT, task.task_id, SAFE))
    assert len({one.task_id for one in made}) == 4
    assert services.repairs.run(LOCAL_ACCOUNT, task.task_id, SAFE).task_id == made[-1].task_id
