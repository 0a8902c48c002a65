"""Groups of duplicates of uploads and projects: whose they are, and another run by another rule."""

from dataclasses import replace

import pytest

from tests.applications import complete, run, stage
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.core.errors import BadField, Gone, TaskUnknown
from winnow.core.lists.input_head import Choices
from winnow.core.tasks.keep_rule import KEEP_USUAL, Keep, KeepChoice, KeepRule
from winnow.core.tasks.repair_choice import SAFE_REPAIRS
from winnow.core.tasks.run_options import RunOptions
from winnow.wiring import Application

LIST = b"id,email,when\n1,a@gmail.com,3.1.2024\n2,mailto:a@gmail.com,\n3,A@gmail.com,2.1.2024\n"


def test_an_upload_shows_the_rule_that_is_asked_for(opened: Application) -> None:
    upload = stage(opened, LIST)
    services = opened.services
    head = services.uploads.read_head(LOCAL_ACCOUNT, upload.upload_id, Choices())

    def find_staying(keep: KeepChoice) -> list[int]:
        found = services.duplicates.look(LOCAL_ACCOUNT, upload.upload_id, head, 1, keep)
        return [row.number for group in found.groups for row in group.rows if row.stays]

    assert find_staying(KEEP_USUAL) == [4]
    assert find_staying(KeepChoice(Keep.FIRST)) == [2]
    assert find_staying(KeepChoice(Keep.NEWEST, "when")) == [2]
    with pytest.raises(BadField, match="keep_by"):
        find_staying(KeepChoice(Keep.NEWEST, 9))
    with pytest.raises(Gone):
        services.duplicates.look("other", upload.upload_id, head, 1, KEEP_USUAL)


def test_a_project_is_its_accounts(opened: Application) -> None:
    task = complete(opened, LIST)
    duplicates = opened.services.duplicates
    assert duplicates.look_back(LOCAL_ACCOUNT, task.task_id).duplicate_count == 1
    opened.services.accounts.create("other")
    for call in (
        lambda: duplicates.look_back("other", task.task_id),
        lambda: duplicates.run_again("other", task.task_id, KeepRule(Keep.FIRST)),
        lambda: duplicates.look_back(LOCAL_ACCOUNT, "no such task"),
    ):
        with pytest.raises(TaskUnknown):
            call()
    opened.services.tasks.delete(LOCAL_ACCOUNT, task.task_id)
    with pytest.raises(Gone):
        duplicates.look_back(LOCAL_ACCOUNT, task.task_id)


def test_a_run_by_another_rule_keeps_all_else(opened: Application) -> None:
    first = complete(opened, LIST, repair=SAFE_REPAIRS, second_email_column="when")
    options = replace(first.options, made_from="another")
    task = opened.services.tasks.submit_again(LOCAL_ACCOUNT, first.task_id, options=options)
    made = opened.services.duplicates.run_again(LOCAL_ACCOUNT, task.task_id, KeepRule(Keep.FIRST))
    assert made.plan == task.plan
    assert made.options == RunOptions(repair=SAFE_REPAIRS, keep=KeepRule(Keep.FIRST))
    assert made.project_name == task.project_name
    run(opened)
    done = opened.services.tasks.get(LOCAL_ACCOUNT, made.task_id)
    assert done.summary is not None
    assert (done.summary.rows_out, done.summary.duplicates_removed) == (1, 2)
