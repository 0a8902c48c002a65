"""The resolver client against a server that answers by name."""

import struct
from collections import Counter
from collections.abc import Callable, Iterator

import dns.name
import pytest

from tests.network.name_server import Answer, NameServer
from winnow.core.network_answers import ADDRESS, MAIL
from winnow.core.verdicts.facts import MailRoute
from winnow.network.dns import health_probe
from winnow.network.dns.resolver import DnsResolver

ROOT: Answer = (0, [("", "NS", "a.root.example")])
NOBODY: Answer = (3, [])


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """Wait for the answers to a probe, however busy the machine is; log what became of it."""
    monkeypatch.setattr(health_probe, "PROBE_SECONDS", 30.0)
    monkeypatch.setattr(health_probe, "TRUTH_SECONDS", 30.0)
    caplog.set_level("INFO")


TABLE: dict[tuple[str, str], Answer | bytes | None] = {
    ("mx.example", "MX"): (
        0,
        [("mx.example", "MX", "20 b.example"), ("mx.example", "MX", "10 A.example")],
    ),
    ("null.example", "MX"): (0, [("null.example", "MX", "0 .")]),
    ("plain.example", "MX"): (0, []),
    ("plain.example", "A"): (0, [("plain.example", "A", "192.0.2.1")]),
    ("six.example", "MX"): (0, []),
    ("six.example", "A"): (0, []),
    ("six.example", "AAAA"): (0, [("six.example", "AAAA", "2001:db8::1")]),
    ("servfail.example", "MX"): (2, []),
    ("alias.example", "MX"): (
        0,
        [("alias.example", "CNAME", "mx.example"), ("mx.example", "MX", "10 a.example")],
    ),
    ("silent.example", "MX"): None,
    ("broken.example", "MX"): b"\x81\x80\x00\x01\x00\xff\x00\x00",
    ("long.example", "MX"): (
        0,
        [("long.example", "MX", f"10 host-number-{number}.example") for number in range(900)],
    ),
    ("a.example", "A"): (0, [("a.example", "A", "192.0.2.7")]),
}
EXPECTED = {
    "mx.example": MailRoute.MX,
    "null.example": MailRoute.NULL_MX,
    "plain.example": MailRoute.IMPLICIT_MX,
    "six.example": MailRoute.IMPLICIT_MX,
    "gone.example": MailRoute.NOT_FOUND,
    "servfail.example": MailRoute.UNKNOWN,
    "alias.example": MailRoute.MX,
    "silent.example": MailRoute.UNKNOWN,
    "broken.example": MailRoute.UNKNOWN,
    "long.example": MailRoute.MX,
}


def answer_by_table(name: str, kind: str) -> Answer | bytes | None:
    return ROOT if name == "" else TABLE.get((name, kind), NOBODY)


def ask(resolver: DnsResolver, *domains: str, budget_seconds: float = 60) -> dict[str, MailRoute]:
    answers = resolver.ask(MAIL, domains, budget_seconds=budget_seconds, tick=lambda count: None)
    return {domain: answer.route for domain, answer in answers}


@pytest.fixture(scope="module")
def server() -> Iterator[NameServer]:
    with NameServer(answer_by_table, truncates="long.example".__eq__) as running:
        yield running


def test_every_kind_of_answer(server: NameServer):
    resolver, options = DnsResolver([server.address]), {"budget_seconds": 60, "tick": [].append}
    answers = dict(resolver.ask(MAIL, EXPECTED, **options))
    assert {domain: answer.route for domain, answer in answers.items()} == EXPECTED
    assert answers["mx.example"].targets == ("a.example", "b.example")  # the preferred first
    assert len(answers["long.example"].targets) == 8
    assert server.tcp_count
    addresses = resolver.ask(ADDRESS, ["a.example", "nowhere.example"], **options)
    assert [answer.targets for _, answer in addresses] == [("192.0.2.7",), ()]


def test_names_that_no_server_could_be_asked_for():
    odd = ["a..example", "x" * 70 + ".example", ".".join(["abcdefgh"] * 40)]
    with NameServer(answer_by_table) as server:
        resolver = DnsResolver([server.address])
        assert ask(resolver) == {}
        assert not server.asked
        assert ask(resolver, *odd, "mx.example") == {
            **dict.fromkeys(odd, MailRoute.UNKNOWN),
            "mx.example": MailRoute.MX,
        }
        assert set(server.asked) == {"", "mx.example"}


