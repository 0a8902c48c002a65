"""The one place that knows every concrete class: services, the server's lifespan, the worker."""

import logging
import os
import sys
import threading
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

import anyio.to_thread
import platformdirs

from backend.core.accounts import LOCAL_ACCOUNT
from backend.core.download_choice import DownloadChoice
from backend.core.errors import StartRefused
from backend.core.facts import ListReach
from backend.core.ports import DomainKnowledge, Registries, Resolver
from backend.core.refresh import ListMove
from backend.core.rows import RowFilter, Variant
from backend.core.settings import Settings, read_settings
from backend.core.tasks import FileFormat, InputPlan
from backend.files.batch import run_batch
from backend.service import integrity
from backend.service.accounts import Accounts
from backend.service.bans import Bans, is_loopback
from backend.service.bell import Bell
from backend.service.checks import Checks
from backend.service.comparisons import Comparisons
from backend.service.domain_age import AgeLookUp
from backend.service.downloads import RESULT_NAME, Downloads
from backend.service.judges import Judges
from backend.service.keys import Keys
from backend.service.mail_look_up import MailLookUp
from backend.service.network import Network
from backend.service.own_effects import OwnEffects
from backend.service.own_lists import OwnListBook
from backend.service.previews import Previews
from backend.service.rechecks import Rechecks
from backend.service.refresh import Refresh
from backend.service.refresh_schedule import RefreshSchedule
from backend.service.reports import make_report, make_report_page, make_reports
from backend.service.results import Results
from backend.service.retention import Retention
from backend.service.runs import Runs, describe_crash
from backend.service.services import Services
from backend.service.sign_in import SignIn
from backend.service.sources import NetworkSources
from backend.service.steady_clock import SteadyClock
from backend.service.suggestions import Suggestions
from backend.service.supervisor import Supervisor
from backend.service.sweeper import Sweeper
from backend.service.tally import Tally
from backend.service.tasks import Tasks
from backend.service.uploads import Uploads
from backend.service.usage import Usage
from backend.service.variants import Variants
from backend.service.worker import start_beating, work
from backend.store.accounts import account_exists, create_account
from backend.store.database import Database
from backend.store.folder import DataFolder, FolderLock
from backend.store.leases import lose_leases, release_all_leases
from backend.store.migrations import back_up, migrate, read_version, require_intact
from backend.store.tables import SCHEMA_VERSION
from backend.store.uploads import remove_unfinished_uploads

if TYPE_CHECKING:
    import httpx

    from backend.files.rows.result_rows import ResultRows
    from backend.knowledge.list_book import ListBook
    from backend.knowledge.look_up import Knowledge

__all__ = [
    "House",
    "Services",
    "back_up_database",
    "build_house",
    "find_faults",
    "lifespan",
    "open_house",
    "open_judges",
    "read_environment",
    "require_safe_address",
    "run_worker",
    "services",
]

