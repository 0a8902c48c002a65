"""DNS behind its switch: what is asked, what comes of it, what stays."""

from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event

import pytest

from tests.houses import KNOWN, LIST, Clock, complete, open_test_house, submit
from tests.network.name_server import Answer, NameServer
from winnow.bootstrap import House
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.core.errors import BadField
from winnow.core.lists.rows import RowFilter
from winnow.core.tasks.task import KeyType, Progress, Task, TaskState
from winnow.core.verdicts.facts import HostAnswer, MailAnswer, MailRoute
from winnow.core.verdicts.verdict import Reason
from winnow.network.dns.mail_servers import MailServers
from winnow.network.dns.resolver import DnsResolver
from winnow.network.dns.static_resolver import StaticResolver
from winnow.services.mail_look_up import MailLookUp
from winnow.services.network_use import MailUse
from winnow.services.task_progress import LookUpProgress

MX = MailAnswer(MailRoute.MX, ("mx.firm.example", "b.firm.example"), 3600)
ANSWERS = {
    "firm.example": MX,
    "gone.example": MailAnswer(MailRoute.NOT_FOUND, (), 3600),
    "null.example": MailAnswer(MailRoute.NULL_MX, (), 3600),
    "mailboxes.example": MailAnswer(MailRoute.MX, ("mx.mailboxes.example",), 3600),
}
DOMAINS = b"email\nana@firm.example\nana@gone.example\nana@null.example\nana@silent.example\n"

OpenHouse = Callable[..., House]


@pytest.fixture
def open_house(tmp_path: Path, clock: Clock) -> Iterator[OpenHouse]:
    opened: list[House] = []

    def open_with(resolver: object = None, *, is_on: bool = True, **settings: object) -> House:
        house = open_test_house(tmp_path, clock, resolver, **settings)  # type: ignore[arg-type]
        opened.append(house)
        if is_on:
            house.services.network.turn("dns", True)
        return house

    yield open_with
    for house in opened:
        house.database.close()


def judge(house: House, address: str) -> tuple[str, str, str]:
    fields = house.services.checks.check(LOCAL_ACCOUNT, address).fields
    return str(fields["category"]), str(fields["type"]), str(fields["mx_record"])


def read_rows(house: House, task: Task) -> dict[str, tuple[str, tuple[Reason, ...]]]:
    page = house.services.results.rows(LOCAL_ACCOUNT, task.task_id, RowFilter(), 0, 1000)
    return {
        row.email: (row.verdict.domain_type.value, tuple(row.verdict.reasons)) for row in page.rows
    }


def test_nothing_is_asked_while_the_switch_is_off(open_house: OpenHouse):
    house = open_house(is_on=False)
    assert judge(house, "ana@firm.example") == ("white", "unlisted", "unknown")
    task = complete(house)
    assert task.state is TaskState.COMPLETED
    assert "network_use" not in {notice.code for notice in task.notices}
    assert house.services.network_status == "Network: off, nothing leaves this machine"


def test_the_sandbox_never_asks(open_house: OpenHouse):
    house = open_house()
    key, _ = house.services.keys.create(LOCAL_ACCOUNT, "sand", KeyType.SANDBOX)
    house.services.checks.check_for_key(key, "192.0.2.1", "ana@firm.example")
    assert complete(house, key_type=KeyType.SANDBOX).state is TaskState.COMPLETED


def test_the_setting_locks_the_switch(open_house: OpenHouse):
    house = open_house(is_on=False, network=frozenset({"rdap"}))
    assert not house.services.network.is_allowed("dns")
    with pytest.raises(BadField, match="locked"):
        house.services.network.turn("dns", True)


def test_a_switch_left_on_counts_for_nothing_once_locked(open_house: OpenHouse):
    open_house(StaticResolver(ANSWERS))
    house = open_house(is_on=False, network=frozenset())
    assert not house.services.network.is_on("dns")
    assert judge(house, "ana@firm.example") == ("white", "unlisted", "unknown")


