"""Forecast of bounces: counted when files are imported, taken back with them, each file once."""

from collections.abc import Sequence

import pytest

from tests.applications import Clock, OpenApplication, complete
from tests.services.test_own_files import bounce
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.lists.cleaning import CleaningPolicy
from winnow.core.tasks.task import KeyType, Task
from winnow.wiring import Application

MAILED = [f"p{number}@mailboxes.example" for number in range(600)]
LIST = [f"q{number}@mailboxes.example" for number in range(300)]


def write(lines: Sequence[str], head: str = "email") -> bytes:
    return "\n".join([head, *lines]).encode()


def report(arrived: Sequence[str], hard: Sequence[str] = (), day: str = "2026-05-03") -> bytes:
    """Return a delivery file."""
    outcomes = dict.fromkeys(arrived, "delivered") | dict.fromkeys(hard, "hard")
    lines = [f"{one},{outcome},{day}" for one, outcome in outcomes.items()]
    return write(lines, "email,type,date")


def forecast(opened: Application, task: Task) -> tuple[int, int, int] | None:
    """Return addresses known, those that bounced, and rows to mail."""
    results = opened.services.results
    found = results.forecast_bounces(LOCAL_ACCOUNT, task.task_id, CleaningPolicy())
    return found and (found.known, found.hard, found.mailed)


@pytest.fixture
def task(opened: Application) -> Task:
    return complete(opened, write([*LIST, "x@throwaway.example", "y@firm.example", MAILED[0]]))


def test_a_file_counts_once_and_until_it_is_taken_back(
    open_application: OpenApplication, opened: Application, task: Task, clock: Clock
) -> None:
    assert forecast(opened, task) is None
    first = bounce(opened, report(MAILED, MAILED[:12]))
    assert forecast(opened, task) == (600, 12, 300), "one bounced and is not mailed"
    clock.advance(days=1)
    again = bounce(opened, report(MAILED, MAILED[:12]))
    june = bounce(opened, report(MAILED[12:512], day="2026-06-03"))
    assert forecast(opened, task) == (1100, 12, 300)
    for file in (first, june):
        assert opened.services.own_files.remove(LOCAL_ACCOUNT, file.file_id)
    assert forecast(opened, task) == (600, 12, 300)
    opened = open_application()
    assert forecast(opened, task) == (600, 12, 300), "after a restart"
    assert opened.services.own_files.remove(LOCAL_ACCOUNT, again.file_id)
    assert forecast(opened, task) is None
    sandbox = complete(opened, write(LIST), key_type=KeyType.SANDBOX)
    bounce(opened, report(MAILED))
    assert forecast(opened, sandbox) is None


def test_an_address_counts_once_a_month_and_its_no_is_no_bounce(
    opened: Application, task: Task
) -> None:
    lines = [f"{one},delivered,2026-05-{day:02}" for one in MAILED for day in (3, 20)]
    lines += [f"{MAILED[1]},hard,2026-05-21", f"{MAILED[2]},unsubscribe,2026-05-22"]
    lines += [f"{MAILED[3]},soft,2026-05-19", f"{MAILED[1]},hard,2026-06-01"]
    file = bounce(opened, write(lines, "email,type,date"))
    assert forecast(opened, task) == (600, 1, 301), "June has no deliveries"
    assert {one.month for one in file.counts.mailed} == {"2026-05", "2026-06"}


def test_what_is_stored_is_bounded_and_names_public_providers_only(opened: Application) -> None:
    months = [f"{year}-{month:02}-01" for year in (2025, 2026) for month in range(1, 13)]
    people = ["ana@mailboxes.example", "bo@throwaway.example", "cy@family.example"]
    lines = [f"{one},delivered,{day}" for day in months for one in people]
    counts = bounce(opened, write(lines, "email,type,date")).counts.mailed
    assert len(counts) == 3 * 12
    assert min(one.month for one in counts) == "2026-01"
    assert {one.kind.provider for one in counts} == {"mailboxes.example", ""}
