"""The life of the server and of its workers on one data folder."""

import gc
import logging
import os
import sys
import threading
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path

import anyio.to_thread

from winnow.api.middleware.shutdown import Shutdown
from winnow.core.errors import StartRefused, WinnowError
from winnow.core.faults import describe_fault
from winnow.core.settings import CLIENT_KEY, PASSWORD, PASSWORD_FILE, Settings
from winnow.environment import read_environment
from winnow.limited.serving import lower_priority
from winnow.lists.execution.memory import share_arenas
from winnow.services.accounts.sign_in import SWEEP_SECONDS
from winnow.services.checks.bans import is_loopback
from winnow.services.tasks.supervisor import Supervisor, start_beating, work
from winnow.services.tasks.tasks import SUBMITTED
from winnow.services.uploads.inspection_pool import QUERY_MEMORY_BYTES, InspectionPool
from winnow.storage.blobs.folder import DataFolder, FolderLock
from winnow.storage.database.database import Database
from winnow.storage.migrations import require_intact
from winnow.storage.repositories.leases import is_any_waiting, lose_leases, release_all_leases
from winnow.storage.repositories.own_files import delete_missing_files
from winnow.storage.repositories.people import has_people
from winnow.storage.repositories.uploads import remove_unfinished_uploads
from winnow.wiring import (
    Application,
    build_application,
    has_stored_people,
    open_application,
    read_clock,
    set_up,
)

