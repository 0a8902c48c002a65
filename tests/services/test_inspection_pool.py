"""What was uploaded is opened by other processes, which are ended when they take too much."""

import gzip
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.applications import LIST, Clock, complete, open_test_application, stage
from tests.waiting import wait_until
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
from winnow.core.file_faults import FileFault
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.input_head import Choices, Head
from winnow.core.lists.rows import RowFilter, RowOrder, SortBy
from winnow.core.verdicts.verdict import Action, Category
from winnow.limited.messages import Question
from winnow.limited.process import LimitedProcess
from winnow.lists.inspect import measure_content, read_head
from winnow.lists.inspection.signature import split_file_name
from winnow.services.uploads import inspection_pool
from winnow.services.uploads.inspection_pool import InspectionPool
from winnow.serving import choose_worker_environ
from winnow.wiring import Application

STATM = Path("/proc/self/statm")


def ask_head(path: Path, name: str = "list.csv", **given: Any) -> Question[Head]:
    return Question(path, partial(read_head, path, name, **given), split_file_name(name)[1])


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
    asked = ask_head(path, choices=Choices(delimiter=","))
    assert pool.ask(asked) == read_head(path, "list.csv", Choices(delimiter=","))
    first = pool.list_process_ids()
    assert len(first) == 1
    with pytest.raises(FileNotFoundError):
        pool.ask(ask_head(tmp_path / "nowhere"))
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
        heads = list(threads.map(pool.ask, [ask_head(path)] * 8))
    assert len(set(heads)) == 1
    assert 1 <= len(pool.list_process_ids()) <= 2


@pytest.mark.slow
def test_a_preview_judges_by_the_lists_and_the_own_ones(
    pool: InspectionPool, opened: Application
) -> None:
    opened.services.inspections.hand_over(pool)
    upload = stage(opened)
    head = opened.services.uploads.read_head(LOCAL_ACCOUNT, upload.upload_id, Choices())
    blacks = []
    for _ in range(2):
        found = opened.services.previews.look(LOCAL_ACCOUNT, upload.upload_id, head, 1)
        blacks.append(found.as_it_is.actions[Action.REMOVE])
        opened.services.own_lists.add(LOCAL_ACCOUNT, "mailboxes.example", Category.BLACK)
    assert blacks[1] > blacks[0]


@pytest.mark.slow
def test_a_packed_list_is_unpacked_there_and_nowhere_else(
    pool: InspectionPool, tmp_path: Path
) -> None:
    path = tmp_path / "list.csv.gz"
    path.write_bytes(gzip.compress(LIST))
    measure = partial(measure_content, path, path.name, 1000)
    assert pool.ask(Question(path, measure, FileFormat.CSV_GZ)) == len(LIST)
    assert pool.ask(ask_head(path, path.name, scratch=tmp_path)).row_count == 4


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        pytest.param(
            {"memory_bytes": 1 << 20},
            "more memory than any ordinary list",
            marks=pytest.mark.skipif(not STATM.exists(), reason="memory is not told here"),
        ),
        ({"cpu_seconds": 0}, "longer than any ordinary list"),
    ],
)
def test_whoever_takes_too_much_is_ended(
    tmp_path: Path, path: Path, limits: dict[str, int], words: str
) -> None:
    small = build_pool(tmp_path, **limits)
    with pytest.raises(BrokenFile, match=words) as caught:
        small.ask(ask_head(path))
    assert caught.value.fault is FileFault.TOO_COSTLY
    assert small.list_process_ids() == ()
    small.stop()


@pytest.mark.slow
def test_a_process_that_died_idle_is_replaced(pool: InspectionPool, path: Path) -> None:
    asked = ask_head(path)
    pool.ask(asked)
    (died,) = pool.list_process_ids()
    os.kill(died, 9)
    assert pool.ask(asked).columns == ("id", "email")


def test_an_answer_survives_that_no_other_process_can_be_started(
    pool: InspectionPool, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ask_head(path)
    pool.ask(asked)
    monkeypatch.setattr(inspection_pool, "RETIRE_BYTES", -1)
    monkeypatch.setattr(pool, "_command", ("/nowhere",))
    assert pool.ask(asked).columns == ("id", "email")
    assert pool.list_process_ids() == ()


@pytest.mark.skipif(not STATM.exists(), reason="memory is not told here")
def test_a_process_that_has_just_ended_has_no_peak() -> None:
    process = object.__new__(LimitedProcess)
    with subprocess.Popen((sys.executable, "-c", "")) as process._process:
        os.waitid(os.P_PID, process.process_id, os.WEXITED | os.WNOWAIT)
        assert process.read_peak_bytes() == 0


def build_dying_pool(end: str) -> InspectionPool:
    """Return a pool of processes that end so when they are asked anything but nothing."""
    code = f"import os; from winnow.limited.serving import serve; serve(lambda q: q and {end})"
    return InspectionPool((sys.executable, "-c", code), os.environ)


@pytest.mark.parametrize(
    "command",
    [("/nowhere",), (sys.executable, "-c", "raise SystemExit(3)")],
    ids=["missing", "dying"],
)
def test_processes_that_cannot_start_blame_no_list(path: Path, command: tuple[str, ...]) -> None:
    pool = InspectionPool(command, os.environ)
    with pytest.raises(InspectionLost, match="cannot be started"):
        pool.ask(ask_head(path))
    assert pool.is_down
    pool.stop()


@pytest.mark.slow
def test_a_pool_that_was_down_tries_again_by_itself(
    pool: InspectionPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = pool._command
    monkeypatch.setattr(inspection_pool, "AGAIN_SECONDS", 0.1)
    monkeypatch.setattr(pool, "_command", ("/nowhere",))
    pool.start()
    wait_until(lambda: pool.is_down)
    monkeypatch.setattr(pool, "_command", command)
    wait_until(lambda: not pool.is_down)


def test_a_list_that_no_process_outlives_is_refused(path: Path) -> None:
    pool = build_dying_pool("os._exit(3)")
    with pytest.raises(BrokenFile, match="could not be looked into"):
        pool.ask(ask_head(path))
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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("end", "error"),
    [("os._exit(3)", QueryEnded), ("os.kill(os.getpid(), 9)", InspectionLost)],
    ids=["by-its-own-fault", "killed"],
)
def test_a_question_about_a_project_that_no_process_outlives_is_ended(
    opened: Application, end: str, error: type[Exception]
) -> None:
    task, services = complete(opened), opened.services
    services.own_lists.add(LOCAL_ACCOUNT, "two@throwaway.example", Category.WHITE)
    services.queries.hand_over(build_dying_pool(end))
    with pytest.raises(error):
        services.results.rows(LOCAL_ACCOUNT, task.task_id, RowFilter(text="@"), 0, 1)
    (unsearched,) = services.person_requests.gather(LOCAL_ACCOUNT, "two@throwaway.example")[2]
    assert unsearched.name == task.project_name
    assert services.project_views.present(task) == task
    services.queries.take_back()
    assert services.results.rows(LOCAL_ACCOUNT, task.task_id, RowFilter(), 0, 1).rows


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