def test_the_switch_is_durable_and_reaches_every_process(open_house: OpenHouse):
    first, second = open_house(StaticResolver(ANSWERS)), open_house(is_on=False)
    assert second.services.network.is_on("dns")
    second.services.network.turn("dns", False)
    assert not first.services.network.is_on("dns")


def test_single_checks_ask_once_and_remember(open_house: OpenHouse, clock: Clock):
    resolver = StaticResolver(ANSWERS)
    house = open_house(resolver)
    assert judge(house, "ana@firm.example") == ("white", "business", "mx.firm.example")
    assert judge(house, "bob@firm.example") == ("white", "business", "mx.firm.example")
    assert judge(house, "ana@gone.example") == ("black", "no website", "")
    assert judge(house, "ana@silent.example") == ("white", "unlisted", "unknown")
    assert judge(house, "not an address")[1] == "invalid"
    assert [name for name in resolver.asked if not name.startswith(("mx.", "b."))] == [
        "firm.example",
        "gone.example",
        "silent.example",
    ]
    assert house.services.network_status == "DNS on: 3 domains asked today, no addresses"
    clock.advance(hours=2)
    judge(house, "ana@firm.example")
    assert resolver.asked.count("firm.example") == 2
    clock.advance(days=1)
    assert house.services.network_status == "DNS on: 0 domains asked today, no addresses"


def test_a_list_is_looked_up_and_says_so(open_house: OpenHouse):
    house = open_house(StaticResolver(ANSWERS))
    task = complete(house, DOMAINS)
    assert read_rows(house, task) == {
        "ana@firm.example": ("business", (Reason.WORKING_MAIL,)),
        "ana@gone.example": ("no website", (Reason.DOMAIN_NOT_FOUND,)),
        "ana@null.example": ("no website", (Reason.NULL_MX,)),
        "ana@silent.example": ("unlisted", (Reason.UNLISTED, Reason.MAIL_UNKNOWN)),
    }
    (notice,) = [notice for notice in task.notices if notice.code == "network_use"]
    assert notice.text.startswith(
        "Sent to the network: 4 domains to your resolver, no addresses. "
        "DNS answered for 3, not for 1."
    )
    assert task.summary is not None
    assert task.summary.by_domain_type["no website"] == 2


def test_a_second_list_asks_only_for_what_was_unknown(open_house: OpenHouse):
    resolver = StaticResolver(ANSWERS)
    house = open_house(resolver)
    complete(house, DOMAINS)
    resolver.asked.clear()
    task = complete(house, DOMAINS)
    assert "silent.example" in resolver.asked
    assert "gone.example" not in resolver.asked
    (notice,) = [notice for notice in task.notices if notice.code == "network_use"]
    assert "3 domains were remembered from earlier" in notice.text
    assert "dns_silent" not in {notice.code for notice in task.notices}


def test_what_was_known_when_a_task_ran_stays_with_it(open_house: OpenHouse, clock: Clock):
    house = open_house(StaticResolver(ANSWERS))
    task = complete(house, DOMAINS)
    ran_on = clock.now.date()
    house.services.network.turn("dns", False)
    clock.advance(days=3)
    house.services.retention.sweep(clock.now)
    page = house.services.results.rows(LOCAL_ACCOUNT, task.task_id, RowFilter(), 0, 10)
    (evidence,) = house.services.results.explain(LOCAL_ACCOUNT, task.task_id, page.rows[0])
    assert (evidence.source, evidence.matched, evidence.dated) == (
        "DNS",
        "mx.firm.example",
        ran_on,
    )


