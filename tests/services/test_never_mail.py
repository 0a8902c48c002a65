"""Never-mail list: who said no in October is in no file of people to mail in November."""

from collections.abc import Sequence
from pathlib import Path
from threading import Event

import pytest

from tests.applications import (
    KNOWN,
    Clock,
    Interrupted,
    OpenApplication,
    complete,
    delete_for_good,
    download,
    explain,
    follow,
    measure_use,
    open_test_application,
    receive,
    send,
    submit,
    sweep,
)
from tests.services.test_downloads import unpack
from tests.services.test_mail_files import DOORS
from tests.services.test_own_files import forbid, list_files
from tests.tables import read_csv, write_csv
from winnow.core.addresses.repair_kinds import SAFE_KINDS
from winnow.core.decisions import PersonAnswer
from winnow.core.errors import QuotaExceeded
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.lists.comparison import Since, Wanted
from winnow.core.lists.exports import Export
from winnow.core.lists.platforms import Platform, PlatformFile
from winnow.core.lists.rows import Variant
from winnow.core.lists.side_files import MailOutcome, OwnFile, OwnFileKind
from winnow.core.meaning.columns import MailDecisions
from winnow.core.tasks.keep_rule import Keep, KeepRule
from winnow.core.tasks.repair_choice import SAFE_REPAIRS, RepairChoice
from winnow.core.tasks.task import KeyType, Task, TaskState
from winnow.core.verdicts.facts import DomainFacts
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Category
from winnow.storage.blobs.archive import restore_backup, write_backup
from winnow.storage.blobs.folder import DataFolder
from winnow.storage.repositories import own_files as own_file_rows
from winnow.storage.repositories.quota import read_storage
from winnow.wiring import Application

OCTOBER = write_csv(
    [
        ("email", "Status"),
        ("ana.k+news@gmail.com", "Unsubscribed"),
        ("ben@firma.example", "Complained"),
        ("cara@firma.example", "Bounced"),
        ("dora@firma.example", "Pending"),  # has confirmed since
        ("eve@firma.example", "Unsubscribed"),
        ("Eve@firma.example", "Subscribed"),  # the row that stays
        ("fay@firma.example", "Gold 2"),
        ("gil@firma.example", "Subscribed"),
    ]
)
FORBIDDEN = b"hal@firma.example\n*.gone.example\n"
SHOP = ("a.nak@googlemail.com", "ben@firma.example", "cara@firma.example", "dora@firma.example",
        "EVE@firma.example", "fay@firma.example", "gil@firma.example", "hal@firma.example",
        "ida@shop.gone.example", "jo@firma.example")  # fmt: skip
NOVEMBER = write_csv([("email", "order"), *((one, "1") for one in SHOP)])
TAGGED = KNOWN | {
    name: DomainFacts(name, has_plus_tags=True) for name in ("gmail.com", "googlemail.com")
}
LEFT_OUT = {"a.nak", "ben", "cara", "EVE", "hal", "ida"}


def read_people(content: bytes) -> set[str]:
    """Return the people of a file, by what is before their addresses' at-signs."""
    rows = read_csv(content.removeprefix(b"\xef\xbb\xbf"))
    return {cell.partition("@")[0] for row in rows for cell in row if "@" in cell}


def kept(opened: Application, task: Task) -> set[str]:
    return read_people(download(opened, task, Variant.CLEANED))


def list_left_out(opened: Application, task: Task) -> set[str]:
    return read_people(download(opened, task)) - kept(opened, task)


def list_sources(opened: Application) -> Sequence[OwnFile]:
    return [
        file
        for file in own_file_rows.list_files(opened.database, LOCAL_ACCOUNT)
        if file.kind is OwnFileKind.SAID_NO
    ]


@pytest.fixture
def opened(open_application: OpenApplication) -> Application:
    opened = open_application(known=TAGGED)
    opened.services.never_mail.turn(LOCAL_ACCOUNT, is_on=True)
    return opened


def say_no(opened: Application, clock: Clock, **options: object) -> Task:
    """Complete October's list, with a do-not-mail file; November begins."""
    task = complete(opened, OCTOBER, name="october.csv", **options)
    clock.advance(days=1)
    forbid(opened, task, FORBIDDEN)
    clock.advance(days=27)
    return task


