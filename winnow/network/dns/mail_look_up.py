"""Mail look-up: facts about domains' mail from the cache, DNS and what is seen at servers."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import islice
from math import inf
from typing import TypeVar

from winnow.core.network_answers import (
    ADDRESS,
    DNS,
    MAIL,
    NAME_SERVERS,
    NetworkAnswers,
    StoredAnswer,
)
from winnow.core.ports import DomainKnowledge, Resolver
from winnow.core.verdicts.facts import MailAnswer, MailFacts, MailRoute
from winnow.network.dns.mail_servers import MailServers, Side, Sightings, find_side
from winnow.network.network_use import NetworkUse

MOST_DOMAINS = 1_000_000  # of one list: some 1.2 GB of memory while it is looked up
HOSTS_A_DOMAIN = 2  # whose addresses are asked for
ZONES_MOST = 2_000  # of one list, whose name servers are asked for
MAIL_SHARE, HOST_SHARE, ZONE_SHARE = 0.7, 0.15, 0.15  # of the time
SINGLE_BUDGET_SECONDS = 2.0
BATCH_BUDGET_SECONDS = 900.0
ANSWERS_A_COMMIT = 20_000
UNKNOWN_LIFE = timedelta(seconds=30)  # a single check does not wait for silence twice
T = TypeVar("T")


@dataclass(slots=True)
class _Gathered:
    """Answers by domain with their time, addresses by mail host, servers by mail hosts.

    ``name_servers`` are those of domains that may be parked.
    """

    mail: dict[str, StoredAnswer] = field(default_factory=dict)
    addresses: dict[str, tuple[str, ...]] = field(default_factory=dict)
    servers: dict[tuple[str, ...], tuple[str, ...]] = field(default_factory=dict)
    name_servers: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def find_servers(self, domain: str) -> tuple[str, ...]:
        """Return the servers of a domain that may be evidence, once they are gathered."""
        return self.servers[self.mail[domain].targets]


@dataclass(eq=False, repr=False)
class MailLookUp:
    """Gathers mail facts. Thread-safe; network errors never raise."""

    kept: NetworkAnswers
    resolver: Resolver
    read_servers: Callable[[], MailServers]
    knowledge: Callable[[], DomainKnowledge]
    clock: Callable[[], datetime]

    def gather(
        self,
        domains: Iterable[str],
        *,
        budget_seconds: float,
        tick: Callable[[float], None],
        unknown_life: timedelta | None = None,
        most_domains: int = MOST_DOMAINS,
    ) -> tuple[dict[str, MailFacts], NetworkUse]:
        """Look domains up and learn from the answers which servers serve disposable domains.

        Args:
            domains: Lower-case A-labels, each once.
            budget_seconds: For the network; unanswered domains are unknown.
            tick: Called several times a second with the share done, 0 to 1; what it raises ends
                the look-up; answers that fill a commit by then are kept.
            unknown_life: How long unknown is cached; None: it is not cached, and cached ones are
            not used.
            most_domains: Domains beyond this number are not looked up and not returned.
        """
        rest = iter(domains)
        names = list(dict.fromkeys(islice(rest, most_domains)))
        use = NetworkUse(beyond_count=sum(1 for _ in rest))
        gathered = _Gathered()
        fresh = self._gather_mail(
            names, gathered, use, MAIL_SHARE * budget_seconds, tick, unknown_life
        )
        servers = self.read_servers()
        self._gather_hosts(gathered, servers, HOST_SHARE * budget_seconds, tick)
        served = self._learn(gathered, fresh)
        self._gather_name_servers(names, gathered, ZONE_SHARE * budget_seconds, tick)
        tick(1.0)
        return _conclude(names, gathered, served, servers), use

    def gather_one(self, domain: str) -> MailFacts:
        """Look up one domain for a single check, within a short time."""
        facts, _ = self.gather(
            (domain,),
            budget_seconds=SINGLE_BUDGET_SECONDS,
            tick=lambda share: None,
            unknown_life=UNKNOWN_LIFE,
        )
        return facts[domain]

    def _gather_mail(
        self,
        names: list[str],
        gathered: _Gathered,
        use: NetworkUse,
        budget_seconds: float,
        tick: Callable[[float], None],
        unknown_life: timedelta | None,
    ) -> list[str]:
        """Fill in the answers; return the domains that were asked for now."""
        now = self.clock()
        known = self.kept.read_answers(MAIL, names, now)
        if unknown_life is None:
            known = {
                name: answer for name, answer in known.items() if answer.route != MailRoute.UNKNOWN
            }
        gathered.mail.update(known)
        missing = [name for name in names if name not in known]
        use.remembered_count = len(known)
        if not missing:
            return missing
        answers = self.resolver.ask_mail(
            missing,
            budget_seconds=budget_seconds,
            tick=lambda done: tick(0.8 * done / len(missing)),
        )
        for some in _in_groups(answers):
            now = self.clock()
            stored = [_store(name, answer, now, unknown_life) for name, answer in some]
            gathered.mail.update((answer.name, answer) for answer in stored)
            unasked_count = sum(answer.route is MailRoute.NOT_LOOKED_UP for _, answer in some)
            unknown_count = sum(answer.route is MailRoute.UNKNOWN for _, answer in some)
            asked_count = len(some) - unasked_count
            use.unasked_count += unasked_count
            use.unknown_count += unknown_count
            use.asked_count += asked_count
            lasting = (answer for answer in stored if answer.expires_at > now)
            self.kept.keep_answers(MAIL, lasting)
            if asked_count:
                self.kept.add_use(DNS, asked_count, now)
        return missing

    def _gather_hosts(
        self,
        gathered: _Gathered,
        servers: MailServers,
        budget_seconds: float,
        tick: Callable[[float], None],
    ) -> None:
        wanted = {
            host: None
            for answer in gathered.mail.values()
            for host in answer.targets[:HOSTS_A_DOMAIN]
        }
        hosts = [host for host in wanted if not servers.is_shared(host)]
        found = self._ask(ADDRESS, hosts, budget_seconds, lambda share: tick(0.8 + 0.1 * share))
        gathered.addresses.update(found)
        gathered.servers = {
            targets: servers.list_servers(targets, gathered.addresses)
            for targets in {answer.targets for answer in gathered.mail.values()}
        }

    def _learn(self, gathered: _Gathered, fresh: list[str]) -> Mapping[str, tuple[int, int]]:
        """Note which servers serve which domains; return the counts of all of the look-up."""
        knowledge = self.knowledge()
        seen = Sightings()
        for domain in fresh:
            places = gathered.find_servers(domain)
            if places:
                facts = knowledge.look_up(domain)
                seen.add(facts.registrable or domain, find_side(facts), places)
        every = tuple({server for some in gathered.servers.values() for server in some})
        self.kept.note_sightings(seen.list(), self.clock())
        return self.kept.count_served(every)

    def _gather_name_servers(
        self,
        names: list[str],
        gathered: _Gathered,
        budget_seconds: float,
        tick: Callable[[float], None],
    ) -> None:
        """Ask for the name servers of undecided domains without an exchanger: parked, perhaps."""
        knowledge = self.knowledge()
        zones: dict[str, str] = {}
        for name in names:
            if gathered.mail[name].route == MailRoute.IMPLICIT_MX and len(zones) < ZONES_MOST:
                facts = knowledge.look_up(name)
                if find_side(facts) is Side.UNDECIDED:
                    zones[name] = facts.registrable or name
        wanted = list(dict.fromkeys(zones.values()))
        found = self._ask(
            NAME_SERVERS, wanted, budget_seconds, lambda share: tick(0.9 + 0.1 * share)
        )
        gathered.name_servers = {name: found.get(zone, ()) for name, zone in zones.items()}

    def _ask(
        self,
        question: str,
        names: list[str],
        budget_seconds: float,
        tick: Callable[[float], None],
    ) -> dict[str, tuple[str, ...]]:
        """Return addresses, or name servers where those are the question, by name."""
        known = self.kept.read_answers(question, names, self.clock())
        found = {name: answer.targets for name, answer in known.items()}
        missing = [name for name in names if name not in known]
        if not missing:
            return found
        answers = self.resolver.ask_records(
            question,
            missing,
            budget_seconds=budget_seconds,
            tick=lambda done: tick(done / len(missing)),
        )
        for some in _in_groups(answers):
            now = self.clock()
            stored = [
                StoredAnswer(
                    name, question, answer.values, now, now + timedelta(seconds=answer.ttl_seconds)
                )
                for name, answer in some
                if answer.values is not None
            ]
            found.update((answer.name, answer.targets) for answer in stored)
            self.kept.keep_answers(question, stored)
        return found


@dataclass(eq=False, repr=False)
class MailAsker:
    """Mail facts for single checks, or gathered once for a task (``core.ports.MailSource``).

    ``tick`` and ``most_seconds`` are of a task; ``facts`` are those gathered, by domain.
    """

    source: MailLookUp
    tick: Callable[[float], None] = lambda share: None
    most_seconds: float = inf
    facts: Mapping[str, MailFacts] | None = None
    use: NetworkUse = field(default_factory=NetworkUse)

    def look_up(self, domain: str) -> MailFacts:
        """Return the gathered facts; before any are gathered, ask for this domain alone."""
        if self.facts is None:
            return self.source.gather_one(domain)
        return self.facts.get(domain, MailFacts(MailRoute.UNKNOWN))

    def look_up_many(self, domains: Iterable[str]) -> None:
        """Gather the list's domains; others are unknown from now on."""
        self.facts, self.use = self.source.gather(
            domains, budget_seconds=min(self.most_seconds, BATCH_BUDGET_SECONDS), tick=self.tick
        )


