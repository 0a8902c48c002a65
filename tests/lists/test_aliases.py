"""Aliases as duplicates: addresses that reach one mailbox, in every format and by one rule."""

from pathlib import Path
from threading import Event

import polars as pl
import pytest

from tests.applications import Clock, stage
from tests.workbooks import write_workbook
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.core.addresses.mailbox import find_base
from winnow.core.settings import Settings
from winnow.core.tasks.keep_rule import Keep, KeepChoice, KeepRule
from winnow.core.tasks.repair_choice import SAFE_REPAIRS
from winnow.core.tasks.run_request import RunRequest
from winnow.core.tasks.task import Task, TaskState
from winnow.core.verdicts.verdict import Category
from winnow.domain_data.look_up.look_up import Knowledge
from winnow.wiring import Application, build_application

ROWS = [  # an address, and the group of rows that reach the same mailbox
    ("ana.lopez@gmail.com", "ana"),
    ("AnaLopez+shop@gmail.com", "ana"),
    ("a.n.a.l.o.p.e.z@GoogleMail.com", "ana"),
    ("analopez+a+b@googlemail.com", "ana"),
    ("'ana.lopez+x@gmail.com", "quoted"),
    ("ana.lopez@outlook.com", "dots count"),
    ("analopez@outlook.com", "no dots"),
    ("analopez+news@outlook.com", "no dots"),
    ("ana+shop@firm-of-ours.com", "tag counts"),
    ("ana@firm-of-ours.com", "no tag"),
    ("+ana@gmail.com", "leading plus"),
    ("jürgen+x@gmail.com", "umlaut"),
    ("Jürgen@gmail.com", "umlaut"),
    ('"ana+x"@gmail.com', "quoted local part"),
    ("not an address", "fault"),
    ("ana+x@yandex.ru", "yandex"),
    ("ana@yandex.ru", "yandex"),
]
LAST = [text for place, (text, group) in enumerate(ROWS)
        if group not in {later for _, later in ROWS[place + 1 :]}]  # fmt: skip


@pytest.fixture
def opened(tmp_path: Path, knowledge: Knowledge) -> Application:
    """A backend with the domain data of the project."""
    settings = Settings(data_dir=tmp_path / "data")
    return build_application(settings, clock=Clock(), open_knowledge=lambda: knowledge)


def clean(opened: Application, content: bytes, name: str, keep: KeepChoice) -> Task:
    upload = stage(opened, content, name=name)
    request = RunRequest(keep=keep)
    task = opened.services.tasks.submit(LOCAL_ACCOUNT, upload.upload_id, request)
    while opened.runs.run_next("test", Event()) is not None:
        pass
    task = opened.services.tasks.get(LOCAL_ACCOUNT, task.task_id)
    assert task.state is TaskState.COMPLETED, task.error
    return task


def write_list(folder: Path, extension: str) -> bytes:
    texts = [text for text, _ in ROWS]
    path = folder / f"list.{extension}"
    if extension == "csv":
        cells = ['"' + text.replace('"', '""') + '"' for text in texts]
        path.write_text("\n".join(["email", *cells, ""]), encoding="utf-8")
    elif extension == "xlsx":
        write_workbook(path, [("email",), *((text,) for text in texts)])
    else:
        pl.DataFrame({"email": texts}).write_parquet(path)
    return path.read_bytes()


def read_emails(opened: Application, task: Task) -> list[str]:
    _, rows = opened.services.results.read_original(LOCAL_ACCOUNT, task.task_id, None, 0, 100)
    return [row[0] for row in rows]


@pytest.mark.parametrize("extension", ["csv", "xlsx", "parquet"])
def test_addresses_of_one_mailbox_are_one_row(
    opened: Application, tmp_path: Path, extension: str
) -> None:
    content = write_list(tmp_path, extension)
    task = clean(opened, content, f"list.{extension}", KeepChoice(joins_aliases=True))
    assert read_emails(opened, task) == LAST
    assert task.options.keep == KeepRule(joins_aliases=True)


def test_without_the_option_the_contracts_rule_stays(opened: Application, tmp_path: Path) -> None:
    task = clean(opened, write_list(tmp_path, "csv"), "list.csv", KeepChoice())
    assert read_emails(opened, task) == [text for text, _ in ROWS]


def test_the_keep_rule_counts_for_aliases_too(opened: Application, tmp_path: Path) -> None:
    keep = KeepChoice(Keep.FIRST, joins_aliases=True)
    task = clean(opened, write_list(tmp_path, "csv"), "list.csv", keep)
    seen: set[str] = set()
    first = [text for text, group in ROWS if group not in seen and not seen.add(group)]
    assert read_emails(opened, task) == first