@pytest.mark.parametrize("place", ["host", "address"])
def test_servers_of_throw_away_domains_are_learned(
    open_house: OpenHouse, monkeypatch: pytest.MonkeyPatch, place: str
):
    throwaways = [f"throw{number}.example" for number in range(10)]
    for name in throwaways:
        monkeypatch.setitem(KNOWN, name, KNOWN["throwaway.example"])
    hosts = {
        name: "mx.shady.example" if place == "host" else f"mx.{name}"
        for name in [*throwaways, "new.example"]
    }
    mail = {name: MailAnswer(MailRoute.MX, (host,), 3600) for name, host in hosts.items()}
    house = open_house(
        StaticResolver(mail, {host: HostAnswer(("192.0.2.66",), 3600) for host in hosts.values()})
    )
    content = "email\n" + "".join(f"ana@{name}\n" for name in throwaways[:9])
    complete(house, content.encode())
    assert judge(house, "ana@new.example")[:2] == ("white", "business")
    complete(house, f"email\nana@{throwaways[9]}\n".encode())
    task = complete(house, b"email\nana@new.example\n")
    assert read_rows(house, task) == {"ana@new.example": ("disposable", (Reason.DISPOSABLE_MX,))}
    page = house.services.results.rows(LOCAL_ACCOUNT, task.task_id, RowFilter(), 0, 1)
    (evidence,) = house.services.results.explain(LOCAL_ACCOUNT, task.task_id, page.rows[0])
    assert evidence.matched == ("mx.shady.example" if place == "host" else "192.0.2.66")


def test_one_honest_domain_clears_a_server(open_house: OpenHouse, monkeypatch: pytest.MonkeyPatch):
    names = [f"throw{number}.example" for number in range(12)]
    for name in names:
        monkeypatch.setitem(KNOWN, name, KNOWN["throwaway.example"])
    mail = dict.fromkeys(
        [*names, "mailboxes.example", "new.example"],
        MailAnswer(MailRoute.MX, ("mx.hoster.example",), 3600),
    )
    house = open_house(StaticResolver(mail))
    content = "email\n" + "".join(f"ana@{name}\n" for name in mail)
    rows = read_rows(house, complete(house, content.encode()))
    assert rows["ana@new.example"][0] == "business"
    assert rows["ana@throw1.example"][0] == "disposable"


def test_hosts_of_the_reviewed_file_count_and_shared_ones_never(open_house: OpenHouse):
    mail = {
        "one.example": MailAnswer(MailRoute.MX, ("generator.email",), 3600),
        "two.example": MailAnswer(MailRoute.MX, ("aspmx.l.google.com",), 3600),
    }
    house = open_house(StaticResolver(mail))
    assert judge(house, "ana@one.example") == ("black", "disposable", "generator.email")
    assert judge(house, "ana@two.example") == ("white", "business", "aspmx.l.google.com")


def test_a_parked_name_is_grey_and_says_so(open_house: OpenHouse, clock: Clock):
    mail = {"parked.example": MailAnswer(MailRoute.MX, ("park-mx.above.com",), 3600)}
    house = open_house(StaticResolver(mail))
    task = complete(house, b"email\nana@parked.example\n")
    assert read_rows(house, task) == {"ana@parked.example": ("suspicious signs", (Reason.PARKED,))}
    page = house.services.results.rows(LOCAL_ACCOUNT, task.task_id, RowFilter(), 0, 1)
    evidence = house.services.results.explain(LOCAL_ACCOUNT, task.task_id, page.rows[0])[0]
    assert (evidence.matched, evidence.dated) == ("park-mx.above.com", clock.now.date())


def test_a_server_over_the_wire(open_house: OpenHouse):
    def answer(name: str, kind: str) -> Answer:
        if name == "firm.example":
            return (0, [(name, "MX", "10 mx.firm.example")] if kind == "MX" else [])
        return (3, []) if name else (0, [("", "NS", "a.example")])

    with NameServer(answer) as server:
        house = open_house(DnsResolver([server.address]))
        rows = read_rows(house, complete(house, DOMAINS))
        assert judge(house, "ana@firm.example") == ("white", "business", "mx.firm.example")
    assert [domain_type for domain_type, _ in rows.values()] == ["business"] + ["no website"] * 3
    assert not any("@" in name for name in server.asked)


