"""All services of one data folder, wired by one method for each folder of services."""

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from winnow.core.accounts import Identity
from winnow.core.lists.side_files import OwnFileKind
from winnow.core.ports import Blobs
from winnow.core.settings import Settings
from winnow.domain_data.suffixes import find_registrable
from winnow.services.accounts.accounts import Accounts, Keys, derive_key
from winnow.services.accounts.audit_log import AuditLog
from winnow.services.accounts.people import People
from winnow.services.accounts.sign_in import SignIn
from winnow.services.accounts.usage import Usage, UsageCounter
from winnow.services.backups import Backups
from winnow.services.checks.bans import Bans
from winnow.services.checks.checks import Checks
from winnow.services.checks.judges import Judges
from winnow.services.drawn_pages import DrawnPages
from winnow.services.monitoring import Monitoring
from winnow.services.network.hooks import Hooks
from winnow.services.network.network import Network
from winnow.services.network.refresh import Refresh
from winnow.services.own.mail_choices import MailChoices
from winnow.services.own.own_files import OwnFiles
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
from winnow.services.uploads.inspection_pool import Inspections
from winnow.services.uploads.merges import Merges
from winnow.services.uploads.previews import Duplicates, Previews
from winnow.services.uploads.uploads import Uploads
from winnow.services.use_cases import ActingService, Caller
from winnow.services.watches import Watches
from winnow.storage.database.database import Database

if TYPE_CHECKING:
    from winnow.network.hook_client import HookClient

_SHARED = frozenset({"settings", "clock", "knowledge", "drawn_pages"})
"""What every caller may use."""


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


