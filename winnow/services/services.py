"""All services of one data folder, wired by one function for each folder of services."""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from winnow.core.accounts import Identity
from winnow.core.ports import Blobs, DomainKnowledge
from winnow.core.settings import Settings
from winnow.domain_data.suffixes import find_registrable
from winnow.lists.list_format import BatchOutcome
from winnow.lists.requests import BatchRequest
from winnow.services.accounts.accounts import Accounts, Keys, derive_key
from winnow.services.accounts.audit_log import AuditLog
from winnow.services.accounts.people import People
from winnow.services.accounts.sign_in import SignIn
from winnow.services.accounts.usage import Usage, UsageCounter
from winnow.services.backups import Backups
from winnow.services.checks.bans import Bans
from winnow.services.checks.checks import Checks
from winnow.services.checks.judges import Judges
from winnow.services.monitoring import Monitoring
from winnow.services.network.hooks import Hooks
from winnow.services.network.network import Network
from winnow.services.network.refresh import Refresh
from winnow.services.own.own_files import Bounces, OwnFileStore, Suppressions
from winnow.services.own.own_lists import OwnListBook
from winnow.services.own.policies import Policies
from winnow.services.own.project_views import ProjectViews
from winnow.services.results.comparisons import Comparisons
from winnow.services.results.downloads import Downloads
from winnow.services.results.person_requests import PersonRequests
from winnow.services.results.repairs import Repairs
from winnow.services.results.reports import Decisions, make_report
from winnow.services.results.results import Results
from winnow.services.tasks.deletions import Deletions, Retention
from winnow.services.tasks.runs import Runs
from winnow.services.tasks.tasks import SUBMITTED, Tasks
from winnow.services.uploads.inspections import Inspections
from winnow.services.uploads.merges import Merges
from winnow.services.uploads.previews import Duplicates, Previews
from winnow.services.uploads.uploads import Uploads
from winnow.services.use_cases import ActingService, Caller
from winnow.services.watches import Watches
from winnow.storage.database.database import Database

if TYPE_CHECKING:
    from winnow.network.hook_client import HookClient

