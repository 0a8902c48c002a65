"""The life of the server and of its workers on one data folder."""

import gc
import logging
import os
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import anyio.to_thread

from winnow.api.middleware.shutdown import Shutdown
from winnow.core.errors import StartRefused, WinnowError
from winnow.core.faults import describe_fault
from winnow.core.settings import CLIENT_KEY, Settings
from winnow.services.bans import is_loopback
from winnow.services.inspection.pool import InspectionPool
from winnow.services.scheduler import Scheduler
from winnow.services.supervisor import Supervisor
from winnow.services.worker import start_beating, work
from winnow.storage.blobs.folder import DataFolder, FolderLock
from winnow.storage.database.database import Database
from winnow.storage.database.migrations import require_intact
from winnow.storage.repositories.leases import is_any_waiting, lose_leases, release_all_leases
from winnow.storage.repositories.own_files import forget_gone_files
from winnow.storage.repositories.uploads import remove_unfinished_uploads
from winnow.wiring import (
    Application,
    build_application,
    open_application,
    read_clock,
    read_environment,
    set_up,
)

PRIVATE_UMASK = 0o077
FIRST_PAGE_SECONDS = 4.0  # a browser draws in them; workers come later, or as soon as a task waits
DELETIONS_SECONDS = 1.0  # how late space can be free after a deletion can be undone no more
PASSED_ON = (  # what an interpreter needs to start, here and on Windows
    *("PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "VIRTUAL_ENV", "LD_LIBRARY_PATH"),
    *("SYSTEMROOT", "USERPROFILE", "LOCALAPPDATA", "APPDATA", "TEMP", "TMP"),
    *("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"),
    *("ALL_PROXY", "all_proxy"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "POLARS_MAX_THREADS"),
)
_log = logging.getLogger(__name__)


@asynccontextmanager
async def lifespan(
    app: object,
    *,
    load_page: Callable[[], None] = lambda: None,
    announce: Callable[[], None] = lambda: None,
    shutdown: Shutdown | None = None,
) -> AsyncIterator[None]:
    """Own the data folder while the server lives: lock, schedulers, workers, warm-up.

    Tasks that a former server left in the middle are taken up at once: the lock proves that no
    other server lives. Uploads that it left unfinished are dropped.

    Args:
        app: Not used.
        load_page: Imports what the first page needs; called in a thread as soon as we serve.
        announce: Tells whoever started us that we serve.
        shutdown: Tells of a stop before it comes here, and of a sudden end.

    Raises:
        StartRefused: Another server uses the data folder, or it cannot be used.
    """
    settings = read_environment(os.environ)
    try:
        lock = _take_over(settings)
    except WinnowError as error:
        _log.error("Winnow does not start: %s %s", error.detail, error.hint or "")
        raise
    try:
        opened = open_application(settings)
        release_all_leases(opened.database)
        remove_unfinished_uploads(opened.database, opened.blobs)
        forget_gone_files(opened.database, opened.blobs)
        opened.services.sign_in.end_others()
        supervisor = Supervisor(
            (sys.executable, "-m", "winnow", "worker"),
            choose_worker_environ(os.environ, settings),
            settings.workers,
            lambda worker_id: lose_leases(opened.database, worker_id, read_clock()),
            first_wait_seconds=FIRST_PAGE_SECONDS,
        )
        inspectors = InspectionPool(
            (
                *(sys.executable, "-m", "winnow.inspector"),
                *(str(opened.folder.knowledge), str(opened.folder.refreshed)),
            ),
            choose_worker_environ(os.environ, settings),
            first_wait_seconds=FIRST_PAGE_SECONDS,
        )
        retention = Scheduler(opened.services.retention, opened.services.clock, name="retention")
        refresher = Scheduler(
            opened.services.refresh_schedule, opened.services.clock, name="refresher"
        )
        deletions = Scheduler(
            opened.services.deletions,
            opened.services.clock,
            name="deletions",
            seconds=DELETIONS_SECONDS,
        )
        rechecker = Scheduler(
            opened.services.recheck_schedule, opened.services.clock, name="rechecker"
        )
        opened.usage_counter.start()
        if is_any_waiting(opened.database, read_clock()):
            supervisor.wake()
        supervisor.start()
        inspectors.start()
        opened.inspections.hand_over(inspectors)
        retention.start()
        deletions.start()
        rechecker.start()
        refresher.start()
        opened.task_events.subscribe(supervisor.wake)
        if shutdown is not None:
            shutdown.first_acts.append(supervisor.dismiss)
            shutdown.last_acts += [supervisor.kill, inspectors.kill]
        threading.Thread(
            target=_warm_up_pages, args=(opened, load_page), name="warm-up", daemon=True
        ).start()
        try:
            announce()
            yield
        finally:
            opened.task_events.unsubscribe(supervisor.wake)
            for service in (
                *(inspectors, supervisor, refresher, rechecker, deletions, retention),
                opened.usage_counter,
            ):
                await anyio.to_thread.run_sync(service.stop)
            opened.inspections.take_back()
            release_all_leases(opened.database)
    finally:
        lock.release()


def run_worker(environ: Mapping[str, str], worker_id: str) -> None:
    """Be a worker process until the standard input ends."""
    os.umask(PRIVATE_UMASK)
    if not sys.stdout.isatty():  # by hand nobody listens
        start_beating(lambda sign: os.write(sys.stdout.fileno(), sign))
    opened = build_application(
        read_environment(environ)
    )  # leases go by the one clock of the machine
    _warm_up(opened)
    import winnow.lists.formats.delimited.batch  # noqa: F401  # polars and pyarrow, before a task waits

    work(opened.runs, worker_id, lambda: os.read(sys.stdin.fileno(), 4096))


def require_safe_address(address: str, settings: Settings) -> None:
    """Refuse to serve beyond this machine without sign-in.

    Raises:
        StartRefused: The address is not loopback, and no ``WINNOW_PASSWORD`` is set.
    """
    if settings.password is None and not is_loopback(address):
        raise StartRefused(
            "Beyond this machine Winnow serves only with sign-in.",
            hint="Set WINNOW_PASSWORD, or serve on 127.0.0.1.",
        )


def require_own_folder(settings: Settings) -> None:
    """Refuse a data folder that is not Winnow's, before anything is started.

    Raises:
        StartRefused: As ``DataFolder.check``; nothing was changed.
    """
    DataFolder(settings.data_dir).check()


_SECRETS = {"WINNOW_PASSWORD", CLIENT_KEY}


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
    """Take the folder's lock and bring it up to date under it."""
    folder = DataFolder(settings.data_dir)
    folder.prepare()
    lock = FolderLock.acquire(folder)
    try:
        database = Database(folder.database)
        require_intact(database)
        set_up(database, folder, read_clock())
        folder.make_private()
        database.close()
    except BaseException:
        lock.release()
        raise
    return lock


def _warm_up_pages(opened: Application, load_page: Callable[[], None]) -> None:
    """Load what the first page needs, while the browser loads itself."""
    try:
        with _nothing_collected():
            load_page()
        _warm_up(opened)
        opened.services.refresh.describe()  # stands at the foot of every page
    except Exception as error:
        _log.error("the pages cannot be loaded: %s", describe_fault(error))


def _warm_up(opened: Application) -> None:
    """Load what the first check needs, before it comes."""
    try:
        opened.services.knowledge()
    except Exception as error:
        _log.error("domain knowledge cannot be opened: %s", describe_fault(error))


@contextmanager
def _nothing_collected() -> Iterator[None]:
    """Look for no rubbish meanwhile, and never again among what is there afterwards.

    Else a full collection, 0.1 s of everybody's time, comes while the first page is drawn, and
    later while an API answers.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
