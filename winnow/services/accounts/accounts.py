"""Accounts: ``local`` always exists, others are made on the command line."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from winnow.core.errors import BadField
from winnow.storage.database.database import Database
from winnow.storage.repositories.accounts import account_exists, create_account

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,49}\Z")


@dataclass(eq=False, repr=False)
class Accounts:
    """Names only; an account has no password of its own."""

    database: Database
    clock: Callable[[], datetime]

    def create(self, name: str) -> None:
        """Make an account.

        Raises:
            BadField: Not 1 to 50 of the characters ``a-z 0-9 . _ -``, or already there.
        """
        if not _NAME.match(name):
            raise BadField("account", "must be 1 to 50 of a-z, 0-9, dot, underscore, hyphen")
        if not create_account(self.database, name, self.clock()):
            raise BadField("account", "is already there")

    def require(self, name: str) -> None:
        """Raise for an account that does not exist.

        Raises:
            BadField: There is no such account.
        """
        if not _NAME.match(name) or not account_exists(self.database, name):
            raise BadField("account", "there is no such account")
