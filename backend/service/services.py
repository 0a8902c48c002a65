"""All services of one data folder, as the API and the pages receive them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from backend.core.cleaning import Cleaning
from backend.core.facets import Facets
from backend.core.ports import DomainKnowledge
from backend.core.rows import Row
from backend.core.settings import Settings
from backend.core.tasks import Task
from backend.service.accounts import Accounts
from backend.service.bans import Bans
from backend.service.checks import Checks
from backend.service.comparisons import Comparisons
from backend.service.downloads import Downloads
from backend.service.keys import Keys
from backend.service.network import Network
from backend.service.own_effects import OwnEffects
from backend.service.own_lists import OwnListBook
from backend.service.previews import Previews
from backend.service.rechecks import Rechecks
from backend.service.refresh import Refresh
from backend.service.refresh_schedule import RefreshSchedule
from backend.service.reports import Report
from backend.service.results import Results
from backend.service.retention import Retention
from backend.service.sign_in import SignIn
from backend.service.tasks import Tasks
from backend.service.uploads import Uploads
from backend.service.usage import Usage
from backend.store.changes import ChangeWatch


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