PRIVATE_UMASK = 0o077
FIRST_PAGE_SECONDS = 4.0  # for the browser to draw; workers start later, or as soon as a task waits
DELETIONS_SECONDS = 1.0  # how late space becomes free after the time for undo
HOOKS_SECONDS = 1.0  # how late a hook is called
PASSED_ON = (  # what an interpreter needs to start, here and on Windows
    *("PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "VIRTUAL_ENV", "LD_LIBRARY_PATH"),
    *("SYSTEMROOT", "USERPROFILE", "LOCALAPPDATA", "APPDATA", "TEMP", "TMP"),
    *("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"),
    *("ALL_PROXY", "all_proxy"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "POLARS_MAX_THREADS"),
)
RETENTION_SECONDS = 60.0
SWITCH_SECONDS = 0.0005  # a thread waits so long for one that computes; Python has 0.005
SWEEP_STOP_SECONDS = 10.0  # every sweep writes all or nothing
_log = logging.getLogger(__name__)


class Scheduler:
    """Thread that runs a sweep at the start and at intervals.

    One that fails is logged and tried again when the next is due.
    """

    def __init__(
        self,
        name: str,
        sweep: Callable[[datetime], object],
        clock: Callable[[], datetime],
        seconds: float = RETENTION_SECONDS,
    ) -> None:
        self.seconds = seconds
        self._sweep = sweep
        self._clock = clock
        self._name = name
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Sweep now, and from now on at intervals."""
        self._thread.start()

    def stop(self) -> None:
        """Stop after the sweep that is under way; do not wait long for it."""
        self._stopping.set()
        self._thread.join(SWEEP_STOP_SECONDS)

    def _run(self) -> None:
        while True:
            try:
                self._sweep(self._clock())
            except Exception as error:
                _log.error("%s failed: %s", self._name, describe_fault(error))
            if self._stopping.wait(self.seconds):
                return


@asynccontextmanager
async def lifespan(
    app: object,
    *,
    load_page: Callable[[], None] = lambda: None,
    announce: Callable[[], None] = lambda: None,
    shutdown: Shutdown | None = None,
) -> AsyncIterator[None]:
    """Own the data folder while the server runs: lock, schedulers, workers, warm-up.

    Unfinished tasks of a former server are queued again at once: the lock proves that no other
    server runs. Its unfinished uploads are removed.

    Args:
        app: Not used.
        load_page: Imports what the first page needs; called in a thread as soon as we serve.
        announce: Called when the server is ready.
        shutdown: Reports a stop before the server handles it, and a sudden end.

    Raises:
        StartRefused: Another server uses the data folder, or it cannot be used.
    """
    settings = read_environment(os.environ)
    try:
        lock = _take_over(settings)
    except WinnowError as error:
        _log.error("Winnow does not start: %s %s", error.detail, error.hint or "")
        raise
    sys.setswitchinterval(SWITCH_SECONDS)
    share_arenas()
    try:
        opened = open_application(settings)
        release_all_leases(opened.database)
        remove_unfinished_uploads(opened.database, opened.blobs)
        delete_missing_files(opened.database, opened.blobs)
        opened.services.backups.remove_unfinished()
        opened.services.sign_in.end_others()
        environ = choose_worker_environ(os.environ, settings)
        supervisor = Supervisor(
            (sys.executable, "-m", "winnow", "worker"),
            environ,
            settings.workers,
            lambda worker_id: lose_leases(opened.database, worker_id, read_clock()),
            first_wait_seconds=FIRST_PAGE_SECONDS,
        )
        inspector = (
            *(sys.executable, "-m", "winnow.inspector"),
            *(str(opened.folder.knowledge), str(opened.folder.refreshed)),
        )
        inspectors = InspectionPool(inspector, environ, first_wait_seconds=FIRST_PAGE_SECONDS)
        queries = InspectionPool(inspector, environ, memory_bytes=QUERY_MEMORY_BYTES)
        services = opened.services
        services.monitoring.parts |= {
            "inspection": lambda: inspectors.is_down or queries.is_down,
            "workers": lambda: supervisor.is_down,
        }
        schedulers = [
            Scheduler("retention", services.retention.sweep, read_clock),
            Scheduler("backups", services.backups.sweep, services.clock),
            Scheduler("refresher", services.refresh.sweep, services.clock),
            Scheduler("sign-ins", services.sign_in.sweep, services.clock, SWEEP_SECONDS),
            Scheduler("deletions", services.deletions.sweep, services.clock, DELETIONS_SECONDS),
            Scheduler("hooks", services.hooks.sweep, services.clock, HOOKS_SECONDS),
        ]
        services.usage_counter.start()
        if is_any_waiting(opened.database, read_clock()):
            supervisor.wake()
        supervisor.start()
        inspectors.start()
        services.inspections.hand_over(inspectors)
        services.queries.hand_over(queries)
        for scheduler in schedulers:
            scheduler.start()
        if shutdown is not None:
            shutdown.first_acts.append(supervisor.dismiss)
            shutdown.last_acts += [supervisor.kill, inspectors.kill, queries.kill]
        threading.Thread(
            target=_warm_up_pages, args=(opened, load_page), name="warm-up", daemon=True
        ).start()
        try:
            with services.submissions.watch(SUBMITTED, supervisor.wake):
                announce()
                yield
        finally:
            ended = (inspectors.stop, queries.stop, supervisor.stop)
            for stop in (*ended, *(one.stop for one in schedulers), services.usage_counter.stop):
                await anyio.to_thread.run_sync(stop)
            services.inspections.take_back()
            services.queries.take_back()
            release_all_leases(opened.database)
    finally:
        lock.release()


def run_worker(settings: Settings, worker_id: str) -> None:
    """Run a worker process until the standard input ends."""
    os.umask(PRIVATE_UMASK)
    lower_priority()
    if not sys.stdout.isatty():  # a terminal needs no beats
        start_beating(lambda sign: os.write(sys.stdout.fileno(), sign))
    opened = build_application(settings)  # leases use the one clock of the machine
    _warm_up(opened)
    import winnow.lists.formats.delimited.run  # noqa: F401  # polars and pyarrow, before a task waits

    work(opened.services.runs, worker_id, lambda: os.read(sys.stdin.fileno(), 4096))


def require_safe_address(address: str, settings: Settings) -> None:
    """Refuse to serve beyond this machine without sign-in.

    Raises:
        StartRefused: The address is not loopback, and there are neither people nor a
            ``WINNOW_PASSWORD`` nor a ``WINNOW_USER_HEADER``.
    """
    has_sign_in = settings.password or settings.user_header or has_stored_people(settings)
    if not has_sign_in and not is_loopback(address):
        raise StartRefused(
            "Beyond this machine Winnow serves only with sign-in.",
            hint="Add people (winnow people add), set WINNOW_PASSWORD, or serve on 127.0.0.1.",
        )


def require_loopback(address: str) -> None:
    """Refuse to serve beyond this machine by ``streamlit run``: ``winnow serve`` asks for sign-in.

    Raises:
        StartRefused: The address is not loopback.
    """
    if not is_loopback(address):
        raise StartRefused(
            f"`streamlit run app.py` serves this machine only, not {address}.",
            hint=f"Use `winnow serve --address={address}`.",
        )


_SECRETS = {PASSWORD, PASSWORD_FILE, CLIENT_KEY}


def choose_worker_environ(environ: Mapping[str, str], settings: Settings) -> dict[str, str]:
    """Return a worker's whole environment: what it needs, and never the password or a key."""
    ours = {
        name: value
        for name, value in environ.items()
        if name in PASSED_ON or (name.startswith("WINNOW_") and name not in _SECRETS)
    }
    return {
        **ours,
        "WINNOW_DATA_DIR": str(settings.data_dir),
        "PYTHONPATH": str(Path(__file__).resolve().parents[1]),
        "PYTHONUTF8": "1",
    }


def _take_over(settings: Settings) -> FolderLock:
    """Take the folder's lock and upgrade the folder under it."""
    folder = DataFolder(settings.data_dir)
    folder.prepare()
    lock = FolderLock.acquire(folder)
    try:
        database = Database(folder.database)
        require_intact(database)
        if settings.password is not None and has_people(database):
            raise StartRefused(
                "People sign in by name here, so WINNOW_PASSWORD would not be used.",
                hint="Remove WINNOW_PASSWORD or WINNOW_PASSWORD_FILE.",
            )
        set_up(database, folder, read_clock())
        database.close()
    except BaseException:
        lock.release()
        raise
    return lock


def _warm_up_pages(opened: Application, load_page: Callable[[], None]) -> None:
    """Load what the first page needs, while the browser loads itself.

    Then no collection of garbage stops all threads for 0.1 s: it is paused, and what exists frozen.
    """
    gc.disable()
    try:
        try:
            load_page()
            _warm_up(opened)
        finally:
            gc.freeze()
            gc.enable()
        opened.services.refresh.describe()  # is at the foot of every page
    except Exception as error:
        _log.error("the pages cannot be loaded: %s", describe_fault(error))


def _warm_up(opened: Application) -> None:
    """Load what the first check needs, before it comes."""
    try:
        opened.services.knowledge()
    except Exception as error:
        _log.error("domain knowledge cannot be opened: %s", describe_fault(error))
