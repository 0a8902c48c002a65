"""Aliases as duplicates: addresses that reach one mailbox, and by one rule."""

from pathlib import Path
from typing import Any

import pytest

from tests.applications import Clock, complete
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.core.settings import Settings
from winnow.core.tasks.keep_rule import Keep, KeepChoice, KeepRule
from winnow.core.tasks.repair_choice import SAFE_REPAIRS
from winnow.core.tasks.task import Task, TaskState
from winnow.core.verdicts.verdict import Category
from winnow.domain_data.look_up.look_up import Knowledge
from winnow.wiring import Application, build_application

ROWS = [  # an address, the group of rows that reach the same mailbox, and its name
    ("ana.lopez@gmail.com", "ana", "analopez@gmail.com"),
    ("AnaLopez+shop@gmail.com", "ana", "analopez@gmail.com"),
    ("a.n.a.l.o.p.e.z@GoogleMail.com", "ana", "analopez@gmail.com"),
    ("analopez+a+b@googlemail.com", "ana", "analopez@gmail.com"),
    ("'ana.lopez+x@gmail.com", "quoted", "'analopez@gmail.com"),
    ("ana.lopez@outlook.com", "dots count", "ana.lopez@outlook.com"),
    ("analopez@outlook.com", "no dots", "analopez@outlook.com"),
    ("analopez+news@outlook.com", "no dots", "analopez@outlook.com"),
    ("ana+shop@firm-of-ours.com", "tag counts", "ana+shop@firm-of-ours.com"),
    ("ana@firm-of-ours.com", "no tag", "ana@firm-of-ours.com"),
    ("+ana@gmail.com", "leading plus", "+ana@gmail.com"),
    ("jürgen+x@gmail.com", "umlaut", "jürgen@gmail.com"),
    ("Jürgen@gmail.com", "umlaut", "jürgen@gmail.com"),
    ('"ana+x"@gmail.com', "quoted local part", '"ana+x"@gmail.com'),
    ("not an address", "fault", "not an address"),
    ("ana+x@yandex.ru", "yandex", "ana@yandex.ru"),
    ("ana@yandex.ru", "yandex", "ana@yandex.ru"),
]
ADDRESSES, GROUPS, MAILBOXES = (list(column) for column in zip(*ROWS, strict=True))
LAST = [address for place, address in enumerate(ADDRESSES)
        if GROUPS[place] not in GROUPS[place + 1 :]]  # fmt: skip
FIRST = [one for place, one in enumerate(ADDRESSES) if GROUPS[place] not in GROUPS[:place]]
LIST = "\n".join(["email", *('"' + one.replace('"', '""') + '"' for one in ADDRESSES), ""]).encode()


@pytest.fixture
def opened(tmp_path: Path, knowledge: Knowledge) -> Application:
    """A backend with the domain data of the project."""
    settings = Settings(data_dir=tmp_path / "data")
    return build_application(settings, clock=Clock(), open_knowledge=lambda: knowledge)


Table = tuple[tuple[str, ...], list[tuple[str, ...]]]


def clean(opened: Application, content: bytes, *keep: Keep, **options: Any) -> tuple[Task, Table]:
    """Run a list; return its task, and the names and cells of the result."""
    choice = KeepChoice(*keep, **options)
    task = complete(opened, content, keep=choice)
    assert task.state is TaskState.COMPLETED, task.error
    return task, read_table(opened, task)


def read_table(opened: Application, task: Task) -> Table:
    return opened.services.results.read_original(LOCAL_ACCOUNT, task.task_id, None, 0, 100)


@pytest.mark.parametrize(
    ("rule", "kept"),
    [
        pytest.param(KeepRule(), ADDRESSES, id="off-by-default"),
        pytest.param(KeepRule(joins_aliases=True), LAST, id="last"),
        pytest.param(KeepRule(Keep.FIRST, joins_aliases=True), FIRST, id="first"),
    ],
)
def test_addresses_of_one_mailbox_are_one_row(
    opened: Application, rule: KeepRule, kept: list[str]
) -> None:
    task, (_, rows) = clean(opened, LIST, rule.keep, joins_aliases=rule.joins_aliases)
    assert [row[0] for row in rows] == kept
    assert task.options.keep == rule


def test_own_lists_name_addresses_not_mailboxes(opened: Application) -> None:
    for address in ("ana+x@gmail.com", "bo@gmail.com"):
        opened.services.own_lists.add(LOCAL_ACCOUNT, address, Category.BLACK)
    content = b"email\nana@gmail.com\nana+x@gmail.com\nbo@gmail.com\nbo+y@gmail.com\n"
    _, (_, rows) = clean(opened, content, joins_aliases=True)
    assert [row[:2] for row in rows] == [("ana+x@gmail.com", "black"), ("bo+y@gmail.com", "grey")]


def test_the_column_mailbox_names_what_each_address_reaches(opened: Application) -> None:
    task, (names, rows) = clean(opened, LIST, adds_mailbox=True)
    assert names == ("email", "mailbox", "category", "domain_type")
    assert [row[0] for row in rows] == ADDRESSES  # nothing is replaced or removed
    assert [row[1] for row in rows] == MAILBOXES
    assert task.summary is not None
    assert task.summary.repaired == {}
    usual, _ = clean(opened, LIST)
    assert usual.summary == task.summary  # the verdicts and counts are those without it
    _, (_, rows) = clean(opened, LIST, joins_aliases=True, adds_mailbox=True)
    assert [row[0] for row in rows] == LAST
    assert sorted({row[1] for row in rows}) == sorted(set(MAILBOXES))


def test_repairs_leave_the_column_out_and_say_so(opened: Application) -> None:
    content, keep = b"email\nmailto:Ana+x@gmail.com\n", KeepChoice(adds_mailbox=True)
    task = complete(opened, content, keep=keep, repair=SAFE_REPAIRS)
    assert "mailbox_left_out" in [notice.code for notice in task.notices]
    assert read_table(opened, task)[0] == ("email", "email_repaired", "category", "domain_type")
