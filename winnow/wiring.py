"""The one place that knows every concrete class: it wires them on a data folder."""

import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs

from winnow import on_demand
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.core.errors import StartRefused
from winnow.core.ports import Blobs, DomainKnowledge, Registries, Resolver
from winnow.core.settings import Settings, read_settings
from winnow.lists.batch import run_batch
from winnow.network.dns.mail_look_up import MailLookUp
from winnow.network.rdap.domain_age import AgeLookUp
from winnow.services import integrity
from winnow.services.accounts import Accounts
from winnow.services.bans import Bans
from winnow.services.bounces import Bounces
from winnow.services.checks import Checks
from winnow.services.column_analysis import ColumnAnalysis
from winnow.services.comparisons import Comparisons
from winnow.services.decision_checks import DecisionChecks
from winnow.services.decision_seals import DecisionSeals
from winnow.services.decisions import Decisions
from winnow.services.deletions import Deletions
from winnow.services.desk_choices import DeskChoices
from winnow.services.downloads import Downloads
from winnow.services.duplicates import Duplicates
from winnow.services.export_cache import ExportCache
from winnow.services.inspection.inspections import Inspections, LocalInspector
from winnow.services.judges import Judges
from winnow.services.keys import Keys
from winnow.services.merges import Merges
from winnow.services.monotonic_clock import MonotonicClock
from winnow.services.network import Network
from winnow.services.own_effects import OwnEffects
from winnow.services.own_file_store import OwnFileStore
from winnow.services.own_list_imports import OwnListImports
from winnow.services.own_lists import OwnListBook
from winnow.services.own_marks import OwnMarks
from winnow.services.person_requests import PersonRequests
from winnow.services.policies import Policies
from winnow.services.previews import Previews
from winnow.services.recheck_schedule import RecheckSchedule
from winnow.services.rechecks import Rechecks
from winnow.services.refresh import Refresh
from winnow.services.refresh_schedule import RefreshSchedule
from winnow.services.repairs import Repairs
from winnow.services.reports import make_report, make_report_page, make_reports
from winnow.services.results import Results
from winnow.services.retention import Retention
from winnow.services.runs import Runs
from winnow.services.sender_checks import SenderChecks
from winnow.services.series_book import SeriesBook
from winnow.services.services import Services
from winnow.services.sign_in import SignIn
from winnow.services.sources import NetworkSources
from winnow.services.suggestions import Suggestions
from winnow.services.suppressions import Suppressions
from winnow.services.task_events import TaskEvents
from winnow.services.tasks import Tasks
from winnow.services.tokens import derive_key
from winnow.services.uploads import Uploads
from winnow.services.usage import Usage
from winnow.services.usage_counter import UsageCounter
from winnow.storage.blobs.folder import DataFolder, FolderLock
from winnow.storage.blobs.local_blobs import LocalBlobs
from winnow.storage.blobs.marking import Standing, find_standing, has_bytes
from winnow.storage.database.database import Database
from winnow.storage.database.migrations import back_up, is_ready, migrate, require_nothing_lost
from winnow.storage.repositories.accounts import account_exists, create_account
from winnow.storage.repositories.keys import revoke_all_keys
from winnow.storage.repositories.network_answers import StoredNetworkAnswers

if TYPE_CHECKING:
    import httpx


__all__ = [
    "Application",
    "Services",
    "back_up_database",
    "build_application",
    "existing_services",
    "find_faults",
    "open_application",
    "open_judges",
    "read_environment",
    "renew_pepper",
    "services",
]


