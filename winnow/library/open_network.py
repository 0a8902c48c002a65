"""DNS for the library, if a caller opens it; only domains are sent."""

import threading
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import UTC, datetime
from functools import cache, partial
from importlib.util import find_spec
from math import inf

from winnow.core.errors import BadField
from winnow.core.network_answers import ServerSighting, StoredAnswer
from winnow.core.ports import DomainKnowledge, MailSource, Resolver
from winnow.core.settings import parse_servers
from winnow.library.open_data import open_domain_data
from winnow.network.dns.mail_look_up import MailAsker, MailLookUp
from winnow.network.dns.mail_servers import MailServers

NOTES_KEPT = 100
Tick = Callable[[float], None]


class NetworkWarning(UserWarning):
    """DNS hardly answered: verdicts are as without it."""


class PassingAnswers:
    """Stores answers in memory (``core.network_answers.NetworkAnswers``). Thread-safe."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._answers: dict[tuple[str, str], StoredAnswer] = {}
        self._served: dict[str, dict[str, bool]] = {}

    def read_answers(
        self, question: str, names: Iterable[str], now: datetime
    ) -> dict[str, StoredAnswer]:
        """Return the answers to a question that still hold, by name."""
        kept = ((name, self._answers.get((question, name))) for name in names)
        return {name: answer for name, answer in kept if answer and answer.expires_at > now}

    def keep_answers(self, question: str, answers: Iterable[StoredAnswer]) -> None:
        """Store answers; each replaces an older one."""
        self._answers.update(((question, answer.name), answer) for answer in answers)

    def note_sightings(self, sightings: Iterable[ServerSighting], now: datetime) -> None:
        """Store which known domains a server serves; the latest answer on a domain counts."""
        with self._guard:
            for server, domain, is_disposable in sightings:
                self._served.setdefault(server, {})[domain] = is_disposable

    def count_served(self, servers: Iterable[str]) -> Mapping[str, tuple[int, int]]:
        """Return (disposable, honest) counts by server; servers never seen are missing."""
        with self._guard:
            found = {server: self._served[server] for server in servers if server in self._served}
            return {
                server: (sum(kinds.values()), len(kinds) - sum(kinds.values()))
                for server, kinds in found.items()
            }

    def add_use(self, switch: str, count: int, now: datetime) -> None:
        """Do nothing: the caller sees each look-up's own count."""


class OpenNetwork:
    """Open DNS and its answers, stored as long as this object. Thread-safe."""

    def __init__(
        self,
        knowledge: DomainKnowledge,
        resolver: Resolver,
        *,
        budget_seconds: float = inf,
        clock: Callable[[], datetime] | None = None,
    ) -> None:
        """Store the resolver; nothing is sent yet. See ``winnow.open_network``."""
        read_servers, kept = cache(MailServers.read), PassingAnswers()
        self._look_up = MailLookUp(
            kept, resolver, read_servers, lambda: knowledge, clock or partial(datetime.now, UTC)
        )
        self._budget_seconds = budget_seconds
        self._notes: deque[str] = deque(maxlen=NOTES_KEPT)

    @property
    def notes(self) -> tuple[str, ...]:
        """Questions and answers of the last columns and files, a sentence or two for each."""
        return tuple(self._notes)

    def ask_one(self) -> MailAsker:
        """Return the source for a single value."""
        return MailAsker(self._look_up)

    @contextmanager
    def ask_many(self, tick: Tick) -> Iterator[MailAsker]:
        """Yield the source for one column or file; write a note at the end.

        ``tick`` is called with the share of look-ups done, 0 to 1; what it raises ends them.
        """
        mail = MailAsker(self._look_up, tick, self._budget_seconds)
        yield mail
        if mail.use.wanted_count:
            self._notes.append(mail.use.describe_dns().text)
            for silence in mail.use.describe_silence():
                self._notes.append(silence.text)
                warnings.warn(silence.text, NetworkWarning, stacklevel=2)


def ask_many(
    network: OpenNetwork | None, tick: Tick = lambda share: None
) -> AbstractContextManager[MailSource | None]:
    """Yield the source for one column or file: none without a network."""
    return nullcontext(None) if network is None else network.ask_many(tick)


def open_network(dns_servers: Sequence[str], budget_seconds: float | None) -> OpenNetwork:
    """Open DNS; see ``winnow.open_network``."""
    if find_spec("pycares") is None:
        msg = "DNS needs a package that is not installed: pip install 'pycares>=5.2,<6'"
        raise ImportError(msg, name="pycares")
    from winnow.network.dns.resolver import DnsResolver

    if isinstance(dns_servers, str):
        raise BadField("dns_servers", "is one text", hint='Give a list: ["192.0.2.1:53"].')
    try:
        servers = parse_servers(",".join(dns_servers)) if dns_servers else ()
    except ValueError as error:
        raise BadField("dns_servers", str(error)) from error
    resolver = DnsResolver(servers)
    seconds = inf if budget_seconds is None else budget_seconds
    return OpenNetwork(open_domain_data(), resolver, budget_seconds=seconds)
