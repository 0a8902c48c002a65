"""Refresh of the published lists: rounds, and their schedule."""

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from winnow.core.errors import BadField
from winnow.core.identities import Role
from winnow.core.network_answers import REFRESH
from winnow.core.refresh import ListAge, RefreshRound
from winnow.services.network.network import Network
from winnow.services.use_cases import use_case
from winnow.storage.database.database import Database
from winnow.storage.repositories import network_answers as answer_rows

if TYPE_CHECKING:
    from winnow.domain_data.build.refresh import ListBook


TRIED = "refresh_tried"  # in the table of switches: whether the last round was good, and when
DISMISSED = "refresh_dismissed"
PERIOD = timedelta(days=7)
FIRST_RETRY = timedelta(minutes=30)
MOST_DOUBLINGS = 10
_log = logging.getLogger(__name__)


@dataclass(eq=False, repr=False)
class Refresh:
    """Refreshes the published lists. Synchronous, thread-safe; one round at a time.

    ``sweep`` is called by one thread of one server.

    Args:
        network: The switch of the weekly schedule, and whether a refresh is allowed.
        database: Stores when the last round was.
        open_book: Returns the lists of the data folder.
        reopen: Called after a round, so that the new data is compiled before it is needed.
        clock: Returns the time in UTC.
    """

    network: Network
    database: Database
    open_book: "Callable[[], ListBook]"
    reopen: Callable[[], object]
    clock: Callable[[], datetime]

    def __post_init__(self) -> None:
        self._failures = 0
        self._guard = threading.Lock()
        self._last: RefreshRound | None = None
        self._ages: tuple[object, tuple[ListAge, ...]] | None = None

    @property
    def is_allowed(self) -> bool:
        """Whether the setting lets the pages refresh."""
        return self.network.is_allowed(REFRESH)

    @use_case(Role.READER)
    def describe(self) -> tuple[ListAge, ...]:
        """Return the age of each list; copies are read again only after they have changed."""
        book = self.open_book()
        mark, known = book.read_mark(), self._ages
        if known is None or known[0] != mark:
            self._ages = known = (mark, book.describe())
        return known[1]

    @property
    def is_offered(self) -> bool:
        """Whether pages offer the first refresh: no copy, no schedule, and not dismissed."""
        if not self.is_allowed or self.network.is_on(REFRESH):
            return False
        is_dismissed = DISMISSED in answer_rows.read_switches(self.database)
        return not is_dismissed and not any(age.is_refreshed for age in self.describe())

    @use_case(Role.ADMIN)
    def dismiss_offer(self) -> None:
        """Never offer the first refresh again, durably and for every page."""
        answer_rows.turn_switch(self.database, DISMISSED, self.clock(), is_on=True)

    @property
    def last_round(self) -> RefreshRound | None:
        """The last round since this process began."""
        return self._last

    @use_case(Role.ADMIN)
    def refresh_now(
        self, *, is_scheduled: bool = False, may_be_others: bool = False
    ) -> RefreshRound | None:
        """Fetch every list; a list that is refused or cannot be reached stays as it was.

        Two rounds never run at once. The button waits for the one under way, then runs another; the
        schedule runs none and gets None. ``may_be_others`` is as ``ListBook.refresh`` has it.

        Raises:
            BadField: The setting locks it off.
            OSError: The data folder cannot be written; lists written before that stay.
        """
        if not self.is_allowed:
            raise BadField(
                "refresh",
                "is switched off on this server",
                hint="WINNOW_NETWORK says what may be turned on.",
            )
        if not self._guard.acquire(blocking=not is_scheduled):
            return None
        is_good = False
        try:
            outcomes = self.open_book().refresh(self.clock().date(), may_be_others=may_be_others)
            self.reopen()
            self._last = made = RefreshRound(self.clock(), is_scheduled, outcomes)
            is_good = made.is_good
        finally:
            self._failures = 0 if is_good else self._failures + 1
            answer_rows.turn_switch(self.database, TRIED, self.clock(), is_on=is_good)
            self._guard.release()
        _log.info("lists refreshed: %s", ", ".join(outcome.state for outcome in outcomes))
        return made

    @use_case(Role.READER)
    def find_due(self) -> datetime | None:
        """Return when the next round is due; None while the switch is off.

        A round by the button counts as well. After a failure the wait is short, then doubled
        with each further one, up to the period; those before this process began count as one.
        """
        if not self.network.is_on(REFRESH):
            return None
        now, tried = self.clock(), answer_rows.read_switches(self.database).get(TRIED)
        if tried is None:
            return now
        (was_good, tried_at), wait = tried, PERIOD
        if not was_good:
            doublings = min(max(self._failures, 1) - 1, MOST_DOUBLINGS)
            wait = min(wait, FIRST_RETRY * 2**doublings)
        return min(tried_at, now) + wait  # a clock that was set back delays by one period at most

    def sweep(self, now: datetime) -> None:
        """Run a round if one is due and none is under way.

        Raises:
            OSError: The data folder cannot be written; the next try waits as after any failure.
        """
        due_at = self.find_due()
        if due_at is not None and due_at <= now:
            self.refresh_now(is_scheduled=True)
