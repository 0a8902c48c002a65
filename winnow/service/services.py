"""All services of one data folder, as the API and the pages receive them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from winnow.core.lists.cleaning import Cleaning
from winnow.core.lists.facets import Facets
from winnow.core.lists.rows import Row
from winnow.core.ports import DomainKnowledge
from winnow.core.settings import Settings
from winnow.core.tasks.task import Task
from winnow.service.accounts import Accounts
from winnow.service.bans import Bans
from winnow.service.checks import Checks
from winnow.service.comparisons import Comparisons
from winnow.service.downloads import Downloads
from winnow.service.keys import Keys
from winnow.service.network import Network
from winnow.service.own_effects import OwnEffects
from winnow.service.own_lists import OwnListBook
from winnow.service.previews import Previews
from winnow.service.rechecks import Rechecks
from winnow.service.refresh import Refresh
from winnow.service.refresh_schedule import RefreshSchedule
from winnow.service.reports import Report
from winnow.service.results import Results
from winnow.service.retention import Retention
from winnow.service.sign_in import SignIn
from winnow.service.tasks import Tasks
from winnow.service.uploads import Uploads
from winnow.service.usage import Usage
from winnow.storage.database.change_counter import ChangeWatch


@dataclass(frozen=True, slots=True)
class Services:
    """Every use case, wired. ``clock`` gives the time in UTC; ``knowledge`` loads on first call."""

    settings: Settings
    clock: Callable[[], datetime]
    changes: ChangeWatch
    checks: Checks
    uploads: Uploads
    previews: Previews
    tasks: Tasks
    results: Results
    comparisons: Comparisons
    downloads: Downloads
    own_lists: OwnListBook
    own_effects: OwnEffects
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
    make_report: Callable[[Task, Cleaning], Report]
    make_report_page: Callable[[Task, datetime, Cleaning, Sequence[Row] | None, Facets], Report]

    @property
    def network_status(self) -> str:
        """What leaves this machine, in one line."""
        return self.network.status_text()