@pytest.mark.parametrize("is_gone", [False, True], ids=["project-there", "project-expired"])
def test_every_door_of_the_second_month(opened: Application, clock: Clock, is_gone: bool) -> None:
    october = say_no(opened, clock)
    assert list_left_out(opened, october) == {"ana.k+news", "ben", "cara", "dora", "Eve"}
    if is_gone:
        clock.advance(days=3)
        sweep(opened)
    before = complete(opened, NOVEMBER.replace(b"jo@", b"kim@"), name="before.csv")
    task = complete(opened, NOVEMBER, name="shop.csv")
    for door in DOORS:
        assert not LEFT_OUT & read_people(send(opened, task, door)[1]), door
    files = unpack(download(opened, task, Variant.PACK))
    mailed = [data for name, data in files.items() if "cleaned" in name or "review" in name]
    assert len(mailed) == 2
    assert not any(LEFT_OUT & read_people(data) for data in mailed)
    issue = opened.services.downloads.issue
    link = issue(LOCAL_ACCOUNT, task.task_id, earlier_id=before.task_id)
    assert not LEFT_OUT & read_people(b"".join(follow(opened, link).read_content()))
    assert kept(opened, task) == {one.partition("@")[0] for one in SHOP} - LEFT_OUT
    assert read_people(download(opened, task, Variant.REMOVED)) == LEFT_OUT
    suppressed = Export(Variant.REMOVED, platform=PlatformFile(Platform.BREVO, is_suppression=True))
    assert read_people(send(opened, task, suppressed)[1]) == LEFT_OUT


def test_answers_of_the_api_and_the_sandbox_know_nothing(opened: Application, clock: Clock) -> None:
    say_no(opened, clock)
    task = complete(opened, NOVEMBER)
    assert download(opened, task).count(b"white") == len(SHOP), "the whole file"
    assert task.summary is not None
    assert sum(task.summary.do_not_mail.values()) == 0
    key, _ = opened.services.keys.create(LOCAL_ACCOUNT, "script", KeyType.LIVE)
    check = opened.services.checks.check_for_key(key, "127.0.0.1", "ben@firma.example")
    assert Reason.DO_NOT_MAIL not in {one.reason for one in check.evidence}
    sandbox = complete(opened, NOVEMBER, key_type=KeyType.SANDBOX)
    assert not list_left_out(opened, sandbox)
    known = opened.services.never_mail.list(LOCAL_ACCOUNT)
    complete(opened, OCTOBER.replace(b"gil", b"zoe"), key_type=KeyType.SANDBOX)
    assert opened.services.never_mail.list(LOCAL_ACCOUNT) == known


def test_off_it_adds_nothing_and_what_is_on_it_counts(opened: Application, clock: Clock) -> None:
    never_mail = opened.services.never_mail
    never_mail.turn(LOCAL_ACCOUNT, is_on=False)
    october = say_no(opened, clock)
    task = complete(opened, NOVEMBER)
    assert not never_mail.list(LOCAL_ACCOUNT)
    assert not list_left_out(opened, task)
    never_mail.remember(LOCAL_ACCOUNT, october.task_id)
    assert never_mail.is_on(LOCAL_ACCOUNT)
    assert list_left_out(opened, task) == LEFT_OUT
    never_mail.turn(LOCAL_ACCOUNT, is_on=False)
    assert list_left_out(opened, task) == LEFT_OUT


def test_an_entry_goes_with_the_last_list_that_said_it(opened: Application, clock: Clock) -> None:
    never_mail = opened.services.never_mail
    other = write_csv([("email", "Unsubscribed"), ("BEN@firma.example", "yes")])
    again = write_csv([("email", "Unsubscribed"), ("ana.k+news@gmail.com", "yes")])
    say_no(opened, clock)
    assert never_mail.count(LOCAL_ACCOUNT) == 6
    complete(opened, other, name="other.csv")
    complete(opened, again, name="again.csv")
    assert never_mail.count(LOCAL_ACCOUNT) == 6, "each person once"
    task = complete(opened, NOVEMBER)
    sources = {file.file_name: file.file_id for file in never_mail.list(LOCAL_ACCOUNT)}
    assert set(sources) == {"october.csv", "do-not-mail.csv", "other.csv", "again.csv"}
    assert never_mail.take_back(LOCAL_ACCOUNT, sources["again.csv"])
    found, is_left_out = never_mail.find_noes(LOCAL_ACCOUNT, "ben@firma.example")
    assert is_left_out
    assert [(one.source, f"{one.dated}") for one in found] == [
        ("your list october.csv", "2026-11-20"),
        ("your list other.csv", "2026-12-18"),
    ]
    assert never_mail.take_back(LOCAL_ACCOUNT, sources["october.csv"])
    assert list_left_out(opened, task) == {"ben", "hal", "ida"}
    assert never_mail.take_back(LOCAL_ACCOUNT, sources["other.csv"])
    assert list_left_out(opened, task) == {"hal", "ida"}
    assert never_mail.take_back(LOCAL_ACCOUNT, sources["do-not-mail.csv"])
    assert not list_left_out(opened, task)
    assert not never_mail.take_back("other", sources["do-not-mail.csv"])


