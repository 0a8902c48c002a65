"""Wiring: creates every concrete class for a data folder."""

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
from winnow.services.accounts.accounts import Accounts
from winnow.services.accounts.keys import Keys
from winnow.services.accounts.monotonic_clock import MonotonicClock
from winnow.services.accounts.sign_in import SignIn
from winnow.services.accounts.tokens import derive_key
from winnow.services.accounts.usage import Usage, UsageCounter
from winnow.services.checks.bans import Bans
from winnow.services.checks.checks import Checks
from winnow.services.checks.judges import Judges
from winnow.services.network.network import Network, NetworkSources
from winnow.services.network.refresh import Refresh, RefreshSchedule
from winnow.services.own.bounces import Bounces
from winnow.services.own.own_effects import OwnEffects
from winnow.services.own.own_file_store import OwnFileStore
from winnow.services.own.own_list_imports import OwnListImports
from winnow.services.own.own_lists import OwnListBook
from winnow.services.own.own_marks import OwnMarks
from winnow.services.own.policies import Policies
from winnow.services.own.suppressions import Suppressions
from winnow.services.results.column_analysis import ColumnAnalysis
from winnow.services.results.comparisons import Comparisons
from winnow.services.results.decisions import Decisions
from winnow.services.results.desk_choices import DeskChoices
from winnow.services.results.downloads import Downloads
from winnow.services.results.export_cache import ExportCache
from winnow.services.results.person_requests import PersonRequests
from winnow.services.results.repairs import Repairs
from winnow.services.results.reports import make_report, make_report_page, make_reports
from winnow.services.results.results import Results
from winnow.services.services import Services
from winnow.services.tasks import integrity
from winnow.services.tasks.deletions import Deletions, Retention
from winnow.services.tasks.rechecks import Rechecks
from winnow.services.tasks.runs import Runs
from winnow.services.tasks.tasks import SUBMITTED, Tasks
from winnow.services.uploads.inspection.inspections import Inspections, LocalInspector
from winnow.services.uploads.merges import Merges
from winnow.services.uploads.previews import Duplicates, Previews
from winnow.services.uploads.uploads import Uploads
from winnow.services.watches import Watches
from winnow.storage.blobs.folder import DataFolder, FolderLock
from winnow.storage.blobs.local_blobs import LocalBlobs
from winnow.storage.blobs.marking import Standing, find_standing, has_bytes
from winnow.storage.database.database import Database
from winnow.storage.database.migrations import back_up, is_ready, migrate, require_nothing_lost
from winnow.storage.repositories.accounts import account_exists, create_account, revoke_all_keys
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
    submissions: Watches
    inspections: Inspections
    queries: Inspections


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
    """Return the services of an existing data folder; None, and nothing created, if there is none.

    Raises:
        SettingsError, StartRefused: As ``services``.
    """
    settings = read_environment(environ)
    return open_application(settings).services if _has_database(settings) else None


def _has_database(settings: Settings) -> bool:
    """Return whether there is a database, or should be one: then opening reports the fault."""
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
        settings: Its path and its settings.
        clock: Returns the time in UTC, for all services.
        open_knowledge: None: the compiled knowledge in the data folder.
        open_resolver: None: DNS, at the servers of the settings. Called when first needed.
        open_registries: None: RDAP, at the servers that IANA names. Called when first needed.
        open_client: None: HTTPS. Called for each refresh of the lists.
        open_blobs: Returns the blob storage; by default the data folder itself.

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
    blobs = open_blobs(folder.root)
    return _wire(settings, folder, blobs, database, network, refresh, judges, clock)


