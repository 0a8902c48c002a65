"""Runs of tasks: claim, judge, publish, finish; every write names the attempt's fence."""

import logging
import os
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from winnow.core.disk_errors import mapping_disk_errors
from winnow.core.errors import FenceLost, InputError, OutOfMemory, ShuttingDown, WinnowError
from winnow.core.faults import describe_fault, log_subject
from winnow.core.judging.judge import Judge
from winnow.core.lists.notices import merge_notices
from winnow.core.own_lists.patterns import OwnLists
from winnow.core.ports import Blobs
from winnow.core.tasks.run_request import refuse_judge_both
from winnow.core.tasks.task import KeyType, LookUpProgress, Progress, Task
from winnow.lists.requests import BatchRequest
from winnow.services.network.network import Sources, Tick
from winnow.storage.blobs.network_files import write_age_file, write_mail_file
from winnow.storage.database.database import Database
from winnow.storage.repositories import leases
from winnow.storage.repositories.leases import Lease
from winnow.storage.repositories.tasks import StoredTask, find_task

HEARTBEAT_SECONDS = 5.0
SILENCE_SECONDS = 60.0  # an engine reports a few times a second, at worst between large sorts
REPORT_SECONDS = 0.3  # less than a page's refresh; a short list is not written for each phase

_log = logging.getLogger(__name__)


@dataclass(eq=False, repr=False)
class Runs:
    """Works on queued tasks, one at a time, in a process of its own.

    Args:
        database: Stores the tasks.
        blobs: Stores their bytes.
        judge_task: Returns a task's judge and its network sources.
        own_for: Returns an account's own lists.
        clock: Returns the time in UTC.
        prepare: Computes what pages show of a result before it is published; a failure is
        logged, and it is then computed when it is first needed.
        remembering: Yields the step that puts what a list says on the never-mail list.
        note_list: Stores the settings and counts of a completed list.
    """

    database: Database
    blobs: Blobs
    judge_task: Callable[[KeyType, Tick], tuple[Judge, Sources]]
    own_for: Callable[[str], OwnLists]
    clock: Callable[[], datetime]
    prepare: Callable[[StoredTask], object]
    remembering: Callable[[StoredTask], AbstractContextManager[Callable[[Connection], object]]]
    note_list: Callable[[Task], object]

    def run_next(self, worker_id: str, stopping: threading.Event) -> Task | None:
        """Claim the next task, work on it and return it as it was; None if no task waits.

        The task ends completed or failed (a full disk fails it, uncharged). Or it waits again, if
        ``stopping`` is set meanwhile. Or the fence is lost and nothing is written. The attempt's
        own folder is removed afterwards, unless it was published.
        """
        lease = leases.claim_task(self.database, worker_id, self.clock())
        if lease is None:
            return None
        log_subject.set({"task_id": lease.task.task_id})
        _log.info("task %s attempt %d started", lease.task.task_id, lease.attempt)
        heartbeat = _Heartbeat(self.database, lease, self.clock, stopping)
        heartbeat.start()
        try:
            self._work(lease, heartbeat)
        except FenceLost:
            _log.info("task %s attempt %d is void", lease.task.task_id, lease.attempt)
        except ShuttingDown:
            leases.release_lease(self.database, lease)
            _log.info("task %s attempt %d given back", lease.task.task_id, lease.attempt)
        except WinnowError as error:
            self._fail(lease, describe_failure(error))
        except MemoryError:
            self._fail(lease, describe_failure(OutOfMemory()))
        except Exception as error:
            _log.error(
                "task %s attempt %d broke: %s",
                lease.task.task_id,
                lease.attempt,
                describe_fault(error),
            )
            self._fail(lease, _UNFORESEEN)
        finally:
            heartbeat.stop()
        return lease.task

    def _work(self, lease: Lease, heartbeat: "_Heartbeat") -> None:
        from winnow.lists.batch import run_batch  # brings Polars along, which no page needs

        task = lease.task
        refuse_judge_both(task.plan.judges_both)
        progress = LookUpProgress(heartbeat.report)
        judge, sources = self.judge_task(task.key_type, progress.tick)
        if task.key_type is KeyType.LIVE:
            judge = judge.put_own_first(self.own_for(task.account))
        report = heartbeat.report if sources.is_empty else progress.report
        with mapping_disk_errors(), self.blobs.stage(lease.result_key) as work_folder:
            heartbeat.folder = work_folder
            path = self.blobs.fetch(lease.input_key)
            request = BatchRequest(path, task.plan, judge, work_folder, report, task.request)
            outcome = run_batch(request)
            heartbeat.require_running()
            notices = outcome.notices
            if sources.mail is not None:
                write_mail_file(work_folder, (sources.mail.facts or {}).items())
                notices += (sources.mail.use.describe_dns(), *sources.mail.use.describe_silence())
            if sources.age is not None:
                write_age_file(work_folder, (sources.age.facts or {}).items())
                notices += (sources.age.use.describe_registries(),)
        result_bytes = self.blobs.size(lease.result_key)
        summary = outcome.summary
        if task.key_type is KeyType.SANDBOX:
            summary = replace(summary, charged=0)
        try:
            with self.remembering(self._get_ready(lease)) as remember:
                leases.finish_task(
                    self.database,
                    lease,
                    summary,
                    merge_notices(task.notices, notices),
                    result_bytes,
                    self.clock(),
                    remember=remember,
                )
        except BaseException:
            with suppress(Exception):  # if the database cannot be read, the next sweep decides
                stored = find_task(self.database, task.task_id)
                # A commit may be done though it reported an error.
                if stored is None or stored.result_key != lease.result_key:
                    self.blobs.delete(lease.result_key)
            raise
        self.note_list(replace(task, summary=summary))
        _log.info(
            "task %s completed: %d rows in, %d out, %d bytes",
            task.task_id,
            summary.rows_in,
            summary.rows_out,
            result_bytes,
        )

    def _get_ready(self, lease: Lease) -> StoredTask:
        """Return the task with its result, which is published after this."""
        stored = find_task(self.database, lease.task.task_id)
        if stored is None:
            raise FenceLost("Another attempt owns this task.")
        stored = replace(stored, result=lease.result_key.name)
        try:
            self.prepare(stored)
        except (WinnowError, OSError) as error:
            _log.warning("task %s not prepared: %s", lease.task.task_id, describe_fault(error))
        return stored

    def _fail(self, lease: Lease, error: dict[str, Any]) -> None:
        with suppress(FenceLost):
            leases.fail_lease(self.database, lease, error, self.clock())
            _log.info("task %s failed: %s", lease.task.task_id, error["code"])


