"""What the mail-server rule says in made-up worlds of honest and dishonest hosters.

``tests/services/test_mail_worlds.py`` judges them. No name in it exists, and nothing leaves the
machine: a table answers in place of a resolver, the look-up is the product's own.
"""

import random
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from winnow.core.ports import StaticKnowledge
from winnow.core.verdicts.facts import (
    AddressFacts,
    DomainFacts,
    Listing,
    MailAnswer,
    MailRoute,
    RecordAnswer,
)
from winnow.core.verdicts.policy import decide
from winnow.core.verdicts.verdict import Category
from winnow.network.dns.mail_look_up import MailLookUp
from winnow.network.dns.mail_servers import MailServers
from winnow.network.dns.static_resolver import StaticResolver
from winnow.storage.database.database import Database
from winnow.storage.database.tables import metadata
from winnow.storage.repositories.network_answers import StoredNetworkAnswers

TTL_SECONDS = 3_600
KNOWN_HONEST = 0.005  # of honest domains: lists of companies and providers are short
LISTS, LIST_SHARE = 10, 0.2  # lists of one analyst, and how much of the world each holds
REGISTRARS = 20
REVIEWED = Listing("hand", "hand", "listed.example", reviewed=True)
COMPANY = Listing("companies", "companies", "known.example")


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of world: shares are of a hoster's domains, drawn evenly for each."""

    title: str
    abuse: tuple[float, float]  # disposable domains
    listed: tuple[float, float] = (0.2, 0.8)  # of those, how many a list knows
    sizes: tuple[int, int] = (5, 2_000)
    own_hosts: float = 0.0  # hosters that give each domain a mail host of its own
    drawn: int = 1  # how much more often lists hold disposable domains than honest ones


@dataclass(slots=True)
class Outcome:
    """Counts of verdicts on the domains that no list has, by whether they are honest."""

    verdicts: dict[bool, Counter[Category]] = field(
        default_factory=lambda: {True: Counter(), False: Counter()}
    )
    hosters: int = 0
    black_hosters: int = 0


@dataclass(slots=True)
class World:
    """Domains with their records; ``hoster`` and ``is_honest`` by domain."""

    facts: dict[str, DomainFacts] = field(default_factory=dict)
    mail: dict[str, MailAnswer] = field(default_factory=dict)
    addresses: dict[str, RecordAnswer] = field(default_factory=dict)
    name_servers: dict[str, RecordAnswer] = field(default_factory=dict)
    hoster: dict[str, int] = field(default_factory=dict)
    is_honest: dict[str, bool] = field(default_factory=dict)


def make_world(kind: Kind, domain_count: int, chance: random.Random) -> World:
    """Make hosters until all domains have one; sizes are spread as on the Internet, many small."""
    world = World()
    hoster = 0
    while len(world.facts) < domain_count:
        low, high = kind.sizes
        size = min(int(low * (high / low) ** chance.random()), domain_count - len(world.facts))
        abuse, listed = chance.uniform(*kind.abuse), chance.uniform(*kind.listed)
        has_own_hosts = chance.random() < kind.own_hosts
        mail_address, web = (
            f"10.{hoster >> 8}.{hoster & 255}.1",
            f"10.{hoster >> 8}.{hoster & 255}.2",
        )
        for number in range(size):
            name = f"d{number}.h{hoster}.example"
            is_honest = chance.random() >= abuse
            host = f"mx.{name}" if has_own_hosts else f"mx.h{hoster}.example"
            named = (
                f"ns1.h{hoster}.example"
                if chance.random() < 0.5
                else (f"ns1.registrar{chance.randrange(REGISTRARS)}.example")
            )
            world.facts[name] = _know(name, is_honest, listed, chance)
            world.mail[name] = MailAnswer(MailRoute.MX, (host,), TTL_SECONDS)
            world.addresses[host] = RecordAnswer((mail_address,), TTL_SECONDS)
            world.addresses[name] = RecordAnswer((web,), TTL_SECONDS)
            world.name_servers[name] = RecordAnswer((named,), TTL_SECONDS)
            world.hoster[name] = hoster
            world.is_honest[name] = is_honest
        hoster += 1
    return world


def _know(name: str, is_honest: bool, listed: float, chance: random.Random) -> DomainFacts:
    if is_honest:
        company = COMPANY if chance.random() < KNOWN_HONEST else None
        return DomainFacts(name, registrable=name, business=company)
    listings = (REVIEWED,) if chance.random() < listed else ()
    return DomainFacts(name, registrable=name, listings=listings)


def draw_lists(world: World, kind: Kind, chance: random.Random) -> Iterator[list[str]]:
    """Draw an analyst's lists; the last one has all domains."""
    names = list(world.facts)
    weights = [1 if world.is_honest[name] else kind.drawn for name in names]
    for _ in range(LISTS):
        drawn = chance.choices(names, weights, k=int(LIST_SHARE * len(names)))
        yield list(dict.fromkeys(drawn))
    yield names


def simulate(kind: Kind, domain_count: int, seed: int) -> Outcome:
    """Look up an analyst's lists one after another, and judge each domain as in its list.

    A domain has the worst verdict that any of the lists gave it.
    """
    chance = random.Random(seed)
    world = make_world(kind, domain_count, chance)
    outcome = Outcome(hosters=len(set(world.hoster.values())))
    resolver = StaticResolver(world.mail, world.addresses, world.name_servers)
    knowledge = StaticKnowledge(world.facts)
    worst: dict[str, Category] = {}
    order = [Category.WHITE, Category.GREY, Category.BLACK]
    with tempfile.TemporaryDirectory() as folder:
        database = Database(Path(folder) / "world.db")
        with database.write() as connection:
            metadata.create_all(connection)
        look_up = MailLookUp(
            StoredNetworkAnswers(database),
            resolver,
            MailServers,
            lambda: knowledge,
            lambda: datetime(2026, 11, 22, tzinfo=UTC),
        )
        for names in draw_lists(world, kind, chance):
            found, _ = look_up.gather(names, budget_seconds=600, tick=lambda share: None)
            for name, mail in found.items():
                facts = world.facts[name]
                if facts.listings or facts.business:
                    continue
                verdict = decide(AddressFacts(domain=replace(facts, mail=mail)))
                before = worst.get(name, Category.WHITE)
                worst[name] = max(before, verdict.category, key=order.index)
        database.close()
    black = {world.hoster[name] for name, found in worst.items() if found is Category.BLACK}
    outcome.black_hosters = len(black)
    for name, category in worst.items():
        outcome.verdicts[world.is_honest[name]][category] += 1
    return outcome


HONEST = (
    Kind("honest hosters, to 1 % abuse", (0.0, 0.01)),
    Kind("honest hosters, to 5 % abuse", (0.0, 0.05)),
    Kind("the same, lists draw abuse 3 times", (0.0, 0.05), drawn=3),
    Kind("careless hosters, 5 to 15 % abuse", (0.05, 0.15)),
)
DISHONEST = (
    Kind("operators, lists know 20 to 80 %", (1.0, 1.0)),
    Kind("the same, a mail host for each domain", (1.0, 1.0), own_hosts=1.0),
    Kind("fresh operators, lists know 5 to 20 %", (1.0, 1.0), (0.05, 0.2)),
    Kind("half of the domains honest", (0.5, 0.5)),
)
