"""Domains by the mail hosts and name servers that they share with others."""

from collections.abc import Iterator

import pytest

from tests.applications import KNOWN, OpenApplication, complete
from tests.network.name_server import Answer, NameServer
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.lists.rows import RowFilter
from winnow.core.verdicts.facts import DomainFacts
from winnow.core.verdicts.reasons import Reason
from winnow.network.dns import health_probe
from winnow.network.dns.resolver import DnsResolver
from winnow.wiring import Application

Records = dict[tuple[str, str], list[str]]
Verdicts = dict[str, tuple[str, tuple[Reason, ...], str | None]]
BAD = [f"bad{number}.example" for number in range(15)]
RISKY = DomainFacts("shop.xyz", registrable="shop.xyz", risky_suffix="xyz")
GREY = ("grey", (Reason.DISPOSABLE_NEIGHBOURS,))
WHITE = ("white", (Reason.WORKING_MAIL,))


class World:
    """Zones of a test's own, served over the wire; what is not in them does not exist."""

    def __init__(self) -> None:
        self.records: Records = {}
        self.asked: list[tuple[str, str]] = []

    def add(
        self, names: list[str], *, mx: str = "", ns: str = "ns1.net.example", web: str = ""
    ) -> None:
        """Add domains; ``{}`` in a value is the domain's own name, blanks part several."""
        for name in names:
            for kind, values in (("MX", mx), ("NS", ns), ("A", web)):
                self.records[name, kind] = values.format(name).split()

    def answer(self, name: str, kind: str) -> Answer | None:
        self.asked.append((name, kind))
        if not name:
            return (0, [("", "NS", "a.root.example")])
        if any(known == name for known, _ in self.records):
            values = self.records.get((name, kind), [])
            words = [f"10 {value}" if kind == "MX" else value for value in values]
            return (0, [(name, kind, word) for word in words])
        return (3, [])


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.setattr(health_probe, "PROBE_SECONDS", 30.0)  # however busy the machine is
    return World()


@pytest.fixture
def opened(open_application: OpenApplication, world: World) -> Iterator[Application]:
    with NameServer(world.answer) as server:
        known = {**dict.fromkeys(BAD, KNOWN["throwaway.example"]), RISKY.domain: RISKY}
        opened = open_application(resolver=DnsResolver([server.address]), known=known)
        opened.services.network.turn("dns", True)
        yield opened


def clean(opened: Application, names: list[str]) -> Verdicts:
    task = complete(opened, ("email\n" + "".join(f"a@{name}\n" for name in names)).encode())
    page = opened.services.results.rows(LOCAL_ACCOUNT, task.task_id, RowFilter(), 0, 1000)
    found: Verdicts = {}
    for row in page.rows:
        evidence = opened.services.results.explain(LOCAL_ACCOUNT, task.task_id, row).evidence[0]
        verdict = row.verdict
        domain = row.email.partition("@")[2]
        found[domain] = (verdict.category.value, tuple(verdict.reasons), evidence.matched)
    return found


def test_a_mail_host_of_disposable_domains_makes_black_only_with_a_second_sign(
    opened: Application, world: World
) -> None:
    customers = [f"customer{number}.example" for number in range(3)]
    world.add([*BAD[:12], *customers, RISKY.domain], mx="mx.hoster.example")
    verdicts = clean(opened, [*BAD[:12], *customers, RISKY.domain])
    assert {verdicts[name] for name in customers} == {(*GREY, "mx.hoster.example")}
    assert verdicts[RISKY.domain][:2] == (
        "black",
        (Reason.DISPOSABLE_MX, Reason.RISKY_TLD),
    )
    world.add(["later.example"], mx="mx.hoster.example")
    check = opened.services.checks.check_address(LOCAL_ACCOUNT, "a@later.example")
    assert check.fields["category"] == "grey", "what was counted stays counted"


def test_only_domain_names_go_out_and_nothing_more_without_a_suspect(
    opened: Application, world: World
) -> None:
    names = [f"firm{number}.example" for number in range(50)]
    world.add(names, mx="mx.{}", web="192.0.2.1")
    clean(opened, names)
    assert {kind for name, kind in world.asked if name in names} == {"MX"}
    assert not any("@" in name for name, _ in world.asked)


def test_parked_domains_are_grey_and_speak_against_no_neighbour(
    opened: Application, world: World
) -> None:
    world.add(["sold.example"], ns="ns1.sedoparking.com ns2.sedoparking.com", web="192.0.2.7")
    world.add(["plain.example"], web="192.0.2.7")
    world.add([*BAD, "new.example"], mx="park-mx.above.com")
    verdicts = clean(opened, ["sold.example", "plain.example", *BAD, "new.example"])
    assert verdicts["sold.example"] == ("grey", (Reason.PARKED,), "ns1.sedoparking.com")
    assert verdicts["plain.example"][:2] == ("white", (Reason.UNLISTED,))
    assert verdicts["new.example"] == ("grey", (Reason.PARKED,), "park-mx.above.com")


def test_known_hosts_of_disposable_services_need_no_further_question(
    opened: Application, world: World
) -> None:
    world.add(["new.example"], mx="mx4.beavis99.com")
    assert clean(opened, ["new.example"]) == {"new.example": (*GREY, "mx4.beavis99.com")}
    assert ("new.example", "NS") not in world.asked