_SHARED = frozenset({"settings", "clock", "knowledge"})
"""What every caller may read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """What the services of one data folder are made of; ``clock`` gives the time in UTC.

    ``inspections`` and ``queries`` answer questions about files; ``pepper`` is the key of this
    installation, ``submissions`` are watched by the workers.
    """

    settings: Settings
    database: Database
    blobs: Blobs
    pepper: bytes
    clock: Callable[[], datetime]
    judges: Judges
    network: Network
    refresh: Refresh
    inspections: Inspections
    queries: Inspections
    submissions: Watches

    def wake_workers(self) -> None:
        """Tell the workers that a task waits."""
        self.submissions.tell(SUBMITTED)


@dataclass(frozen=True, kw_only=True)
class AccountServices:
    """The services of the folder ``accounts``."""

    accounts: Accounts
    keys: Keys
    people: People
    sign_in: SignIn
    usage: Usage
    usage_counter: UsageCounter
    audit_log: AuditLog


@dataclass(frozen=True, kw_only=True)
class NetworkServices:
    """The services of the folder ``network``."""

    network: Network
    refresh: Refresh
    hooks: Hooks


@dataclass(frozen=True, kw_only=True)
class CheckServices:
    """The services of the folder ``checks``."""

    checks: Checks
    bans: Bans


@dataclass(frozen=True, kw_only=True)
class UploadServices:
    """The services of the folder ``uploads``."""

    uploads: Uploads
    merges: Merges
    previews: Previews


@dataclass(frozen=True, kw_only=True)
class TaskServices:
    """The services of the folder ``tasks``."""

    tasks: Tasks
    duplicates: Duplicates
    deletions: Deletions
    retention: Retention
    runs: Runs


@dataclass(frozen=True, kw_only=True)
class OwnServices:
    """The services of the folder ``own``."""

    own_lists: OwnListBook
    project_views: ProjectViews
    policies: Policies
    suppressions: Suppressions
    bounces: Bounces


@dataclass(frozen=True, kw_only=True)
class ResultServices:
    """The services of the folder ``results``."""

    results: Results
    comparisons: Comparisons
    downloads: Downloads
    repairs: Repairs
    decisions: Decisions
    person_requests: PersonRequests


@dataclass(frozen=True, kw_only=True)
class Services(
    AccountServices,
    NetworkServices,
    CheckServices,
    UploadServices,
    TaskServices,
    OwnServices,
    ResultServices,
):
    """Every use case, wired. ``clock`` gives the time in UTC; ``knowledge`` loads on first call.

    ``runs``, ``usage_counter``, ``submissions``, ``inspections`` and ``queries`` are for the
    server and its workers. Pages and the API call the others by ``act_as``.
    """

    settings: Settings
    clock: Callable[[], datetime]
    knowledge: Callable[[], DomainKnowledge]
    backups: Backups
    monitoring: Monitoring
    submissions: Watches
    inspections: Inspections
    queries: Inspections

    def act_as(self, identity: Identity) -> "Services":
        """Return the services as a person or a key may use them: see ``use_cases``."""
        caller = Caller(identity, self.people.find_role, self.audit_log.record)
        acting = {
            field.name: ActingService(field.name, getattr(self, field.name), caller)
            for field in fields(self)
            if field.name not in _SHARED
        }
        return replace(self, **cast(dict[str, Any], acting))

    @property
    def network_status(self) -> str:
        """What leaves this machine, in one line."""
        return self.network.status_text()


def wire_services(
    base: Base,
    write_backup: Callable[[Path, datetime], None],
    open_hook_client: "Callable[[], HookClient]",
) -> Services:
    """Create the services of a data folder.

    ``write_backup`` writes a backup of it to a path, ``open_hook_client`` opens what calls hooks.
    """
    accounts = wire_accounts(base)
    uploads = wire_uploads(base, lambda: own)  # a merged list and a task have own files too
    tasks = wire_tasks(base, uploads.uploads, lambda: own)
    own = wire_own(base, uploads.uploads, tasks.tasks)
    backups = Backups(base.settings, write_backup)
    return Services(
        **vars(accounts),
        **vars(wire_network(base, accounts.keys, open_hook_client)),
        **vars(wire_checks(base, accounts.usage_counter, own)),
        **vars(uploads),
        **vars(tasks),
        **vars(own),
        **vars(wire_results(base, tasks.tasks, own, accounts.sign_in)),
        settings=base.settings,
        clock=base.clock,
        knowledge=base.judges.knowledge,
        backups=backups,
        monitoring=Monitoring(
            settings=base.settings,
            database=base.database,
            network=base.network,
            refresh=base.refresh,
            backups=backups,
            knowledge=base.judges.knowledge,
            clock=base.clock,
        ),
        submissions=base.submissions,
        inspections=base.inspections,
        queries=base.queries,
    )


def wire_accounts(base: Base) -> AccountServices:
    """Create the services of accounts, keys, people and sign-in."""
    database, settings, clock = base.database, base.settings, base.clock
    counter = UsageCounter(database)
    people = People(database=database, settings=settings, clock=clock)
    return AccountServices(
        accounts=Accounts(database=database, clock=clock),
        keys=Keys(database=database, pepper=base.pepper, usage_counter=counter, clock=clock),
        people=people,
        sign_in=SignIn(
            settings=settings, pepper=base.pepper, database=database, people=people, clock=clock
        ),
        usage=Usage(database=database, settings=settings, usage_counter=counter, clock=clock),
        usage_counter=counter,
        audit_log=AuditLog(database=database, clock=clock),
    )


def wire_network(
    base: Base, keys: Keys, open_client: "Callable[[], HookClient]"
) -> NetworkServices:
    """Create the services of switches, refreshed lists and hooks."""
    return NetworkServices(
        network=base.network,
        refresh=base.refresh,
        hooks=Hooks(
            database=base.database,
            settings=base.settings,
            keys=keys,
            network=base.network,
            pepper=base.pepper,
            open_client=open_client,
            clock=base.clock,
        ),
    )


def wire_checks(base: Base, usage_counter: UsageCounter, own: OwnServices) -> CheckServices:
    """Create the services of single checks and bans."""
    bans = Bans(database=base.database, settings=base.settings, clock=base.clock)
    checks = Checks(
        database=base.database,
        judge_for=base.judges.judge_for,
        judge_array=base.judges.judge_array,
        own_for=own.own_lists.current,
        bans=bans,
        usage_counter=usage_counter,
        clock=base.clock,
        cite_bounces=own.project_views.cite_bounces,
    )
    return CheckServices(checks=checks, bans=bans)


def wire_uploads(base: Base, find_own: Callable[[], OwnServices]) -> UploadServices:
    """Create the services of uploads; ``find_own`` returns what is created after them."""
    blobs, inspector = base.blobs, base.inspections
    uploads = Uploads(
        database=base.database,
        blobs=blobs,
        settings=base.settings,
        pepper=base.pepper,
        inspector=inspector,
        clock=base.clock,
    )
    return UploadServices(
        uploads=uploads,
        merges=Merges(
            blobs=blobs,
            settings=base.settings,
            uploads=uploads,
            inspector=inspector,
            carry_files=lambda *ids: find_own().suppressions.carry_over(*ids),
        ),
        previews=Previews(
            blobs=blobs,
            uploads=uploads,
            inspector=inspector,
            judge_offline=base.judges.judge_offline,
            own_for=lambda account: find_own().own_lists.current(account),
        ),
    )


def wire_tasks(base: Base, uploads: Uploads, find_own: Callable[[], OwnServices]) -> TaskServices:
    """Create the services of projects and their runs; ``find_own`` as in ``wire_uploads``."""
    database, blobs, settings, clock = base.database, base.blobs, base.settings, base.clock

    def name_state(account: str, upload_id: str) -> tuple[str, ...]:
        return (
            base.judges.knowledge().data_version,
            f"{clock():%Y-%m-%d}" if base.network.is_asking else "offline",
            *(one.file_id for one in find_own().suppressions.list_of_upload(account, upload_id)),
        )

    tasks = Tasks(
        database=database,
        blobs=blobs,
        settings=settings,
        uploads=uploads,
        wake_workers=base.wake_workers,
        clock=clock,
        carry_files=lambda *ids: find_own().suppressions.carry_over(*ids),
        name_state=name_state,
    )
    return TaskServices(
        tasks=tasks,
        duplicates=Duplicates(
            blobs=blobs, uploads=uploads, tasks=tasks, inspector=base.inspections
        ),
        deletions=Deletions(
            database=database,
            blobs=blobs,
            tasks=tasks,
            wake_workers=base.wake_workers,
            clock=clock,
        ),
        retention=Retention(database=database, blobs=blobs, settings=settings),
        runs=Runs(
            database=database,
            blobs=blobs,
            settings=settings,
            run_batch=_run_batch,
            judge_task=base.judges.judge_task,
            own_for=lambda account: find_own().own_lists.current(account),
            clock=clock,
            prepare=lambda stored: find_own().project_views.prepare(stored),
        ),
    )


def wire_own(base: Base, uploads: Uploads, tasks: Tasks) -> OwnServices:
    """Create the services of an account's own lists, files and policies."""
    database, blobs, inspector = base.database, base.blobs, base.inspections
    secret = derive_key(base.pepper, "own-files") + derive_key(base.pepper, "own-files, more")
    own_lists = OwnListBook(database=database, blobs=blobs, inspector=inspector, clock=base.clock)
    views = ProjectViews(
        database=database,
        blobs=blobs,
        tasks=tasks,
        own_lists=own_lists,
        secret=secret,
        ask=base.queries.ask,
    )
    store = OwnFileStore(
        database=database,
        blobs=blobs,
        uploads=uploads,
        settings=base.settings,
        secret=secret,
        inspector=inspector,
        clock=base.clock,
    )
    return OwnServices(
        own_lists=own_lists,
        project_views=views,
        policies=Policies(database=database),
        suppressions=Suppressions(store=store, tasks=tasks, views=views),
        bounces=Bounces(store=store),
    )


