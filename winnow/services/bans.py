"""The ban counter: clients whose checks come out black too often wait for a day."""

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import lru_cache
from ipaddress import IPv6Address, ip_address

from winnow.core.accounts import Ban
from winnow.core.errors import Banned
from winnow.core.settings import Settings
from winnow.storage.database.database import Database
from winnow.storage.database.query_cache import QueryCache
from winnow.storage.repositories import bans as rows

FULL_THRESHOLD = 5  # decisions.md, "Ban": by default, and what is shown while the ban is off
LAPSE = timedelta(hours=24)  # decisions.md, "Ban"


class Bans:
    """Attempts by client address, durable. Synchronous and thread-safe.

    Each attempt taken makes the client's count lapse 24 hours later; a banned client takes no
    more, so a ban ends 24 hours after the answer that reached 0. A clock that is set back ends it
    as well: nobody is locked out for longer.
    """

    def __init__(
        self, database: Database, settings: Settings, clock: Callable[[], datetime]
    ) -> None:
        self._database = database
        self._is_on = settings.ban_threshold > 0
        self._counts_loopback = settings.ban_loopback
        self._threshold = settings.ban_threshold or FULL_THRESHOLD
        self._clock = clock
        self._attempts = QueryCache[str, tuple[int, datetime] | None](database.changes)

    @property
    def threshold(self) -> int:
        """The full number of attempts; also what callers see who are not counted."""
        return self._threshold

    def attempts_left(self, client: str) -> int:
        """Return how many attempts a client has; 0 is banned."""
        if not self._counts(client):
            return self._threshold
        found = self._attempts.get(
            _canonical(client), lambda name: rows.find_attempts(self._database, name)
        )
        if found is None or not timedelta() < found[1] - self._clock() <= LAPSE:
            return self._threshold
        return max(0, self._threshold - found[0])

    def require_attempt(self, client: str) -> int:
        """Return how many attempts a client has, at least one.

        Raises:
            Banned: None is left.
        """
        left = self.attempts_left(client)
        if left == 0:
            raise _banned()
        return left

    def take_attempt(self, client: str) -> int:
        """Take one attempt and return how many are left; a client that is not counted has all.

        Raises:
            Banned: None was left, also where others took the last one meanwhile.
        """
        if not self._counts(client):
            return self._threshold
        name, now = _canonical(client), self._clock()
        taken = rows.take_attempt(self._database, name, now, now + LAPSE, self._threshold)
        if taken is None:
            raise _banned()
        return self._threshold - taken

    def _counts(self, client: str) -> bool:
        """Say whether this client is counted at all: the ban is on, and it is not this machine."""
        return self._is_on and (self._counts_loopback or not is_loopback(client))

    def list(self) -> tuple[Ban, ...]:
        """Return the clients with attempts taken, banned ones first; none while the ban is off."""
        if not self._is_on:
            return ()
        now = self._clock()
        return tuple(
            Ban(client, max(0, self._threshold - taken), lapses_at)
            for client, taken, lapses_at in rows.list_attempts(self._database, now, now + LAPSE)
        )

    def lift(self, client: str) -> None:
        """Give a client all its attempts back."""
        rows.forget_client(self._database, _canonical(client))


def _banned() -> Banned:
    return Banned(
        "Too many black answers from this client address.",
        hint="The ban ends by itself after 24 hours, or on the API settings page.",
    )


@lru_cache(maxsize=4096)
def _canonical(client: str) -> str:
    """One spelling for one address; an IPv4 address mapped into IPv6 is that IPv4 address."""
    try:
        address = ip_address(client.partition("%")[0])
    except ValueError:
        return client[:100]
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return str(mapped or address)


@lru_cache(maxsize=4096)
def is_loopback(client: str) -> bool:
    """Say whether an address, or ``localhost``, is this machine."""
    if client == "localhost":
        return True
    try:
        return ip_address(_canonical(client)).is_loopback
    except ValueError:
        return False
