"""DNS behind its switch: what is asked, what comes of it, what stays."""

from typing import Any

import pytest

from tests.applications import KNOWN, Clock, OpenApplication, complete, explain, read_verdicts
from tests.network.name_server import NameServer
from tests.network.static_answers import StaticResolver
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.lists.notices import Notice
from winnow.core.network_answers import ADDRESS, MAIL
from winnow.core.ports import Resolver
from winnow.core.tasks.task import KeyType, LookUpProgress, Phase, Progress, Task, TaskState
from winnow.core.verdicts.facts import DnsAnswer, MailRoute
from winnow.core.verdicts.reasons import Reason
from winnow.network.dns import mail_look_up
from winnow.network.dns.mail_look_up import MailLookUp
from winnow.network.dns.mail_servers import MailServers
from winnow.network.dns.resolver import DnsResolver
from winnow.network.network_use import NetworkUse
from winnow.storage.repositories.network_answers import StoredNetworkAnswers
from winnow.wiring import Application

MX = DnsAnswer(MailRoute.MX, ("mx.firm.example", "b.firm.example"), 3600)
ANSWERS = {
    "firm.example": MX,
    "gone.example": DnsAnswer(MailRoute.NOT_FOUND, (), 3600),
    "null.example": DnsAnswer(MailRoute.NULL_MX, (), 3600),
    "mailboxes.example": DnsAnswer(MailRoute.MX, ("mx.mailboxes.example",), 3600),
}
DOMAINS = b"email\nana@firm.example\nana@gone.example\nana@null.example\nana@silent.example\n"


@pytest.fixture
def open_application(open_application: OpenApplication) -> OpenApplication:
    """Open backends with a resolver; DNS is on unless they say otherwise."""

    def open_with(
        resolver: Resolver | None = None, *, is_on: bool = True, **more: Any
    ) -> Application:
        opened = open_application(resolver=resolver, **more)
        if is_on:
            opened.services.network.turn("dns", True)
        return opened

    return open_with


def judge(opened: Application, address: str) -> tuple[str, str, str]:
    fields = opened.services.checks.check_address(LOCAL_ACCOUNT, address).fields
    return str(fields["category"]), str(fields["type"]), str(fields["mx_record"])


def find_notice(task: Task, code: str) -> Notice:
    (found,) = [notice for notice in task.notices if notice.code == code]
    return found


def test_nothing_is_asked_while_the_switch_is_off(open_application: OpenApplication):
    opened = open_application(is_on=False)
    assert judge(opened, "ana@firm.example") == ("white", "unlisted", "unknown")
    task = complete(opened)
    assert task.state is TaskState.COMPLETED
    assert not {"network_use", "registry_use"} & {notice.code for notice in task.notices}
    assert opened.services.network.status_text() == "Network: off, nothing leaves this machine"


def test_the_sandbox_never_asks(open_application: OpenApplication):
    opened = open_application()
    opened.services.network.turn("rdap", True)
    key, _ = opened.services.keys.create(LOCAL_ACCOUNT, "sand", KeyType.SANDBOX)
    opened.services.checks.check_for_key(key, "192.0.2.1", "ana@firm.example")
    assert complete(opened, key_type=KeyType.SANDBOX).state is TaskState.COMPLETED


def test_the_switch_is_durable_reaches_every_process_and_can_be_locked(
    open_application: OpenApplication,
):
    first, second = open_application(StaticResolver(ANSWERS)), open_application(is_on=False)
    assert second.services.network.is_on("dns")
    locked = open_application(is_on=False, network=frozenset())
    assert not locked.services.network.is_on("dns")
    assert judge(locked, "ana@firm.example") == ("white", "unlisted", "unknown")
    second.services.network.turn("dns", False)
    assert not first.services.network.is_on("dns")


class ChangingResolver(StaticResolver):
    """Gives each question the next answer; none may be kept."""

    def __init__(self, *answers: DnsAnswer) -> None:
        super().__init__()
        self._turns = iter(answers)

    def ask(self, question, names, **options):  # type: ignore[no-untyped-def]
        if question != MAIL:
            return super().ask(question, names, **options)
        return ((name, next(self._turns)) for name in names)


@pytest.mark.parametrize(
    ("is_first", "reason", "mail_host"),
    [(True, Reason.WORKING_MAIL, "mx.turn.example"), (False, Reason.NULL_MX, None)],
)
def test_verdict_and_evidence_are_of_one_answer(
    open_application: OpenApplication, is_first: bool, reason: Reason, mail_host: str | None
):
    answers = (DnsAnswer(MailRoute.MX, ("mx.turn.example",)), DnsAnswer(MailRoute.NULL_MX))
    opened = open_application(ChangingResolver(*(answers if is_first else reversed(answers))))
    result = opened.services.checks.check_address(LOCAL_ACCOUNT, "ana@turn.example")
    assert result.verdict.reasons == (reason,)
    assert [(one.reason, one.matched) for one in result.evidence] == [(reason, mail_host)]
    assert result.fields["mx_record"] == (mail_host or "")