def wire_results(base: Base, tasks: Tasks, own: OwnServices, sign_in: SignIn) -> ResultServices:
    """Create the services of finished projects."""
    database, clock, views = base.database, base.clock, own.project_views
    results = Results(
        blobs=base.blobs,
        tasks=tasks,
        judge_for=base.judges.judge_offline,
        views=views,
    )
    comparisons = Comparisons(results, views)
    requests = PersonRequests(
        database=database,
        tasks=tasks,
        results=results,
        views=views,
        find_registrable=find_registrable,
        blobs=base.blobs,
        inspector=base.inspections,
    )
    return ResultServices(
        results=results,
        comparisons=comparisons,
        downloads=Downloads(
            database=database,
            blobs=base.blobs,
            settings=base.settings,
            results=results,
            comparisons=comparisons,
            sign_in=sign_in,
            make_report=lambda task, cleaning: make_report(views.present(task), clock(), cleaning),
            clock=clock,
        ),
        repairs=Repairs(results=results, tasks=tasks, judge_for=base.judges.judge_for),
        decisions=Decisions(
            results=results,
            views=views,
            requests=requests,
            policies=own.policies,
            read_data_version=lambda: base.judges.knowledge().data_version,
            clock=clock,
        ),
        person_requests=requests,
    )


def _run_batch(request: BatchRequest) -> BatchOutcome:
    from winnow.lists.batch import run_batch  # brings Polars along, which no page needs

    return run_batch(request)
