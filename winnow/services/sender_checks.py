"""Checks of a sending domain's own DNS records: asked only while DNS is on, never kept."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from winnow.core.addresses.address import DOMAIN_MAX_OCTETS, normalise, to_a_label
from winnow.core.errors import BadField
from winnow.core.network_answers import DNS
from winnow.core.ports import Resolver
from winnow.core.sender.answers import SenderFacts, TextAnswer
from winnow.core.sender.dkim import SELECTOR
from winnow.core.sender.dmarc import parse_dmarc
from winnow.core.sender.findings import SenderReport
from winnow.core.sender.judge_dkim import name_key
from winnow.core.sender.judge_dmarc import (
    find_in_force,
    list_foreign,
    name_permission,
    name_policy,
)
from winnow.core.sender.judge_sender import judge_sender
from winnow.core.sender.spf import find_spf, parse_spf, walk_spf
from winnow.core.verdicts.facts import HostAnswer, MailAnswer, MailRoute
from winnow.services.network import Network
from winnow.storage.database.database import Database
from winnow.storage.repositories.feature_flags import add_use
from winnow.words import mark

SELECTORS_MOST = 10  # that a person may name
ROUNDS_MOST = 12  # of asking for what an SPF record includes: more than receivers follow
NAMES_A_ROUND = 40
ROUND_SECONDS = 5.0
FOREIGN_MOST = 5  # domains that get reports


@dataclass(slots=True)
class _SenderAnswers:
    """What was asked so far."""

    mail: dict[str, MailAnswer] = field(default_factory=dict)
    hosts: dict[str, HostAnswer] = field(default_factory=dict)
    texts: dict[str, TextAnswer] = field(default_factory=dict)
    domains: set[str] = field(default_factory=set)  # counted for the foot line


class SenderChecks:
    """Checks one sending domain at a time. Synchronous, thread-safe."""

    def __init__(
        self,
        database: Database,
        network: Network,
        open_resolver: Callable[[], Resolver],
        find_registrable: Callable[[str], str | None],
        known_selectors: Callable[[], Mapping[str, str]],
        clock: Callable[[], datetime],
    ) -> None:
        self._database = database
        self._network = network
        self._open_resolver = open_resolver
        self._find_registrable = find_registrable
        self._known_selectors = known_selectors
        self._clock = clock

    def check(
        self, text: str, selectors: Sequence[str] = (), *, asks_once: bool = False
    ) -> SenderReport:
        """Ask DNS for a domain's records and judge them.

        Args:
            text: A domain, or an address at it.
            selectors: Of DKIM keys, beside those of mail platforms.
            asks_once: Ask also while the switch is off, where the setting allows it.

        Raises:
            BadField: No domain, not a selector, or DNS is off.
        """
        domain = read_domain(text)
        given = read_selectors(selectors)
        if not (self._network.is_on(DNS) or (asks_once and self._network.is_allowed(DNS))):
            raise BadField(
                "dns", mark("is off"), hint=mark("Turn DNS on under Network, then check again.")
            )
        return judge_sender(self._gather(domain, given))

    def _gather(self, domain: str, given: tuple[str, ...]) -> SenderFacts:
        resolver = self._open_resolver()
        known = self._known_selectors()
        organisation = self._find_registrable(domain) or domain
        found = _SenderAnswers()
        now = self._clock()
        facts = SenderFacts(
            domain, organisation, now, found.mail, found.hosts, found.texts, given, known
        )
        self._count(found, [domain])
        _ask_mail(resolver, found, [domain])
        if found.mail[domain].route is MailRoute.NOT_FOUND:
            return facts
        owners = (name_policy(owner) for owner in (domain, organisation))
        keys = (name_key(selector, domain) for selector in (*given, *known))
        _ask_texts(resolver, found, [domain, *owners, *keys])
        if any(answer.texts is not None for answer in found.texts.values()):
            self._count(found, found.mail[domain].hosts)
            _ask_hosts(resolver, found, found.mail[domain].hosts)
            self._follow_spf(resolver, found, facts)
            self._ask_permissions(resolver, found, facts)
        return facts

    def _follow_spf(self, resolver: Resolver, found: _SenderAnswers, facts: SenderFacts) -> None:
        """Ask for what the SPF record includes, and what that includes, as a receiver does."""
        records = find_spf(found.texts[facts.domain])
        if len(records) != 1:
            return
        record = parse_spf(records[0])
        for _ in range(ROUNDS_MOST):
            walk = walk_spf(record, facts)
            if not walk.is_waiting:
                return
            names = walk.wanted_texts | walk.wanted_hosts | walk.wanted_mail
            self._count(found, names)
            _ask_texts(resolver, found, sorted(walk.wanted_texts))
            _ask_hosts(resolver, found, sorted(walk.wanted_hosts))
            _ask_mail(resolver, found, sorted(walk.wanted_mail))

    def _ask_permissions(
        self, resolver: Resolver, found: _SenderAnswers, facts: SenderFacts
    ) -> None:
        """Ask whether others that get DMARC reports take them."""
        owner, records = find_in_force(facts)
        if records is None or len(records) != 1:
            return
        foreign = list_foreign(facts, owner, parse_dmarc(records[0]))[:FOREIGN_MOST]
        self._count(found, foreign)
        _ask_texts(resolver, found, [name_permission(owner, target) for target in foreign])

    def _count(self, found: _SenderAnswers, names: Iterable[str]) -> None:
        """Count the registrable domains of names for the foot line, each once a check."""
        new = {self._find_registrable(name) or name for name in names} - found.domains
        found.domains |= new
        if new:
            add_use(self._database, DNS, len(new), self._clock())


def read_domain(text: str) -> str:
    """Return the domain that a person means: it, an address at it, or a page of it.

    Raises:
        BadField: There is none in the text.
    """
    given = normalise(text)[: 4 * DOMAIN_MAX_OCTETS].rstrip(".").rpartition("@")[2]
    given = given.removeprefix("https://").removeprefix("http://").partition("/")[0]
    domain = to_a_label(given.strip()) if given else None
    if domain is None or "." not in domain or len(domain) > DOMAIN_MAX_OCTETS:
        raise BadField(
            "domain",
            mark("is not a domain"),
            hint=mark("Enter what stands behind the @ in your sender address."),
        )
    return domain


def read_selectors(selectors: Iterable[str]) -> tuple[str, ...]:
    """Return selectors in lower case, each once.

    Raises:
        BadField: One is none, or there are too many.
    """
    named = dict.fromkeys(one.strip().lower() for one in selectors if one.strip())
    wrong = [one for one in named if not SELECTOR.match(one)]
    if wrong or len(named) > SELECTORS_MOST:
        problem = mark("is not one") if wrong else mark("is one of too many; ask for ten at most")
        hint = mark("It stands as “s=…” in a mail's line “DKIM-Signature”.")
        raise BadField("selector", problem, hint=hint)
    return tuple(named)


def _pass(count: int) -> None:
    """Nobody waits to be told how far it is."""


def _ask_texts(resolver: Resolver, found: _SenderAnswers, names: Iterable[str]) -> None:
    wanted = [name for name in dict.fromkeys(names) if name not in found.texts]
    for start in range(0, len(wanted), 2 * NAMES_A_ROUND):
        some = wanted[start : start + 2 * NAMES_A_ROUND]
        found.texts.update(resolver.ask_texts(some, budget_seconds=ROUND_SECONDS, tick=_pass))


def _ask_hosts(resolver: Resolver, found: _SenderAnswers, names: Iterable[str]) -> None:
    wanted = [name for name in dict.fromkeys(names) if name not in found.hosts][:NAMES_A_ROUND]
    found.hosts.update(resolver.ask_hosts(wanted, budget_seconds=ROUND_SECONDS, tick=_pass))


def _ask_mail(resolver: Resolver, found: _SenderAnswers, names: Iterable[str]) -> None:
    wanted = [name for name in dict.fromkeys(names) if name not in found.mail][:NAMES_A_ROUND]
    found.mail.update(resolver.ask_mail(wanted, budget_seconds=ROUND_SECONDS, tick=_pass))