def test_own_lists_name_addresses_not_mailboxes(opened: Application) -> None:
    own = opened.services.own_lists
    own.add(LOCAL_ACCOUNT, "ana+x@gmail.com", Category.BLACK)
    own.add(LOCAL_ACCOUNT, "bo@gmail.com", Category.BLACK)
    content = b"email\nana@gmail.com\nana+x@gmail.com\nbo@gmail.com\nbo+y@gmail.com\n"
    task = clean(opened, content, "list.csv", KeepChoice(joins_aliases=True))
    _, rows = opened.services.results.read_original(LOCAL_ACCOUNT, task.task_id, None, 0, 100)
    assert [row[:2] for row in rows] == [("ana+x@gmail.com", "black"), ("bo+y@gmail.com", "grey")]


@pytest.mark.parametrize(
    ("local_part", "domain", "base"),
    [
        ("a.b+c", "gmail.com", "ab"),
        ("a.b+c", "googlemail.com", "ab"),
        ("a.b+c", "outlook.com", "a.b"),
        ("a.b+c", "firm.example", "a.b+c"),
        ("+a+b", "outlook.com", "+a+b"),
        ('"a+b"', "gmail.com", '"a+b"'),
    ],
)
def test_the_local_part_that_names_a_mailbox(local_part: str, domain: str, base: str) -> None:
    assert find_base(local_part, domain, lambda one: one != "firm.example") == base


MAILBOXES = [
    "analopez@gmail.com",
    "analopez@gmail.com",
    "analopez@gmail.com",
    "analopez@gmail.com",
    "'analopez@gmail.com",
    "ana.lopez@outlook.com",
    "analopez@outlook.com",
    "analopez@outlook.com",
    "ana+shop@firm-of-ours.com",
    "ana@firm-of-ours.com",
    "+ana@gmail.com",
    "jürgen@gmail.com",
    "jürgen@gmail.com",
    '"ana+x"@gmail.com',
    "not an address",
    "ana@yandex.ru",
    "ana@yandex.ru",
]


@pytest.mark.parametrize("extension", ["csv", "xlsx", "parquet"])
def test_the_column_mailbox_names_what_each_address_reaches(
    opened: Application, tmp_path: Path, extension: str
) -> None:
    content = write_list(tmp_path, extension)
    task = clean(opened, content, f"list.{extension}", KeepChoice(adds_mailbox=True))
    names, rows = opened.services.results.read_original(LOCAL_ACCOUNT, task.task_id, None, 0, 100)
    assert names == ("email", "mailbox", "category", "domain_type")
    assert [row[0] for row in rows] == [text for text, _ in ROWS]  # nothing is replaced or removed
    assert [row[1] for row in rows] == MAILBOXES
    assert task.summary is not None
    assert task.summary.repaired == {}
    usual = clean(opened, content, f"usual.{extension}", KeepChoice())
    assert usual.summary == task.summary  # the verdicts and counts are those without it
    joined = KeepChoice(joins_aliases=True, adds_mailbox=True)
    task = clean(opened, content, f"list.{extension}", joined)
    _, rows = opened.services.results.read_original(LOCAL_ACCOUNT, task.task_id, None, 0, 100)
    assert [row[0] for row in rows] == LAST
    assert sorted({row[1] for row in rows}) == sorted(set(MAILBOXES))


def test_a_list_with_a_column_of_that_name_gets_another(opened: Application) -> None:
    content = b"email,mailbox\nAna+x@gmail.com,a\n,b\n\nbo@firm-of-ours.com,\n"
    task = clean(opened, content, "list.csv", KeepChoice(adds_mailbox=True))
    names, rows = opened.services.results.read_original(LOCAL_ACCOUNT, task.task_id, None, 0, 9)
    assert names[2] == "mailbox_2"
    assert [row[2] for row in rows] == ["ana@gmail.com", "", "bo@firm-of-ours.com"]
    assert [notice.code for notice in task.notices] == ["columns_renamed"]


def test_repairs_leave_the_column_out_and_say_so(opened: Application) -> None:
    upload = stage(opened, b"email\nmailto:Ana+x@gmail.com\n")
    request = RunRequest(keep=KeepChoice(adds_mailbox=True), repair=SAFE_REPAIRS)
    task = opened.services.tasks.submit(LOCAL_ACCOUNT, upload.upload_id, request)
    while opened.runs.run_next("test", Event()) is not None:
        pass
    task = opened.services.tasks.get(LOCAL_ACCOUNT, task.task_id)
    assert "mailbox_left_out" in [notice.code for notice in task.notices]
    names, _ = opened.services.results.read_original(LOCAL_ACCOUNT, task.task_id, None, 0, 9)
    assert names == ("email", "email_repaired", "category", "domain_type")
