"""Decision pages: what they say of a row, a check, a list, and to a person."""

import hashlib
import html
import re
from dataclasses import replace

import pytest

from tests.applications import (
    LIST,
    Clock,
    OpenApplication,
    complete,
    delete_for_good,
    receive,
    run,
    stage,
    submit,
)
from tests.network.static_answers import StaticResolver
from winnow.core.decisions import PersonAnswer
from winnow.core.errors import TaskUnknown
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.lists.cleaning import CleaningPolicy
from winnow.core.lists.side_files import OwnFileKind
from winnow.core.tasks.repair_choice import SAFE_REPAIRS, RepairPlace
from winnow.core.verdicts.facts import DnsAnswer, MailRoute
from winnow.core.verdicts.verdict import Category
from winnow.services.results.reports import PersonLetter, Report
from winnow.wiring import Application
from winnow.words import speaking

ANA = "ana@mailboxes.example"
POLICY = CleaningPolicy()
MANY = (
    b"id;email;note\r\n"
    b"1;ana@mailboxes.example;first\r\n"
    b"2;joana@mailboxes.example;no\r\n"
    b'3;ANA@Mailboxes.example;"a ""quoted"" note\nin two lines"\r\n'
    b"4;bo@mailboxes.example;friend of ana@mailboxes.example, she said\r\n"
    b"5;cy@mailboxes.example;ana@mailboxes.example.org\r\n"
    b"6;Ana <ana@mailboxes.example>;display\r\n"
    b"7;eve@throwaway.example;\r\n"
)


