"""Requests of 0.3 as they were stored: digests of their fields, choices and plans of tasks.

``golden/requests.json`` was written by 0.3, before what is asked of a run was one value.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update

from tests.applications import run, stage
from winnow.api.submission import Submission
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.lists.input_head import Choices
from winnow.core.tasks.task import TaskState
from winnow.storage.database.tables import tasks
from winnow.wiring import Application

LIST = b"id,email,mail2,when,news\n1,ana@gmail.com,,2.1.2024,yes\n2,Ana@gmail.com,b@x.de,,no\n"
GOLDEN = Path(__file__).parents[1] / "golden" / "requests.json"
STORED = ("fields_digest", "deduplicate", "options", "plan")
CASES: list[dict[str, Any]] = json.loads(GOLDEN.read_text(encoding="utf-8"))


def store(opened: Application, case: dict[str, Any]) -> dict[str, Any]:
    """Submit a request by its form fields; return its row."""
    asked = Submission(dict(case["fields"]), choices=Choices(**case["choices"])).make_request()
    upload = stage(opened, LIST)
    task = opened.services.tasks.submit(
        LOCAL_ACCOUNT, upload.upload_id, asked, idempotency_key="k1"
    )
    row = opened.database.first(select(tasks).where(tasks.c.task_id == task.task_id))
    assert row is not None
    return json.loads(json.dumps({name: row._mapping[name] for name in STORED}))


@pytest.mark.parametrize("case", CASES[:-1], ids=lambda case: case["name"])
def test_a_request_is_stored_as_0_3_stored_it(opened: Application, case: dict[str, Any]) -> None:
    assert store(opened, case) == {name: case[name] for name in STORED}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_a_stored_request_is_run_read_and_asked_for_again(
    opened: Application, case: dict[str, Any]
) -> None:
    store(opened, CASES[0])
    opened.database.run(update(tasks).values({name: case[name] for name in STORED}))
    run(opened)
    [task] = opened.services.tasks.list(LOCAL_ACCOUNT)
    assert task.state is TaskState.COMPLETED
    kept = {notice.code for notice in task.notices} | {str(task.summary.rows_out)}
    assert sorted(kept) == case["outcome"]
    again = opened.services.tasks.submit_again(LOCAL_ACCOUNT, task.task_id)
    rows = opened.database.fetch(select(*(tasks.c[name] for name in STORED[1:])))
    assert [list(row) for row in rows] == [[case[name] for name in STORED[1:]]] * 2
    assert opened.services.tasks.submit_again(LOCAL_ACCOUNT, task.task_id) == again