@dataclass(frozen=True, slots=True)
class Application:
    """Everything that is open on one data folder in this process."""

    settings: Settings
    folder: DataFolder
    blobs: Blobs
    database: Database
    services: Services
    runs: Runs
    usage_counter: UsageCounter
    task_events: TaskEvents
    inspections: Inspections


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
        StartRefused: As ``open_application``.
    """
    return open_application(read_environment(environ)).services


def existing_services(environ: Mapping[str, str]) -> Services | None:
    """Return the services of a data folder that is there; None, and nothing made, where none is.

    Raises:
        SettingsError, StartRefused: As ``services``.
    """
    settings = read_environment(environ)
    return open_application(settings).services if _has_database(settings) else None


def _has_database(settings: Settings) -> bool:
    """Tell whether there is a database, or should be one: then opening says what is wrong."""
    standing = find_standing(settings.data_dir)
    if standing in {Standing.MISSING, Standing.EMPTY}:
        return False
    folder = DataFolder(settings.data_dir)
    return has_bytes(folder.database) or folder.holds_files()


_opening = threading.Lock()


def open_application(settings: Settings) -> Application:
    """Open a data folder, once a process; a new or older one is set up first.

    Raises:
        StartRefused: The data folder was written by a newer version, cannot be used, or must be
            migrated while a server of an older version still runs on it.
    """
    with _opening:
        return _open_once(settings)


@cache
def _open_once(settings: Settings) -> Application:
    return build_application(settings, clock=MonotonicClock(read_clock))


def read_clock() -> datetime:
    """Return the time in UTC."""
    return datetime.now(UTC)


def build_application(
    settings: Settings,
    *,
    clock: Callable[[], datetime] = read_clock,
    open_knowledge: Callable[[], DomainKnowledge] | None = None,
    open_resolver: Callable[[], Resolver] | None = None,
    open_registries: Callable[[], Registries] | None = None,
    open_client: "Callable[[], httpx.Client] | None" = None,
    open_blobs: Callable[[Path], Blobs] = LocalBlobs,
) -> Application:
    """Open a data folder anew; a new or older one is set up first.

    Args:
        settings: Where it is and what holds in it.
        clock: Gives the time in UTC to everything that asks for it.
        open_knowledge: None: the compiled knowledge in the data folder.
        open_resolver: None: DNS, at the servers of the settings. Called when first needed.
        open_registries: None: RDAP, at the servers that IANA names. Called when first needed.
        open_client: None: HTTPS. Called for each refresh of the lists.
        open_blobs: Gives the place for bytes; by default the data folder itself.

    Raises:
        StartRefused: As ``open_application``.
    """
    folder = DataFolder(settings.data_dir)
    folder.prepare()
    database = Database(folder.database)
    if not is_ready(database, folder):
        lock = FolderLock.acquire(folder)
        try:
            set_up(database, folder, clock())
        finally:
            lock.release()
    network = Network(database, settings, clock)
    refreshed = folder.refreshed
    resolver = cache(open_resolver or (lambda: on_demand.open_dns(settings)))
    judges = _open_judges(
        database,
        network,
        open_knowledge or (lambda: on_demand.open_compiled(folder)),
        (lambda: None) if open_knowledge else (lambda: on_demand.read_mark(refreshed)),
        resolver,
        open_registries or (lambda: on_demand.open_rdap(folder, clock)),
        clock,
    )
    refresh = Refresh(
        settings,
        database,
        lambda: on_demand.open_book(folder, open_client),
        judges.knowledge,
        clock,
    )
    sender_checks = SenderChecks(
        database, network, resolver, on_demand.find_registrable, on_demand.read_selectors, clock
    )
    blobs = open_blobs(folder.root)
    return _wire(settings, folder, blobs, database, network, refresh, judges, sender_checks, clock)


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
    kept = StoredNetworkAnswers(database)

    @cache
    def open_mail() -> MailLookUp:
        from winnow.network.dns.mail_servers import MailServers

        read_servers = cache(MailServers.read)
        return MailLookUp(kept, open_resolver(), read_servers, judges.knowledge, clock)

    @cache
    def open_age() -> AgeLookUp:
        return AgeLookUp(kept, open_registries(), on_demand.is_public_suffix, clock)

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
    blobs: Blobs,
    database: Database,
    network: Network,
    refresh: Refresh,
    judges: Judges,
    sender_checks: SenderChecks,
    clock: Callable[[], datetime],
) -> Application:
    pepper = folder.read_pepper()
    task_events = TaskEvents()
    usage_counter = UsageCounter(database)
    bans = Bans(database, settings, clock)
    sign_in = SignIn(settings.password, pepper, database, clock)
    inspections = Inspections(LocalInspector(judges.judge_offline))
    uploads = Uploads(database, blobs, settings, pepper, inspections, clock)
    tasks = Tasks(
        *(database, blobs, settings, uploads, task_events.publish, clock),
        carry_files=lambda *ids: suppressions.carry_over(*ids),
        tell_state=lambda account, upload_id: (
            judges.knowledge().data_version,
            f"{clock():%Y-%m-%d}" if network.is_asking else "offline",
            *(file.file_id for file in suppressions.list_of_upload(account, upload_id)),
        ),
    )
    own_lists = OwnListBook(database, on_demand.is_public_suffix, clock)
    own_effects = OwnEffects(blobs, tasks, own_lists)
    secret = derive_key(pepper, "own-files") + derive_key(pepper, "own-files, more")
    own_marks = OwnMarks(database, blobs, secret, own_effects)
    own_file_store = OwnFileStore(database, blobs, settings, clock)
    suppressions = Suppressions(
        *(database, blobs, own_file_store, secret, uploads, tasks, inspections, own_marks),
        on_demand.is_public_suffix,
    )

    suggestions = Suggestions(judges.judge_offline)
    results = Results(
        *(blobs, tasks, judges.judge_offline, own_effects, own_marks, suggestions),
        on_demand.find_registrable,
    )
    exports = ExportCache(blobs, results)
    comparisons = Comparisons(results, own_effects)
    policies = Policies(database)
    requests = PersonRequests(database, tasks, results, own_marks, on_demand.find_registrable)
    seals = DecisionSeals(pepper)
    decisions = Decisions(
        *(results, own_effects, requests, policies),
        lambda: judges.knowledge().data_version,
        seals,
        clock,
    )
    rechecks = Rechecks(
        results,
        tasks,
        own_lists.current,
        judges.knowledge,
        partial(on_demand.measure_move, folder),
    )
    built = Services(
        settings=settings,
        clock=clock,
        checks=Checks(
            *(database, judges.judge_for, own_lists.current, bans, usage_counter, clock),
            own_marks.cite_bounces,
        ),
        uploads=uploads,
        merges=Merges(blobs, settings, uploads, inspections, suppressions.carry_over),
        duplicates=Duplicates(blobs, uploads, tasks, inspections, own_lists.current),
        previews=Previews(blobs, uploads, inspections, judges.judge_offline, own_lists.current),
        tasks=tasks,
        series=SeriesBook(database, tasks, results, own_effects, clock),
        deletions=Deletions(database, blobs, tasks, task_events.publish, clock),
        results=results,
        comparisons=comparisons,
        downloads=Downloads(
            database,
            settings,
            results,
            exports,
            comparisons,
            sign_in,
            lambda task, cleaning, facets: make_reports(
                own_effects.present(task), clock(), cleaning, facets
            ),
            clock,
        ),
        own_lists=own_lists,
        own_list_imports=OwnListImports(blobs, own_lists, inspections, on_demand.is_public_suffix),
        own_effects=own_effects,
        policies=policies,
        column_analysis=ColumnAnalysis(results),
        suppressions=suppressions,
        bounces=Bounces(database, blobs, own_file_store, secret, uploads, inspections),
        make_report=make_report,
        make_report_page=make_report_page,
        keys=Keys(database, pepper, usage_counter, clock),
        bans=bans,
        usage=Usage(database, settings, usage_counter, clock),
        accounts=Accounts(database, clock),
        retention=Retention(database, blobs, settings),
        sign_in=sign_in,
        knowledge=judges.knowledge,
        network=network,
        refresh=refresh,
        refresh_schedule=RefreshSchedule(network, refresh, clock),
        rechecks=rechecks,
        desk_choices=DeskChoices(database, tasks),
        recheck_schedule=RecheckSchedule(database, tasks, rechecks, clock),
        repairs=Repairs(results, tasks, judges.judge_for),
        sender_checks=sender_checks,
        decisions=decisions,
        person_requests=requests,
        decision_checks=DecisionChecks(decisions, requests, seals),
    )
    runs = Runs(
        *(database, blobs, settings, run_batch, judges.judge_task, own_lists.current, clock),
        *(own_marks.prepare, own_marks.find_forbidden),
    )
    return Application(
        settings, folder, blobs, database, built, runs, usage_counter, task_events, inspections
    )


def open_judges(environ: Mapping[str, str]) -> Judges:
    """Return the judges alone, for commands that need no database."""
    folder = DataFolder(read_environment(environ).data_dir)
    folder.prepare()
    return Judges(lambda: on_demand.open_compiled(folder))


def find_faults(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return what does not add up in the data folder; nothing: all is well, or nothing there."""
    settings = read_environment(environ)
    if not _has_database(settings):
        return ()
    opened = open_application(settings)
    return integrity.find_faults(opened.database, opened.blobs)