def test_single_checks_ask_once_and_remember(open_application: OpenApplication, clock: Clock):
    resolver = StaticResolver(ANSWERS)
    opened = open_application(resolver)
    assert judge(opened, "ana@firm.example") == ("white", "business", "mx.firm.example")
    assert judge(opened, "bob@firm.example") == ("white", "business", "mx.firm.example")
    assert judge(opened, "ana@gone.example") == ("black", "no website", "")
    assert judge(opened, "ana@silent.example") == ("white", "unlisted", "unknown")
    assert judge(opened, "not an address")[1] == "invalid"
    assert [name for name in resolver.asked if not name.startswith(("mx.", "b."))] == [
        "firm.example",
        "gone.example",
        "silent.example",
    ]
    assert opened.services.network.status_text() == "DNS on: 3 domains asked today, no addresses"
    clock.advance(hours=2)
    judge(opened, "ana@firm.example")
    assert resolver.asked.count("firm.example") == 2
    clock.advance(days=1)
    assert opened.services.network.status_text() == "DNS on: 0 domains asked today, no addresses"


def test_a_list_is_looked_up_says_so_and_asks_later_for_what_was_unknown(
    open_application: OpenApplication,
):
    resolver = StaticResolver(ANSWERS)
    opened = open_application(resolver)
    task = complete(opened, DOMAINS)
    assert read_verdicts(opened, task) == {
        "ana@firm.example": ("business", (Reason.WORKING_MAIL,)),
        "ana@gone.example": ("no website", (Reason.DOMAIN_NOT_FOUND,)),
        "ana@null.example": ("no website", (Reason.NULL_MX,)),
        "ana@silent.example": ("unlisted", (Reason.UNLISTED, Reason.MAIL_UNKNOWN)),
    }
    assert find_notice(task, "network_use").text.startswith(
        "Sent to the network: 4 domains to your resolver, no addresses. "
        "Answered: 3; no answer: 1; not asked: 0; known from earlier: 0."
    )
    assert task.summary is not None
    assert task.summary.by_domain_type["no website"] == 2
    resolver.asked.clear()
    later = complete(opened, DOMAINS)
    assert "silent.example" in resolver.asked
    assert "gone.example" not in resolver.asked
    assert "known from earlier: 3" in find_notice(later, "network_use").text
    assert "dns_silent" not in {notice.code for notice in later.notices}


def test_servers_of_disposable_domains_are_learned_by_their_address(
    open_application: OpenApplication,
):
    names = [f"throw{number}.example" for number in range(10)]
    mail = {
        name: DnsAnswer(MailRoute.MX, (f"mx.{name}",), 3600) for name in [*names, "new.example"]
    }
    hosts = {f"mx.{name}": DnsAnswer(ADDRESS, ("192.0.2.66",), 3600) for name in mail}
    known = dict.fromkeys(names, KNOWN["throwaway.example"])
    opened = open_application(StaticResolver(mail, hosts), known=known)
    complete(opened, "\n".join(["email", *(f"ana@{name}" for name in names[:9])]).encode())
    assert judge(opened, "ana@new.example")[:2] == ("white", "business")
    complete(opened, f"email\nana@{names[9]}\n".encode())
    task = complete(opened, b"email\nana@new.example\n")
    assert read_verdicts(opened, task) == {
        "ana@new.example": ("suspicious signs", (Reason.DISPOSABLE_NEIGHBOURS,))
    }
    (evidence,) = explain(opened, task)
    assert evidence.matched == "192.0.2.66"


def test_without_a_server_nothing_is_known_and_nothing_black(open_application: OpenApplication):
    with NameServer(lambda name, kind: None) as dead:
        opened = open_application(DnsResolver([dead.address]))
        task = complete(opened, DOMAINS)
        assert judge(opened, "ana@other.example") == ("white", "unlisted", "unknown")
    assert set(read_verdicts(opened, task).values()) == {
        ("unlisted", (Reason.UNLISTED, Reason.MAIL_UNKNOWN))
    }
    assert "not asked: 4" in find_notice(task, "network_use").text
    silence = find_notice(task, "dns_silent")
    assert silence.text.startswith("DNS was on but gave few answers, or none: for 0 of 4")


def test_a_list_of_too_many_domains_is_looked_up_in_part(
    open_application: OpenApplication, clock: Clock, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(mail_look_up, "MOST_DOMAINS", 2)
    opened = open_application()
    resolver = StaticResolver(ANSWERS)
    look_up = MailLookUp(
        StoredNetworkAnswers(opened.database),
        resolver,
        MailServers,
        opened.services.knowledge,
        clock,
    )
    facts, use = look_up.gather(list(ANSWERS), budget_seconds=1, tick=lambda share: None)
    assert list(facts) == list(ANSWERS)[:2]
    assert (use.asked_count, use.unasked_count, use.beyond_count) == (2, 0, 2)


def test_progress_only_grows():
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
        pytest.param(NetworkUse(asked_count=4, unknown_count=2), None, id="half-is-enough"),
        pytest.param(NetworkUse(), None, id="nothing-to-ask"),
        pytest.param(NetworkUse(asked_count=1, unknown_count=1), "for 0 of 1", id="one"),
        pytest.param(NetworkUse(asked_count=9, unknown_count=7), "for 2 of 9", id="few"),
        pytest.param(NetworkUse(unasked_count=2_000), "for 0 of 2,000", id="none-asked"),
        pytest.param(
            NetworkUse(asked_count=2, unknown_count=2, remembered_count=8), None, id="remembered"
        ),
        pytest.param(
            NetworkUse(asked_count=9, beyond_count=99), None, id="too-many-is-not-silence"
        ),
    ],
)
def test_dns_that_knows_nothing_of_most_domains_is_told(use: NetworkUse, said: str | None):
    notices = use.describe_silence()
    assert len(notices) == (said is not None)
    assert all(said in one.text for one in notices if said is not None)
