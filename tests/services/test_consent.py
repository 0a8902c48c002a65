"""Rows whose own column says that they may not be mailed: left out, counted, suppressed."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from tests.applications import complete, download, send
from tests.lists.test_report_page import read_rows
from tests.services.test_mail_files import read_first
from tests.tables import write_csv
from tests.workbooks import write_workbook
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.lists.cleaning import USUAL_GROUNDS, Cleaning, CleaningPolicy, WhoDecides
from winnow.core.lists.dimensions import REASON
from winnow.core.lists.exports import DownloadChoice, Export
from winnow.core.lists.platforms import Platform, PlatformFile
from winnow.core.lists.rows import Chosen, RowFilter, Variant
from winnow.core.meaning.columns import NO_DECISIONS
from winnow.core.tasks.keep_rule import Keep, KeepRule
from winnow.core.tasks.task import Task
from winnow.core.verdicts.domain_types import Ground
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Category
from winnow.wiring import Application

ROWS = (
    ("Email", "Email Marketing Consent", "Email Suppressions"),
    ("ana@mailboxes.example", "SUBSCRIBED", ""),
    ("bo@mailboxes.example", "UNSUBSCRIBED", ""),
    ("cy@throwaway.example", "UNSUBSCRIBED", "['HARD_BOUNCE']"),
    ("di@firma.example", "NEVER_SUBSCRIBED", ""),
    ("eve@firma.example", "SUBSCRIBED", "USER_SUPPRESSED"),
    ("fay@firma.example", "odd", ""),
)
KEPT = ["ana@mailboxes.example", "di@firma.example", "fay@firma.example"]
GONE = ["bo@mailboxes.example", "cy@throwaway.example", "eve@firma.example"]


def export(opened: Application, task: Task, variant: Variant, file: PlatformFile) -> list[str]:
    return read_first(send(opened, task, Export(variant, platform=file))[1])


def test_unsubscribed_rows_are_left_out_counted_and_suppressed(opened: Application) -> None:
    task = complete(opened, write_csv(ROWS))
    whole = download(opened, task)
    assert read_first(whole) == [row[0] for row in ROWS[1:]]
    assert whole == download(opened, task, Variant.ORIGINAL)
    assert read_first(download(opened, task, Variant.CLEANED)) == KEPT
    contacts, suppressed = PlatformFile(Platform.KLAVIYO), PlatformFile(Platform.KLAVIYO, True)
    assert export(opened, task, Variant.CLEANED, contacts) == KEPT
    assert export(opened, task, Variant.REMOVED, suppressed) == GONE
    results = opened.services.results
    effect = results.weigh(LOCAL_ACCOUNT, task.task_id, CleaningPolicy())
    assert effect.by_ground[Ground.UNSUBSCRIBED] == 3
    assert effect.lost_by_reason == {Reason.UNSUBSCRIBED: 2, Reason.DISPOSABLE_LISTED: 1}
    filtered = RowFilter(Chosen().choose(REASON, "unsubscribed"))
    with results.opened(LOCAL_ACCOUNT, task.task_id) as opened_rows:
        rows = opened_rows.page(filtered, 0, 10).rows
    assert [row.email for row in rows] == GONE
    (said, *_) = results.explain(LOCAL_ACCOUNT, task.task_id, rows[0]).evidence
    assert said.rule == "The column Email Marketing Consent of this list says “UNSUBSCRIBED”."


def test_a_keep_list_does_not_outrank_it_and_a_policy_does(opened: Application) -> None:
    task = complete(opened, write_csv(ROWS))
    opened.services.own_lists.add(LOCAL_ACCOUNT, "firma.example", Category.WHITE)
    assert read_first(download(opened, task, Variant.CLEANED)) == KEPT
    keeps = CleaningPolicy(USUAL_GROUNDS - {Ground.UNSUBSCRIBED})
    _, data = send(opened, task, Export(Variant.CLEANED, DownloadChoice(keeps)))
    assert read_first(data) == [*KEPT[:1], "bo@mailboxes.example", *KEPT[1:2], "eve@firma.example",
                                *KEPT[2:]]  # fmt: skip


@pytest.mark.parametrize(
    ("who", "noes", "mailed"),
    [
        (WhoDecides.ANY_NO, "left out", 1),
        (WhoDecides.NEWEST, "1 kept, 2 left out", 2),
        (WhoDecides.KEPT, "1 kept, 2 left out", 2),
    ],
)
def test_the_report_says_what_is_done_with_each_row(
    opened: Application, who: WhoDecides, noes: str, mailed: int
) -> None:
    rows = [
        ("email", "Email Marketing Consent", "ZB Status", "changed"),
        ("ana@mailboxes.example", "UNSUBSCRIBED", "", "2025-05-03"),
        ("ana@mailboxes.example", "SUBSCRIBED", "", "2026-05-03"),
        ("bo@mailboxes.example", "UNSUBSCRIBED", "", "2026-05-03"),
        ("cy@throwaway.example", "UNSUBSCRIBED", "", "2026-05-03"),
        ("di@firma.example", "NEVER_SUBSCRIBED", "", "2026-05-03"),
        ("eve@throwaway.example", "NEVER_SUBSCRIBED", "", "2026-05-03"),
        ("fay@firma.example", "SUBSCRIBED", "invalid", "2026-05-03"),
    ]
    task = complete(opened, write_csv(rows), keep=KeepRule(Keep.NEWEST, keep_by="changed"))
    policy = CleaningPolicy().let_decide(who)
    effect = opened.services.results.weigh(LOCAL_ACCOUNT, task.task_id, policy)
    page = opened.services.decisions.report(task, Cleaning(policy, effect)).content
    rows_shown = read_rows(page)
    lines = {title: rest for title, *rest in rows_shown[:15]}  # the review, which is first
    assert lines["Unsubscribed"] == ["3", noes]
    assert lines["Never subscribed"] == ["2", "1 kept, 1 left out"]
    [why] = [row[1] for row in rows_shown if row[0] == Reason.BOUNCED_HARD.label]
    assert why == "The list says so, in ZB Status."
    assert effect.kept == mailed
    _, data = send(opened, task, Export(Variant.CLEANED, DownloadChoice(policy)))
    assert len(read_first(data)) == mailed


@pytest.mark.parametrize("codes", [["black"], ["black", "role"]])
def test_a_policy_of_before_leaves_them_out(codes: list[str]) -> None:
    assert CleaningPolicy.from_json(codes).grounds >= USUAL_GROUNDS


def test_cells_of_a_workbook_are_read_by_their_types(opened: Application, tmp_path: Path) -> None:
    rows = [
        ("email", "Unsubscribed"),
        ("ana@mailboxes.example", True),
        ("bo@mailboxes.example", False),
        ("cy@mailboxes.example", datetime(2026, 5, 3)),  # noqa: DTZ001
        ("di@mailboxes.example", None),
    ]
    book = write_workbook(tmp_path / "list.xlsx", rows).read_bytes()
    task = complete(opened, book, name="list.xlsx")
    effect = opened.services.results.weigh(LOCAL_ACCOUNT, task.task_id, CleaningPolicy())
    assert (effect.kept, effect.by_ground[Ground.UNSUBSCRIBED]) == (2, 2)


@pytest.mark.parametrize(
    ("heading", "cell", "other", "doubted"),
    [
        ("ZB Status", "catch-all", "valid", True),
        ("nb_result", "unknown", "valid", True),
        ("state", "unknown", "undeliverable", True),  # by the words of its other cells
        ("Email Verification Status", "accept_all", "valid", True),
        ("Status", "unknown", "Subscribed", False),
    ],
)
def test_another_services_doubt_is_a_reason_and_nothing_more(
    opened: Application, heading: str, cell: str, other: str, doubted: bool
) -> None:
    emails = [f"{name}@firma.example" for name in "abc"]
    rows = [("Email", heading), *zip(emails, (cell, other, "Unsubscribed"), strict=True)]
    task, plain = (
        complete(opened, write_csv(some)) for some in (rows, [(*one[:1],) for one in rows])
    )
    results, ids = opened.services.results, (LOCAL_ACCOUNT, task.task_id)
    row = results.row(*ids, 1)
    as_without = results.row(LOCAL_ACCOUNT, plain.task_id, 1).verdict
    added = (Reason.DOUBTED,) if doubted else ()
    assert row.verdict == replace(as_without, reasons=(*as_without.reasons, *added))
    assert "a@firma.example" in read_first(download(opened, task, Variant.CLEANED))
    said = f"The column {heading} of this list says “{cell}”."
    cited = [one.reason for one in results.explain(*ids, row).evidence if one.rule == said]
    assert tuple(cited) == added
    filtered = RowFilter(Chosen().choose(REASON, Reason.DOUBTED))
    assert [one.email for one in results.rows(*ids, filtered, 0, 9).rows] == emails[:1] * doubted


def test_what_sessions_decide_at_the_same_time_is_all_kept(opened: Application) -> None:
    choices, headings = opened.services.mail_choices, ["email", "status"]
    values = [f"value {number}" for number in range(40)]

    def remember(value: str) -> None:
        decided = NO_DECISIONS.decide_value("status", value, is_mailed=False)
        choices.remember(LOCAL_ACCOUNT, headings, decided)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(remember, values))
    found = choices.recall(LOCAL_ACCOUNT, headings, ())
    assert found.values["status"] == dict.fromkeys(values, False)
