"""The offer to fix addresses, what is chosen there, and the page of a repaired project."""

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from components.frame import page_urls
from components.project.repairs import KINDS, START, START_SAFE
from tests.applications import OpenApplication, complete, run
from tests.pages.conftest import OpenPage, press
from tests.services.test_repairs import KNOWN, write_list
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.core.addresses.address import normalise
from winnow.core.addresses.repair_kinds import SAFE_KINDS, RepairKind
from winnow.core.tasks.repair_choice import RepairChoice, RepairPlace
from winnow.core.tasks.task import Task
from winnow.services.results.reports import make_report
from winnow.wiring import Application


@pytest.fixture
def opened(open_application: OpenApplication) -> Application:
    """A backend that knows a misspelt domain."""
    return open_application(known=KNOWN)


def newest(opened: Application) -> Task:
    run(opened)
    tasks = opened.services.tasks.list(LOCAL_ACCOUNT)
    return next(task for task in tasks if task.options.made_from is not None)


def test_every_address_is_shown_and_fixed_in_one_press(
    opened: Application, open_page: OpenPage
) -> None:
    task = complete(opened, write_list())
    app = press(open_page(page_urls.PROJECT, task=task.task_id), "repair_list")
    offer = opened.services.repairs.find(LOCAL_ACCOUNT, task.task_id)
    (table,) = app.data_editor
    shown: pd.DataFrame = table.value
    rows, total = opened.services.repairs.page(
        LOCAL_ACCOUNT, task.task_id, tuple(RepairKind), 0, 1_000
    )
    assert shown["fix"].all()
    assert sorted(zip(shown["number"], shown["old"], shown["new"], strict=True)) == [
        (row.number, row.old, row.new) for row in rows
    ]
    assert app.button(key=START).label == f"Correct {total} addresses"
    press(app, START)
    made = newest(opened)
    assert made.options.repair == offer.choose(tuple(offer.count_kinds()))
    assert app.query_params["task"] == made.task_id


def test_only_the_safe_ones_are_fixed_in_one_press(
    opened: Application, open_page: OpenPage
) -> None:
    task = complete(opened, write_list())
    app = press(open_page(page_urls.PROJECT, task=task.task_id), "repair_list")
    offer = opened.services.repairs.find(LOCAL_ACCOUNT, task.task_id)
    safe = offer.count(offer.choose(SAFE_KINDS))
    assert app.button(key=START_SAFE).label == f"Correct the {safe} safe ones"
    press(app, START_SAFE)
    repair = newest(opened).options.repair
    assert repair is not None
    assert repair.kinds == SAFE_KINDS
    assert not repair.domains


def test_a_kind_and_one_address_are_left_alone(opened: Application, open_page: OpenPage) -> None:
    task = complete(opened, write_list())
    app = press(open_page(page_urls.PROJECT, task=task.task_id), "repair_list")
    offer = opened.services.repairs.find(LOCAL_ACCOUNT, task.task_id)
    kinds = [kind for kind in offer.count_kinds() if kind.is_safe]
    app.button_group(key=KINDS).set_value(kinds).run()
    count = offer.count(offer.choose(kinds))
    assert app.button(key=START).label == f"Correct {count} addresses"
    old = app.data_editor[0].value["old"][0]
    change_box(app, 0, fix=False)
    assert app.button(key=START).label == f"Correct {count - 1} addresses"
    change_box(app, 0, fix=True)
    assert app.button(key=START).label == f"Correct {count} addresses"
    change_box(app, 0, fix=False)
    press(app, START)
    made = newest(opened)
    assert made.options.made_from == task.task_id
    assert made.options.repair is not None
    assert made.options.repair.place is RepairPlace.REPLACE
    assert made.options.repair.kinds == frozenset(kinds)
    assert made.options.repair.singles == {normalise(old): None}


def test_nothing_can_be_started_without_a_kind(opened: Application, open_page: OpenPage) -> None:
    task = complete(opened, write_list())
    app = press(open_page(page_urls.PROJECT, task=task.task_id), "repair_list")
    app.button_group(key=KINDS).set_value([]).run()
    assert app.button(key=START).disabled


def change_box(app: AppTest, place: int, *, fix: bool) -> None:
    """Tick or untick a row, as the browser does: each message has all changes so far."""
    (table,) = app.data_editor
    edits = {"edited_rows": {place: {"fix": fix}}, "added_rows": [], "deleted_rows": []}
    app.session_state[table.key] = edits
    app.run()
    assert not app.exception


def test_the_page_of_a_repaired_project(opened: Application, open_page: OpenPage) -> None:
    task = complete(opened, write_list())
    opened.services.repairs.run(LOCAL_ACCOUNT, task.task_id, RepairChoice(SAFE_KINDS))
    made = newest(opened)
    assert made.summary is not None
    count = sum(made.summary.repaired.values())
    app = open_page(page_urls.PROJECT, task=made.task_id)
    told = [mark.value for mark in app.markdown if mark.value.startswith("Made from")]
    removed = "1 more repaired address was a duplicate and was removed."
    assert made.summary.duplicates_repaired == 1
    assert told == [f"Made from **spring** with {count} repairs. {removed}"]
    left = opened.services.repairs.find(LOCAL_ACCOUNT, made.task_id).total
    assert app.button(key=START).label == f"Correct {left} addresses"
    opened.services.tasks.delete(LOCAL_ACCOUNT, task.task_id)
    app = open_page(page_urls.PROJECT, task=made.task_id)
    assert not [button for button in app.button if button.key == "repair_undo"]
    assert any("is gone" in mark.value for mark in app.markdown)


def test_a_list_without_faults_has_no_offer(opened: Application, open_page: OpenPage) -> None:
    task = complete(opened, b"email\na@x.de\nnobody\n")
    app = open_page(page_urls.PROJECT, task=task.task_id)
    assert not [button for button in app.button if button.key == START]


def test_a_large_list_is_looked_through_by_a_button(
    opened: Application, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("winnow.services.results.repairs.CANDIDATES_AT_ONCE", 3)
    task = complete(opened, write_list())
    app = open_page(page_urls.PROJECT, task=task.task_id)
    assert not [button for button in app.button if button.key == START]
    press(app, "repair_find")
    assert [button for button in app.button if button.key == START]


def test_the_report_counts_repairs(opened: Application) -> None:
    services = opened.services
    task = complete(opened, write_list())
    services.repairs.run(LOCAL_ACCOUNT, task.task_id, RepairChoice(SAFE_KINDS))
    page = make_report(newest(opened), services.clock()).content.decode()
    assert "What was repaired" in page
    assert "bo @mailboxes.example" not in page
