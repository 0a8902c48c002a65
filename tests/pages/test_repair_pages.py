"""The offer to fix addresses, what is chosen there, and the page of a repaired project."""

import pandas as pd
import pytest

from components.frame import page_urls
from components.project.repairs import KINDS, START
from tests.applications import OpenApplication, complete, delete_for_good, run
from tests.pages.conftest import Desk, press
from tests.services.test_repairs import KNOWN, write_list
from winnow.core.addresses.repair_kinds import SAFE_KINDS, RepairKind
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.lists.cleaning import Cleaning, CleaningPolicy
from winnow.core.tasks.repair_choice import RepairChoice
from winnow.core.tasks.task import Task
from winnow.wiring import Application


@pytest.fixture
def opened(open_application: OpenApplication) -> Application:
    """A backend that knows a misspelt domain."""
    return open_application(known=KNOWN)


def newest(opened: Application) -> Task:
    run(opened)
    tasks = opened.services.tasks.list(LOCAL_ACCOUNT)
    return next(task for task in tasks if task.request.made_from is not None)


def test_every_address_is_shown_and_its_kinds_are_chosen(desk: Desk) -> None:
    task = complete(desk.opened, write_list())
    app = press(desk.open(page_urls.PROJECT, task=task.task_id), "repair_list")
    offer = desk.services.repairs.find_repairs(LOCAL_ACCOUNT, task.task_id)
    (table,) = app.data_editor
    shown: pd.DataFrame = table.value
    rows, total = desk.services.repairs.page(
        LOCAL_ACCOUNT, task.task_id, tuple(RepairKind), 0, 1_000
    )
    assert shown["fix"].tolist() == [kind.startswith("safe: ") for kind in shown["kind"]]
    assert sorted(zip(shown["number"], shown["old"], shown["new"], strict=True)) == [
        (row.number, row.old, row.new) for row in rows
    ]
    app.button_group(key=KINDS).set_value(list(offer.count_kinds())).run()
    assert app.data_editor[0].value["fix"].all()
    assert app.button(key=START).label == f"Correct {total} addresses"
    press(app, START)
    made = newest(desk.opened)
    assert made.request.repair == offer.choose(tuple(offer.count_kinds()))
    assert app.query_params["task"] == made.task_id


def test_only_the_safe_ones_are_fixed_in_one_press(desk: Desk) -> None:
    task = complete(desk.opened, write_list())
    app = desk.open(page_urls.PROJECT, task=task.task_id)
    offer = desk.services.repairs.find_repairs(LOCAL_ACCOUNT, task.task_id)
    safe = offer.count(offer.choose(SAFE_KINDS))
    assert 0 < safe < offer.total
    said = f"{safe} corrections are certain, the others are guesses."
    assert any(one.value.endswith(said) for one in app.markdown)
    assert app.button(key=START).label == f"Correct {safe} addresses"
    press(app, "repair_list")
    app.button_group(key=KINDS).set_value([]).run()
    assert app.button(key=START).disabled
    press(app, "repair_close")
    press(app, START)
    repair = newest(desk.opened).request.repair
    assert repair is not None
    assert repair.kinds == SAFE_KINDS
    assert not repair.domains


def test_the_page_of_a_repaired_project(desk: Desk) -> None:
    task = complete(desk.opened, write_list())
    desk.services.repairs.run(LOCAL_ACCOUNT, task.task_id, RepairChoice(SAFE_KINDS))
    made = newest(desk.opened)
    assert made.summary is not None
    count = sum(made.summary.repaired.values())
    effect = desk.services.results.weigh(LOCAL_ACCOUNT, made.task_id, CleaningPolicy())
    cleaning = Cleaning(CleaningPolicy(), effect)
    report = desk.services.decisions.report(made, cleaning).content.decode()
    assert "What was repaired" in report
    assert "bo @mailboxes.example" not in report
    app = desk.open(page_urls.PROJECT, task=made.task_id)
    told = [mark.value for mark in app.markdown if mark.value.startswith("Made from")]
    removed = "1 more repaired address was a duplicate and was removed."
    assert made.summary.duplicates_repaired == 1
    assert told == [f"Made from **spring** with {count} repairs. {removed}"]
    assert desk.services.repairs.find_repairs(LOCAL_ACCOUNT, made.task_id).total
    assert START not in [button.key for button in app.button], "all that are left are guesses"
    delete_for_good(desk.services, task.task_id)
    app = desk.open(page_urls.PROJECT, task=made.task_id)
    assert not [button for button in app.button if button.key == "repair_undo"]
    assert any("is gone" in mark.value for mark in app.markdown)


def test_a_large_list_is_looked_through_by_a_button(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = desk.open_project(b"email\na@x.de\nnobody\n")
    assert not {START, "repair_find"} & {button.key for button in app.button}, "it has no fault"
    monkeypatch.setattr("winnow.services.results.repairs.CANDIDATES_AT_ONCE", 3)
    app = desk.open_project(write_list())
    assert not [button for button in app.button if button.key == START]
    press(app, "repair_find")
    assert [button for button in app.button if button.key == START]
