"""Mail look-up: facts about domains' mail from the cache, DNS and what is seen at servers."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import islice
from math import inf

from winnow.core.network_answers import (
    ADDRESS,
    DNS,
    MAIL,
    NAME_SERVERS,
    NetworkAnswers,
    ServerSighting,
    StoredAnswer,
)
from winnow.core.ports import DomainKnowledge, Resolver
from winnow.core.verdicts.facts import DnsAnswer, MailFacts, MailRoute
from winnow.network.dns.mail_servers import MailServers, Side, find_side
from winnow.network.network_use import NetworkUse

MOST_DOMAINS = 1_000_000  # of one list: some 1.2 GB of memory while it is looked up
HOSTS_A_DOMAIN = 2  # whose addresses are asked for
ZONES_MOST = 2_000  # of one list, whose name servers are asked for
SIGHTINGS_A_SERVER = 20  # of either side and look-up; ten decide
MAIL_SHARE, HOST_SHARE, ZONE_SHARE = 0.7, 0.15, 0.15  # of the time
SINGLE_BUDGET_SECONDS = 2.0
BATCH_BUDGET_SECONDS = 900.0
ANSWERS_A_COMMIT = 20_000
UNKNOWN_LIFE = timedelta(seconds=30)  # a single check does not wait for silence twice

Answers = Mapping[str, StoredAnswer]
"""Answers by name."""

Servers = Mapping[tuple[str, ...], tuple[str, ...]]
"""Servers that may be evidence, by the mail hosts of a domain."""


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
    ) -> tuple[dict[str, MailFacts], NetworkUse]:
        """Look domains up and learn from the answers which servers serve disposable domains.

        Args:
            domains: Lower-case A-labels, each once; those beyond ``MOST_DOMAINS`` are not looked
                up and not returned.
            budget_seconds: For the network; unanswered domains are unknown.
            tick: Called several times a second with the share done, 0 to 1; what it raises ends
                the look-up; answers that fill a commit by then are kept.
            unknown_life: How long unknown is cached; None: it is not cached, and cached ones are
            not used.
        """
        rest = iter(domains)
        names = list(dict.fromkeys(islice(rest, MOST_DOMAINS)))
        use = NetworkUse(beyond_count=sum(1 for _ in rest))
        mail, fresh = self._ask(
            MAIL,
            names,
            MAIL_SHARE * budget_seconds,
            lambda share: tick(0.8 * share),
            use=use,
            unknown_life=unknown_life,
        )
        use.remembered_count = len(names) - len(fresh)
        servers = self.read_servers()
        found = self._find_servers(mail, servers, HOST_SHARE * budget_seconds, tick)
        served = self._learn(mail, found, fresh)
        zones = self._ask_name_servers(mail, ZONE_SHARE * budget_seconds, tick)
        tick(1.0)
        facts: dict[str, MailFacts] = {}
        shared: dict[MailFacts, MailFacts] = {}  # many domains, few different facts
        for name in names:
            answer = mail[name]
            fact = MailFacts(
                MailRoute(answer.route),
                mx_host=answer.targets[0] if answer.targets else None,
                disposable_mx=servers.find_disposable(found[answer.targets], served),
                asked_at=answer.asked_at,
                parking=servers.find_parking(answer.targets, zones.get(name, ())),
            )
            facts[name] = shared.setdefault(fact, fact)
        return facts, use

    def _ask(
        self,
        question: str,
        names: list[str],
        budget_seconds: float,
        tick: Callable[[float], None],
        *,
        use: NetworkUse | None = None,
        unknown_life: timedelta | None = None,
    ) -> tuple[Answers, list[str]]:
        """Return the answers to a question, and the names that were asked for now.

        ``use`` counts the new answers, and so do the totals of this machine; None: not counted.
        """
        found = self.kept.read_answers(question, names, self.clock())
        if unknown_life is None:
            found = {one: kept for one, kept in found.items() if kept.route != MailRoute.UNKNOWN}
        missing = [name for name in names if name not in found]
        if not missing:
            return found, missing
        answers = self.resolver.ask(
            question,
            missing,
            budget_seconds=budget_seconds,
            tick=lambda done: tick(done / len(missing)),
        )
        while some := list(islice(answers, ANSWERS_A_COMMIT)):
            now = self.clock()
            stored = [_store(name, answer, now, unknown_life) for name, answer in some]
            found.update((answer.name, answer) for answer in stored)
            self.kept.keep_answers(question, (one for one in stored if one.expires_at > now))
            if use is not None:
                routes = Counter(answer.route for _, answer in some)
                asked_count = len(some) - routes[MailRoute.NOT_LOOKED_UP]
                use.asked_count += asked_count
                use.unasked_count += routes[MailRoute.NOT_LOOKED_UP]
                use.unknown_count += routes[MailRoute.UNKNOWN]
                if asked_count:
                    self.kept.add_use(DNS, asked_count, now)
        return found, missing

    def _find_servers(
        self,
        mail: Answers,
        servers: MailServers,
        budget_seconds: float,
        tick: Callable[[float], None],
    ) -> Servers:
        wanted = {
            host: None for answer in mail.values() for host in answer.targets[:HOSTS_A_DOMAIN]
        }
        hosts = [host for host in wanted if not servers.is_shared(host)]
        found, _ = self._ask(ADDRESS, hosts, budget_seconds, lambda share: tick(0.8 + 0.1 * share))
        addresses = {host: answer.targets for host, answer in found.items()}
        targets = {answer.targets for answer in mail.values()}
        return {hosts: servers.list_servers(hosts, addresses) for hosts in targets}

    def _learn(
        self, mail: Answers, found: Servers, fresh: list[str]
    ) -> Mapping[str, tuple[int, int]]:
        """Note which servers serve which new domains; return the counts of all of the look-up."""
        knowledge = self.knowledge()
        noted: dict[tuple[str, bool], set[str]] = defaultdict(set)
        for domain in fresh:
            servers = found[mail[domain].targets]
            facts = knowledge.look_up(domain) if servers else None
            side = Side.UNDECIDED if facts is None else find_side(facts)
            if facts is not None and side in (Side.DISPOSABLE, Side.HONEST):
                for server in servers:
                    domains = noted[server, side is Side.DISPOSABLE]
                    if len(domains) < SIGHTINGS_A_SERVER:
                        domains.add(facts.registrable or domain)
        sightings = [
            ServerSighting(server, domain, is_disposable)
            for (server, is_disposable), domains in noted.items()
            for domain in domains
        ]
        self.kept.note_sightings(sightings, self.clock())
        return self.kept.count_served({server for some in found.values() for server in some})

    def _ask_name_servers(
        self, mail: Answers, budget_seconds: float, tick: Callable[[float], None]
    ) -> Mapping[str, tuple[str, ...]]:
        """Return the name servers of undecided domains without an exchanger: parked, perhaps."""
        knowledge = self.knowledge()
        zones: dict[str, str] = {}
        for name, answer in sorted(mail.items()):  # they arrive in any order
            if answer.route == MailRoute.IMPLICIT_MX and len(zones) < ZONES_MOST:
                facts = knowledge.look_up(name)
                if find_side(facts) is Side.UNDECIDED:
                    zones[name] = facts.registrable or name
        wanted = list(dict.fromkeys(zones.values()))
        found, _ = self._ask(
            NAME_SERVERS, wanted, budget_seconds, lambda share: tick(0.9 + 0.1 * share)
        )
        return {name: found[zone].targets for name, zone in zones.items()}


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
        if self.facts is not None:
            return self.facts.get(domain, MailFacts(MailRoute.UNKNOWN))
        facts, _ = self.source.gather(
            (domain,),
            budget_seconds=SINGLE_BUDGET_SECONDS,
            tick=lambda share: None,
            unknown_life=UNKNOWN_LIFE,
        )
        return facts[domain]

    def look_up_many(self, domains: Iterable[str]) -> None:
        """Gather the list's domains; others are unknown from now on."""
        self.facts, self.use = self.source.gather(
            domains, budget_seconds=min(self.most_seconds, BATCH_BUDGET_SECONDS), tick=self.tick
        )


def _store(
    name: str, answer: DnsAnswer, now: datetime, unknown_life: timedelta | None
) -> StoredAnswer:
    if answer.route in (MailRoute.UNKNOWN, MailRoute.NOT_LOOKED_UP):
        expires_at = now + (unknown_life or timedelta(0))
        return StoredAnswer(name, MailRoute.UNKNOWN.value, (), now, expires_at)
    expires_at = now + timedelta(seconds=answer.ttl_seconds)
    return StoredAnswer(name, str(answer.route), answer.targets, now, expires_at)