def test_taken_back_a_file_stays_with_its_list(opened: Application, clock: Clock) -> None:
    october = say_no(opened, clock)
    [_, named] = opened.services.never_mail.list(LOCAL_ACCOUNT)
    opened.services.never_mail.take_back(LOCAL_ACCOUNT, named.file_id)
    assert list_files(opened, october) == [("do-not-mail.csv", 0)]
    used = measure_use(opened)
    delete_for_good(opened.services, october.task_id)
    sweep(opened)
    assert measure_use(opened) < used
    assert [one.file_name for one in opened.services.never_mail.list(LOCAL_ACCOUNT)] == [
        "october.csv"
    ]


def test_a_change_of_who_may_be_mailed_changes_what_the_list_said(
    opened: Application, clock: Clock
) -> None:
    change = opened.services.mail_choices.change
    october = say_no(opened, clock)
    complete(opened, write_csv([("email", "Unsubscribed"), ("ben@firma.example", "yes")]))
    task = complete(opened, NOVEMBER)
    decided = MailDecisions().decide_value("Status", "Gold 2", is_mailed=False)
    change(LOCAL_ACCOUNT, october.task_id, decided)
    assert list_left_out(opened, task) == {*LEFT_OUT, "fay"}
    change(LOCAL_ACCOUNT, october.task_id, decided.decide_column("Status", is_about_mail=False))
    assert list_left_out(opened, task) == {"ben", "hal", "ida"}


@pytest.mark.parametrize("kind", [OwnFileKind.SAID_NO, OwnFileKind.DO_NOT_MAIL])
def test_a_decision_leaves_what_was_taken_back(
    opened: Application, clock: Clock, kind: OwnFileKind
) -> None:
    october, never_mail = say_no(opened, clock), opened.services.never_mail
    task, left_out = complete(opened, NOVEMBER), {"hal", "ida"}
    [source] = (one for one in never_mail.list(LOCAL_ACCOUNT) if one.kind is kind)
    never_mail.take_back(LOCAL_ACCOUNT, source.file_id)
    decided = MailDecisions().decide_value("Status", "Gold 2", is_mailed=False)
    opened.services.mail_choices.change(LOCAL_ACCOUNT, october.task_id, decided)
    if kind is OwnFileKind.DO_NOT_MAIL:
        left_out = {*LEFT_OUT, "fay"} - left_out
    assert list_left_out(opened, task) == left_out
    asked = opened.services.decisions.answer_person(LOCAL_ACCOUNT, "ben@firma.example", "local")
    assert len(asked.page.decision.files) == (kind is not OwnFileKind.SAID_NO)
    never_mail.remember(LOCAL_ACCOUNT, october.task_id)
    assert list_left_out(opened, task) == {*LEFT_OUT, "fay"}


@pytest.mark.parametrize(
    ("rows", "keep", "said_no"),
    [
        pytest.param([("Unsub time", ""), ("2026-09-01 10:00", "")], "", "2026-09-01", id="own"),
        pytest.param([("Unsub time", ""), ("2036-09-01", "")], "", "2026-11-20", id="later"),
        pytest.param([("Status", "changed"), ("Unsubscribed", "2026-09-01")], "changed",
                     "2026-09-01", id="of-the-keep-rule"),
        pytest.param([("Status", "Last order"), ("Unsubscribed", "2026-09-01")], "Last order",
                     "2026-11-20", id="of-an-order"),
        pytest.param([("Status", "changed"), ("Unsubscribed", "2026-09-01"), ("Opted out", ""),
                      ("Subscribed", "2026-09-02")], "changed", "2026-11-20", id="another-without"),
    ],
)  # fmt: skip
def test_a_no_has_the_day_of_its_row(
    opened: Application, clock: Clock, rows: list[tuple[str, str]], keep: str, said_no: str
) -> None:
    never_mail, said = opened.services.never_mail, ["email", *["ana@web.example"] * len(rows)]
    choice = {"keep": KeepRule(Keep.NEWEST, keep_by=keep)} if keep else {}
    complete(opened, write_csv((one, *row) for one, row in zip(said, rows, strict=False)), **choice)
    clock.advance(days=20)
    again = [("email", "OPTIN_TIME"), ("ana@web.example", "2026-11-25")]
    task = complete(opened, write_csv(again))
    [yes] = never_mail.find_later_yes(LOCAL_ACCOUNT, task.task_id)
    assert f"{yes.said_no}" == said_no


