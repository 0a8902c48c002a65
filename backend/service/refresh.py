"""Refreshing the disposable lists: off until somebody presses the button, never by itself."""

import logging
import threading
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from backend.core.errors import BadField
from backend.core.refresh import ListAge, RefreshOutcome
from backend.core.settings import Settings

if TYPE_CHECKING:
    from backend.knowledge.list_book import ListBook

REFRESH = "refresh"
_log = logging.getLogger(__name__)


class Refresh:
    """The lists that can be fetched anew. Synchronous, thread-safe; one round at a time."""

    def __init__(
        self,
        settings: Settings,
        open_book: "Callable[[], ListBook]",
        reopen: Callable[[], object],
        clock: Callable[[], datetime],
    ) -> None:
        """Remember what to work with.

        Args:
            settings: Say whether a refresh is allowed.
            open_book: Gives the lists of the data folder.
            reopen: Called after a round, so that the new data is compiled before anybody asks.
            clock: Gives the time in UTC.
        """
        self._settings = settings
        self._open_book = open_book
        self._reopen = reopen
        self._clock = clock
        self._guard = threading.Lock()
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

    def refresh_now(self) -> tuple[RefreshOutcome, ...]:
        """Fetch every list; a list that is refused or out of reach stays as it was.

        Raises:
            BadField: The setting locks it off.
            OSError: The data folder cannot be written; lists written before that stay.
        """
        if not self.is_allowed:
            raise BadField(
                "refresh", "is locked off", hint="WINNOW_NETWORK says what may be turned on."
            )
        with self._guard:
            outcomes = self._open_book().refresh(self._clock().date())
            self._reopen()
        _log.info("lists refreshed: %s", ", ".join(outcome.state for outcome in outcomes))
        return outcomes