def back_up_database(environ: Mapping[str, str]) -> str:
    """Copy the database into ``backups``, also beside a running server; return the name.

    Raises:
        StartRefused: There is none yet; nothing was made.
    """
    settings = read_environment(environ)
    if not _has_database(settings):
        raise StartRefused(f'There is no database in "{settings.data_dir}" yet.')
    opened = open_application(settings)
    try:
        return back_up(opened.database, opened.folder, read_clock())
    finally:
        opened.database.close()


def renew_pepper(environ: Mapping[str, str]) -> int:
    """Make a new pepper in the place of a lost one and revoke every key; return how many.

    Raises:
        StartRefused: There is no database, a pepper is there, or a server runs.
    """
    settings = read_environment(environ)
    folder = DataFolder(settings.data_dir)
    if not _has_database(settings) or not has_bytes(folder.database):
        raise StartRefused(f'There is no database in "{settings.data_dir}".')
    if folder.pepper.exists():
        raise StartRefused("The file pepper is there; nothing was changed.")
    folder.prepare()
    lock = FolderLock.acquire(folder)
    database = Database(folder.database)
    try:
        migrate(database, folder, read_clock())
        count = revoke_all_keys(database, read_clock())
        folder.make_pepper()
    finally:
        database.close()
        lock.release()
    return count


def set_up(database: Database, folder: DataFolder, now: datetime) -> None:
    """Bring schema, pepper and the local account into being. Call it under the lock.

    Raises:
        StartRefused: As ``require_nothing_lost`` and ``read_version``.
    """
    require_nothing_lost(database, folder)
    migrate(database, folder, now)
    folder.make_pepper()
    if not account_exists(database, LOCAL_ACCOUNT):
        create_account(database, LOCAL_ACCOUNT, now)