def _open_judges(
    database: Database,
    network: Network,
    open_knowledge: Callable[[], DomainKnowledge],
    read_mark: Callable[[], object],
    open_resolver: Callable[[], Resolver],
    open_registries: Callable[[], Registries],
    clock: Callable[[], datetime],
) -> Judges:
    """Wire the judges; the network is opened only when it is switched on and needed."""
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
    clock: Callable[[], datetime],
) -> Application:
    pepper = folder.read_pepper()
    submissions = Watches()
    usage_counter = UsageCounter(database)
    bans = Bans(database=database, settings=settings, clock=clock)
    sign_in = SignIn(password=settings.password, pepper=pepper, database=database, clock=clock)
    inspections = Inspections(LocalInspector(judges.judge_offline))
    queries = Inspections(LocalInspector(judges.judge_offline))
    uploads = Uploads(
        database=database,
        blobs=blobs,
        settings=settings,
        pepper=pepper,
        inspector=inspections,
        clock=clock,
    )
    tasks = Tasks(
        database=database,
        blobs=blobs,
        settings=settings,
        uploads=uploads,
        wake_workers=partial(submissions.tell, SUBMITTED),
        clock=clock,
        carry_files=lambda *ids: suppressions.carry_over(*ids),
        tell_state=lambda account, upload_id: (
            judges.knowledge().data_version,
            f"{clock():%Y-%m-%d}" if network.is_asking else "offline",
            *(file.file_id for file in suppressions.list_of_upload(account, upload_id)),
        ),
    )
    own_lists = OwnListBook(
        database=database, is_public_suffix=on_demand.is_public_suffix, clock=clock
    )
    own_effects = OwnEffects(blobs=blobs, tasks=tasks, own_lists=own_lists, ask=queries.ask)
    secret = derive_key(pepper, "own-files") + derive_key(pepper, "own-files, more")
    own_marks = OwnMarks(database=database, blobs=blobs, secret=secret, own_effects=own_effects)
    own_file_store = OwnFileStore(database=database, blobs=blobs, settings=settings, clock=clock)
    suppressions = Suppressions(
        database=database,
        blobs=blobs,
        store=own_file_store,
        secret=secret,
        uploads=uploads,
        tasks=tasks,
        inspector=inspections,
        marks=own_marks,
        is_public_suffix=on_demand.is_public_suffix,
    )

    results = Results(
        blobs=blobs,
        tasks=tasks,
        judge_for=judges.judge_offline,
        own_effects=own_effects,
        own_marks=own_marks,
        find_registrable=on_demand.find_registrable,
    )
    exports = ExportCache(blobs, results)
    comparisons = Comparisons(results, own_effects)
    policies = Policies(database)
    requests = PersonRequests(
        database=database,
        tasks=tasks,
        results=results,
        own_marks=own_marks,
        find_registrable=on_demand.find_registrable,
        blobs=blobs,
        inspector=inspections,
    )
    decisions = Decisions(
        results=results,
        own_effects=own_effects,
        requests=requests,
        policies=policies,
        read_data_version=lambda: judges.knowledge().data_version,
        clock=clock,
    )
    rechecks = Rechecks(
        results=results,
        tasks=tasks,
        own_for=own_lists.current,
        knowledge=judges.knowledge,
        measure_move=partial(on_demand.measure_move, folder),
    )
    built = Services(
        settings=settings,
        clock=clock,
        checks=Checks(
            database=database,
            judge_for=judges.judge_for,
            own_for=own_lists.current,
            bans=bans,
            usage_counter=usage_counter,
            clock=clock,
            cite_bounces=own_marks.cite_bounces,
        ),
        uploads=uploads,
        merges=Merges(
            blobs=blobs,
            settings=settings,
            uploads=uploads,
            inspector=inspections,
            carry_files=suppressions.carry_over,
        ),
        duplicates=Duplicates(blobs=blobs, uploads=uploads, tasks=tasks, inspector=inspections),
        previews=Previews(
            blobs=blobs,
            uploads=uploads,
            inspector=inspections,
            judge_offline=judges.judge_offline,
            own_for=own_lists.current,
        ),
        tasks=tasks,
        deletions=Deletions(
            database=database,
            blobs=blobs,
            tasks=tasks,
            wake_workers=partial(submissions.tell, SUBMITTED),
            clock=clock,
        ),
        results=results,
        comparisons=comparisons,
        downloads=Downloads(
            database=database,
            settings=settings,
            results=results,
            exports=exports,
            comparisons=comparisons,
            sign_in=sign_in,
            make_reports=lambda task, cleaning, facets: make_reports(
                own_effects.present(task), clock(), cleaning, facets
            ),
            clock=clock,
        ),
        own_lists=own_lists,
        own_list_imports=OwnListImports(
            blobs=blobs,
            book=own_lists,
            inspector=inspections,
            is_public_suffix=on_demand.is_public_suffix,
        ),
        own_effects=own_effects,
        policies=policies,
        column_analysis=ColumnAnalysis(results),
        suppressions=suppressions,
        bounces=Bounces(
            database=database,
            blobs=blobs,
            store=own_file_store,
            secret=secret,
            uploads=uploads,
            inspector=inspections,
        ),
        make_report=make_report,
        make_report_page=make_report_page,
        keys=Keys(database=database, pepper=pepper, usage_counter=usage_counter, clock=clock),
        bans=bans,
        usage=Usage(database=database, settings=settings, usage_counter=usage_counter, clock=clock),
        accounts=Accounts(database, clock),
        retention=Retention(database=database, blobs=blobs, settings=settings),
        sign_in=sign_in,
        knowledge=judges.knowledge,
        network=network,
        refresh=refresh,
        refresh_schedule=RefreshSchedule(network=network, refresh=refresh, clock=clock),
        rechecks=rechecks,
        desk_choices=DeskChoices(database, tasks),
        repairs=Repairs(results=results, tasks=tasks, judge_for=judges.judge_for),
        decisions=decisions,
        person_requests=requests,
    )
    runs = Runs(
        database=database,
        blobs=blobs,
        settings=settings,
        run_batch=run_batch,
        judge_task=judges.judge_task,
        own_for=own_lists.current,
        clock=clock,
        prepare=own_marks.prepare,
    )
    return Application(
        settings=settings,
        folder=folder,
        blobs=blobs,
        database=database,
        services=built,
        runs=runs,
        usage_counter=usage_counter,
        submissions=submissions,
        inspections=inspections,
        queries=queries,
    )


def open_judges(environ: Mapping[str, str]) -> Judges:
    """Return the judges alone, for commands that need no database."""
    folder = DataFolder(read_environment(environ).data_dir)
    folder.prepare()
    return Judges(lambda: on_demand.open_compiled(folder))


def find_faults(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return the faults of the data folder; none: it is intact, or does not exist."""
    settings = read_environment(environ)
    if not _has_database(settings):
        return ()
    opened = open_application(settings)
    return integrity.find_faults(opened.database, opened.blobs)


def back_up_database(environ: Mapping[str, str]) -> str:
    """Copy the database into ``backups``, also while a server runs; return the name.

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
    """Make a new pepper in place of a lost one and revoke every key; return how many.

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
    """Create schema, pepper and the local account. Call it under the lock.

    Raises:
        StartRefused: As ``require_nothing_lost`` and ``read_version``.
    """
    require_nothing_lost(database, folder)
    migrate(database, folder, now)
    folder.make_pepper()
    if not account_exists(database, LOCAL_ACCOUNT):
        create_account(database, LOCAL_ACCOUNT, now)