def test_another_services_valid_is_no_later_yes(opened: Application, clock: Clock) -> None:
    complete(opened, write_csv([("email", "Status"), ("ana@web.example", "Unsubscribed")]))
    clock.advance(days=20)
    again = ("email", "ZB Status", "changed"), ("ana@web.example", "valid", "2026-11-25")
    task = complete(opened, write_csv(again), keep=KeepRule(Keep.NEWEST, 2))
    assert "ana" not in kept(opened, task)
    assert not opened.services.never_mail.find_later_yes(LOCAL_ACCOUNT, task.task_id)


@pytest.mark.parametrize(
    "lists",
    [
        pytest.param([[("ana.k@gmail.com", "2024-03-01", "2024-05-01")]], id="row"),
        pytest.param(
            [[("ana.k@gmail.com", "2024-03-01", ""), ("anak+x@gmail.com", "", "2024-05-01")]],
            id="mailbox",
        ),
        pytest.param(
            [[("ana.k@gmail.com", "2024-03-01", "")], [("anak@gmail.com", "", "2024-05-01")]],
            id="lists",
        ),
    ],
)
def test_no_yes_takes_back_a_hard_bounce_beside_a_no(
    opened: Application, clock: Clock, lists: list[list[tuple[str, str, str]]]
) -> None:
    never_mail = opened.services.never_mail
    again = [("email", "subscribed_at"), ("anak@gmail.com", "2025-03-01"), ("bo@web.example", "")]
    other = [("email", "unsubscribed_at"), ("ana.k@gmail.com", "2024-02-01")]
    complete(opened, write_csv(other))
    task = complete(opened, write_csv(again))
    [yes] = never_mail.find_later_yes(LOCAL_ACCOUNT, task.task_id)
    never_mail.mail_again(LOCAL_ACCOUNT, task.task_id, yes.number)
    assert kept(opened, task) == {"anak", "bo"}
    for rows in lists:
        complete(opened, write_csv([("email", "unsubscribed_at", "bounced_at"), *rows]))
    assert kept(opened, task) == {"bo"}
    assert not never_mail.find_later_yes(LOCAL_ACCOUNT, task.task_id)
    assert never_mail.find_noes(LOCAL_ACCOUNT, "anak@gmail.com")[1]


def test_decisions_of_two_tabs_add_up(opened: Application, clock: Clock) -> None:
    october = say_no(opened, clock)
    for value, is_mailed in (("Gold 2", False), ("Subscribed", True)):  # each tab sends its own
        decided = MailDecisions().decide_value("Status", value, is_mailed)
        opened.services.mail_choices.change(LOCAL_ACCOUNT, october.task_id, decided)
    assert "fay" in list_left_out(opened, october)


def test_the_own_words_of_a_list_cleaned_again_win(opened: Application, clock: Clock) -> None:
    october = say_no(opened, clock)
    again = opened.services.tasks.submit_again(LOCAL_ACCOUNT, october.task_id)
    for _ in range(2):
        complete(opened, OCTOBER, name="october.csv")
    decided = MailDecisions().decide_column("Status", is_about_mail=False)
    opened.services.mail_choices.change(LOCAL_ACCOUNT, again.task_id, decided)
    assert list_left_out(opened, again) == set()
    complete(opened, OCTOBER, name="october.csv", repair=SAFE_REPAIRS)
    for task in opened.services.tasks.list(LOCAL_ACCOUNT):
        delete_for_good(opened.services, task.task_id)
    names = [one.file_name for one in opened.services.never_mail.list(LOCAL_ACCOUNT)]
    assert names.count("october.csv") == 2, "one each day"