def test_dead_domains_do_not_hold_up_the_others(monkeypatch: pytest.MonkeyPatch):
    for name in ("batch.TRY_SECONDS", "batch.MOST_SECONDS", "resolver.TRY_SECONDS"):
        monkeypatch.setattr(f"winnow.network.dns.{name}", 60.0)  # however busy the machine is

    def delay(name: str) -> float:
        return 3.0 if name.startswith("slow") else 0.0

    names = [f"{'slow' if number < 300 else 'd'}{number}.example" for number in range(1200)]
    mail: Answer = (0, [])

    def answer(name: str, kind: str) -> Answer:
        return (0, [(name, "MX", "10 mx.example")]) if kind == "MX" else mail

    with NameServer(answer, delays=delay) as server:
        routes = ask(DnsResolver([server.address]), *names)
    assert list(routes)[:300] != names[:300]  # the quick ones overtook them
    assert set(routes.values()) == {MailRoute.MX}


def ask_many(address: str, count: int = 20_000, **options: float) -> Counter[MailRoute]:
    names = (f"d{number}.example" for number in range(count))
    return Counter(ask(DnsResolver([address]), *names, **options).values())


def test_nobody_listens(caplog: pytest.LogCaptureFixture):
    with NameServer(answer_by_table) as dead:
        pass
    assert ask_many(dead.address).keys() == {MailRoute.NOT_LOOKED_UP}
    assert "no server answers that" in caplog.text


