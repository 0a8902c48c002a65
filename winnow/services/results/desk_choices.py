"""Stored choices of the pages: the platform of the last file, and ticked rows."""

from dataclasses import dataclass

from winnow.core.lists.platforms import Platform
from winnow.core.lists.rows import Ticked
from winnow.services.tasks.tasks import Tasks
from winnow.storage.database.database import Database
from winnow.storage.repositories.policies import ACCOUNT_WIDE, keep_choice, read_choice

_PLATFORM, _TICKS = "platform", "ticks"


@dataclass(eq=False, repr=False)
class DeskChoices:
    """The stored choices of every account. Synchronous and thread-safe."""

    database: Database
    tasks: Tasks

    def find_platform(self, account: str) -> Platform | None:
        """Return the platform of the last file; None: a list's own form."""
        code = read_choice(self.database, account, ACCOUNT_WIDE, _PLATFORM)
        return Platform(code) if code in set(Platform) else None

    def keep_platform(self, account: str, platform: Platform | None) -> None:
        """Store the platform for the account's next project."""
        code = None if platform is None else platform.value
        keep_choice(self.database, account, ACCOUNT_WIDE, _PLATFORM, code)

    def find_ticks(self, account: str, task_id: str, browser: str = "") -> Ticked:
        """Return the rows of a project that a browser has ticked; none of a newer version."""
        values = read_choice(self.database, account, task_id, _TICKS + browser)
        try:
            return Ticked() if values is None else Ticked.from_json(values)
        except KeyError:
            return Ticked()

    def keep_ticks(self, account: str, task_id: str, ticked: Ticked, browser: str = "") -> None:
        """Store the rows that a browser has ticked until the project is deleted.

        A searched text may be a person's address: ticks with one are not stored, and those stored
        before are removed.

        Raises:
            TaskUnknown, Gone: There is no such project.
        """
        self.tasks.get(account, task_id)
        is_searched = ticked.of is not None and bool(ticked.of.text)
        values = None if is_searched or ticked == Ticked() else ticked.to_json()
        keep_choice(self.database, account, task_id, _TICKS + browser, values)