CORRECTED = {"repair": RepairChoice(SAFE_KINDS, {"gmial.com": "gmail.com"})}
REMOVED = CORRECTED | {"keep": KeepRule(Keep.FIRST), "has_twin": True}
INSIDE = CORRECTED | {"cells": ("Bo <bo@gmial.com>", "")}
SECOND = CORRECTED | {
    "email_column": "email",
    "second_email_column": "other",
    "cells": ("", "bo@gmial.com"),
}
NOW = {}, CORRECTED, REMOVED
BEFORE = CORRECTED, REMOVED, INSIDE, SECOND


def complete_both(
    opened: Application,
    status: str,
    *,
    has_twin: bool = False,
    cells: tuple[str, str] = ("bo@gmial.com", ""),
    **options: object,
) -> Task:
    """Complete a list with a misspelt address, and maybe the right one of the same person."""
    twin = [("bo@gmail.com", "", "Subscribed")] if has_twin else []
    rows = [("email", "other", "Status"), *twin, (*cells, status), ("al@firm.de", "", "Subscribed")]
    return complete(opened, write_csv(rows), **options)


@pytest.mark.parametrize(
    ("before", "now"),
    [
        *(pytest.param({}, now, id=f"now-{place}") for place, now in enumerate(NOW)),
        *(pytest.param(one, {}, id=f"before-{place}") for place, one in enumerate(BEFORE)),
        pytest.param(REMOVED, REMOVED, id="both"),
    ],
)
@pytest.mark.parametrize("remembers", [False, True], ids=["", "never-mail"])
def test_a_corrected_address_keeps_the_no_of_either_spelling(
    opened: Application,
    clock: Clock,
    before: dict[str, object],
    now: dict[str, object],
    remembers: bool,
) -> None:
    opened.services.never_mail.turn(LOCAL_ACCOUNT, is_on=remembers)
    october = complete_both(opened, "Unsubscribed", **before)
    clock.advance(days=28)
    task = complete_both(opened, "Subscribed", **now)
    assert kept(opened, task) == ({"al"} if remembers else {"al", "bo"})
    for one, two in ((october, task), (task, october)):
        ids = LOCAL_ACCOUNT, one.task_id, two.task_id
        assert "bo" not in read_people(b"".join(opened.services.comparisons.open_stream(*ids)()))
    added = Export(Variant.SELECTION, rows=Since(october.task_id, Wanted.ADD))
    assert "bo" not in read_people(send(opened, task, added)[1])


@pytest.mark.parametrize("options", [CORRECTED, REMOVED], ids=["corrected", "removed"])
@pytest.mark.parametrize("kind", [OwnFileKind.DO_NOT_MAIL, OwnFileKind.BOUNCES])
def test_a_file_that_names_what_was_corrected_is_cited(
    opened: Application, options: dict[str, object], kind: OwnFileKind
) -> None:
    alias = [("email",), ("bo@gmial.com",), ("b.o+x@googlemail.com",)]
    task = complete(opened, write_csv(alias), **CORRECTED)
    assert kept(opened, task) == {"bo", "b.o+x"}
    received = receive(opened, b"email,type\nBO@gmial.com,hard\n", "named.csv")
    opened.services.own_files.add(LOCAL_ACCOUNT, kind, received)
    assert kept(opened, task) == set()
    task = complete_both(opened, "Subscribed", **options)
    assert kept(opened, task) == {"al"}
    assert "named.csv" in str(explain(opened, task)[0].source)


def test_a_no_beside_a_wrapped_address_is_the_addresss(opened: Application, clock: Clock) -> None:
    opened.services.never_mail.turn(LOCAL_ACCOUNT, is_on=True)
    cells = "Ana <ana@web.example>", "mailto:bo@web.example", "cy@web.example, eve@web.example"
    rows = [("email", "Status"), *((one, "Unsubscribed") for one in cells)]
    subscribed = [(f"{one}@web.example", "Subscribed") for one in ("ana", "bo", "cy", "dan", "eve")]
    same = complete(opened, write_csv([*rows, *subscribed]), name="same.csv")
    assert kept(opened, same) == {"dan"}
    assert same.summary is not None
    assert same.summary.do_not_mail["said_no"] == 7  # rows of the three cells, and four people
    complete(opened, write_csv(rows), name="october.csv")
    clock.advance(days=28)
    assert kept(opened, complete(opened, write_csv([("email", "n"), *subscribed]))) == {"dan"}


