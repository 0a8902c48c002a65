"""What the pages remember: the platform that files were last for, and which rows are ticked."""

from winnow.core.lists.platforms import Platform
from winnow.core.lists.rows import Ticked
from winnow.services.tasks import Tasks
from winnow.storage.database.database import Database
from winnow.storage.repositories.desk_choices import ACCOUNT_WIDE, keep_choice, read_choice

_PLATFORM, _TICKS = "platform", "ticks"


class DeskChoices:
    """The remembered choices of every account. Synchronous and thread-safe."""

    def __init__(self, database: Database, tasks: Tasks) -> None:
        self._database = database
        self._tasks = tasks

    def find_platform(self, account: str) -> Platform | None:
        """Return the platform that a file was last chosen for; None: a list's own form."""
        code = read_choice(self._database, account, ACCOUNT_WIDE, _PLATFORM)
        return Platform(code) if code in set(Platform) else None

    def keep_platform(self, account: str, platform: Platform | None) -> None:
        """Remember the platform for the account's next project."""
        code = None if platform is None else platform.value
        keep_choice(self._database, account, ACCOUNT_WIDE, _PLATFORM, code)

    def find_ticks(self, account: str, task_id: str) -> Ticked:
        """Return which of a project's rows are ticked; a newer version's ticks are none."""
        values = read_choice(self._database, account, task_id, _TICKS)
        try:
            return Ticked() if values is None else Ticked.from_json(values)
        except KeyError:
            return Ticked()

    def keep_ticks(self, account: str, task_id: str, ticked: Ticked) -> None:
        """Remember which rows are ticked until the project goes.

        A text that was searched for may be somebody's address: ticks that hold one are not kept,
        nor those from before them.

        Raises:
            TaskUnknown, Gone: There is no such project to remember them beside.
        """
        self._tasks.get(account, task_id)
        is_searched = ticked.of is not None and bool(ticked.of.text or ticked.of.domain)
        values = None if is_searched or ticked == Ticked() else ticked.to_json()
        keep_choice(self._database, account, task_id, _TICKS, values)
