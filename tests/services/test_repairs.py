"""Repairs of finished projects: counted, made as a new project, listed, undone."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

import pytest
from sqlalchemy import select

from tests.applications import OpenApplication, complete, delete_for_good, download, run
from tests.tables import read_csv, write_csv
from winnow.core.addresses.repair_kinds import SAFE_KINDS, RepairKind
from winnow.core.addresses.repairs import propose_repair
from winnow.core.errors import BadField, Gone, TaskUnknown
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.lists.comparison import Difference
from winnow.core.lists.rows import RowFilter, Variant
from winnow.core.tasks.repair_choice import RepairChoice
from winnow.core.tasks.task import KeyType, Task, TaskState
from winnow.core.verdicts.facts import DomainFacts, Listing
from winnow.core.verdicts.verdict import Category
from winnow.storage.database.tables import tasks
from winnow.wiring import Application

EMAILS = (
    *("Ana <ana@gmail.com>", "bo @mailboxes.example", "cleo@gmail,com", "ana@gmail.com"),
    *("a@b.de; c@d.de", "dora@gmial.com", "Eva <eva@gmial.com>", "fay@gmailcom", "no address"),
    *("'gil@gmail.com", "o'hara@gmail.com", "", "mailto:ida@gmail.com", "jo@x.de,y"),
)
ALL = frozenset(RepairKind)
MAILBOXES = Listing("made-up list", "free", "gmail.com")
KNOWN = {
    "gmail.com": DomainFacts("gmail.com", free=MAILBOXES),
    "gmial.com": DomainFacts("gmial.com", misspells="gmail.com"),
}


@pytest.fixture
def application(open_application: OpenApplication) -> Application:
    """Everything on a new data folder, with knowledge of a misspelt domain."""
    return open_application(known=KNOWN)


def write_list(emails: tuple[str, ...] = EMAILS) -> bytes:
    return write_csv([("id", "email"), *enumerate(emails, start=1)])


def read_result(opened: Application, task: Task) -> list[dict[str, str]]:
    head, *rows = read_csv(download(opened, task, Variant.ORIGINAL))
    return [dict(zip(head, row, strict=True)) for row in rows]


def repair(opened: Application, task: Task, choice: RepairChoice) -> Task:
    made = opened.services.repairs.run(LOCAL_ACCOUNT, task.task_id, choice)
    run(opened)
    return opened.services.tasks.get(LOCAL_ACCOUNT, made.task_id)


@pytest.mark.parametrize("deduplicate", [True, False])
def test_what_is_offered_is_what_single_values_say(
    application: Application, deduplicate: bool
) -> None:
    task = complete(application, write_list(EMAILS * 2), deduplicate=deduplicate)
    services = application.services
    rows = read_result(application, task)
    find = services.knowledge().look_up
    proposals = [propose_repair(row["email"], find) for row in rows]
    offer = services.repairs.find_repairs(LOCAL_ACCOUNT, task.task_id)
    assert offer.total == sum(one is not None for one in proposals)
    kinds = Counter(
        one.repair.kind if one.repair is not None else one.kind for one in proposals if one
    )
    assert offer.count_kinds() == kinds
    listed, total = services.repairs.page(LOCAL_ACCOUNT, task.task_id, ALL, 0, 100)
    assert total == offer.total
    numbers: Iterable[int] = range(2, len(rows) + 2)  # below the header
    if deduplicate:
        last = {email: number for number, email in enumerate(EMAILS * 2, start=2)}
        numbers = [last[row["email"]] for row in rows]
    assert [(row.number, row.old, row.new) for row in listed] == [
        (number, row["email"], one.new)
        for number, row, one in zip(numbers, rows, proposals, strict=True)
        if one is not None
    ]
    safe, _ = services.repairs.page(LOCAL_ACCOUNT, task.task_id, SAFE_KINDS, 1, 3)
    assert safe == tuple(row for row in listed if row.kind in SAFE_KINDS)[1:4]


@pytest.mark.parametrize("kinds", [SAFE_KINDS, ALL, {RepairKind.MISSPELT}, {RepairKind.SEVERAL}])
def test_a_choice_repairs_as_many_rows_as_it_says(
    application: Application, kinds: frozenset[RepairKind]
) -> None:
    task = complete(application, write_list(EMAILS * 3), deduplicate=False)
    offer = application.services.repairs.find_repairs(LOCAL_ACCOUNT, task.task_id)
    choice = offer.choose(kinds)
    made = repair(application, task, choice)
    assert made.summary is not None
    assert sum(made.summary.repaired.values()) == offer.count(choice) > 0


def test_a_repaired_project_beside_its_origin(application: Application) -> None:
    services = application.services
    task = complete(application, write_list())
    before = services.usage.storage(LOCAL_ACCOUNT).used_bytes
    charged = sum(day.batch for day in services.usage.days(LOCAL_ACCOUNT))
    offer = services.repairs.find_repairs(LOCAL_ACCOUNT, task.task_id)
    made = repair(application, task, offer.choose(ALL))
    assert made.summary is not None
    assert made.state is TaskState.COMPLETED
    assert made.project_name == "spring, repaired"
    assert made.request.made_from == task.task_id
    rows = read_result(application, made)
    assert [row["email_original"] for row in rows] == [EMAILS[int(row["id"]) - 1] for row in rows]
    assert "gmail.com" in {row["email"].rpartition("@")[2] for row in rows}
    assert made.summary.duplicates_removed == task.summary.duplicates_removed + 1  # type: ignore[union-attr]
    now_charged = sum(day.batch for day in services.usage.days(LOCAL_ACCOUNT))
    assert now_charged - charged == made.summary.charged
    total = sum(row["email_original"] != row["email"] for row in rows)
    assert total == sum(made.summary.repaired.values())
    assert total + made.summary.duplicates_repaired == offer.total
    assert services.repairs.find_repairs(LOCAL_ACCOUNT, made.task_id).total == 0
    after = services.usage.storage(LOCAL_ACCOUNT)
    assert after.used_bytes == before + made.input_bytes + made.result_bytes
    for end in (services.deletions.undo, services.deletions.finish):
        assert services.repairs.undo(LOCAL_ACCOUNT, made.task_id).task_id == task.task_id
        with pytest.raises(Gone):
            services.tasks.get(LOCAL_ACCOUNT, made.task_id)
        assert services.usage.storage(LOCAL_ACCOUNT) == after
        end(LOCAL_ACCOUNT, [made.task_id])
        if end == services.deletions.undo:  # as the help of the button promises
            assert services.tasks.get(LOCAL_ACCOUNT, made.task_id) == made
            assert read_result(application, made) == rows
    assert services.usage.storage(LOCAL_ACCOUNT).used_bytes == before
    assert len(read_result(application, task)) == task.summary.rows_out  # type: ignore[union-attr]


def test_likely_repairs_follow_safe_ones(application: Application) -> None:
    services = application.services
    safe = RepairChoice(SAFE_KINDS)
    task = complete(application, write_list(), deduplicate=False, repair=safe)
    offer = services.repairs.find_repairs(LOCAL_ACCOUNT, task.task_id)
    assert not SAFE_KINDS & offer.count_kinds().keys()
    choice = replace(offer.choose(ALL), singles={"eva@gmial.com": None})
    made = repair(application, task, choice)
    rows = read_result(application, made)
    found = {row["email_original"]: row["email"] for row in rows}
    assert found["Eva <eva@gmial.com>"] == "eva@gmial.com"
    assert found["dora@gmial.com"] == "dora@gmail.com"
    assert found["Ana <ana@gmail.com>"] == "ana@gmail.com"
    assert services.repairs.undo(LOCAL_ACCOUNT, made.task_id).task_id == task.task_id


def test_undo_deletes_nothing_where_the_origin_is_gone(application: Application) -> None:
    services, task = application.services, complete(application, write_list())
    with pytest.raises(TaskUnknown):
        services.repairs.undo(LOCAL_ACCOUNT, task.task_id)
    made = repair(application, task, RepairChoice(SAFE_KINDS))
    delete_for_good(services, task.task_id)
    with pytest.raises(Gone):
        services.repairs.undo(LOCAL_ACCOUNT, made.task_id)
    assert services.tasks.get(LOCAL_ACCOUNT, made.task_id).state is TaskState.COMPLETED


def test_a_large_list_is_looked_through_when_asked(
    application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("winnow.services.results.repairs.CANDIDATES_AT_ONCE", 3)
    repairs = application.services.repairs
    task = complete(application, write_list())
    offer = repairs.find_repairs(LOCAL_ACCOUNT, task.task_id)
    assert (offer.total, offer.candidates is not None) == (0, True)
    shares: list[float] = []
    asked = repairs.find_repairs(LOCAL_ACCOUNT, task.task_id, at_any_size=True, tick=shares.append)
    assert asked.total > 0
    assert shares[-1] == 1
    assert repairs.find_repairs(LOCAL_ACCOUNT, task.task_id) == asked


def test_too_many_single_values_are_refused_and_the_sandbox_has_no_offer(
    application: Application,
) -> None:
    task = complete(application, write_list(), key_type=KeyType.SANDBOX)
    assert application.services.repairs.find_repairs(LOCAL_ACCOUNT, task.task_id).total == 0
    singles = dict.fromkeys(map(str, range(10_001)))
    with pytest.raises(BadField, match="one by one"):
        application.services.repairs.run(LOCAL_ACCOUNT, task.task_id, RepairChoice(singles=singles))
    assert len(application.services.tasks.list(LOCAL_ACCOUNT)) == 1


def test_what_a_deleted_project_repaired_is_forgotten(application: Application) -> None:
    choice = replace(RepairChoice(SAFE_KINDS), singles={"dora@gmial.com": "dora@gmail.com"})
    made = repair(application, complete(application, write_list()), choice)
    delete_for_good(application.services, made.task_id)
    kept = application.database.fetch(select(tasks).where(tasks.c.task_id == made.task_id))
    assert [row.options for row in kept] == [None]


FIRMS = ("Ana <ana@gmail.com>", "bo @firma.de", "ana@gmail.com", "cleo@firma.de", "no address")


def test_own_lists_name_the_repaired_address(application: Application) -> None:
    services, safe = application.services, RepairChoice(SAFE_KINDS)
    task = complete(application, write_list(FIRMS), repair=safe)
    services.own_lists.add(LOCAL_ACCOUNT, "bo@firma.de", Category.BLACK)
    rows = services.results.rows(LOCAL_ACCOUNT, task.task_id, RowFilter(), 0, 10).rows
    assert [(row.email, row.verdict.category) for row in rows] == [
        ("bo@firma.de", Category.BLACK),
        ("ana@gmail.com", Category.WHITE),
        ("cleo@firma.de", Category.WHITE),
        ("no address", Category.BLACK),
    ]
    shown = services.project_views.present(task).summary
    assert shown is not None
    assert shown.repaired == {"blanks": 1}  # the other is a duplicate now
    later = complete(application, write_list(FIRMS), repair=safe)
    assert later.summary is not None
    assert later.summary.by_category["black"] == 2


def test_a_repaired_project_is_compared_with_its_origin_by_address(
    application: Application,
) -> None:
    services = application.services
    before = complete(application, write_list(FIRMS))
    made = repair(application, before, RepairChoice(SAFE_KINDS))
    found = services.comparisons.compare(LOCAL_ACCOUNT, before.task_id, made.task_id)
    assert (found.same, found.blanks) == (3, 0)
    assert {one: found.count(one) for one in Difference if found.count(one)} == {
        Difference.NEW: 1,
        Difference.GONE: 2,
    }