def test_a_run_of_the_same_list_forgets_no_one(opened: Application) -> None:
    opened.services.never_mail.turn(LOCAL_ACCOUNT, is_on=True)
    said = [("email", "work", "Unsubscribed"), ("ann@web.example", "bo@firm.example", "yes")]
    find = opened.services.never_mail.find_noes
    first, other = (
        complete(opened, write_csv(said), name="october.csv", email_column=column)
        for column in ("email", "work")
    )
    assert find(LOCAL_ACCOUNT, "ann@web.example")[1]
    assert find(LOCAL_ACCOUNT, "bo@firm.example")[1]
    decided = MailDecisions().decide_column("Unsubscribed", is_about_mail=False)
    opened.services.mail_choices.change(LOCAL_ACCOUNT, first.task_id, decided)
    assert find(LOCAL_ACCOUNT, "ann@web.example") == ((), False)
    assert find(LOCAL_ACCOUNT, "bo@firm.example")[1], "the other run says so"
    opened.services.never_mail.turn(LOCAL_ACCOUNT, is_on=False)
    decided = decided.decide_column("Unsubscribed", is_about_mail=True)
    opened.services.mail_choices.change(LOCAL_ACCOUNT, first.task_id, decided)
    assert find(LOCAL_ACCOUNT, "ann@web.example")[1], "it is a source still"
    for task in (first, other):
        delete_for_good(opened.services, task.task_id)
        for name in ("ann@web.example", "bo@firm.example"):
            assert find(LOCAL_ACCOUNT, name)[1], "the list said it; the project is gone"


def test_a_no_holds_where_one_file_has_two_lists_of_people(
    opened: Application, clock: Clock
) -> None:
    said = [
        ("email", "Status", "partner"),
        ("ann@web.example", "Unsubscribed", "bo@firm.example"),
        ("cid@web.example", "Subscribed", "ann@web.example"),
    ]
    first = complete(opened, write_csv(said), name="pairs.csv", email_column="email")
    clock.advance(days=1)
    task = complete(opened, write_csv(said), name="pairs.csv", email_column="partner")
    assert read_csv(download(opened, task, Variant.CLEANED))[1:] == []
    came = {file.upload_id: file.created_at for file in list_sources(opened)}
    decided = MailDecisions().decide_value("Status", "Subscribed", is_mailed=False)
    opened.services.mail_choices.change(LOCAL_ACCOUNT, first.task_id, decided)
    assert {file.upload_id: file.created_at for file in list_sources(opened)} == came


def test_a_keep_list_outranks_a_bounce_and_no_persons_no(opened: Application, clock: Clock) -> None:
    say_no(opened, clock)
    opened.services.own_lists.add(LOCAL_ACCOUNT, "firma.example", Category.WHITE)
    assert "cara" in (kept(opened, complete(opened, NOVEMBER)))
    assert not {"ben", "EVE", "hal"} & kept(opened, complete(opened, NOVEMBER))
    both = ("cara@firma.example", "2024-03-01", "2024-05-01")
    complete(opened, write_csv([("email", "unsubscribed_at", "bounced_at"), both]))
    assert "cara" not in kept(opened, complete(opened, NOVEMBER))


def test_what_is_stored_is_counted_and_names_no_one(opened: Application, clock: Clock) -> None:
    say_no(opened, clock)
    clock.advance(days=3)
    sweep(opened)
    assert read_storage(opened.database, LOCAL_ACCOUNT).used_bytes > 0
    [said, named] = opened.services.never_mail.list(LOCAL_ACCOUNT)
    assert said.counts.by_outcome == {
        MailOutcome.UNSUBSCRIBED: 2,
        MailOutcome.COMPLAINED: 1,
        MailOutcome.HARD: 1,
    }
    assert named.counts.addresses == 1
    stored = b"".join(path.read_bytes() for path in opened.folder.own_files.iterdir())
    assert b"firma.example" not in stored


@pytest.mark.parametrize("end", ["lost", "full"])
def test_a_list_that_does_not_finish_says_nothing(
    open_application: OpenApplication, end: str
) -> None:
    opened = open_application()
    opened.services.never_mail.turn(LOCAL_ACCOUNT, is_on=True)
    task = submit(opened, OCTOBER)

    def interrupt() -> None:
        if end == "full":
            raise QuotaExceeded("full", used=1, limit=1)
        opened.services.tasks.cancel(LOCAL_ACCOUNT, task.task_id)

    store = opened.services.file_store
    store.blobs = Interrupted(store.blobs, "size", interrupt)
    opened.services.runs.run_next("test", Event())
    assert opened.services.tasks.get(LOCAL_ACCOUNT, task.task_id).state is TaskState.FAILED
    assert not opened.services.never_mail.list(LOCAL_ACCOUNT)
    assert not list(opened.folder.own_files.iterdir())


