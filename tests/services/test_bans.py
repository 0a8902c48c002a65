"""Bans where black answers arrive together, and which clients count as one."""

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from random import Random

import pytest

from tests.applications import open_test_application
from winnow.core.accounts import LOCAL_ACCOUNT, ApiKey
from winnow.core.errors import Banned
from winnow.core.tasks.task import KeyType
from winnow.wiring import Application, MonotonicClock, read_clock

BLACK = "x@throwaway.example"
AT_ONCE = 40
THRESHOLD = 3


class LateClock:
    """The clock that a server has, on a machine so busy that its callers go on some time later."""

    def __init__(self) -> None:
        self._clock = MonotonicClock(read_clock)
        self._draw = Random(7)

    def __call__(self) -> datetime:
        now = self._clock()
        time.sleep(self._draw.uniform(0, 0.002))
        return now


def count_black_answers(
    opened: Application, pool: ThreadPoolExecutor, key: ApiKey, client: str
) -> int:
    def check(_: int) -> bool:
        try:
            opened.services.checks.check_for_key(key, client, BLACK)
        except Banned:
            return False
        return True

    return sum(pool.map(check, range(AT_ONCE)))


@pytest.mark.parametrize("rounds", [3, pytest.param(20, marks=pytest.mark.slow)])
def test_black_answers_at_once_are_as_many_as_the_threshold(tmp_path: Path, rounds: int) -> None:
    running = open_test_application(tmp_path, LateClock(), ban_threshold=THRESHOLD)
    key = running.services.keys.create(LOCAL_ACCOUNT, "crm", KeyType.LIVE)[0]
    clients = [f"203.0.113.{number}" for number in range(rounds)]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        black = [count_black_answers(running, pool, key, client) for client in clients]
    assert black == [THRESHOLD] * rounds
    assert {running.services.bans.attempts_left(client) for client in clients} == {0}
    assert running.services.usage.days(LOCAL_ACCOUNT, 1)[0].single == THRESHOLD * rounds


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