@dataclass(eq=False, repr=False)
class _Heartbeat:
    """Heartbeat thread that extends a lease, since an engine may report nothing for long."""

    database: Database
    lease: Lease
    clock: Callable[[], datetime]
    stopping: threading.Event

    def __post_init__(self) -> None:
        self.folder: Path | None = None  # where the attempt writes; None: nothing yet
        self._is_void = threading.Event()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="heartbeat", daemon=True)
        self._reported_at = time.monotonic()  # a short list is done before its first report

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._ended.set()
        self._thread.join()

    def require_running(self) -> None:
        """Raise in the engine's own thread if the run must end."""
        if self._is_void.is_set():
            raise FenceLost("Another attempt owns this task.")
        if self.stopping.is_set():
            raise ShuttingDown("The worker is stopping.")

    def report(self, progress: Progress) -> None:
        """Record progress, at most a few times a second: pages wait while it is written.

        Raises:
            QuotaExceeded: The attempt wrote more than there is space for.
        """
        self.require_running()
        now = time.monotonic()
        if now - self._reported_at >= REPORT_SECONDS:
            written_bytes = 0
            for path in () if self.folder is None else self.folder.iterdir():
                if not path.name.startswith("pass."):  # the run removes those
                    with suppress(FileNotFoundError):
                        written_bytes += path.stat().st_size
            leases.report_progress(
                *(self.database, self.lease, progress, self.clock()),
                written_bytes=written_bytes,
            )
            self._reported_at = now

    def _beat(self) -> None:
        while not self._ended.wait(HEARTBEAT_SECONDS):
            try:
                leases.extend_lease(self.database, self.lease, self.clock())
            except FenceLost:
                self._is_void.set()
                if not self._ended.wait(SILENCE_SECONDS):
                    os._exit(1)  # the engine hangs on a list of which the lease is lost
                return
            except Exception as error:
                _log.error("heartbeat missed: %s", describe_fault(error))


def describe_failure(error: WinnowError) -> dict[str, Any]:
    """Return the problem object of a failed task."""
    problem: dict[str, Any] = {
        "code": error.code,
        "title": "The list could not be processed",
        "detail": error.detail,
    }
    if error.hint:
        problem["hint"] = error.hint
    if isinstance(error, InputError):
        problem["fault"] = error.fault
        if error.line is not None:
            problem["line"] = error.line
        if error.sheet is not None:
            problem["sheet"] = error.sheet
    return problem


_UNFORESEEN = {
    "code": "internal_error",
    "title": "The list could not be processed",
    "detail": "An unexpected error occurred. Nothing was charged, and the list is still there.",
    "hint": "Try again; if it happens again, report it with the project's id.",
}
