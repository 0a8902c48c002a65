"""Refreshing the lists by itself, daily or weekly: off until somebody chooses it."""

from collections.abc import Callable
from datetime import datetime, timedelta

from winnow.core.refresh import PERIODS, Rhythm
from winnow.services.network import Network
from winnow.services.refresh import REFRESH, Refresh

FIRST_RETRY = timedelta(minutes=30)
MOST_DOUBLINGS = 10

_SWITCHES = {Rhythm.DAILY: f"{REFRESH}_daily", Rhythm.WEEKLY: f"{REFRESH}_weekly"}


class RefreshSchedule:
    """When the next round is due. ``sweep`` is called by one thread of one server."""

    def __init__(self, network: Network, refresh: Refresh, clock: Callable[[], datetime]) -> None:
        self._network = network
        self._refresh = refresh
        self._clock = clock

    @property
    def rhythm(self) -> Rhythm:
        """What was chosen, and is still allowed."""
        for rhythm, switch in _SWITCHES.items():
            if self._network.is_on(switch):
                return rhythm
        return Rhythm.NEVER

    def choose(self, rhythm: Rhythm) -> None:
        """Choose how often, durably and for every page.

        Raises:
            BadField: The setting locks refreshes off.
        """
        for other, switch in _SWITCHES.items():
            if other is not rhythm:
                self._network.turn(switch, False)
        if rhythm in _SWITCHES:
            self._network.turn(_SWITCHES[rhythm], True)

    def find_due(self) -> datetime | None:
        """Return when the next round is due; None while none ever is.

        A round by the button counts as well. After a failure the wait is short, then doubled
        with each further one, up to the period.
        """
        rhythm = self.rhythm
        if rhythm is Rhythm.NEVER:
            return None
        now, tried = self._clock(), self._refresh.find_last_try()
        if tried is None:
            return now
        failures, tried_at = tried
        wait = PERIODS[rhythm]
        if failures:
            wait = min(wait, FIRST_RETRY * 2 ** min(failures - 1, MOST_DOUBLINGS))
        return min(tried_at, now) + wait  # a clock that was set back delays by one period at most

    def find_wait(self) -> timedelta | None:
        """Return how long until the next round, below 0 when it is overdue; None: never."""
        due_at = self.find_due()
        return None if due_at is None else due_at - self._clock()

    def sweep(self, now: datetime) -> None:
        """Run a round if one is due; one that is under way already is enough.

        Raises:
            OSError: The data folder cannot be written; the next try waits as after any failure.
        """
        due_at = self.find_due()
        if due_at is not None and due_at <= now:
            self._refresh.refresh_now(is_scheduled=True)