def read_text(report: Report) -> str:
    """Return what a reader sees."""
    page = re.sub(r"<(style|script)\b.*?</\1>", "", report.content.decode(), flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


def answer(opened: Application, address: str = ANA, account: str = LOCAL_ACCOUNT) -> PersonLetter:
    return opened.services.decisions.answer_person(account, address, "local")


def explain_row(opened: Application, task_id: str, number: int = 2) -> Report:
    return opened.services.decisions.explain_row(LOCAL_ACCOUNT, task_id, number, POLICY, "local")


def test_a_row_and_a_check_are_told_with_evidence_policy_and_versions(opened: Application) -> None:
    task = complete(opened)
    report = explain_row(opened, task.task_id)
    assert report.file_name == "spring-row-4-decision-with-address.html"
    text = read_text(report)
    for said in (
        "two@throwaway.example",
        "✕ remove (disposable, or mail cannot reach it)",
        "(policy “Standard”)",
        "2 Mar 2026",
        "The row is removed for:",
        "this machine's user",
        "spring",
        "list.csv",
        hashlib.sha256(LIST).hexdigest(),
        "Program Winnow",
    ):
        assert said in text, said
    result = opened.services.checks.check_address(LOCAL_ACCOUNT, "x@throwaway.example")
    report = opened.services.decisions.explain_check(LOCAL_ACCOUNT, result, "ana")
    assert report.file_name == "check-2026-11-20-decision-with-address.html"
    assert "Made and chosen by ana" in read_text(report)


def test_a_policy_with_a_name_of_ones_own_keeps_it_in_another_language(
    opened: Application,
) -> None:
    task, policies = complete(opened), opened.services.policies
    policy_id = policies.find_default(LOCAL_ACCOUNT).policy_id
    policies.change(LOCAL_ACCOUNT, policy_id, name="Projects")
    with speaking("de"):
        assert "„Projects“" in read_text(explain_row(opened, task.task_id))


def test_a_row_that_own_lists_decide_names_entry_and_the_verdict_without_it(
    opened: Application,
) -> None:
    task = complete(opened)
    opened.services.own_lists.add(LOCAL_ACCOUNT, "throwaway.example", Category.WHITE, "our partner")
    report = explain_row(opened, task.task_id)
    text = read_text(report)
    assert "your lists, by the entry throwaway.example, added on 20 Nov 2026" in text
    assert "Note: our partner" in text
    assert "Without your lists" in text
    assert "The row is kept." in text


def test_all_that_is_kept_about_an_address_is_told(opened: Application, clock: Clock) -> None:
    first = complete(opened, MANY, project_name="March", deduplicate=False)
    complete(opened, LIST, project_name="April")
    submit(opened, LIST, project_name="May")
    stage(opened, LIST, name="June.csv")
    services = opened.services
    services.own_lists.add(LOCAL_ACCOUNT, "Ana@mailboxes.example", Category.GREY, "called us")
    services.own_lists.add(LOCAL_ACCOUNT, "throwaway.example", Category.WHITE)
    checks = services.checks
    checks.remember(LOCAL_ACCOUNT, checks.check_many(LOCAL_ACCOUNT, [ANA, "bo@x.example"]))
    letter = answer(opened, f" {ANA.upper()} ")
    report = letter.report
    assert letter.page.searched == 2
    assert report.file_name == "answer-2026-11-20-with-address.html"
    told = letter.page.decision
    (project,) = told.projects
    assert project.project.task_id == first.task_id
    assert [(row.number, row.is_email) for row in project.rows] == [
        *((2, True), (4, True), (5, False), (7, False))
    ]
    assert project.rows[1].cells == [
        ["id", "3"],
        ["email", "ANA@Mailboxes.example"],
        ["note", 'a "quoted" note\nin two lines'],
    ]
    assert [entry.pattern for entry in told.entries] == [ANA]
    assert len(told.checks) == 1
    assert len(told.changes) == 1
    text = read_text(report)
    for said in (
        "2 checked lists",
        "It is in 4 rows of 1 list.",
        "For March: nothing.",
        "called us",
        "What was not searched",
        "May",
        "June.csv",
        "20 Dec 2026",
    ):
        assert said in text, said
    assert "April" not in text


def test_an_entry_that_was_removed_is_still_told_from_what_can_be_undone(
    opened: Application,
) -> None:
    own_lists = opened.services.own_lists
    data = f"pattern,category\n{ANA},black\nx.example,white\n".encode()
    own_lists.import_file(LOCAL_ACCOUNT, receive(opened, data, "own.csv"), Category.GREY)
    own_lists.remove(LOCAL_ACCOUNT, [ANA])
    letter = answer(opened)
    report, told = letter.report, letter.page.decision
    assert (told.entries, len(told.changes)) == ([], 2)
    assert "kept so that they can be undone" in read_text(report)
    assert "in none of them" not in read_text(report)


def test_files_that_name_an_address_are_told_though_no_row_does(opened: Application) -> None:
    task = complete(opened, project_name="March")
    services = opened.services
    forbidden = receive(opened, f"email\n{ANA.upper()}\n".encode(), "never again.csv")
    services.own_files.add_to_task(LOCAL_ACCOUNT, task.task_id, forbidden)
    bounced = f"email,bounce_type,date\n{ANA},hard,2026-11-01\n".encode()
    bounces = receive(opened, bounced, "bounced.csv")
    services.own_files.add(LOCAL_ACCOUNT, OwnFileKind.BOUNCES, bounces)
    letter = answer(opened)
    files = letter.page.decision.files  # of one moment, by their ids
    assert sorted((project, str(file.dated)) for file, project in files) == [
        ("", "2026-11-01"),
        ("March", "2026-11-20"),
    ]
    text = read_text(letter.report)
    assert "never again.csv" in text
    assert "bounced.csv" in text
    assert "in none of them" not in text


def test_nothing_found_is_said_plainly_and_another_accounts_lists_are_not_searched(
    opened: Application,
) -> None:
    task = complete(opened)
    opened.services.accounts.create("other")
    for given in (("no@body.example",), ("two@throwaway.example", "other")):
        assert "Your address is in none of them." in read_text(answer(opened, *given).report)
    with pytest.raises(TaskUnknown):
        opened.services.decisions.explain_row("other", task.task_id, 1, POLICY, "x")


def test_what_left_the_machine_is_told(open_application: OpenApplication) -> None:
    resolver = StaticResolver({"mailboxes.example": DnsAnswer(MailRoute.MX, ("mx.example",), 60)})
    opened = open_application(resolver=resolver)
    opened.services.network.turn("dns", True)
    complete(opened, MANY, project_name="March")
    text = read_text(answer(opened).report)
    assert (
        "For March: the name of the domain mailboxes.example, to a DNS server, on "
        "20 Nov 2026, 12:00 UTC." in text
    )


def test_pages_are_made_in_another_language(opened: Application) -> None:
    ragged = b"id,email\n1,ana@mailboxes.example,x\n2,two@throwaway.example\n3,bo x\n"
    task = complete(opened, ragged, project_name="for boss@x.example")
    assert task.notices
    opened.services.own_lists.add(LOCAL_ACCOUNT, "throwaway.example", Category.WHITE, "note")
    with speaking("de"):
        made = explain_row(opened, task.task_id), answer(opened, "two@throwaway.example").report
    assert all(b'<html lang="de">' in report.content for report in made)


def test_hostile_texts_are_text(opened: Application) -> None:
    cell = '</script><script>alert(1)</script><img src=x onerror=alert(1)>&amp;"'
    quoted = cell.replace('"', '""')
    content = f'email,"<b>{quoted}"\r\n{ANA},"{quoted}"\r\n'.encode()
    task = complete(opened, content, project_name="<i>&{{x}}")
    for report in (
        explain_row(opened, task.task_id, 1),
        answer(opened).report,
    ):
        page = report.content.decode()
        assert "<img" not in page
        assert "<script>alert" not in page
        assert "<script" not in page


@pytest.mark.parametrize("is_repaired", [False, True])
def test_removed_duplicates_are_told_with_their_cells(
    opened: Application, *, is_repaired: bool
) -> None:
    rows = [
        ("id", "email", "note"),
        ("1", "ANA@Mailboxes.example", "first"),
        ("2", "bo@mailboxes.example", f"friend of {ANA}"),
        ("3", ANA, "second"),
        ("4", "bo@mailboxes.example", "last"),
        ("5", ANA, "third"),
        ("6", "cleo(at)mailboxes.example", ""),
    ]
    task = complete(opened, "\n".join(map(",".join, rows)).encode(), project_name="March")
    if is_repaired:
        opened.services.repairs.run(
            LOCAL_ACCOUNT, task.task_id, replace(SAFE_REPAIRS, place=RepairPlace.REPLACE)
        )
        run(opened)
        delete_for_good(opened.services, task.task_id)
        rows[0] = (*rows[0], "email_original")
    letter = answer(opened)
    assert isinstance(letter.page.decision, PersonAnswer)
    (project,) = letter.page.decision.projects
    assert [name for name, _ in project.rows[-1].cells] == [*rows[0]]
    told = [(row.number, row.is_email, row.verdict is None) for row in project.rows]
    assert told == [(2, True, True), (3, False, True), (4, True, True), (6, True, False)]
    assert [row.cells[2][1] for row in project.rows] == [rows[one][2] for one in (1, 2, 3, 5)]
    assert project.row_count == 4
    name = project.project.project_name
    assert f"Row 3 of {name}, removed as a duplicate" in read_text(letter.report)
    assert "It is in 4 rows of 1 list. This is everything." in read_text(letter.report)


def test_pages_name_the_action_of_people_who_said_no(opened: Application) -> None:
    task = complete(opened, f"email,Status\r\n{ANA},Unsubscribed\r\n".encode())
    assert "Our decision ⊘ do not mail Why unsubscribed" in read_text(answer(opened).report)
    said = "Recommended ⊘ do not mail (a person said no, or mail came back)"
    assert said in read_text(explain_row(opened, task.task_id, 1))
