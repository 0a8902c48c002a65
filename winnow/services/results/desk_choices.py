"""Stored choice of the pages: the platform of the last file."""

from dataclasses import dataclass

from winnow.core.lists.platforms import Platform
from winnow.storage.database.database import Database
from winnow.storage.repositories.policies import ACCOUNT_WIDE, keep_choice, read_choice

_PLATFORM = "platform"


@dataclass(eq=False, repr=False)
class DeskChoices:
    """The stored choices of every account. Synchronous and thread-safe."""

    database: Database

    def find_platform(self, account: str) -> Platform | None:
        """Return the platform of the last file; None: a list's own form."""
        code = read_choice(self.database, account, ACCOUNT_WIDE, _PLATFORM)
        return Platform(code) if code in set(Platform) else None

    def keep_platform(self, account: str, platform: Platform | None) -> None:
        """Store the platform for the account's next project."""
        code = None if platform is None else platform.value
        keep_choice(self.database, account, ACCOUNT_WIDE, _PLATFORM, code)