def test_without_a_server_nothing_is_known_and_nothing_black(open_house: OpenHouse):
    with NameServer(lambda name, kind: None) as dead:
        house = open_house(DnsResolver([dead.address]))
        task = complete(house, DOMAINS)
        assert judge(house, "ana@other.example") == ("white", "unlisted", "unknown")
    assert {domain_type for domain_type, _ in read_rows(house, task).values()} == {"unlisted"}
    assert all(Reason.MAIL_UNKNOWN in reasons for _, reasons in read_rows(house, task).values())
    (notice,) = [notice for notice in task.notices if notice.code == "network_use"]
    assert "4 domains were not asked: no server answered" in notice.text
    (silence,) = [notice for notice in task.notices if notice.code == "dns_silent"]
    assert silence.text.startswith(
        "DNS was on but gave no answer: 4 domains were asked for in vain."
    )


def test_a_list_of_too_many_domains_is_looked_up_in_part(open_house: OpenHouse, clock: Clock):
    house = open_house()
    resolver = StaticResolver(ANSWERS)
    look_up = MailLookUp(
        house.database, resolver, lambda: MailServers((), ()), house.services.knowledge, clock
    )
    facts, use = look_up.gather(
        list(ANSWERS), budget_seconds=1, tick=lambda share: None, most_domains=2
    )
    assert list(facts) == list(ANSWERS)[:2]
    assert (use.asked_count, use.unasked_count, use.beyond_count) == (2, 0, 2)


def test_a_stop_in_the_middle_of_look_ups_gives_the_task_back(open_house: OpenHouse):
    stopping = Event()

    class Stopping(StaticResolver):
        def ask_mail(self, domains, *, budget_seconds, tick):  # type: ignore[no-untyped-def]
            stopping.set()
            return super().ask_mail(domains, budget_seconds=budget_seconds, tick=tick)

    house = open_house(Stopping(ANSWERS))
    task = submit(house, LIST)
    house.runs.run_next("test", stopping)
    after = house.services.tasks.get(LOCAL_ACCOUNT, task.task_id)
    assert after.state is TaskState.PROCESSING


def test_progress_only_grows():
    from winnow.core.tasks.task import Phase

    told: list[Progress] = []
    progress = LookUpProgress(told.append)
    for done in (0, 100, 250):
        progress.report(Progress(Phase.LOOKING_UP, done, 1000))
    for share in (0.1, 0.5, 1.0):
        progress.tick(share)
    for done in (250, 700, 1000):
        progress.report(Progress(Phase.LOOKING_UP, done, 1000))
    rows = [one.rows_done for one in told]
    assert rows == sorted(rows)
    assert rows[-1] == 1000
    assert all(one.phase is Phase.LOOKING_UP for one in told)


@pytest.mark.parametrize(
    ("use", "said"),
    [
        pytest.param(MailUse(asked_count=4, unknown_count=2), None, id="half-is-enough"),
        pytest.param(MailUse(), None, id="nothing-to-ask"),
        pytest.param(MailUse(asked_count=1, unknown_count=1), "1 domain was asked", id="one"),
        pytest.param(MailUse(asked_count=9, unknown_count=7), "only 2 of 9 domains", id="few"),
        pytest.param(MailUse(unasked_count=2_000), "2,000 domains were asked", id="none-asked"),
        pytest.param(
            MailUse(asked_count=2, unknown_count=2, remembered_count=8), None, id="remembered"
        ),
        pytest.param(MailUse(asked_count=9, beyond_count=99), None, id="too-many-is-not-silence"),
    ],
)
def test_dns_that_knows_nothing_of_most_domains_is_told(use: MailUse, said: str | None):
    notice = use.describe_silence()
    assert (notice is None) is (said is None)
    if notice is not None and said is not None:
        assert said in notice.text
