"""All services of one data folder, for the API and the pages."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from winnow.core.lists.cleaning import Cleaning
from winnow.core.lists.facets import Facets
from winnow.core.lists.rows import Row
from winnow.core.ports import DomainKnowledge
from winnow.core.settings import Settings
from winnow.core.tasks.repair_choice import RepairRow
from winnow.core.tasks.task import Task
from winnow.services.accounts.accounts import Accounts
from winnow.services.accounts.keys import Keys
from winnow.services.accounts.sign_in import SignIn
from winnow.services.accounts.usage import Usage
from winnow.services.checks.bans import Bans
from winnow.services.checks.checks import Checks
from winnow.services.network.network import Network
from winnow.services.network.refresh import Refresh, RefreshSchedule
from winnow.services.own.bounces import Bounces
from winnow.services.own.own_effects import OwnEffects
from winnow.services.own.own_list_imports import OwnListImports
from winnow.services.own.own_lists import OwnListBook
from winnow.services.own.policies import Policies
from winnow.services.own.suppressions import Suppressions
from winnow.services.results.column_analysis import ColumnAnalysis
from winnow.services.results.comparisons import Comparisons
from winnow.services.results.decisions import Decisions
from winnow.services.results.desk_choices import DeskChoices
from winnow.services.results.downloads import Downloads
from winnow.services.results.person_requests import PersonRequests
from winnow.services.results.repairs import Repairs
from winnow.services.results.reports import Report
from winnow.services.results.results import Results
from winnow.services.tasks.deletions import Deletions, Retention
from winnow.services.tasks.rechecks import Rechecks
from winnow.services.tasks.tasks import Tasks
from winnow.services.uploads.merges import Merges
from winnow.services.uploads.previews import Duplicates, Previews
from winnow.services.uploads.uploads import Uploads


@dataclass(frozen=True, slots=True)
class Services:
    """Every use case, wired. ``clock`` gives the time in UTC; ``knowledge`` loads on first call."""

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
    own_list_imports: OwnListImports
    own_effects: OwnEffects
    policies: Policies
    column_analysis: ColumnAnalysis
    suppressions: Suppressions
    bounces: Bounces
    keys: Keys
    bans: Bans
    usage: Usage
    accounts: Accounts
    retention: Retention
    sign_in: SignIn
    knowledge: Callable[[], DomainKnowledge]
    network: Network
    refresh: Refresh
    refresh_schedule: RefreshSchedule
    rechecks: Rechecks
    desk_choices: DeskChoices
    repairs: Repairs
    decisions: Decisions
    person_requests: PersonRequests
    make_report: Callable[[Task, Cleaning], Report]
    make_report_page: Callable[
        [Task, datetime, Cleaning, Sequence[Row] | None, Facets, Sequence[RepairRow]], Report
    ]

    @property
    def network_status(self) -> str:
        """What leaves this machine, in one line."""
        return self.network.status_text()
