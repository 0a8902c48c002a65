"""Network for the library, if a caller opens it; only domains are sent."""

import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib.util import find_spec

import platformdirs

from winnow.core.errors import BadField
from winnow.core.ports import AgeSource, DomainKnowledge, MailSource, Registries, Resolver
from winnow.core.settings import parse_servers
from winnow.domain_data.suffixes import is_public_suffix
from winnow.library.open_data import open_domain_data
from winnow.network.dns.mail_look_up import MailLookUp
from winnow.network.dns.mail_servers import MailServers
from winnow.network.dns.mail_sources import BATCH_BUDGET_SECONDS, BatchMail, SingleMail
from winnow.network.passing_answers import PassingAnswers
from winnow.network.rdap import domain_age
from winnow.network.rdap.domain_age import AgeLookUp, BatchAge, SingleAge

NOTES_KEPT = 100
Tick = Callable[[float], None]


class NetworkWarning(UserWarning):
    """The network hardly answered: verdicts are as without it."""


class PackageMissing(ImportError):
    """A package that only the network needs is not installed."""


@dataclass(frozen=True, slots=True)
class OpenSources:
    """Network sources for one value, column or file; None: no source."""

    mail: MailSource | None = None
    age: AgeSource | None = None


OFFLINE = OpenSources()


class OpenNetwork:
    """Open network sources and their answers, stored until it is closed. Thread-safe.

    Attributes:
        notes: Questions and answers of the last columns and files, a sentence or two for each; the
            latest last.
    """

    def __init__(
        self,
        knowledge: DomainKnowledge,
        resolver: Resolver | None,
        registries: Registries | None,
        *,
        budget_seconds: float | None = None,
        clock: Callable[[], datetime] | None = None,
    ) -> None:
        """Store the sources; nothing is sent yet. See ``winnow.open_network``."""
        kept = PassingAnswers()
        clock = clock or _read_clock
        self._mail = self._age = None
        if resolver is not None:
            read_servers = cache(MailServers.read)
            self._mail = MailLookUp(kept, resolver, read_servers, lambda: knowledge, clock)
        if registries is not None:
            self._age = AgeLookUp(kept, registries, is_public_suffix, clock)
        self._registries = registries
        self._budget_seconds = budget_seconds
        self._notes: deque[str] = deque(maxlen=NOTES_KEPT)

    def __enter__(self) -> "OpenNetwork":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections; the next question opens them again."""
        if isinstance(self._registries, AbstractContextManager):
            self._registries.__exit__(None, None, None)

    @property
    def notes(self) -> tuple[str, ...]:
        """See the class."""
        return tuple(self._notes)

    def ask_one(self) -> OpenSources:
        """Return the sources for a single value."""
        mail, age = self._mail, self._age
        return OpenSources(
            None if mail is None else SingleMail(mail), None if age is None else SingleAge(age)
        )

    @contextmanager
    def ask_many(self, tick: Tick = lambda share: None) -> Iterator[OpenSources]:
        """Yield the sources for one column or file; write a note at the end.

        ``tick`` is called with the share of look-ups done, 0 to 1; what it raises ends them.
        """
        half = 0.5 if self._mail and self._age else 1.0
        mail = age = None
        if self._mail is not None:
            seconds = self._limit(BATCH_BUDGET_SECONDS)
            mail = BatchMail(self._mail, lambda share: tick(half * share), budget_seconds=seconds)
        if self._age is not None:
            seconds = self._limit(domain_age.BATCH_BUDGET_SECONDS)
            age = BatchAge(
                self._age, lambda share: tick(1 - half + half * share), budget_seconds=seconds
            )
        yield OpenSources(mail, age)
        if mail is not None and mail.use.wanted_count:
            silence = mail.use.describe_silence()
            self._note(mail.use.describe_dns().text, None if silence is None else silence.text)
        if age is not None and age.use.wanted_count:
            silent = "No registry answered: verdicts are as if their domains' age were unknown."
            self._note(age.use.describe_registries().text, None if age.use.known_count else silent)

    def _note(self, text: str, silence: str | None) -> None:
        self._notes.append(text)
        if silence is not None:
            self._notes.append(silence)
            warnings.warn(silence, NetworkWarning, stacklevel=2)

    def _limit(self, usual_seconds: float) -> float:
        mine = self._budget_seconds
        return usual_seconds if mine is None else min(mine, usual_seconds)


def ask_many(
    network: OpenNetwork | None, tick: Tick = lambda share: None
) -> AbstractContextManager[OpenSources]:
    """Yield the sources for one column or file: none without a network."""
    return nullcontext(OFFLINE) if network is None else network.ask_many(tick)


def open_network(
    *,
    dns: bool = False,
    rdap: bool = False,
    dns_servers: Sequence[str] = (),
    budget_seconds: float | None = None,
) -> OpenNetwork:
    """Open network sources; see ``winnow.open_network``."""
    if not (dns or rdap):
        raise BadField("network", "asks nobody", hint="Say dns=True, rdap=True or both.")
    return OpenNetwork(
        open_domain_data(),
        _open_dns(dns_servers) if dns else None,
        _open_rdap() if rdap else None,
        budget_seconds=budget_seconds,
    )


def _open_dns(servers: Sequence[str]) -> Resolver:
    _require("pycares", "pycares>=5.2,<6", "DNS")
    from winnow.network.dns.resolver import DnsResolver

    return DnsResolver(_read_servers(servers))


def _open_rdap() -> Registries:
    _require("httpx", "httpx>=0.28,<1", "RDAP")
    from winnow.network.rdap.asker import RdapAsker
    from winnow.network.rdap.bootstrap import BootstrapCopy
    from winnow.network.rdap.client import RdapRegistries

    folder = platformdirs.user_cache_path("winnow", appauthor=False) / "rdap"
    bootstrap = BootstrapCopy(folder, _read_clock)
    return RdapRegistries(bootstrap, RdapAsker(bootstrap, _read_clock))


def _read_servers(servers: Sequence[str]) -> tuple[str, ...]:
    if isinstance(servers, str):
        raise BadField("dns_servers", "is one text", hint='Give a list: ["192.0.2.1:53"].')
    try:
        return parse_servers(",".join(servers)) if servers else ()
    except ValueError as error:
        raise BadField("dns_servers", str(error)) from error


def _read_clock() -> datetime:
    return datetime.now(UTC)


def _require(package: str, requirement: str, question: str) -> None:
    if find_spec(package) is None:
        msg = f"{question} needs a package that is not installed: pip install '{requirement}'"
        raise PackageMissing(msg, name=package)
