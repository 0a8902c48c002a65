"""All services of one data folder, for the API and the pages, and their wiring."""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from datetime import datetime
from functools import partial
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
from winnow.services.network.refresh import Refresh, RefreshSchedule
from winnow.services.own.own_files import Bounces, OwnFileStore, Suppressions
from winnow.services.own.own_lists import OwnListBook
from winnow.services.own.policies import Policies
from winnow.services.own.project_views import ProjectViews
from winnow.services.results.column_analysis import ColumnAnalysis
from winnow.services.results.comparisons import Comparisons
from winnow.services.results.decisions import Decisions
from winnow.services.results.desk_choices import DeskChoices
from winnow.services.results.downloads import Downloads
from winnow.services.results.export_cache import ExportCache
from winnow.services.results.person_requests import PersonRequests
from winnow.services.results.repairs import Repairs
from winnow.services.results.reports import make_report
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
class Services:
    """Every use case, wired. ``clock`` gives the time in UTC; ``knowledge`` loads on first call.

    ``runs``, ``usage_counter``, ``submissions``, ``inspections`` and ``queries`` are for the
    server and its workers. Pages and the API call the others by ``act_as``.
    """

    settings: Settings
    clock: Callable[[], datetime]
    checks: Checks
    uploads: Uploads
    merges: Merges
    previews: Previews
    duplicates: Duplicates
    tasks: Tasks
    deletions: Deletions
    results: Results
    comparisons: Comparisons
    downloads: Downloads
    own_lists: OwnListBook
    project_views: ProjectViews
    policies: Policies
    column_analysis: ColumnAnalysis
    suppressions: Suppressions
    bounces: Bounces
    keys: Keys
    hooks: Hooks
    bans: Bans
    usage: Usage
    accounts: Accounts
    retention: Retention
    sign_in: SignIn
    people: People
    audit_log: AuditLog
    knowledge: Callable[[], DomainKnowledge]
    network: Network
    refresh: Refresh
    refresh_schedule: RefreshSchedule
    backups: Backups
    monitoring: Monitoring
    desk_choices: DeskChoices
    repairs: Repairs
    decisions: Decisions
    person_requests: PersonRequests
    runs: Runs
    usage_counter: UsageCounter
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
    *,
    settings: Settings,
    database: Database,
    blobs: Blobs,
    pepper: bytes,
    judges: Judges,
    network: Network,
    refresh: Refresh,
    write_backup: Callable[[Path, datetime], None],
    open_hook_client: "Callable[[], HookClient]",
    clock: Callable[[], datetime],
) -> Services:
    """Create the services of a data folder.

    Args:
        settings: Limits and lifetimes.
        database: Stores what is known of files and accounts.
        blobs: Stores the files.
        pepper: The key of this installation.
        judges: Return judges and the domain data.
        network: Switches of the network.
        refresh: Refreshes the published lists.
        write_backup: Writes a backup of the data folder to a path.
        open_hook_client: Opens what calls hooks.
        clock: Returns the time in UTC.
    """
    submissions = Watches()
    wake_workers = partial(submissions.tell, SUBMITTED)
    inspections, queries = Inspections(judges.judge_offline), Inspections(judges.judge_offline)
    usage_counter = UsageCounter(database)
    keys = Keys(database=database, pepper=pepper, usage_counter=usage_counter, clock=clock)
    bans = Bans(database=database, settings=settings, clock=clock)
    people = People(database=database, settings=settings, clock=clock)
    sign_in = SignIn(
        settings=settings, pepper=pepper, database=database, people=people, clock=clock
    )
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
        wake_workers=wake_workers,
        clock=clock,
        carry_files=lambda *ids: suppressions.carry_over(*ids),
        name_state=lambda account, upload_id: (
            judges.knowledge().data_version,
            f"{clock():%Y-%m-%d}" if network.is_asking else "offline",
            *(file.file_id for file in suppressions.list_of_upload(account, upload_id)),
        ),
    )
    own_lists = OwnListBook(database=database, blobs=blobs, inspector=inspections, clock=clock)
    secret = derive_key(pepper, "own-files") + derive_key(pepper, "own-files, more")
    views = ProjectViews(
        database=database,
        blobs=blobs,
        tasks=tasks,
        own_lists=own_lists,
        secret=secret,
        ask=queries.ask,
    )
    own_files = OwnFileStore(
        database=database,
        blobs=blobs,
        settings=settings,
        secret=secret,
        inspector=inspections,
        clock=clock,
    )
    suppressions = Suppressions(
        database=database,
        blobs=blobs,
        store=own_files,
        uploads=uploads,
        tasks=tasks,
        views=views,
    )
    policies = Policies(database=database)
    results = Results(
        blobs=blobs,
        tasks=tasks,
        judge_for=judges.judge_offline,
        views=views,
        find_registrable=find_registrable,
    )
    comparisons = Comparisons(results, views)
    requests = PersonRequests(
        database=database,
        tasks=tasks,
        results=results,
        views=views,
        find_registrable=find_registrable,
        blobs=blobs,
        inspector=inspections,
    )
    backups = Backups(settings, write_backup)
    return Services(
        settings=settings,
        clock=clock,
        checks=Checks(
            database=database,
            judge_for=judges.judge_for,
            judge_array=judges.judge_array,
            own_for=own_lists.current,
            bans=bans,
            usage_counter=usage_counter,
            clock=clock,
            cite_bounces=views.cite_bounces,
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
            wake_workers=wake_workers,
            clock=clock,
        ),
        results=results,
        comparisons=comparisons,
        downloads=Downloads(
            database=database,
            settings=settings,
            results=results,
            exports=ExportCache(blobs, results),
            comparisons=comparisons,
            sign_in=sign_in,
            make_report=lambda task, cleaning, facets: make_report(
                views.present(task), clock(), cleaning, facets
            ),
            clock=clock,
        ),
        own_lists=own_lists,
        project_views=views,
        policies=policies,
        column_analysis=ColumnAnalysis(results),
        suppressions=suppressions,
        bounces=Bounces(database=database, blobs=blobs, store=own_files, uploads=uploads),
        keys=keys,
        hooks=Hooks(
            database=database,
            settings=settings,
            keys=keys,
            network=network,
            pepper=pepper,
            open_client=open_hook_client,
            clock=clock,
        ),
        bans=bans,
        usage=Usage(database=database, settings=settings, usage_counter=usage_counter, clock=clock),
        accounts=Accounts(database=database, clock=clock),
        retention=Retention(database=database, blobs=blobs, settings=settings),
        sign_in=sign_in,
        people=people,
        audit_log=AuditLog(database=database, clock=clock),
        knowledge=judges.knowledge,
        network=network,
        refresh=refresh,
        backups=backups,
        monitoring=Monitoring(
            settings=settings,
            database=database,
            network=network,
            refresh=refresh,
            backups=backups,
            knowledge=judges.knowledge,
            clock=clock,
        ),
        refresh_schedule=RefreshSchedule(network=network, refresh=refresh, clock=clock),
        desk_choices=DeskChoices(database=database),
        repairs=Repairs(results=results, tasks=tasks, judge_for=judges.judge_for),
        decisions=Decisions(
            results=results,
            views=views,
            requests=requests,
            policies=policies,
            read_data_version=lambda: judges.knowledge().data_version,
            clock=clock,
        ),
        person_requests=requests,
        runs=Runs(
            database=database,
            blobs=blobs,
            settings=settings,
            run_batch=_run_batch,
            judge_task=judges.judge_task,
            own_for=own_lists.current,
            clock=clock,
            prepare=views.prepare,
        ),
        usage_counter=usage_counter,
        submissions=submissions,
        inspections=inspections,
        queries=queries,
    )


def _run_batch(request: BatchRequest) -> BatchOutcome:
    from winnow.lists.batch import run_batch  # brings Polars along, which no page needs

    return run_batch(request)
