"""Single checks: nine fields, charges, and the ban to the letter."""

from dataclasses import replace
from datetime import date

import pytest

from tests.applications import OpenApplication
from winnow.core.accounts import LOCAL_ACCOUNT, ApiKey
from winnow.core.errors import Banned
from winnow.core.tasks.task import KeyType
from winnow.core.verdicts.facts import AgeFacts, DomainFacts, Listing, MailFacts, MailRoute
from winnow.core.verdicts.verdict import Category
from winnow.wiring import Application

CLIENT = "203.0.113.7"  # RFC 5737: for documentation
BLACK = "x@throwaway.example"
WHITE = "x@mailboxes.example"


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
    known = {"d.example": replace(DomainFacts("d.example"), **facts)}  # type: ignore[arg-type]
    opened = open_application(known=known)
    fields = opened.services.checks.check(LOCAL_ACCOUNT, "x@d.example").fields
    assert expected.items() <= fields.items()


def test_a_check_on_the_page_is_free(opened: Application) -> None:
    for _ in range(10):
        opened.services.checks.check(LOCAL_ACCOUNT, BLACK)
    assert opened.services.usage.days(LOCAL_ACCOUNT, 1)[0].single == 0
    assert opened.services.bans.list() == ()


def test_another_key_does_not_help_a_banned_client_but_a_sandbox_is_no_live_check(
    opened: Application,
) -> None:
    key = make_key(opened)
    for _ in range(5):
        attempts_after(opened, BLACK, key=key)
    with pytest.raises(Banned):
        attempts_after(opened, WHITE, key=make_key(opened))
    assert attempts_after(opened, BLACK, key=make_key(opened, KeyType.SANDBOX)) == 5


def test_counters_survive_a_restart(opened: Application, open_application: OpenApplication) -> None:
    key = make_key(opened)
    attempts_after(opened, BLACK, key=key)
    assert open_application().services.bans.attempts_left(CLIENT) == 4


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
    opened = open_application(ban_threshold=threshold)
    key = make_key(opened)
    assert [attempts_after(opened, BLACK, key=key) for _ in seen] == seen


def test_recent_checks_are_kept_until_cleared(opened: Application) -> None:
    checks = opened.services.checks
    many = checks.check_many(LOCAL_ACCOUNT, [f"n{number}@x.example" for number in range(205)])
    for some in (many[:150], many[150:], [checks.check(LOCAL_ACCOUNT, "\ud800")]):
        checks.remember(LOCAL_ACCOUNT, some)
    recent = checks.recent(LOCAL_ACCOUNT, 3)
    assert [check.email for check in recent] == ["?", "n204@x.example", "n203@x.example"]
    assert len(checks.recent(LOCAL_ACCOUNT, 1000)) == 200
    assert recent[1].verdict.domain_type == "unlisted"
    checks.clear_recent(LOCAL_ACCOUNT)
    assert checks.recent(LOCAL_ACCOUNT) == ()


def test_a_recent_check_keeps_what_the_own_lists_overruled(opened: Application) -> None:
    services = opened.services
    services.own_lists.add(LOCAL_ACCOUNT, "mailboxes.example", Category.BLACK)
    result = services.checks.check(LOCAL_ACCOUNT, "x@mailboxes.example")
    services.checks.remember(LOCAL_ACCOUNT, [result])
    (recent,) = services.checks.recent(LOCAL_ACCOUNT)
    assert recent.verdict == result.verdict
    assert recent.verdict.overruled is not None
