"""Ban counter: clients with too many black verdicts wait for a day."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from ipaddress import IPv4Address, IPv6Network, ip_address

from winnow.core.errors import Banned
from winnow.core.identities import Role
from winnow.core.settings import Settings
from winnow.core.usage import Ban
from winnow.services.use_cases import use_case
from winnow.storage.database.database import Database
from winnow.storage.database.query_cache import QueryCache
from winnow.storage.repositories import single_checks as check_rows

FULL_THRESHOLD = 5  # by default, and what is shown while the ban is off
LAPSE = timedelta(hours=24)
IPV6_CUSTOMER_BITS = 64


@dataclass(eq=False, repr=False)
class Bans:
    """Attempts by client address, durable. Synchronous and thread-safe.

    Each attempt taken makes the client's count lapse 24 hours later; a banned client takes no
    more, so a ban ends 24 hours after the answer that reached 0. A clock that is set back also
    ends it, so that no ban is longer.
    """

    database: Database
    settings: Settings
    clock: Callable[[], datetime]

    def __post_init__(self) -> None:
        self._attempts = QueryCache[str, tuple[int, datetime] | None](
            self.database.changes.read_number
        )

    @property
    def is_on(self) -> bool:
        """Whether clients are counted and banned."""
        return self.settings.ban_threshold > 0

    @property
    def threshold(self) -> int:
        """The full number of attempts, which clients that are not counted always have."""
        return self.settings.ban_threshold or FULL_THRESHOLD

    @use_case(Role.READER)
    def attempts_left(self, client: str) -> int:
        """Return how many attempts a client has; 0 is banned."""
        if not self._counts(client):
            return self.threshold
        found = self._attempts.get(
            name_client(client), lambda name: check_rows.find_attempts(self.database, name)
        )
        if found is None or not timedelta() < found[1] - self.clock() <= LAPSE:
            return self.threshold
        return max(0, self.threshold - found[0])

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
            Banned: None was left, also if other requests took the last one meanwhile.
        """
        if not self._counts(client):
            return self.threshold
        name = name_client(client)
        taken = check_rows.take_attempt(self.database, name, self.clock, LAPSE, self.threshold)
        if taken is None:
            raise _banned()
        return self.threshold - taken

    def _counts(self, client: str) -> bool:
        """Return whether this client is counted: the ban is on, and it is not this machine."""
        return self.is_on and (self.settings.ban_loopback or not is_loopback(client))

    @use_case(Role.READER)
    def list(self) -> tuple[Ban, ...]:
        """Return the clients with attempts taken, banned ones first; none while the ban is off."""
        if not self.is_on:
            return ()
        now = self.clock()
        return tuple(
            Ban(client, max(0, self.threshold - taken), lapses_at)
            for client, taken, lapses_at in check_rows.list_attempts(
                self.database, now, now + LAPSE
            )
        )

    @use_case(Role.MEMBER)
    def lift(self, client: str) -> None:
        """Give a client all its attempts back."""
        check_rows.forget_client(self.database, name_client(client))


def _banned() -> Banned:
    return Banned(
        "Too many black answers from this client address.",
        hint="The ban ends by itself after 24 hours, or under Settings, API.",
    )


def name_client(client: str) -> str:
    """Return the name that a client's attempts are counted by.

    IPv4: the address, also if it is mapped into IPv6. IPv6: the network of 64 bits, because one
    customer has at least that (RFC 6177, 2). Other text: itself, cut to 100 characters.
    """
    try:
        address = ip_address(client.partition("%")[0])
    except ValueError:
        return client[:100]
    if isinstance(address, IPv4Address) or address.is_loopback:
        return str(address)
    return str(address.ipv4_mapped or IPv6Network((address, IPV6_CUSTOMER_BITS), strict=False))


def is_loopback(client: str) -> bool:
    """Return whether an address, or ``localhost``, is this machine."""
    if client == "localhost":
        return True
    try:
        return ip_address(name_client(client)).is_loopback
    except ValueError:
        return False
