"""What was uploaded is opened by other processes, which are ended when they take too much."""

import gzip
import os
import pickle
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.applications import LIST, Clock, complete, open_test_application, stage
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.core.errors import (
    BadField,
    BrokenFile,
    EmailColumnMissing,
    EmptyFile,
    InspectionLost,
    QueryEnded,
    QuotaExceeded,
    RateLimited,
    ShuttingDown,
)
from winnow.core.lists.input_head import Choices
from winnow.core.lists.rows import RowFilter, RowOrder, SortBy
from winnow.core.own_lists.patterns import OwnLists
from winnow.core.verdicts.facts import OwnEntry
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Category
from winnow.lists.inspection.inspect import plan_input, read_head
from winnow.services.uploads.inspection_pool import InspectionPool
from winnow.services.uploads.inspections import (
    ContentQuestion,
    HeadQuestion,
    PreviewQuestion,
)
from winnow.serving import choose_worker_environ
from winnow.wiring import Application


def build_pool(tmp_path: Path, **limits: int) -> InspectionPool:
    opened = open_test_application(tmp_path / "application", Clock())
    opened.database.close()
    command = (
        *(sys.executable, "-m", "winnow.inspector"),
        *(str(opened.folder.knowledge), str(opened.folder.refreshed)),
    )
    return InspectionPool(command, choose_worker_environ(os.environ, opened.settings), **limits)


@pytest.fixture
def pool(tmp_path: Path) -> Iterator[InspectionPool]:
    built = build_pool(tmp_path)
    yield built
    built.stop()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "list.csv"
    made.write_bytes(LIST)
    return made


def test_one_process_answers_as_this_one_does_until_the_end(
    pool: InspectionPool, path: Path, tmp_path: Path
) -> None:
    asked = HeadQuestion(path, "list.csv", Choices(delimiter=","))
    assert pool.ask(asked) == read_head(path, "list.csv", Choices(delimiter=","))
    first = pool.list_process_ids()
    assert len(first) == 1
    with pytest.raises(FileNotFoundError):
        pool.ask(HeadQuestion(tmp_path / "nowhere", "list.csv"))
    path.write_bytes(b"")
    with pytest.raises(EmptyFile):
        pool.ask(asked)
    assert pool.list_process_ids() == first
    pool.stop()
    with pytest.raises(ShuttingDown):
        pool.ask(asked)
    assert pool.list_process_ids() == ()


@pytest.mark.slow
def test_many_at_once_are_answered_by_a_few(pool: InspectionPool, path: Path) -> None:
    with ThreadPoolExecutor(8) as threads:
        heads = list(threads.map(pool.ask, [HeadQuestion(path, "list.csv")] * 8))
    assert len(set(heads)) == 1
    assert 1 <= len(pool.list_process_ids()) <= 2


@pytest.mark.slow
def test_a_preview_judges_by_the_lists_and_the_own_ones(
    pool: InspectionPool, path: Path, tmp_path: Path
) -> None:
    plan = plan_input(read_head(path, "list.csv"))
    own = OwnLists.build(1, [OwnEntry(Category.BLACK, "mailboxes.example", Reason.OWN_DOMAIN)])
    blacks = [
        pool.ask(PreviewQuestion(path, plan, tmp_path, lists, None)).as_it_is.categories[
            Category.BLACK
        ]
        for lists in (OwnLists(), own)
    ]
    assert blacks[1] > blacks[0]


@pytest.mark.slow
def test_a_packed_list_is_unpacked_there_and_nowhere_else(
    pool: InspectionPool, tmp_path: Path
) -> None:
    path = tmp_path / "list.csv.gz"
    path.write_bytes(gzip.compress(LIST))
    assert pool.ask(ContentQuestion(path, path.name, 1000)) == len(LIST)
    assert pool.ask(HeadQuestion(path, path.name, scratch=tmp_path)).row_count == 4


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is not told here")
def test_whoever_takes_too_much_memory_is_ended(tmp_path: Path, path: Path) -> None:
    small = build_pool(tmp_path, memory_bytes=1 << 20)
    with pytest.raises(BrokenFile, match="more memory than any ordinary list"):
        small.ask(HeadQuestion(path, "list.csv"))
    assert small.list_process_ids() == ()
    small.stop()