def _in_groups(answers: Iterator[T]) -> Iterator[list[T]]:
    """Yield groups of the size of one commit."""
    while some := list(islice(answers, ANSWERS_A_COMMIT)):
        yield some


def _conclude(
    names: list[str],
    gathered: _Gathered,
    served: Mapping[str, tuple[int, int]],
    servers: MailServers,
) -> dict[str, MailFacts]:
    shared: dict[MailFacts, MailFacts] = {}  # many domains, few different facts
    facts: dict[str, MailFacts] = {}
    for name in names:
        answer = gathered.mail[name]
        found = MailFacts(
            MailRoute(answer.route),
            mx_host=answer.targets[0] if answer.targets else None,
            disposable_mx=servers.find_disposable(gathered.find_servers(name), served),
            asked_at=answer.asked_at,
            parking=servers.find_parking(answer.targets, gathered.name_servers.get(name, ())),
        )
        facts[name] = shared.setdefault(found, found)
    return facts


def _store(
    name: str, answer: MailAnswer, now: datetime, unknown_life: timedelta | None
) -> StoredAnswer:
    if answer.route in {MailRoute.UNKNOWN, MailRoute.NOT_LOOKED_UP}:
        expires_at = now + (unknown_life or timedelta(0))
        return StoredAnswer(name, MailRoute.UNKNOWN.value, (), now, expires_at)
    expires_at = now + timedelta(seconds=answer.ttl_seconds)
    return StoredAnswer(name, answer.route.value, answer.hosts, now, expires_at)