PRIVATE_UMASK = 0o077
PASSED_ON = (  # what an interpreter needs to start, here and on Windows
    *("PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "VIRTUAL_ENV", "LD_LIBRARY_PATH"),
    *("SYSTEMROOT", "USERPROFILE", "LOCALAPPDATA", "APPDATA", "TEMP", "TMP"),
    *("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"),
    *("ALL_PROXY", "all_proxy"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "POLARS_MAX_THREADS"),
)
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class House:
    """Everything that is open on one data folder in this process."""

    settings: Settings
    folder: DataFolder
    database: Database
    services: Services
    runs: Runs
    tally: Tally
    bell: Bell


def read_environment(environ: Mapping[str, str]) -> Settings:
    """Read the settings; the data folder's path comes out absolute.

    Raises:
        SettingsError: Names the variable with the wrong value.
    """
    default = platformdirs.user_data_path("winnow", appauthor=False)
    settings = read_settings(environ, default_data_dir=default)
    return replace(settings, data_dir=settings.data_dir.absolute())


def services(environ: Mapping[str, str] = os.environ) -> Services:
    """Return the services of the data folder that the environment names, one set a process.

    Raises:
        SettingsError: An environment variable has a wrong value.
        StartRefused: As ``open_house``.
    """
    return open_house(read_environment(environ)).services


_opening = threading.Lock()


def open_house(settings: Settings) -> House:
    """Open a data folder, once a process; a new or older one is set up first.

    Raises:
        StartRefused: The data folder was written by a newer version, cannot be used, or must be
            migrated while a server of an older version still runs on it.
    """
    with _opening:
        return _open_once(settings)


@cache
def _open_once(settings: Settings) -> House:
    return build_house(settings, clock=SteadyClock(read_clock))


def read_clock() -> datetime:
    """Return the time in UTC."""
    return datetime.now(UTC)


def build_house(
    settings: Settings,
    *,
    clock: Callable[[], datetime] = read_clock,
    open_knowledge: Callable[[], DomainKnowledge] | None = None,
    open_resolver: Callable[[], Resolver] | None = None,
    open_registries: Callable[[], Registries] | None = None,
    open_client: "Callable[[], httpx.Client] | None" = None,
) -> House:
    """Open a data folder anew; a new or older one is set up first.

    Args:
        settings: Where it is and what holds in it.
        clock: Gives the time in UTC to everything that asks for it.
        open_knowledge: None: the compiled knowledge in the data folder.
        open_resolver: None: DNS, at the servers of the settings. Called when first needed.
        open_registries: None: RDAP, at the servers that IANA names. Called when first needed.
        open_client: None: HTTPS. Called for each refresh of the lists.

    Raises:
        StartRefused: As ``open_house``.
    """
    folder = DataFolder(settings.data_dir)
    folder.prepare()
    database = Database(folder.database)
    if read_version(database) != SCHEMA_VERSION or not folder.pepper.exists():
        lock = FolderLock.acquire(folder)
        try:
            _set_up(database, folder, clock())
        finally:
            lock.release()
    network = Network(database, settings, clock)
    refreshed = folder.refreshed
    judges = _open_judges(
        database,
        network,
        open_knowledge or (lambda: _open_compiled(folder)),
        (lambda: None) if open_knowledge else (lambda: _read_mark(refreshed)),
        open_resolver or (lambda: _open_dns(settings)),
        open_registries or (lambda: _open_rdap(folder, clock)),
        clock,
    )
    refresh = Refresh(
        settings, database, lambda: _open_book(folder, open_client), judges.knowledge, clock
    )
    return _wire(settings, folder, database, network, refresh, judges, clock)


def _open_judges(
    database: Database,
    network: Network,
    open_knowledge: Callable[[], DomainKnowledge],
    read_mark: Callable[[], object],
    open_resolver: Callable[[], Resolver],
    open_registries: Callable[[], Registries],
    clock: Callable[[], datetime],
) -> Judges:
    """Wire the judges; nothing of the network is opened before it is switched on and needed."""

    @cache
    def open_mail() -> MailLookUp:
        from backend.network.mail_servers import MailServers

        read_servers = cache(MailServers.read)
        return MailLookUp(database, open_resolver(), read_servers, judges.knowledge, clock)

    @cache
    def open_age() -> AgeLookUp:
        return AgeLookUp(database, open_registries(), _is_public_suffix, clock)

    sources = NetworkSources(network, open_mail, open_age)
    judges = Judges(
        open_knowledge,
        read_mark=read_mark,
        asks_network=lambda: network.is_asking,
        choose_sources=sources.choose,
        open_task_sources=sources.open_for_task,
    )
    return judges


def _wire(
    settings: Settings,
    folder: DataFolder,
    database: Database,
    network: Network,
    refresh: Refresh,
    judges: Judges,
    clock: Callable[[], datetime],
) -> House:
    pepper = folder.read_pepper()
    bell = Bell()
    tally = Tally(database)
    bans = Bans(database, settings, clock)
    uploads = Uploads(database, folder, settings, pepper, clock)
    tasks = Tasks(database, folder, settings, uploads, bell.ring, clock)
    own_lists = OwnListBook(database, _is_public_suffix, clock)
    own_effects = OwnEffects(folder, tasks, own_lists)

    def read_reach() -> ListReach:
        return judges.knowledge_at_hand().reach

    results = Results(
        folder, tasks, judges.judge_offline, own_effects, read_reach, _find_registrable
    )
    variants = Variants(folder, results, _write_workbook)
    comparisons = Comparisons(results, own_effects)
    built = Services(
        settings=settings,
        clock=clock,
        changes=database.changes,
        checks=Checks(
            database,
            judges.judge_for,
            own_lists.current,
            bans,
            tally,
            clock,
            read_reach,
            judges.judge_at_once,
        ),
        uploads=uploads,
        previews=Previews(folder, uploads, judges.judge_offline, own_lists.current),
        tasks=tasks,
        results=results,
        comparisons=comparisons,
        downloads=Downloads(
            database,
            settings,
            results,
            variants,
            Suggestions(judges.judge_offline),
            comparisons,
            lambda task, cleaning, facets: make_reports(
                own_effects.present(task), clock(), cleaning, facets
            ),
            clock,
        ),
        own_lists=own_lists,
        own_effects=own_effects,
        make_report=make_report,
        make_report_page=make_report_page,
        keys=Keys(database, pepper, tally, clock),
        bans=bans,
        usage=Usage(database, settings, tally, clock),
        accounts=Accounts(database, clock),
        retention=Retention(database, folder),
        sign_in=SignIn(settings.password, pepper, clock),
        knowledge=judges.knowledge,
        network=network,
        refresh=refresh,
        refresh_schedule=RefreshSchedule(network, refresh, clock),
        rechecks=Rechecks(
            results, tasks, own_lists.current, judges.knowledge, partial(_measure_move, folder)
        ),
    )
    runs = Runs(database, folder, settings, run_batch, judges.judge_task, own_lists.current, clock)
    return House(settings, folder, database, built, runs, tally, bell)


@asynccontextmanager
async def lifespan(app: object) -> AsyncIterator[None]:
    """Own the data folder while the server lives: lock, sweeper, workers, warm-up.

    Tasks that a former server left in the middle are taken up at once: the lock proves that no
    other server lives. Uploads that it left unfinished are dropped.

    Raises:
        StartRefused: Another server uses the data folder, or it cannot be used.
    """
    settings = read_environment(os.environ)
    try:
        lock = _take_over(settings)
    except StartRefused as error:
        _log.error("Winnow does not start: %s %s", error.detail, error.hint or "")
        raise
    try:
        house = open_house(settings)
        release_all_leases(house.database)
        remove_unfinished_uploads(house.database)
        supervisor = Supervisor(
            (sys.executable, "-m", "backend", "worker"),
            choose_worker_environ(os.environ, settings),
            settings.workers,
            lambda worker_id: lose_leases(house.database, worker_id, read_clock()),
        )
        sweeper = Sweeper(house.services.retention, house.services.clock)
        refresher = Sweeper(house.services.refresh_schedule, house.services.clock, name="refresher")
        house.tally.start()
        supervisor.start()
        sweeper.start()
        refresher.start()
        house.bell.attach(supervisor.wake)
        threading.Thread(target=_warm_up, args=(house,), name="warm-up", daemon=True).start()
        try:
            yield
        finally:
            house.bell.detach(supervisor.wake)
            for stop in (supervisor.stop, refresher.stop, sweeper.stop, house.tally.stop):
                await anyio.to_thread.run_sync(stop)
            release_all_leases(house.database)
    finally:
        lock.release()


def run_worker(environ: Mapping[str, str], worker_id: str) -> None:
    """Be a worker process until the standard input ends."""
    os.umask(PRIVATE_UMASK)
    if not sys.stdout.isatty():  # by hand nobody listens
        start_beating(lambda sign: os.write(sys.stdout.fileno(), sign))
    house = build_house(read_environment(environ))  # leases go by the one clock of the machine
    _warm_up(house)
    import backend.files.engine.delimited_batch  # noqa: F401  # polars and pyarrow, before a task waits

    work(house.runs, worker_id, lambda: os.read(sys.stdin.fileno(), 4096))


def open_judges(environ: Mapping[str, str]) -> Judges:
    """Return the judges alone, for commands that need no database."""
    folder = DataFolder(read_environment(environ).data_dir)
    folder.prepare()
    return Judges(lambda: _open_compiled(folder))


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


def find_faults(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return what does not add up in the data folder; nothing: all is well."""
    house = open_house(read_environment(environ))
    return integrity.find_faults(house.database, house.folder)


def back_up_database(environ: Mapping[str, str]) -> str:
    """Copy the database into ``backups``, also beside a running server; return the name."""
    house = open_house(read_environment(environ))
    return back_up(house.database, house.folder, read_clock())


def choose_worker_environ(environ: Mapping[str, str], settings: Settings) -> dict[str, str]:
    """Return a worker's whole environment: what it needs, and never the password."""
    ours = {
        name: value
        for name, value in environ.items()
        if name in PASSED_ON or (name.startswith("WINNOW_") and name != "WINNOW_PASSWORD")
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
        _set_up(database, folder, read_clock())
        database.close()
    except BaseException:
        lock.release()
        raise
    return lock


def _set_up(database: Database, folder: DataFolder, now: datetime) -> None:
    """Bring schema, pepper and the local account into being. Call it under the lock."""
    migrate(database, folder, now)
    folder.make_pepper()
    if not account_exists(database, LOCAL_ACCOUNT):
        create_account(database, LOCAL_ACCOUNT, now)


def _warm_up(house: House) -> None:
    """Load what the first check needs, before it comes."""
    try:
        house.services.knowledge()
    except Exception as error:
        _log.error("domain knowledge cannot be opened: %s", describe_crash(error))


def _open_compiled(folder: DataFolder) -> "Knowledge":
    from backend.knowledge.opening import open_knowledge  # only when a judge is needed

    return open_knowledge(folder.knowledge, folder.refreshed)


def _read_mark(refreshed: Path) -> object:
    from backend.knowledge.refreshed import read_mark

    return read_mark(refreshed)


def _measure_move(folder: DataFolder, from_version: str, to_version: str) -> ListMove | None:
    from backend.knowledge.list_moves import measure_move

    return measure_move(folder.knowledge, from_version, to_version)


def _open_book(folder: DataFolder, open_client: "Callable[[], httpx.Client] | None") -> "ListBook":
    from backend.knowledge import refresh  # brings httpx along
    from backend.knowledge.list_book import ListBook

    return ListBook(
        folder.refreshed, lambda: _open_compiled(folder), open_client or refresh.open_client
    )


def _open_dns(settings: Settings) -> Resolver:
    from backend.network.resolver import DnsResolver  # only when DNS is on

    return DnsResolver(settings.dns_servers)


def _open_rdap(folder: DataFolder, clock: Callable[[], datetime]) -> Registries:
    from backend.network.bootstrap_copy import BootstrapCopy  # brings httpx along
    from backend.network.rdap import RdapRegistries
    from backend.network.rdap_asker import RdapAsker

    bootstrap = BootstrapCopy(folder.rdap, clock)
    return RdapRegistries(bootstrap, RdapAsker(bootstrap, clock))


def _is_public_suffix(domain: str) -> bool:
    from backend.knowledge.public_suffixes import is_public_suffix  # loads the list

    return is_public_suffix(domain)


def _find_registrable(domain: str) -> str | None:
    from backend.knowledge.public_suffixes import find_registrable  # loads the list

    return find_registrable(domain)


def _write_workbook(
    rows: "ResultRows",
    result_dir: Path,
    plan: InputPlan,
    variant: Variant,
    choice: DownloadChoice,
    suggest: Callable[[str], str],
    out_path: Path,
) -> None:
    """Write a workbook: the list's own with other rows, or a new one for a list that is none."""
    if plan.file_format is FileFormat.XLSX:
        from backend.files.workbook.filter import write_variant_xlsx  # brings workbook code along

        result = result_dir / RESULT_NAME
        write_variant_xlsx(result, rows, variant, out_path, plan, choice, suggest)
        return
    from backend.files.workbook.plain_book import write_plain_book

    write_plain_book(rows.stream_cells(RowFilter(), variant, choice, suggest), out_path)
