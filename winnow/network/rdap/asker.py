"""Polite questions to many registries, one in flight at each, and their answers (RFC 9083)."""

import asyncio
import json
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx

from winnow.core.verdicts.facts import AgeAnswer, AgeState
from winnow.network.rdap.bootstrap import Bootstrap, BootstrapCopy
from winnow.network.web import (
    BadAnswer,
    ClientUnavailable,
    Fetched,
    fetch,
    is_public_https,
    open_client,
)

PAUSE_SECONDS = 1.0  # between two questions to one server; registries publish no better number
FAILURES_BORNE = 3  # in a row
REST_SECONDS = 600.0  # after them


@dataclass(slots=True)
class RegistryServer:
    """State of one server. Used by one event loop; times are seconds of one monotonic clock."""

    pause_seconds: float = PAUSE_SECONDS
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)  # one question in flight
    waiting_count: int = 0  # questions in flight or before it in the queue
    failure_count: int = 0  # in a row
    _next_at: float = 0.0

    def count_wait(self, now: float) -> float:
        """Return the seconds until it may be asked."""
        return max(0.0, self._next_at - now)

    def has_time(self, now: float, ends_at: float) -> bool:
        """Return whether another question would have its turn before a time."""
        line_seconds = self.waiting_count * self.pause_seconds
        return now + self.count_wait(now) + line_seconds < ends_at

    def rest(self, now: float, least_seconds: float = 0.0) -> None:
        """Ask nothing for as long as the server asks, and never sooner than is polite."""
        self._next_at = max(self._next_at, now + max(least_seconds, self.pause_seconds))

    def note_failed(self, now: float) -> None:
        """Count a failure; after some in a row there is a longer pause."""
        self.failure_count += 1
        if self.failure_count >= FAILURES_BORNE:
            self.failure_count = 0
            self._next_at = max(self._next_at, now + REST_SECONDS)


REQUEST_SECONDS = 8.0  # for one question with its redirects; ends a slow drip
FAILURES_OF_ALL = 5  # with no answer from any registry
SLOW_SECONDS = 2.0  # a caller that leaves after that counts as a failure
MOST_BYTES = 500_000  # a whole answer is some 5 to 50 kB
MOST_IN_FLIGHT = 32  # over all registries
LEFT_ALONE = frozenset({403, 422, 429, 503})  # statuses for clients that ask too much
NO_DOMAIN = 404  # RFC 7480, 5.3
UNKNOWN = AgeAnswer(AgeState.UNKNOWN)
NOT_SAID = AgeAnswer(AgeState.NOT_SAID)
NOT_ASKED = AgeAnswer(AgeState.NOT_ASKED)

_log = logging.getLogger(__name__)


@dataclass(eq=False, repr=False)
class RdapAsker:
    """Holds the connections and each server's state. Used by one event loop.

    Args:
        bootstrap: Says which registry answers for which domain.
        clock: Returns the time in UTC.
        open_client: Returns the client; may raise ClientUnavailable.
        is_safe: Which addresses a redirect may lead to.
        pause_seconds: Between two questions to one server.
        request_seconds: For one question.
    """

    bootstrap: BootstrapCopy
    clock: Callable[[], datetime]
    open_client: Callable[[], httpx.AsyncClient] = open_client
    is_safe: Callable[[httpx.URL], bool] = is_public_https
    pause_seconds: float = PAUSE_SECONDS
    request_seconds: float = REQUEST_SECONDS

    def __post_init__(self) -> None:
        self._client: httpx.AsyncClient | None = None
        self._has_client = True
        self._renewal: asyncio.Task[Bootstrap | None] | None = None
        self._servers: dict[str, RegistryServer] = {}
        self._window = asyncio.Semaphore(MOST_IN_FLIGHT)

    async def ask_all(
        self,
        names: list[str],
        ends_at: float,
        note_sent: Callable[[str], None],
        put: Callable[[tuple[str, AgeAnswer]], None],
    ) -> None:
        """Ask each server in turn for its names, all servers at the same time."""
        client = self._open()
        if client is None:
            return
        if self._renewal is None or self._renewal.done():
            self._renewal = asyncio.create_task(self.bootstrap.renew(client))
        bootstrap = await asyncio.shield(self._renewal)  # goes on when this caller's time is over
        by_host: dict[str, list[tuple[str, str]]] = {}
        for name in names:
            address = bootstrap.find_address(name) if bootstrap else None
            if address is None:
                put((name, NOT_ASKED))
                continue
            by_host.setdefault(httpx.URL(address).host, []).append((name, address))
        turn = _Round(client, ends_at, note_sent, put)
        async with asyncio.TaskGroup() as group:
            for host, questions in by_host.items():
                server = self._servers.setdefault(host, RegistryServer(self.pause_seconds))
                group.create_task(self._ask_server(server, questions, turn))

    async def close(self) -> None:
        """Give up what is in flight and close the connections."""
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        if self._client is not None:
            await self._client.aclose()

    def _open(self) -> httpx.AsyncClient | None:
        """Open the client at the first call; None: the environment allows none."""
        if self._client is None and self._has_client:
            try:
                self._client = self.open_client()
            except ClientUnavailable as error:
                self._has_client = False  # the environment of a process does not change
                _log.warning("rdap: %s", error)
        return self._client

    async def _ask_server(
        self, server: RegistryServer, questions: list[tuple[str, str]], turn: "_Round"
    ) -> None:
        for name, address in questions:
            is_offline = not turn.has_heard and turn.failure_count >= FAILURES_OF_ALL
            if is_offline or not server.has_time(time.monotonic(), turn.ends_at):
                turn.put((name, NOT_ASKED))
                continue
            server.waiting_count += 1
            try:
                async with server.turn:
                    turn.put((name, await self._ask(server, name, address, turn)))
            finally:
                server.waiting_count -= 1

    async def _ask(
        self, server: RegistryServer, name: str, address: str, turn: "_Round"
    ) -> AgeAnswer:
        """Ask when its turn comes; once again where the server asked for a pause."""
        is_sent = False
        while True:
            wait_seconds = server.count_wait(time.monotonic())
            if time.monotonic() + wait_seconds >= turn.ends_at:
                return UNKNOWN if is_sent else NOT_ASKED
            await asyncio.sleep(wait_seconds)
            async with self._window:
                sent_at = time.monotonic()
                server.rest(sent_at)
                turn.note_sent(name)
                try:
                    async with asyncio.timeout(self.request_seconds):
                        fetched = await fetch(
                            turn.client,
                            f"{address}domain/{name}",
                            is_safe=self.is_safe,
                            most_bytes=MOST_BYTES,
                        )
                    turn.has_heard = True
                    if fetched.status not in LEFT_ALONE:
                        answer = self._read(fetched, name)
                        server.failure_count = 0
                        return answer
                except (BadAnswer, TimeoutError) as error:
                    _log.info("rdap: no usable answer: %s", error or type(error).__name__)
                    turn.failure_count += 1
                    server.note_failed(time.monotonic())
                    return UNKNOWN
                except asyncio.CancelledError:  # the caller has no more time
                    if time.monotonic() - sent_at > SLOW_SECONDS:
                        server.note_failed(time.monotonic())
                    raise
                server.rest(time.monotonic(), read_wait(fetched.retry_after, self.clock()))
                if is_sent:
                    return UNKNOWN
                is_sent = True

    def _read(self, fetched: Fetched, name: str) -> AgeAnswer:
        if fetched.status == NO_DOMAIN:
            return NOT_SAID
        if fetched.status != httpx.codes.OK:
            raise BadAnswer(f"the answer was {fetched.status}")
        return read_age(fetched.body, name, self.clock())