def test_many_lists_are_in_a_backup_and_in_requests_about_a_person(
    opened: Application, clock: Clock, tmp_path: Path
) -> None:
    say_no(opened, clock)
    asked = opened.services.decisions.answer_person
    for _ in range(2):  # asking removes nothing
        answer = asked(LOCAL_ACCOUNT, "eve@firma.example", "local").page.decision
        assert isinstance(answer, PersonAnswer)
        assert [(f"{one.source}", f"{one.dated}") for one, _ in answer.files] == [
            ("your list october.csv", "2026-11-20")
        ]
    [(named, project)] = asked(LOCAL_ACCOUNT, "hal@firma.example", "l").page.decision.files
    assert (named.source, project) == ("do-not-mail.csv", "spring")
    for number in range(6):
        row = (f"n{number}@firma.example", "yes")
        complete(opened, write_csv([("email", "Unsubscribed"), row]))
    clock.advance(days=3)
    sweep(opened)
    write_backup(opened.folder, opened.database, tmp_path / "backup", clock())
    restore_backup(tmp_path / "backup", DataFolder(tmp_path / "new" / "data"))
    again = open_test_application(tmp_path / "new", clock, known=TAGGED)
    assert list_left_out(again, complete(again, NOVEMBER)) == LEFT_OUT
    many = write_csv([("email", "x"), *((f"n{number}@firma.example", "") for number in range(9))])
    assert len(list_left_out(again, complete(again, many))) == 6
    again.database.close()


def test_a_later_yes_is_listed_and_counts_after_a_click(opened: Application, clock: Clock) -> None:
    never_mail = opened.services.never_mail
    say_no(opened, clock)
    days = dict.fromkeys(("EVE", "cara", "hal"), "2026-12-10")  # cara bounced, hal is on a file
    days |= {"ben": "2026-11-19", "a.nak": "2036-12-10"}
    rows = [(one, days.get(one.partition("@")[0], "")) for one in SHOP]
    task = complete(opened, write_csv([("email", "OPTIN_TIME"), *rows]))
    assert list_left_out(opened, task) == LEFT_OUT
    [yes] = never_mail.find_later_yes(LOCAL_ACCOUNT, task.task_id)
    assert (SHOP[yes.number - 1], f"{yes.said_no}", f"{yes.said_yes}") == (
        *("EVE@firma.example", "2026-11-20"),
        "2026-12-10",
    )
    never_mail.mail_again(LOCAL_ACCOUNT, task.task_id, 2)  # ben, who said no after that
    assert list_left_out(opened, task) == LEFT_OUT
    never_mail.mail_again(LOCAL_ACCOUNT, task.task_id, yes.number)
    assert list_left_out(opened, task) == LEFT_OUT - {"EVE"}
    for one, is_left_out in (("eve", False), ("ben", True), ("cara", True), ("hal", True)):
        assert never_mail.find_noes(LOCAL_ACCOUNT, f"{one}@firma.example")[1] is is_left_out, one
    assert not never_mail.find_later_yes(LOCAL_ACCOUNT, task.task_id)
    status = [(one, "Subscribed", "2026-12-12") for one in ("ben@firma.example", "x@y.example")]
    content = write_csv([("email", "Status", "changed"), *status])
    keep = KeepRule(Keep.NEWEST, keep_by="changed")
    other = complete(opened, content, keep=keep)
    [yes] = never_mail.find_later_yes(LOCAL_ACCOUNT, other.task_id)
    never_mail.mail_again(LOCAL_ACCOUNT, other.task_id, yes.number)
    assert list_left_out(opened, task) == LEFT_OUT - {"EVE", "ben"}
    complete(opened, OCTOBER.replace(b"Unsubscribed", b"Opted out"), name="december.csv")
    assert list_left_out(opened, task) == LEFT_OUT
    again = next(
        one for one in never_mail.list(LOCAL_ACCOUNT) if one.kind is OwnFileKind.MAIL_AGAIN
    )
    assert again.counts.by_outcome == {MailOutcome.DELIVERED: 2}
    assert never_mail.take_back(LOCAL_ACCOUNT, again.file_id)