def test_a_black_hole(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(health_probe, "PROBE_SECONDS", 0.1)
    with NameServer(lambda name, kind: None) as server:
        resolver = DnsResolver([server.address])
        names = [f"d{number}.example" for number in range(10_000)]
        assert set(ask(resolver, *names).values()) == {MailRoute.NOT_LOOKED_UP}
        asked = server.asked.total()
        assert asked < 20
        assert ask(resolver, "single.example") == {"single.example": MailRoute.NOT_LOOKED_UP}
        assert server.asked.total() == asked  # it is not asked again so soon
    assert "no server answers that" in caplog.text


def test_a_server_that_dies_in_the_middle(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
):
    answered: set[str] = set()

    def answer(name: str, kind: str) -> Answer | None:
        if len(answered) < 2000:
            answered.add(name)
            return (0, [(name, "MX", "10 mx.example")])
        monkeypatch.setattr(health_probe, "PROBE_SECONDS", 0.1)
        return None

    with NameServer(answer) as server:
        counts = ask_many(server.address)
    assert "fell silent" in caplog.text
    assert counts.keys() == {MailRoute.MX, MailRoute.UNKNOWN, MailRoute.NOT_LOOKED_UP}
    assert counts.total() == 20_000
    assert counts[MailRoute.MX] > 1000


@pytest.mark.parametrize("rcode", [2, 5])
def test_a_server_that_only_fails(rcode: int, caplog: pytest.LogCaptureFixture):
    with NameServer(lambda name, kind: (rcode, [])) as server:
        counts = ask_many(server.address)
        assert counts.keys() == {MailRoute.UNKNOWN, MailRoute.NOT_LOOKED_UP}
        assert server.asked.total() < 2000
    assert "only fail" in caplog.text


def test_the_budget_ends_a_batch(caplog: pytest.LogCaptureFixture):
    with NameServer(answer_by_table, delays=lambda name: 0.2 if name else 0.0) as server:
        counts = ask_many(server.address, budget_seconds=0.6)
    assert "budget" in caplog.text
    assert counts[MailRoute.NOT_LOOKED_UP] > 10_000


def forge(name: str, answer: bytes, *, count: int = 1) -> bytes:
    """Return a message for an MX question, with an answer section of one's own, after the id."""
    question = dns.name.from_text(name).to_wire() + b"\0\x0f\0\x01"
    return struct.pack("!HHHHH", 0x8180, 1, count, 0, 0) + question + answer


def forge_record(owner: bytes, data: bytes, *, length: int | None = None) -> bytes:
    """Return a message with one MX record, which may say another length."""
    size = len(data) if length is None else length
    return forge(HOSTILE, owner + struct.pack("!HHIH", 15, 1, 300, size) + data)


HOSTILE = "hostile.example"
OWNER = b"\xc0\x0c"  # a pointer to the question's name
ITSELF = struct.pack("!H", 0xC000 | (12 + len(dns.name.from_text(HOSTILE).to_wire()) + 4))
FORGED = [
    pytest.param(forge_record(ITSELF, b"\0\x0a\xc0\x0c"), id="owner-that-points-at-itself"),
    pytest.param(forge_record(OWNER, b"\0\x0a\xff\xff"), id="host-that-points-beyond-the-end"),
    pytest.param(forge_record(OWNER, b"\0\x0a", length=60_000), id="record-longer-than-message"),
    pytest.param(forge_record(OWNER, b"\0"), id="record-too-short"),
    pytest.param(
        forge_record(OWNER, b"\0\x0a" + (b"\x3f" + b"a" * 63) * 5 + b"\0"), id="host-too-long"
    ),
    pytest.param(
        forge_record(OWNER, b"\0\x0a\x09a b\r\n\0.;\xff\x03com\0"), id="host-of-odd-octets"
    ),
    pytest.param(
        forge(HOSTILE, forge_record(OWNER, b"\0\x0a\xc0\x0c"), count=65_535),
        id="more-records-said-than-sent",
    ),
    pytest.param(forge("other.example", b"", count=0), id="answer-to-another-question"),
]


@pytest.mark.parametrize("reply", FORGED)
def test_forged_messages_are_unknown_and_harm_no_other_name(reply: bytes):
    def answer(name: str, kind: str) -> Answer | bytes | None:
        return reply if name == HOSTILE else answer_by_table(name, kind)

    with NameServer(answer) as server:
        routes = ask(DnsResolver([server.address]), "mx.example", HOSTILE, "null.example")
    assert routes == {
        "mx.example": MailRoute.MX,
        HOSTILE: MailRoute.UNKNOWN,
        "null.example": MailRoute.NULL_MX,
    }


def test_a_slow_drip_over_tcp_is_unknown_and_holds_nobody_up():
    def is_slow(name: str) -> bool:
        return name == "long.example"

    with NameServer(answer_by_table, truncates=is_slow, drips=is_slow) as server:
        names = ["mx.example", "long.example", "gone.example"]
        routes = ask(DnsResolver([server.address]), *names)
    assert routes == {
        "mx.example": MailRoute.MX,
        "long.example": MailRoute.UNKNOWN,
        "gone.example": MailRoute.NOT_FOUND,
    }


def answer_with_addresses(name: str, kind: str) -> Answer:
    return (0, [(name, "A", "192.0.2.80")])


def answer_for_all_but_the_root(name: str, kind: str) -> Answer:
    if name == "" or kind != "A":
        return (0, [])
    return (0, [(name, "A", "192.0.2.80")])


LIARS = [
    pytest.param(answer_with_addresses, id="portal-that-answers-all"),
    pytest.param(answer_for_all_but_the_root, id="portal-that-answers-all-names"),
    pytest.param(lambda name, kind: NOBODY, id="portal-that-denies-all"),
]


@pytest.mark.parametrize("answer", LIARS)
@pytest.mark.parametrize("count", [1, 1000])
def test_a_captive_portal_is_not_believed(
    answer: Callable[[str, str], Answer], count: int, caplog: pytest.LogCaptureFixture
):
    names = [f"d{number}.example" for number in range(count)]
    with NameServer(answer) as server:
        routes = ask(DnsResolver([server.address], is_vouched_for=False), *names)
        assert server.asked.total() < 20
    assert set(routes.values()) == {MailRoute.NOT_LOOKED_UP}
    assert "not to be believed" in caplog.text


@pytest.mark.parametrize(
    ("answer", "is_vouched_for", "grace_seconds"),
    [
        pytest.param(lambda name, kind: None, True, 0.0, id="dead"),
        pytest.param(lambda name, kind: (2, []), True, 30.0, id="failing"),
        pytest.param(answer_with_addresses, False, 30.0, id="lying"),
    ],
)
def test_the_next_server_is_asked_where_one_is_no_use(
    answer: Callable[[str, str], Answer | None],
    is_vouched_for: bool,
    grace_seconds: float,
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(health_probe, "GRACE_SECONDS", grace_seconds)
    with NameServer(answer) as first, NameServer(answer_by_table) as good:
        resolver = DnsResolver([first.address, good.address], is_vouched_for=is_vouched_for)
        routes = ask(resolver, "mx.example", "gone.example")
    assert routes == {"mx.example": MailRoute.MX, "gone.example": MailRoute.NOT_FOUND}


def test_a_server_that_knows_some_names_only_is_believed_where_it_is_named_and_local():
    def answer(name: str, kind: str) -> Answer:
        return (0, [(name, "MX", "10 mx.example")]) if name == "mx.example" else NOBODY

    with NameServer(answer) as server:
        routes = ask(DnsResolver([server.address]), "mx.example", "gone.example")
        assert set(server.asked) == {"", "mx.example", "gone.example"}
    assert routes == {"mx.example": MailRoute.MX, "gone.example": MailRoute.NOT_FOUND}


def test_honesty_is_proven_once_for_single_questions():
    with NameServer(answer_by_table) as server:
        resolver = DnsResolver([server.address], is_vouched_for=False)
        for _ in range(3):
            assert ask(resolver, "gone.example") == {"gone.example": MailRoute.NOT_FOUND}
        assert sum(name.endswith(".invalid") for name in server.asked.elements()) == 1


def test_what_tick_raises_ends_the_batch():
    class Stopped(Exception):
        pass

    def stop(count: int) -> None:
        raise Stopped

    with NameServer(answer_by_table, delays=lambda name: 0.1 if name else 0.0) as server:
        names = [f"d{number}.example" for number in range(20_000)]
        with pytest.raises(Stopped):
            list(DnsResolver([server.address]).ask(MAIL, names, budget_seconds=60, tick=stop))