@dataclass(slots=True)
class _Round:
    """One call for many names: its answers, failures, and whether any registry answers."""

    client: httpx.AsyncClient
    ends_at: float
    note_sent: Callable[[str], None]
    put: Callable[[tuple[str, AgeAnswer]], None]
    failure_count: int = 0
    has_heard: bool = False


FIRST_DOMAINS = datetime(1983, 1, 1, tzinfo=UTC)  # RFC 881-883: no name is older
MOST_EVENTS = 1_000
MOST_WAIT_SECONDS = 86_400.0
DEFAULT_WAIT_SECONDS = 60.0


def read_age(body: bytes, domain: str, now: datetime) -> AgeAnswer:
    """Read when a domain was registered.

    Args:
        body: The answer to the question for ``domain``.
        domain: A lower-case A-label name.
        now: UTC; a later date is not believed.

    Raises:
        BadAnswer: No JSON, no domain object, another domain's, or a date that cannot be.
    """
    try:
        content = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise BadAnswer("it is no JSON") from error
    if not isinstance(content, dict) or content.get("objectClassName") != "domain":
        raise BadAnswer("it is no domain object")
    name = content.get("ldhName")
    if not isinstance(name, str) or name.lower().removesuffix(".") != domain:
        raise BadAnswer("it is about another domain")
    events = content.get("events", [])
    if not isinstance(events, list) or len(events) > MOST_EVENTS:
        raise BadAnswer("its events are of another form")
    dates = [
        _read_date(event.get("eventDate"), now)
        for event in events
        if isinstance(event, dict) and event.get("eventAction") == "registration"
    ]
    if not dates:
        return AgeAnswer(AgeState.NOT_SAID)
    return AgeAnswer(AgeState.KNOWN, min(dates))


def read_wait(retry_after: str | None, now: datetime) -> float:
    """Return the pause in seconds that a server asks for (RFC 9110, 10.2.3)."""
    text = (retry_after or "").strip()
    if text.isascii() and text.isdigit() and len(text) < 10:
        return min(float(text), MOST_WAIT_SECONDS)
    try:
        until = parsedate_to_datetime(text)
        seconds = (until.replace(tzinfo=until.tzinfo or UTC) - now).total_seconds()
    except (ValueError, TypeError, OverflowError):
        return DEFAULT_WAIT_SECONDS
    return max(0.0, min(seconds, MOST_WAIT_SECONDS))


def _read_date(text: object, now: datetime) -> datetime:
    """Read a date-time with its time zone (RFC 3339), none before there were domains."""
    try:
        moment = datetime.fromisoformat(text if isinstance(text, str) else "")
        if moment.tzinfo is None:
            raise BadAnswer("its date has no time zone")
        moment = moment.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise BadAnswer("its date cannot be read") from error
    if not FIRST_DOMAINS <= moment <= now:
        raise BadAnswer("its date cannot be")
    return moment
