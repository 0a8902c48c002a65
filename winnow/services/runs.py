"""One run of one task: claim, judge, publish, finish; every write under the attempt's fence."""

import logging
import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from winnow.core.errors import FenceLost, InputError, ShuttingDown, WinnowError
from winnow.core.faults import describe_fault
from winnow.core.own_lists.own_judge import put_own_first
from winnow.core.own_lists.patterns import OwnLists
from winnow.core.ports import Blobs
from winnow.core.settings import Settings
from winnow.core.tasks.look_up_progress import LookUpProgress
from winnow.core.tasks.task import KeyType, Notice, Progress
from winnow.lists.list_format import BatchOutcome
from winnow.lists.requests import BatchRequest, ForbiddenAddresses
from winnow.services.judges import TaskJudge
from winnow.services.uploads import mapping_full_disk
from winnow.storage.blobs.age_file import write_age_file
from winnow.storage.blobs.mail_file import write_mail_file
from winnow.storage.database.database import Database
from winnow.storage.repositories import leases
from winnow.storage.repositories.leases import Lease
from winnow.storage.repositories.tasks import StoredTask, find_task

HEARTBEAT_SECONDS = 5.0
SILENCE_SECONDS = 60.0  # an engine reports a few times a second, at worst between large sorts
REPORT_SECONDS = 0.3  # progress on the page is never older than its refresh

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Run:
    """What a worker did."""

    task_id: str
    input_bytes: int


class Runs:
    """Works on queued tasks, one at a time, in a process of its own."""

    def __init__(
        self,
        database: Database,
        blobs: Blobs,
        settings: Settings,
        run_batch: Callable[[BatchRequest], BatchOutcome],
        judge_task: Callable[[KeyType, Callable[[float], None]], TaskJudge],
        own_for: Callable[[str], OwnLists],
        clock: Callable[[], datetime],
        prepare: Callable[[StoredTask], object] = lambda stored: None,
        find_forbidden: Callable[[StoredTask], ForbiddenAddresses | None] = lambda stored: None,
    ) -> None:
        """Wire the runs.

        Args:
            database: Keeps the tasks.
            blobs: Where their bytes are.
            settings: Say how much room there is.
            run_batch: Runs a list.
            judge_task: Gives a task's judge.
            own_for: Gives an account's own lists.
            clock: Gives the time in UTC.
            prepare: Finds what pages will ask of a result, before it can be asked for; a failure
                is told in the log, and it is then found when it is asked for.
            find_forbidden: Gives whom none of a row's two addresses may be of.
        """
        self._find_forbidden = find_forbidden
        self._prepare = prepare
        self._database = database
        self._blobs = blobs
        self._settings = settings
        self._run_batch = run_batch
        self._judge_task = judge_task
        self._own_for = own_for
        self._clock = clock

    def run_next(
        self,
        worker_id: str,
        stopping: threading.Event,
        begin: Callable[[int], None] = lambda input_bytes: None,
    ) -> Run | None:
        """Claim the next task and work on it; None where nothing waits.

        ``begin`` is told the size of a claimed task's input before the work.

        The task ends completed or failed (a full disk fails it, uncharged); or it waits again,
        when ``stopping`` is set meanwhile; or the fence is lost and nothing is written. The
        attempt's own folder is gone afterwards, unless it was published.
        """
        lease = leases.claim_task(self._database, worker_id, self._clock())
        if lease is None:
            return None
        _log.info("task %s attempt %d started", lease.task.task_id, lease.attempt)
        heartbeat = _Heartbeat(self._database, lease, self._clock, stopping)
        heartbeat.start()
        begin(lease.task.input_bytes)
        try:
            self._work(lease, heartbeat)
        except FenceLost:
            _log.info("task %s attempt %d is void", lease.task.task_id, lease.attempt)
        except ShuttingDown:
            leases.release_lease(self._database, lease)
            _log.info("task %s attempt %d given back", lease.task.task_id, lease.attempt)
        except WinnowError as error:
            self._fail(lease, describe_failure(error))
        except MemoryError:
            self._fail(lease, _OUT_OF_MEMORY)
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
        return Run(lease.task.task_id, lease.task.input_bytes)

    def _work(self, lease: Lease, heartbeat: "_Heartbeat") -> None:
        task = lease.task
        progress = LookUpProgress(heartbeat.report)
        chosen = self._judge_task(task.key_type, progress.tick)
        judge, sources = chosen.judge, chosen.sources
        if task.key_type is KeyType.LIVE:
            judge = put_own_first(judge, self._own_for(task.account))
        report = heartbeat.report if sources.is_empty else progress.report
        with mapping_full_disk(), self._blobs.stage(lease.result_key) as work_folder:
            path = self._blobs.fetch(lease.input_key)
            request = BatchRequest(
                path, task.plan, judge, work_folder, task.deduplicate, report, task.options
            )
            stored = find_task(self._database, task.task_id) if task.plan.judges_both else None
            if stored is not None:
                request = replace(request, forbidden=self._find_forbidden(stored))
            outcome = self._run_batch(request)
            heartbeat.check()
            notices = outcome.notices
            if sources.mail is not None:
                write_mail_file(work_folder, sources.mail.facts.items())
                silence = sources.mail.use.describe_silence()
                notices += (sources.mail.use.describe(), *((silence,) if silence else ()))
            if sources.age is not None:
                write_age_file(work_folder, sources.age.facts.items())
                notices += (sources.age.use.describe(),)
        result_bytes = self._blobs.size(lease.result_key)
        summary = outcome.summary
        if task.key_type is KeyType.SANDBOX:
            summary = replace(summary, charged=0)
        self._get_ready(lease)
        try:
            leases.finish_task(
                self._database,
                lease,
                summary,
                merge_notices(task.notices, notices),
                result_bytes,
                self._clock(),
                limit=self._settings.quota_bytes,
            )
        except BaseException:
            self._drop_unless_named(lease)
            raise
        _log.info(
            "task %s completed: %d rows in, %d out, %d bytes",
            task.task_id,
            summary.rows_in,
            summary.rows_out,
            result_bytes,
        )

    def _get_ready(self, lease: Lease) -> None:
        stored = find_task(self._database, lease.task.task_id)
        if stored is None:
            return
        try:
            self._prepare(replace(stored, result=lease.result_key.name))
        except (WinnowError, OSError) as error:
            _log.warning("task %s not prepared: %s", lease.task.task_id, describe_fault(error))

    def _drop_unless_named(self, lease: Lease) -> None:
        """Remove a result that no row names; a commit may stand though it reported an error.

        Where the database cannot be asked, the next sweep decides.
        """
        with suppress(Exception):
            stored = find_task(self._database, lease.task.task_id)
            if stored is None or stored.result_key != lease.result_key:
                self._blobs.delete(lease.result_key)

    def _fail(self, lease: Lease, error: dict[str, Any]) -> None:
        with suppress(FenceLost):
            leases.fail_lease(self._database, lease, error, self._clock())
            _log.info("task %s failed: %s", lease.task.task_id, error["code"])