class Services:
    """Every use case, wired. ``clock`` gives the time in UTC; ``knowledge`` loads on first call.

    ``runs``, ``usage_counter``, ``submissions``, ``inspections`` and ``queries`` are for the
    server and its workers. Pages and the API call the others by ``act_as``.
    """

    def __init__(
        self,
        base: Base,
        write_backup: Callable[[Path, datetime], None],
        remove_unfinished_backups: Callable[[], int],
        open_hook_client: "Callable[[], HookClient]",
    ) -> None:
        """Create the services of a data folder.

        ``write_backup`` writes a backup of it to a path, ``remove_unfinished_backups`` removes what
        killed ones left, ``open_hook_client`` opens what calls hooks.
        """
        self.settings, self.clock = base.settings, base.clock
        self.knowledge = base.judges.knowledge
        self.submissions = base.submissions
        self.drawn_pages = DrawnPages()
        self.inspections, self.queries = base.inspections, base.queries
        self.backups = Backups(base.settings, write_backup, remove_unfinished_backups)
        self._wire_accounts(base)
        self._wire_network(base, open_hook_client)
        self._wire_uploads(base)
        self._wire_tasks(base)
        self._wire_own(base)
        self._wire_checks(base)
        self._wire_results(base)

    def act_as(self, identity: Identity) -> "Services":
        """Return the services as a person or a key may use them: see ``use_cases``."""
        caller, acting = Caller(identity, self.people.find_role, self.audit_log.record), copy(self)
        for name, service in vars(self).items():
            if name not in _SHARED:
                setattr(acting, name, ActingService(service, caller))
        return acting

    def require(self, identity: Identity, method: Callable[..., object]) -> None:
        """Raise RoleRefused unless a person or a key has a use case, as ``act_as`` would."""
        Caller(identity, self.people.find_role, self.audit_log.record).require(method)

    def _wire_accounts(self, base: Base) -> None:
        database, settings, clock = base.database, base.settings, base.clock
        counter = UsageCounter(database)
        self.accounts = Accounts(database=database, clock=clock)
        self.keys = Keys(database=database, pepper=base.pepper, usage_counter=counter, clock=clock)
        self.people = People(database=database, settings=settings, clock=clock)
        self.sign_in = SignIn(
            settings=settings,
            pepper=base.pepper,
            database=database,
            people=self.people,
            clock=clock,
        )
        self.usage = Usage(database=database, settings=settings, usage_counter=counter, clock=clock)
        self.usage_counter = counter
        self.audit_log = AuditLog(database=database, clock=clock)

    def _wire_network(self, base: Base, open_client: "Callable[[], HookClient]") -> None:
        self.network, self.refresh = base.network, base.refresh
        self.hooks = Hooks(
            database=base.database,
            settings=base.settings,
            keys=self.keys,
            network=base.network,
            pepper=base.pepper,
            open_client=open_client,
            clock=base.clock,
        )
        self.monitoring = Monitoring(
            settings=base.settings,
            database=base.database,
            network=base.network,
            refresh=base.refresh,
            backups=self.backups,
            knowledge=base.judges.knowledge,
            clock=base.clock,
        )

    def _wire_uploads(self, base: Base) -> None:
        self.uploads = Uploads(
            database=base.database,
            blobs=base.blobs,
            settings=base.settings,
            pepper=base.pepper,
            inspector=base.inspections,
            clock=base.clock,
        )
        self.merges = Merges(
            blobs=base.blobs,
            settings=base.settings,
            uploads=self.uploads,
            carry_files=lambda *ids: self.own_files.carry_over(*ids),
        )
        self.previews = Previews(
            uploads=self.uploads,
            judge_offline=base.judges.judge_offline,
            own_for=lambda account: self.own_lists.current(account),
        )

    def _wire_tasks(self, base: Base) -> None:
        database, blobs, settings, clock = base.database, base.blobs, base.settings, base.clock

        def name_state(account: str, upload_id: str) -> tuple[str, ...]:
            return (
                base.judges.knowledge().data_version,
                f"{clock():%Y-%m-%d}" if base.network.is_asking else "offline",
                *(
                    one.file_id
                    for one in self.own_files.list(account, OwnFileKind.DO_NOT_MAIL, upload_id)
                ),
            )

        self.tasks = Tasks(
            database=database,
            blobs=blobs,
            settings=settings,
            uploads=self.uploads,
            wake_workers=base.wake_workers,
            clock=clock,
            carry_files=lambda *ids: self.own_files.carry_over(*ids),
            name_state=name_state,
        )
        self.duplicates = Duplicates(uploads=self.uploads, tasks=self.tasks)
        self.deletions = Deletions(
            database=database,
            blobs=blobs,
            remove_unfinished_backups=self.backups.remove_unfinished,
            wake_workers=base.wake_workers,
            clock=clock,
        )
        self.retention = Retention(
            database=database,
            blobs=blobs,
            settings=settings,
            remove_unfinished_backups=self.backups.remove_unfinished,
        )
        self.runs = Runs(
            database=database,
            blobs=blobs,
            settings=settings,
            judge_task=base.judges.judge_task,
            own_for=lambda account: self.own_lists.current(account),
            clock=clock,
            prepare=lambda stored: self.project_views.prepare(stored),
        )

    def _wire_own(self, base: Base) -> None:
        database, blobs = base.database, base.blobs
        secret = derive_key(base.pepper, "own-files") + derive_key(base.pepper, "own-files, more")
        self.own_lists = OwnListBook(database=database, uploads=self.uploads, clock=base.clock)
        self.policies = Policies(database=database)
        self.project_views = ProjectViews(
            database=database,
            blobs=blobs,
            tasks=self.tasks,
            own_lists=self.own_lists,
            secret=secret,
            has_plus_tags=lambda domain: self.knowledge().look_up(domain).has_plus_tags,
            ask=base.queries.ask,
        )
        self.mail_choices = MailChoices(
            database=database, tasks=self.tasks, views=self.project_views, clock=base.clock
        )
        self.own_files = OwnFiles(
            database=database,
            blobs=blobs,
            uploads=self.uploads,
            tasks=self.tasks,
            views=self.project_views,
            settings=base.settings,
            secret=secret,
            clock=base.clock,
        )

    def _wire_checks(self, base: Base) -> None:
        self.bans = Bans(database=base.database, settings=base.settings, clock=base.clock)
        self.checks = Checks(
            database=base.database,
            judge_for=base.judges.judge_for,
            judge_array=base.judges.judge_array,
            own_for=self.own_lists.current,
            bans=self.bans,
            usage_counter=self.usage_counter,
            clock=base.clock,
            cite_bounces=self.project_views.cite_bounces,
        )

    def _wire_results(self, base: Base) -> None:
        database, clock, views = base.database, base.clock, self.project_views
        self.results = Results(
            blobs=base.blobs,
            tasks=self.tasks,
            judge_for=base.judges.judge_offline,
            views=views,
        )
        self.comparisons = Comparisons(self.results, views, self.policies)
        self.person_requests = PersonRequests(
            database=database,
            tasks=self.tasks,
            results=self.results,
            views=views,
            find_registrable=find_registrable,
            uploads=self.uploads,
        )
        self.downloads = Downloads(
            database=database,
            blobs=base.blobs,
            settings=base.settings,
            results=self.results,
            comparisons=self.comparisons,
            sign_in=self.sign_in,
            make_report=lambda task, cleaning: make_report(views.present(task), clock(), cleaning),
            clock=clock,
        )
        self.repairs = Repairs(
            results=self.results,
            tasks=self.tasks,
            deletions=self.deletions,
            judge_for=base.judges.judge_for,
        )
        self.decisions = Decisions(
            results=self.results,
            views=views,
            requests=self.person_requests,
            policies=self.policies,
            read_data_version=lambda: base.judges.knowledge().data_version,
            clock=clock,
        )
