"""What an operator watches: whether work can be accepted, figures, and what is wrong."""

import logging
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import NamedTuple

from winnow.core.faults import describe_fault
from winnow.core.identities import LOCAL_ACCOUNT, Role
from winnow.core.ports import DomainKnowledge
from winnow.core.refresh import find_age_days
from winnow.core.release import VERSION
from winnow.core.settings import Settings
from winnow.network.dns.mail_servers import DISPOSABLES_NEEDED
from winnow.services.backups import Backups
from winnow.services.network.network import Network
from winnow.services.network.refresh import Refresh
from winnow.services.tasks.deletions import FREE_LEAST_BYTES
from winnow.services.use_cases import use_case
from winnow.storage.database.database import Database
from winnow.storage.repositories.accounts import account_exists
from winnow.storage.repositories.figures import Figures, measure_figures
from winnow.storage.repositories.network_answers import list_disposable_servers
from winnow.words import list_some

OLD_DATA_DAYS = 14
OLD_BACKUP = timedelta(days=2)
LONG_QUEUE = timedelta(hours=1)
_log = logging.getLogger(__name__)


class Finding(NamedTuple):
    """One line of ``winnow doctor``; ``advice`` says how to fix it, None: it is well.

    ``is_note``: the advice makes it better, but nothing is wrong.
    """

    subject: str
    text: str
    advice: str | None = None
    is_note: bool = False


@dataclass(eq=False, repr=False)
class Monitoring:
    """Measures one data folder; texts have no addresses, names or keys.

    ``parts`` are a server's helpers by name; each returns whether it is down.
    """

    settings: Settings
    database: Database
    network: Network
    refresh: Refresh
    backups: Backups
    knowledge: Callable[[], DomainKnowledge]
    clock: Callable[[], datetime]
    parts: dict[str, Callable[[], bool]] = field(default_factory=dict)

    @use_case(Role.ADMIN)
    def find_down(self) -> tuple[str, ...]:
        """Return the names of the parts that do not work; the log says why."""
        down = [name for name, is_down in self.parts.items() if is_down()]
        try:
            account_exists(self.database, LOCAL_ACCOUNT)
        except Exception as error:  # whatever it is, no work can be accepted
            _log.error("not ready: %s", describe_fault(error))
            down.append("database")
        return tuple(down)

    @use_case(Role.ADMIN)
    def measure(self) -> Figures:
        """Return the figures of now."""
        return measure_figures(self.database, self.clock())

    @use_case(Role.ADMIN)
    def find_data_age(self) -> int | None:
        """Return the age in days of the newest list; None: it is not known."""
        return find_age_days(self.refresh.describe(), self.clock().date())

    @use_case(Role.ADMIN)
    def examine(self) -> Iterator[Finding]:
        """Yield what an operator should know, and what to do where something is wrong.

        Raises:
            OSError: The folder of the data or of the backups cannot be read.
        """
        figures, age = self.measure(), self.find_data_age()
        free = shutil.disk_usage(self.settings.data_dir).free
        yield Finding("Winnow", f"{VERSION}, domain data {self.knowledge().data_version}")
        yield Finding("folder", str(self.settings.data_dir))
        yield Finding(
            "disk",
            f"{free / 1e9:,.1f} GB free, {figures.used_bytes / 1e9:,.1f} GB used by lists",
            None if free >= FREE_LEAST_BYTES else "Free some space, or delete projects.",
        )
        yield Finding(
            "domain data",
            "of unknown age" if age is None else f"{age} days old",
            None
            if age is not None and age <= OLD_DATA_DAYS
            else "Get the newest lists with winnow refresh, or install the newest Winnow.",
            is_note=age is not None,
        )
        yield Finding("network", self.network.status_text())
        learnt = list_disposable_servers(self.database, DISPOSABLES_NEEDED)
        names = list_some(learnt) or "none learnt as disposable"
        yield Finding("mail hosts", f"learnt as disposable: {names}" if learnt else names)
        failed = figures.lists_by_state["failed"]
        yield Finding("lists", f"{figures.queue_length} waiting, {failed} failed")
        if figures.queue_age > LONG_QUEUE:
            hours = figures.queue_age / timedelta(hours=1)
            advice = "Is a server running? If it is busy all the time, raise WINNOW_WORKERS."
            yield Finding("queue", f"the oldest list has waited for {hours:.0f} hours", advice)
        yield self._examine_backups()

    def _examine_backups(self) -> Finding:
        if self.settings.backup_dir is None:
            return Finding("backup", "none are made; WINNOW_BACKUP_DIR names a folder for them")
        found = self.backups.list()
        if not found:
            return Finding("backup", "none is there yet", "Start the server; it makes one a day.")
        newest = found[0]
        is_old = self.clock() - newest.made_at > OLD_BACKUP
        advice = "Look for the error in the log of the server." if is_old else None
        return Finding("backup", f"the newest is of {newest.made_at:%Y-%m-%d %H:%M} UTC", advice)
