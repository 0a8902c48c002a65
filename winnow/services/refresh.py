"""Refreshing the disposable lists: by the button, or by the schedule where one is chosen."""

import logging
import threading
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from winnow.core.errors import BadField
from winnow.core.refresh import ListAge, RefreshRound
from winnow.core.settings import Settings
from winnow.storage.database.database import Database
from winnow.storage.repositories import feature_flags

if TYPE_CHECKING:
    from winnow.domain_data.build.list_registry import ListBook

REFRESH = "refresh"
TRIED = "refresh_tried"  # in the table of switches: whether the last round was good, and when
DECLINED = "refresh_declined"  # in the same: the offer of a first round was put away
_log = logging.getLogger(__name__)


class Refresh:
    """The lists that can be fetched anew. Synchronous, thread-safe; one round at a time."""

    def __init__(
        self,
        settings: Settings,
        database: Database,
        open_book: "Callable[[], ListBook]",
        reopen: Callable[[], object],
        clock: Callable[[], datetime],
    ) -> None:
        """Remember what to work with.

        Args:
            settings: Say whether a refresh is allowed.
            database: Remembers when the last round was.
            open_book: Gives the lists of the data folder.
            reopen: Called after a round, so that the new data is compiled before anybody asks.
            clock: Gives the time in UTC.
        """
        self._settings = settings
        self._database = database
        self._failures = 0
        self._open_book = open_book
        self._reopen = reopen
        self._clock = clock
        self._guard = threading.Lock()
        self._last: RefreshRound | None = None
        self._ages: tuple[object, tuple[ListAge, ...]] | None = None

    @property
    def is_allowed(self) -> bool:
        """Whether the setting lets the pages refresh."""
        return REFRESH in self._settings.network

    def describe(self) -> tuple[ListAge, ...]:
        """Return the age of each list; copies are read again only after they have changed."""
        book = self._open_book()
        mark, known = book.read_mark(), self._ages
        if known is None or known[0] != mark:
            self._ages = known = (mark, book.describe())
        return known[1]

    @property
    def last_round(self) -> RefreshRound | None:
        """The last round since this process began."""
        return self._last

    @property
    def is_offered(self) -> bool:
        """Whether to offer a first round: none ever was, and nobody has put the offer away."""
        return (
            self.is_allowed
            and self.find_last_try() is None
            and not feature_flags.read_switch(self._database, DECLINED)
        )

    def decline(self) -> None:
        """Put the offer away for good."""
        feature_flags.turn_switch(self._database, DECLINED, self._clock(), is_on=True)

    def find_last_try(self) -> tuple[int, datetime] | None:
        """Return how often in a row it has failed, and when the last round was; None for never.

        Failures before this process began count as one.
        """
        tried = feature_flags.read_turn(self._database, TRIED)
        if tried is None:
            return None
        was_good, tried_at = tried
        return 0 if was_good else max(self._failures, 1), tried_at

    def refresh_now(self, *, is_scheduled: bool = False) -> RefreshRound | None:
        """Fetch every list; a list that is refused or out of reach stays as it was.

        Two rounds never run at once: the button waits for the one under way and goes once more,
        the schedule is content with it and gets None.

        Raises:
            BadField: The setting locks it off.
            OSError: The data folder cannot be written; lists written before that stay.
        """
        if not self.is_allowed:
            raise BadField(
                "refresh", "is locked off", hint="WINNOW_NETWORK says what may be turned on."
            )
        if not self._guard.acquire(blocking=not is_scheduled):
            return None
        is_good = False
        try:
            outcomes = self._open_book().refresh(self._clock().date())
            self._reopen()
            self._last = made = RefreshRound(self._clock(), is_scheduled, outcomes)
            is_good = made.is_good
        finally:
            self._failures = 0 if is_good else self._failures + 1
            feature_flags.turn_switch(self._database, TRIED, self._clock(), is_on=is_good)
            self._guard.release()
        _log.info("lists refreshed: %s", ", ".join(outcome.state for outcome in outcomes))
        return made