class _Heartbeat:
    """Keeps a lease alive by a thread of its own, since an engine may be silent for long."""

    def __init__(
        self,
        database: Database,
        lease: Lease,
        clock: Callable[[], datetime],
        stopping: threading.Event,
    ) -> None:
        self._database = database
        self._lease = lease
        self._clock = clock
        self._stopping = stopping
        self._is_void = threading.Event()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="heartbeat", daemon=True)
        self._reported_at = 0.0
        self._reported: Progress | None = None

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._ended.set()
        self._thread.join()

    def check(self) -> None:
        """End the run from within the engine's own thread where it must end."""
        if self._is_void.is_set():
            raise FenceLost("Another attempt owns this task.")
        if self._stopping.is_set():
            raise ShuttingDown("The worker is stopping.")

    def report(self, progress: Progress) -> None:
        """Record progress, at most a few times a second but each phase at once."""
        self.check()
        now = time.monotonic()
        is_new_phase = self._reported is None or self._reported.phase is not progress.phase
        if is_new_phase or now - self._reported_at >= REPORT_SECONDS:
            leases.report_progress(self._database, self._lease, progress, self._clock())
            self._reported, self._reported_at = progress, now

    def _beat(self) -> None:
        while not self._ended.wait(HEARTBEAT_SECONDS):
            try:
                leases.extend_lease(self._database, self._lease, self._clock())
            except FenceLost:
                self._is_void.set()
                if not self._ended.wait(SILENCE_SECONDS):
                    os._exit(1)  # the engine hangs on a list that nobody wants any more
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
        if error.line is not None:
            problem["line"] = error.line
        if error.sheet is not None:
            problem["sheet"] = error.sheet
    return problem


def merge_notices(first: tuple[Notice, ...], then: tuple[Notice, ...]) -> tuple[Notice, ...]:
    """Those of the submission, then those of the run; one code once, as the run says it."""
    said = {notice.code for notice in then}
    return tuple(notice for notice in first if notice.code not in said) + then


_OUT_OF_MEMORY = {
    "code": "out_of_memory",
    "title": "The list could not be processed",
    "detail": "There was not enough memory for this list.",
    "hint": "Close other programs or split the list.",
}
_UNFORESEEN = {
    "code": "internal_error",
    "title": "The list could not be processed",
    "detail": "Something unforeseen went wrong. Nothing was charged, and the list is still there.",
    "hint": "Try again; if it happens again, report it with the project's id.",
}
