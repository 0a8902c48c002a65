"""From domains to facts about their mail: the cache first, then DNS, then what servers tell."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import islice
from typing import TypeVar

from backend.core.facts import AddressFacts, DomainFacts, MailAnswer, MailFacts, MailRoute
from backend.core.policy import decide
from backend.core.ports import DomainKnowledge, Resolver
from backend.core.verdict import DomainType
from backend.network.mail_servers import MailServers, Served
from backend.service.network import DNS
from backend.service.network_use import MailUse
from backend.store import domain_cache
from backend.store.database import Database
from backend.store.domain_cache import ADDRESS, MAIL, Sighting, StoredAnswer
from backend.store.switches import add_use

MOST_DOMAINS = 1_000_000  # of one list: some 1.2 GB of memory while it is looked up
ANSWERS_A_COMMIT = 20_000
HOSTS_A_DOMAIN = 2  # whose addresses are asked for
SIGHTINGS_A_SERVER = 20  # of either kind; ten decide
HONEST_TYPES = frozenset(
    {DomainType.FREE, DomainType.EDUCATION, DomainType.GOVERNMENT, DomainType.BUSINESS}
)
T = TypeVar("T")


@dataclass(slots=True)
class _Gathered:
    """Answers by domain with their time, and addresses by mail host."""

    mail: dict[str, StoredAnswer] = field(default_factory=dict)
    addresses: dict[str, tuple[str, ...]] = field(default_factory=dict)


class MailLookUp:
    """Gathers mail facts. Thread-safe; what the network does never raises."""

    def __init__(
        self,
        database: Database,
        resolver: Resolver,
        read_servers: Callable[[], MailServers],
        knowledge: Callable[[], DomainKnowledge],
        clock: Callable[[], datetime],
    ) -> None:
        self._database = database
        self._resolver = resolver
        self._read_servers = read_servers
        self._knowledge = knowledge
        self._clock = clock

    def gather(
        self,
        domains: Iterable[str],
        *,
        budget_seconds: float,
        tick: Callable[[float], None],
        unknown_life: timedelta | None = None,
        most_domains: int = MOST_DOMAINS,
    ) -> tuple[dict[str, MailFacts], MailUse]:
        """Look domains up and learn from the answers which servers serve throw-away domains.

        Args:
            domains: Lower-case A-labels, each once.
            budget_seconds: For the network; what is not answered then is unknown.
            tick: Called several times a second with the share done, 0 to 1; what it raises ends
                the look-up; answers that fill a commit by then are kept.
            unknown_life: Unknown is remembered so long; None: neither kept nor believed.
            most_domains: Those beyond are not looked up and missing in what is returned.
        """
        rest = iter(domains)
        names = list(dict.fromkeys(islice(rest, most_domains)))
        use = MailUse(unasked_count=sum(1 for _ in rest))
        gathered = _Gathered()
        fresh = self._gather_mail(names, gathered, use, 0.8 * budget_seconds, tick, unknown_life)
        servers = self._read_servers()
        hosts = self._choose_hosts(gathered, servers)
        self._gather_hosts(hosts, gathered, use, 0.2 * budget_seconds, tick)
        self._learn(gathered, fresh, servers)
        tick(1.0)
        return self._conclude(names, gathered, servers), use

    def _gather_mail(
        self,
        names: list[str],
        gathered: _Gathered,
        use: MailUse,
        budget_seconds: float,
        tick: Callable[[float], None],
        unknown_life: timedelta | None,
    ) -> list[str]:
        """Fill in the answers; return the domains that were asked for now."""
        now = self._clock()
        known = domain_cache.read_answers(self._database, MAIL, names, now)
        if unknown_life is None:
            known = {
                name: answer for name, answer in known.items() if answer.route != MailRoute.UNKNOWN
            }
        gathered.mail.update(known)
        missing = [name for name in names if name not in known]
        use.remembered_count = len(known)
        if not missing:
            return missing
        answers = self._resolver.ask_mail(
            missing,
            budget_seconds=budget_seconds,
            tick=lambda done: tick(0.8 * done / len(missing)),
        )
        for some in _in_groups(answers):
            now = self._clock()
            stored = [_store(name, answer, now, unknown_life) for name, answer in some]
            gathered.mail.update((answer.name, answer) for answer in stored)
            unasked_count = sum(answer.route is MailRoute.NOT_LOOKED_UP for _, answer in some)
            unknown_count = sum(answer.route is MailRoute.UNKNOWN for _, answer in some)
            asked_count = len(some) - unasked_count
            use.unasked_count += unasked_count
            use.unknown_count += unknown_count
            use.asked_count += asked_count
            lasting = (answer for answer in stored if answer.expires_at > now)
            domain_cache.keep_answers(self._database, MAIL, lasting)
            if asked_count:
                add_use(self._database, DNS, asked_count, now)
        return missing

    def _choose_hosts(self, gathered: _Gathered, servers: MailServers) -> list[str]:
        hosts = {
            host: None
            for answer in gathered.mail.values()
            for host in answer.targets[:HOSTS_A_DOMAIN]
        }
        return [host for host in hosts if not servers.is_shared(host)]

    def _gather_hosts(
        self,
        hosts: list[str],
        gathered: _Gathered,
        use: MailUse,
        budget_seconds: float,
        tick: Callable[[float], None],
    ) -> None:
        known = domain_cache.read_answers(self._database, ADDRESS, hosts, self._clock())
        gathered.addresses.update((name, answer.targets) for name, answer in known.items())
        missing = [host for host in hosts if host not in known]
        if not missing:
            return
        use.host_count = len(missing)
        answers = self._resolver.ask_hosts(
            missing,
            budget_seconds=budget_seconds,
            tick=lambda done: tick(0.8 + 0.2 * done / len(missing)),
        )
        for some in _in_groups(answers):
            now = self._clock()
            stored = [
                StoredAnswer(
                    name, ADDRESS, found.addresses, now, now + timedelta(seconds=found.ttl_seconds)
                )
                for name, found in some
                if found.addresses is not None
            ]
            gathered.addresses.update((answer.name, answer.targets) for answer in stored)
            domain_cache.keep_answers(self._database, ADDRESS, stored)

    def _learn(self, gathered: _Gathered, fresh: list[str], servers: MailServers) -> None:
        """Note which servers serve known domains, throw-away or honest."""
        knowledge = self._knowledge()
        seen: dict[tuple[str, bool], set[str]] = {}
        for domain in fresh:
            places = _list_servers(gathered.mail[domain], gathered, servers)
            if not places:
                continue
            facts = knowledge.look_up(domain)
            if not _is_known(facts):
                continue
            domain_type = decide(AddressFacts(domain=facts)).domain_type
            if domain_type is not DomainType.DISPOSABLE and domain_type not in HONEST_TYPES:
                continue
            for server in places:
                noted = seen.setdefault((server, domain_type is DomainType.DISPOSABLE), set())
                if len(noted) < SIGHTINGS_A_SERVER:
                    noted.add(facts.registrable or domain)
        domain_cache.note_sightings(
            self._database,
            (
                Sighting(server, domain, is_disposable)
                for (server, is_disposable), domains in seen.items()
                for domain in domains
            ),
            self._clock(),
        )

    def _conclude(
        self, names: list[str], gathered: _Gathered, servers: MailServers
    ) -> dict[str, MailFacts]:
        places = {
            server
            for answer in gathered.mail.values()
            for server in _list_servers(answer, gathered, servers)
        }
        served = {
            server: Served(*counts)
            for server, counts in domain_cache.count_served(self._database, places).items()
        }
        shared: dict[MailFacts, MailFacts] = {}  # many domains, few different facts
        facts: dict[str, MailFacts] = {}
        for name in names:
            answer = gathered.mail[name]
            found = MailFacts(
                MailRoute(answer.route),
                mx_host=answer.targets[0] if answer.targets else None,
                disposable_mx=servers.find_disposable(answer.targets, gathered.addresses, served),
                parking=servers.find_parking(answer.targets),
                asked_at=answer.asked_at,
            )
            facts[name] = shared.setdefault(found, found)
        return facts


def _list_servers(
    answer: StoredAnswer, gathered: _Gathered, servers: MailServers
) -> tuple[str, ...]:
    return servers.list_servers(answer.targets, gathered.addresses)


def _is_known(facts: DomainFacts) -> bool:
    """Say whether any list names the domain: only then can it tell something of its server."""
    kinds = (facts.free, facts.education, facts.government, facts.business)
    return bool(facts.listings) or any(kinds)


def _store(
    name: str, answer: MailAnswer, now: datetime, unknown_life: timedelta | None
) -> StoredAnswer:
    if answer.route in {MailRoute.UNKNOWN, MailRoute.NOT_LOOKED_UP}:
        expires_at = now + (unknown_life or timedelta(0))
        return StoredAnswer(name, MailRoute.UNKNOWN.value, (), now, expires_at)
    expires_at = now + timedelta(seconds=answer.ttl_seconds)
    return StoredAnswer(name, answer.route.value, answer.hosts, now, expires_at)


def _in_groups(answers: Iterator[T]) -> Iterator[list[T]]:
    while some := list(islice(answers, ANSWERS_A_COMMIT)):
        yield some
