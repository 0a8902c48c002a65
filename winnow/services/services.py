"""All services of one data folder, as the API and the pages receive them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from winnow.core.lists.cleaning import Cleaning
from winnow.core.lists.facets import Facets
from winnow.core.lists.repair_offers import RepairRow
from winnow.core.lists.rows import Row
from winnow.core.ports import DomainKnowledge
from winnow.core.settings import Settings
from winnow.core.tasks.task import Task
from winnow.services.accounts import Accounts
from winnow.services.bans import Bans
from winnow.services.bounces import Bounces
from winnow.services.checks import Checks
from winnow.services.column_analysis import ColumnAnalysis
from winnow.services.comparisons import Comparisons
from winnow.services.decision_checks import DecisionChecks
from winnow.services.decisions import Decisions
from winnow.services.deletions import Deletions
from winnow.services.desk_choices import DeskChoices
from winnow.services.downloads import Downloads
from winnow.services.duplicates import Duplicates
from winnow.services.keys import Keys
from winnow.services.merges import Merges
from winnow.services.network import Network
from winnow.services.own_effects import OwnEffects
from winnow.services.own_list_imports import OwnListImports
from winnow.services.own_lists import OwnListBook
from winnow.services.person_requests import PersonRequests
from winnow.services.policies import Policies
from winnow.services.previews import Previews
from winnow.services.recheck_schedule import RecheckSchedule
from winnow.services.rechecks import Rechecks
from winnow.services.refresh import Refresh
from winnow.services.refresh_schedule import RefreshSchedule
from winnow.services.repairs import Repairs
from winnow.services.reports import Report
from winnow.services.results import Results
from winnow.services.retention import Retention
from winnow.services.sender_checks import SenderChecks
from winnow.services.series_book import SeriesBook
from winnow.services.sign_in import SignIn
from winnow.services.suppressions import Suppressions
from winnow.services.tasks import Tasks
from winnow.services.uploads import Uploads
from winnow.services.usage import Usage


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
    series: SeriesBook
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
    recheck_schedule: RecheckSchedule
    desk_choices: DeskChoices
    repairs: Repairs
    sender_checks: SenderChecks
    decisions: Decisions
    person_requests: PersonRequests
    decision_checks: DecisionChecks
    make_report: Callable[[Task, Cleaning], Report]
    make_report_page: Callable[
        [Task, datetime, Cleaning, Sequence[Row] | None, Facets, Sequence[RepairRow]], Report
    ]

    @property
    def network_status(self) -> str:
        """What leaves this machine, in one line."""
        return self.network.status_text()
