"""Single checks: nine fields, charges, and bans, also where black answers come together."""

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import date, datetime
from pathlib import Path
from random import Random

import pytest

from tests.applications import OpenApplication, open_test_application
from winnow.core.errors import Banned
from winnow.core.identities import LOCAL_ACCOUNT, ApiKey
from winnow.core.tasks.task import KeyType
from winnow.core.verdicts.facts import AgeFacts, DomainFacts, Listing, MailFacts, MailRoute
from winnow.core.verdicts.verdict import Category
from winnow.wiring import Application, MonotonicClock, read_clock

CLIENT = "203.0.113.7"  # RFC 5737: for documentation
BLACK = "x@throwaway.example"
WHITE = "x@mailboxes.example"
AT_ONCE = 40


def make_key(opened: Application, key_type: KeyType = KeyType.LIVE) -> ApiKey:
    return opened.services.keys.create(LOCAL_ACCOUNT, "crm", key_type)[0]


def attempts_after(opened: Application, text: str, *, key: ApiKey, client: str = CLIENT) -> int:
    fields = opened.services.checks.check_for_key(key, client, text).fields
    left = fields["remaining_attempts_before_ban"]
    assert isinstance(left, int)
    return left


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({"mail": MailFacts(MailRoute.MX, "mx1.host.example")}, {"mx_record": "mx1.host.example"}),
        ({"mail": MailFacts(MailRoute.NO_MAIL)}, {"mx_record": ""}),
        ({"mail": MailFacts(MailRoute.UNKNOWN)}, {"mx_record": "unknown"}),
        ({"premium": True}, {"premium": "True"}),
        ({"age": AgeFacts(date(2026, 11, 10))}, {"domain_age": "10"}),
        ({"relay": Listing("r", "r", "d.example", date(2024, 1, 5))}, {"date_added": "05.01.2024"}),
    ],
)
def test_fields_from_facts(
    open_application: OpenApplication, facts: dict[str, object], expected: dict[str, str]
) -> None:
    known = {"d.example": DomainFacts("d.example")._replace(**facts)}  # type: ignore[arg-type]
    opened = open_application(known=known)
    fields = opened.services.checks.check_address(LOCAL_ACCOUNT, "x@d.example").fields
    assert expected.items() <= fields.items()


def test_another_key_does_not_help_a_banned_client_but_a_sandbox_is_no_live_check(
    opened: Application,
) -> None:
    key = make_key(opened)
    for _ in range(5):
        attempts_after(opened, BLACK, key=key)
    with pytest.raises(Banned):
        attempts_after(opened, WHITE, key=make_key(opened))
    assert attempts_after(opened, BLACK, key=make_key(opened, KeyType.SANDBOX)) == 5


@pytest.mark.parametrize("client", ["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"])
def test_this_machine_is_exempt_unless_a_setting_says_otherwise(
    opened: Application, open_application: OpenApplication, client: str
) -> None:
    key = make_key(opened)
    assert {attempts_after(opened, BLACK, key=key, client=client) for _ in range(7)} == {5}
    strict = open_application(ban_loopback=True)
    assert attempts_after(strict, BLACK, key=key, client=client) == 4


@pytest.mark.parametrize(("threshold", "seen"), [(3, [2, 1, 0]), (0, [5, 5, 5, 5, 5, 5])])
def test_thresholds(open_application: OpenApplication, threshold: int, seen: list[int]) -> None:
    key = make_key(open_application())
    started_anew = (open_application(ban_threshold=threshold) for _ in seen)
    assert [attempts_after(opened, BLACK, key=key) for opened in started_anew] == seen


def test_recent_checks_of_pages_are_free_and_kept_until_cleared(opened: Application) -> None:
    checks = opened.services.checks
    many = checks.check_many(LOCAL_ACCOUNT, [f"n{number}@x.example" for number in range(205)])
    for some in (many[:150], many[150:], [checks.check_address(LOCAL_ACCOUNT, "\ud800")]):
        checks.remember(LOCAL_ACCOUNT, some)
    recent = checks.recent(LOCAL_ACCOUNT, 3)
    assert [check.email for check in recent] == ["?", "n204@x.example", "n203@x.example"]
    assert len(checks.recent(LOCAL_ACCOUNT, 1000)) == 200
    assert recent[1].verdict.domain_type == "unlisted"
    checks.clear_recent(LOCAL_ACCOUNT)
    assert checks.recent(LOCAL_ACCOUNT) == ()
    opened.database.close()
    assert b"x.example" not in opened.folder.database.read_bytes()
    opened.services.own_lists.add(LOCAL_ACCOUNT, "mailboxes.example", Category.BLACK)
    result = checks.check_address(LOCAL_ACCOUNT, WHITE)
    checks.remember(LOCAL_ACCOUNT, [result])
    (overruled,) = checks.recent(LOCAL_ACCOUNT)
    assert overruled.verdict == result.verdict
    assert overruled.verdict.overruled is not None
    assert checks.check_address(LOCAL_ACCOUNT, BLACK).verdict.category is Category.BLACK
    assert opened.services.usage.days(LOCAL_ACCOUNT, 1)[0].single == 0
    assert opened.services.bans.list() == ()


class LateClock:
    """The clock that a server has, on a machine so busy that its callers go on some time later."""

    def __init__(self) -> None:
        self._clock = MonotonicClock(read_clock)
        self._draw = Random(7)

    def __call__(self) -> datetime:
        now = self._clock()
        time.sleep(self._draw.uniform(0, 0.002))
        return now


@pytest.mark.parametrize("rounds", [3, pytest.param(20, marks=pytest.mark.slow)])
def test_black_answers_at_once_are_as_many_as_the_threshold(tmp_path: Path, rounds: int) -> None:
    running = open_test_application(tmp_path, LateClock(), ban_threshold=3)
    key = make_key(running)
    clients = [f"203.0.113.{number}" for number in range(rounds)]

    def is_answered(client: str) -> bool:
        with suppress(Banned):
            running.services.checks.check_for_key(key, client, BLACK)
            return True
        return False

    with ThreadPoolExecutor(AT_ONCE) as pool:
        answered = [sum(pool.map(is_answered, [client] * AT_ONCE)) for client in clients]
    assert answered == [3] * rounds
    assert {running.services.bans.attempts_left(client) for client in clients} == {0}
    assert running.services.usage.days(LOCAL_ACCOUNT, 1)[0].single == 3 * rounds


@pytest.mark.parametrize(
    ("first", "second", "is_one"),
    [
        ("2001:DB8::1", "2001:db8:0:0::1", True),
        ("2001:db8::1", "2001:db8:0:0:ffff:ffff:ffff:ffff", True),
        ("fe80::1%eth0", "fe80::2", True),
        ("::ffff:203.0.113.7", "203.0.113.7", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("203.0.113.7", "203.0.113.8", False),
        ("::ffff:203.0.113.7", "::ffff:203.0.113.8", False),
    ],
)
def test_addresses_of_one_client(
    opened: Application, first: str, second: str, is_one: bool
) -> None:
    bans = opened.services.bans
    assert (bans.take_attempt(first), bans.take_attempt(second)) == (4, 3 if is_one else 4)
    for ban in bans.list():
        bans.lift(ban.client)
    assert bans.attempts_left(first) == 5
