"""The report's workbook: true counts, texts that stay texts, no address."""

from dataclasses import replace
from datetime import UTC, datetime
from io import BytesIO

import pytest
from openpyxl import load_workbook

from winnow.core.errors import ResultNotReady
from winnow.core.lists.cleaning import Cleaning, CleaningPolicy, weigh
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.merging import Merge, MergedFile
from winnow.core.tasks.run_options import RunOptions
from winnow.core.tasks.task import InputPlan, KeyType, Phase, Progress, Summary, Task, TaskState
from winnow.core.verdicts.domain_types import DomainType, Ground
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Category, Verdict, name_action
from winnow.lists.reports.summary_book import write_summary_book
from winnow.services.results.reports import make_report

SUMMARY = Summary(
    rows_in=12,
    rows_out=10,
    duplicates_removed=2,
    invalid=1,
    charged=9,
    by_category={"white": 7, "black": 3},
    by_domain_type={"unlisted": 7, "disposable": 2, "invalid": 1},
    by_reason={"unlisted": 7, "disposable_reviewed": 2, "invalid_no_at_sign": 1},
    by_category_and_type=(
        ("white", "unlisted", 7),
        ("black", "disposable", 2),
        ("black", "invalid", 1),
    ),
    top_domains=(("kurz.de", "white", 7),),
    data_version="static",
)
SUBMITTED_AT = datetime(2026, 11, 20, 12, tzinfo=UTC)


def make_task(name: str = "=1+1", summary: Summary | None = SUMMARY) -> Task:
    return Task(
        task_id="t",
        account="local",
        project_name=name,
        file_name="+list.csv",
        key_type=KeyType.LIVE,
        deduplicate=True,
        plan=InputPlan(FileFormat.CSV, 0, ("email",)),
        state=TaskState.COMPLETED,
        progress=Progress(Phase.INDEXING),
        submitted_at=SUBMITTED_AT,
        expires_at=SUBMITTED_AT,
        summary=summary,
    )


def read(content: bytes) -> dict[str, list[tuple[object, ...]]]:
    book = load_workbook(BytesIO(content))
    return {sheet.title: list(sheet.iter_rows(values_only=True)) for sheet in book}


def test_counts_and_shares_are_the_summarys():
    sheets = read(write_summary_book(make_task(), SUMMARY))
    totals = dict(sheets["Summary"][1:])
    assert (totals["Rows in the file"], totals["Duplicates removed"]) == (12, 2)
    assert sheets["What to do"][1:] == [
        (name_action(Category.WHITE), "white", 7, 0.7),
        (name_action(Category.GREY), "grey", 0, 0),
        (name_action(Category.BLACK), "black", 3, 0.3),
    ]
    assert sheets["Domain types"][1] == ("unlisted", "white", 7, 0.7)
    assert sheets["Reasons"][1][0] == "unlisted"
    assert sheets["Largest domains"][1] == ("kurz.de", "white", 7, 0.7)


def test_names_that_begin_like_formulas_stay_texts():
    book = load_workbook(BytesIO(write_summary_book(make_task(), SUMMARY)))
    cells = {cell.value: cell.data_type for row in book["Summary"] for cell in row}
    assert (cells["=1+1"], cells["+list.csv"]) == ("s", "s")


def test_report_is_named_after_the_project():
    assert make_report(make_task("Q4/2026")).file_name == "Q4-2026-report.xlsx"


def test_no_counts_no_report():
    with pytest.raises(ResultNotReady):
        make_report(make_task(summary=None))


def test_what_goes_is_told_where_it_is_chosen() -> None:
    policy = CleaningPolicy(frozenset({Ground.BLACK}))
    white = Verdict(Category.WHITE, DomainType.UNLISTED, (Reason.UNLISTED,))
    black = Verdict(Category.BLACK, DomainType.DISPOSABLE, (Reason.DISPOSABLE_REVIEWED,))
    cleaning = Cleaning(policy, weigh(policy, ((white, 7), (black, 3))))
    sheets = read(make_report(make_task(), cleaning).content)
    _, kept, lost, grey, reason = sheets["What is removed"]
    assert kept == ("Kept rows", None, 7, 0.7)
    assert lost == ("Rows that are removed", f"Chosen: {Ground.BLACK.words}", 3, 0.3)
    assert (grey[0], grey[2]) == ("Kept rows to review", 0)
    assert (reason[0], reason[2]) == (f"Removed: {Reason.DISPOSABLE_REVIEWED.words}", 3)
    assert "What is removed" not in read(make_report(make_task()).content)


def test_files_that_a_list_was_merged_from_are_counted():
    merge = Merge((MergedFile("=jan.csv", 7), MergedFile("feb.csv", 5)), 0)
    task = replace(make_task(), options=RunOptions(merge=merge))
    totals = dict(read(write_summary_book(task, SUMMARY))["Summary"][1:])
    assert totals["Rows merged from =jan.csv"] == 7
    assert totals["Rows merged from feb.csv"] == 5