def test_whoever_takes_too_long_is_ended(tmp_path: Path, path: Path) -> None:
    hasty = build_pool(tmp_path, cpu_seconds=0)
    with pytest.raises(BrokenFile, match="longer than any ordinary list"):
        hasty.ask(HeadQuestion(path, "list.csv"))
    hasty.stop()


@pytest.mark.slow
def test_a_process_that_died_idle_is_replaced(pool: InspectionPool, path: Path) -> None:
    asked = HeadQuestion(path, "list.csv")
    pool.ask(asked)
    (died,) = pool.list_process_ids()
    os.kill(died, 9)
    assert pool.ask(asked).columns == ("id", "email")


def build_dying_pool(end: str) -> InspectionPool:
    return InspectionPool((sys.executable, "-c", f"import os; {end}"), os.environ)


def test_a_list_is_not_blamed_where_the_system_kills(path: Path) -> None:
    pool = build_dying_pool("os.kill(os.getpid(), 9)")
    with pytest.raises(InspectionLost):
        pool.ask(HeadQuestion(path, "list.csv"))
    pool.stop()


def test_a_list_that_no_process_outlives_is_refused(path: Path) -> None:
    pool = build_dying_pool("os._exit(3)")
    with pytest.raises(BrokenFile, match="could not be looked into"):
        pool.ask(HeadQuestion(path, "list.csv"))
    pool.stop()


def test_an_upload_stays_where_looking_into_it_was_killed(opened: Application) -> None:
    upload = stage(opened)
    opened.services.inspections.hand_over(build_dying_pool("os.kill(os.getpid(), 9)"))
    with pytest.raises(InspectionLost):
        opened.services.uploads.read_head(LOCAL_ACCOUNT, upload.upload_id, Choices())
    opened.services.inspections.take_back()
    assert opened.services.uploads.list_waiting(LOCAL_ACCOUNT) == (upload,)
    assert opened.services.uploads.read_head(LOCAL_ACCOUNT, upload.upload_id, Choices())


@pytest.mark.parametrize(
    "error",
    [
        BrokenFile("detail", hint="hint", line=3, sheet="Data"),
        EmailColumnMissing(["a", "b"], headerless=True, hint="hint"),
        BadField("file", "problem", hint="hint"),
        QuotaExceeded("detail", used=1, limit=2),
        RateLimited("detail", retry_after_seconds=1, limit=2),
    ],
    ids=lambda error: type(error).__name__,
)
def test_errors_go_from_process_to_process_as_they_are(error: Exception) -> None:
    again = pickle.loads(pickle.dumps(error))  # noqa: S301
    assert type(again) is type(error)
    assert vars(again) == vars(error)
    assert str(again) == str(error)


def test_a_question_about_a_project_that_no_process_outlives_is_ended(opened: Application) -> None:
    task = complete(opened)
    opened.services.queries.hand_over(build_dying_pool("os._exit(3)"))
    results = opened.services.results
    with pytest.raises(QueryEnded):
        results.rows(LOCAL_ACCOUNT, task.task_id, RowFilter(text="@"), 0, 1)
    assert results.rows(LOCAL_ACCOUNT, task.task_id, RowFilter(), 0, 1).rows
    opened.services.queries.take_back()


def test_questions_about_a_project_are_answered_by_a_process(
    opened: Application, pool: InspectionPool
) -> None:
    task = complete(opened)
    results = opened.services.results
    orders = [(RowFilter(text="@"), RowOrder(SortBy.ADDRESS)), (RowFilter(), RowOrder(0, True))]
    opened.services.queries.hand_over(pool)
    found = [results.rows(LOCAL_ACCOUNT, task.task_id, some, 0, 9, by) for some, by in orders]
    opened.services.queries.take_back()
    results._open._values.clear()
    here = [results.rows(LOCAL_ACCOUNT, task.task_id, some, 0, 9, by) for some, by in orders]
    assert found == here
