"""All services of one data folder, wired in one place."""

from collections.abc import Callable
from copy import copy
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from winnow.core.identities import Identity
from winnow.core.lists.side_files import OwnFileKind
from winnow.core.ports import Blobs
from winnow.core.settings import Settings
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
from winnow.services.own.file_store import FileStore
from winnow.services.own.mail_choices import MailChoices
from winnow.services.own.never_mail import NeverMail
from winnow.services.own.own_files import OwnFiles
from winnow.services.own.own_lists import OwnListBook
from winnow.services.own.policies import Policies
from winnow.services.own.project_views import ProjectViews
from winnow.services.results.comparisons import Comparisons
from winnow.services.results.downloads import Downloads
from winnow.services.results.person_requests import PersonRequests
from winnow.services.results.repairs import Repairs
from winnow.services.results.reports import Decisions
from winnow.services.results.results import Results
from winnow.services.tasks.deletions import Deletions, Retention
from winnow.services.tasks.previews import Duplicates, Previews
from winnow.services.tasks.runs import Runs
from winnow.services.tasks.tasks import SUBMITTED, Tasks
from winnow.services.uploads.inspection_pool import Inspections
from winnow.services.uploads.merges import Merges
from winnow.services.uploads.uploads import Uploads
from winnow.services.use_cases import ActingService, Caller
from winnow.services.watches import DrawnPages, Watches
from winnow.storage.database.database import Database

if TYPE_CHECKING:
    from winnow.network.hook_client import HookClient

_SHARED = frozenset({"settings", "clock", "knowledge", "drawn_pages"})
"""What every caller may use."""


class Services:
    """Every use case, wired. ``clock`` gives the time in UTC; ``knowledge`` loads on first call.

    ``runs``, ``usage_counter``, ``submissions``, ``inspections`` and ``queries`` are for the
    server and its workers. Pages and the API call the others by ``act_as``.
    """

    def __init__(
        self,
        *,
        settings: Settings,
        database: Database,
        blobs: Blobs,
        pepper: bytes,
        clock: Callable[[], datetime],
        judges: Judges,
        network: Network,
        refresh: Refresh,
        write_backup: Callable[[Path, datetime], None],
        remove_unfinished_backups: Callable[[], int],
        open_hook_client: "Callable[[], HookClient]",
    ) -> None:
        """Create the services of a data folder.

        ``pepper`` is the key of this installation. ``write_backup`` writes a backup to a path,
        ``remove_unfinished_backups`` removes what killed ones left, ``open_hook_client`` opens what
        calls hooks.
        """
        self.settings, self.clock, self.knowledge = settings, clock, judges.knowledge
        self.submissions, self.drawn_pages = Watches(), DrawnPages()
        self.inspections = Inspections(judges.judge_offline)
        self.queries = Inspections(judges.judge_offline)
        self.backups = Backups(settings, write_backup, remove_unfinished_backups)
        wake_workers = partial(self.submissions.notify, SUBMITTED)
        self.usage_counter = counter = UsageCounter(database)
        self.accounts = Accounts(database=database, clock=clock)
        self.keys = Keys(database=database, pepper=pepper, usage_counter=counter, clock=clock)
        self.people = People(database=database, settings=settings, clock=clock)
        self.sign_in = SignIn(
            settings=settings, pepper=pepper, database=database, people=self.people, clock=clock
        )
        self.usage = Usage(database=database, usage_counter=counter, clock=clock)
        self.audit_log = AuditLog(database=database, clock=clock)
        self.network, self.refresh = network, refresh
        self.hooks = Hooks(
            database=database,
            settings=settings,
            keys=self.keys,
            network=network,
            pepper=pepper,
            open_client=open_hook_client,
            clock=clock,
        )
        self.monitoring = Monitoring(
            settings=settings,
            database=database,
            network=network,
            refresh=refresh,
            backups=self.backups,
            knowledge=judges.knowledge,
            clock=clock,
        )
        self.uploads = Uploads(
            database=database,
            blobs=blobs,
            settings=settings,
            pepper=pepper,
            inspector=self.inspections,
            clock=clock,
        )

        def name_state(account: str, upload_id: str) -> tuple[str, ...]:
            return (
                judges.knowledge().data_version,
                f"{clock():%Y-%m-%d}" if network.is_asking else "offline",
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
            wake_workers=wake_workers,
            clock=clock,
            carry_files=lambda *ids: self.own_files.carry_over(*ids),
            name_state=name_state,
        )
        self.own_lists = OwnListBook(database=database, uploads=self.uploads, clock=clock)
        self.policies = Policies(database=database)
        self.file_store = store = FileStore(
            database=database,
            blobs=blobs,
            secret=derive_key(pepper, "own-files") + derive_key(pepper, "own-files, more"),
            has_plus_tags=lambda domain: domain in self.knowledge().tag_domains,
            clock=clock,
        )
        self.project_views = views = ProjectViews(
            store=store, tasks=self.tasks, own_lists=self.own_lists, ask=self.queries.ask
        )
        self.own_files = OwnFiles(uploads=self.uploads, views=views)
        self.never_mail = NeverMail(database=database, views=views)
        self.mail_choices = MailChoices(
            database=database, views=views, update_noes=self.never_mail.update, clock=clock
        )
        self.merges = Merges(
            uploads=self.uploads,
            carry_files=self.own_files.carry_over,
        )
        self.previews = Previews(
            uploads=self.uploads, judge_offline=judges.judge_offline, own_for=self.own_lists.current
        )
        self.duplicates = Duplicates(uploads=self.uploads, tasks=self.tasks)
        self.deletions = Deletions(
            database=database,
            blobs=blobs,
            remove_unfinished_backups=self.backups.remove_unfinished,
            wake_workers=wake_workers,
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
            judge_task=judges.judge_task,
            own_for=self.own_lists.current,
            clock=clock,
            prepare=lambda stored: views.match(stored, views.list_files(stored)),
            remembering=self.never_mail.remembering,
            note_list=self.mail_choices.note_list,
        )
        self.bans = Bans(database=database, settings=settings, clock=clock)
        self.checks = Checks(
            database=database,
            judges=judges,
            own_lists=self.own_lists,
            store=store,
            bans=self.bans,
            usage_counter=counter,
            clock=clock,
        )
        self.results = Results(
            blobs=blobs,
            tasks=self.tasks,
            judge_for=judges.judge_offline,
            views=views,
            find_since=lambda *asked: self.comparisons.find_rows(*asked),
        )
        self.comparisons = Comparisons(
            self.results, self.policies, self.never_mail.is_on, self.own_files.list
        )
        self.person_requests = PersonRequests(
            database=database,
            results=self.results,
            uploads=self.uploads,
        )
        self.repairs = Repairs(
            results=self.results, deletions=self.deletions, judge_for=judges.judge_for
        )
        self.decisions = Decisions(
            results=self.results,
            requests=self.person_requests,
            policies=self.policies,
            read_data_version=lambda: judges.knowledge().data_version,
            clock=clock,
        )
        self.downloads = Downloads(
            database=database,
            blobs=blobs,
            settings=settings,
            results=self.results,
            comparisons=self.comparisons,
            sign_in=self.sign_in,
            make_report=self.decisions.report,
            clock=clock,
        )

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
