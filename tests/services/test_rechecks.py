"""A finished project beside newer data: what would change, and the list checked again."""

from dataclasses import replace

import pytest

from tests.applications import DISPOSABLE, KNOWN, OpenApplication, complete, run, submit
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.core.errors import Gone, QuotaExceeded
from winnow.core.tasks.task import TaskState
from winnow.core.verdicts.facts import DomainFacts

NEWS = (
    b"note,email\n"
    + b"".join(b"x,%d@fresh.example\n" % number for number in range(3))
    + b"y,one@throwaway.example\nz,two@mailboxes.example\nw,not an address\n"
)
NEWER = {
    **KNOWN,
    "fresh.example": replace(DISPOSABLE, domain="fresh.example"),
    "throwaway.example": DomainFacts("throwaway.example"),
}


@pytest.mark.parametrize("deduplicate", [True, False])
def test_a_list_checked_again_is_another_project_of_the_same_name(
    open_application: OpenApplication, deduplicate: bool
) -> None:
    content = b"Mail;email\na@fresh.example;b@fresh.example\nA@fresh.example;c@fresh.example\n"
    task = complete(
        open_application(data_version="2026-11-03.one"),
        content,
        deduplicate=deduplicate,
        email_column="Mail",
    )
    opened = open_application(known=NEWER, data_version="2026-11-20.two")
    again = opened.services.tasks.submit_again(LOCAL_ACCOUNT, task.task_id)
    run(opened)
    done = opened.services.tasks.get(LOCAL_ACCOUNT, again.task_id)
    assert done.task_id != task.task_id
    assert (done.project_name, done.file_name) == (task.project_name, task.file_name)
    assert (done.plan, done.deduplicate) == (task.plan, deduplicate)
    assert done.state is TaskState.COMPLETED
    assert done.summary is not None
    assert done.summary.by_category == {"black": 1 if deduplicate else 2}
    assert done.summary.charged == (1 if deduplicate else 2)
    assert done.summary.data_version == "2026-11-20.two"
    before = opened.services.tasks.get(LOCAL_ACCOUNT, task.task_id)
    assert before.summary == task.summary


def test_without_room_nothing_is_submitted(open_application: OpenApplication) -> None:
    task = complete(open_application(data_version="2026-11-03.one"), NEWS)
    opened = open_application(data_version="2026-11-03.one", quota_bytes=2 * len(NEWS))
    with pytest.raises(QuotaExceeded):
        opened.services.tasks.submit_again(LOCAL_ACCOUNT, task.task_id)
    assert len(opened.services.tasks.list(LOCAL_ACCOUNT)) == 1
    assert len(list(opened.folder.inputs.iterdir())) == 1


def test_a_deleted_project_cannot_be_checked_again(open_application: OpenApplication) -> None:
    opened = open_application(data_version="2026-11-03.one")
    task = submit(opened, NEWS)
    opened.services.tasks.delete(LOCAL_ACCOUNT, task.task_id)
    with pytest.raises(Gone):
        opened.services.tasks.submit_again(LOCAL_ACCOUNT, task.task_id)
