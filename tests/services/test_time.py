"""Time: to the second, over sleep, and with a clock that is set forward and back."""

from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import pytest

from tests.applications import (
    Clock,
    OpenApplication,
    complete,
    follow,
    open_test_application,
    submit,
)
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.core.errors import Gone
from winnow.storage.repositories.leases import claim_task, extend_lease
from winnow.wiring import Application, MonotonicClock

CLIENT = "203.0.113.7"


@dataclass(slots=True)
class Machine:
    """A machine's clock, and its count of seconds, which stands still while it sleeps."""

    wall: Clock = field(default_factory=Clock)
    counted: float = 0.0

    def run(self, **amount: float) -> None:
        """Let time pass."""
        self.sleep(**amount)
        self.counted += timedelta(**amount).total_seconds()

    def sleep(self, **amount: float) -> None:
        """Let time pass while the machine sleeps, or set its clock: from within it is the same."""
        self.wall.advance(**amount)

    def make_clock(self) -> MonotonicClock:
        """Return a server's clock on this machine."""
        return MonotonicClock(self.wall, lambda: self.counted)


@pytest.fixture
def machine() -> Machine:
    return Machine()


@pytest.fixture
def opened(tmp_path: Path, machine: Machine) -> Application:
    return open_test_application(tmp_path, machine.make_clock())


def test_a_clock_set_back_revives_nothing_and_nothing_lives_longer(
    opened: Application, machine: Machine
) -> None:
    task = complete(opened)
    expired = opened.services.downloads.issue(LOCAL_ACCOUNT, task.task_id)
    machine.run(hours=1)
    live = opened.services.downloads.issue(LOCAL_ACCOUNT, task.task_id)
    machine.sleep(days=-31)
    with pytest.raises(Gone):
        follow(opened, expired)
    assert follow(opened, live)
    machine.run(minutes=59, seconds=59)
    assert follow(opened, live)
    machine.run(seconds=1)
    with pytest.raises(Gone):
        follow(opened, live)
    machine.run(days=30, hours=-2, seconds=-1)
    assert opened.services.tasks.get(LOCAL_ACCOUNT, task.task_id)
    machine.run(seconds=1)
    with pytest.raises(Gone):
        opened.services.tasks.get(LOCAL_ACCOUNT, task.task_id)


def test_a_ban_holds_its_24_hours_when_the_clock_is_set_back(
    opened: Application, machine: Machine
) -> None:
    bans = opened.services.bans
    for _ in range(bans.threshold):
        bans.take_attempt(CLIENT)
    for pass_time, amount in (
        (machine.sleep, {"days": -31}),
        (machine.run, {"hours": 23, "minutes": 59, "seconds": 59}),
    ):
        pass_time(**amount)
        assert bans.attempts_left(CLIENT) == 0
    machine.run(seconds=1)
    assert bans.attempts_left(CLIENT) == bans.threshold


def test_a_start_after_the_clock_was_set_back_revives_no_link_and_locks_nobody_out(
    open_application: OpenApplication, clock: Clock
) -> None:
    before = open_application()
    task = complete(before)
    link = before.services.downloads.issue(LOCAL_ACCOUNT, task.task_id)
    for _ in range(before.services.bans.threshold):
        before.services.bans.take_attempt(CLIENT)
    clock.advance(days=-31)
    after = open_application()
    with pytest.raises(Gone):
        follow(after, link)
    bans = after.services.bans
    assert (bans.attempts_left(CLIENT), bans.list()) == (bans.threshold, ())
    assert bans.take_attempt(CLIENT) == bans.threshold - 1
    assert [ban.attempts_left for ban in bans.list()] == [bans.threshold - 1]
    assert after.services.tasks.get(LOCAL_ACCOUNT, task.task_id).summary is not None


@pytest.mark.parametrize("days", [31, -31])
def test_a_lease_outlives_any_jump_of_the_clock_by_its_next_heartbeat(
    opened: Application, machine: Machine, days: int
) -> None:
    submit(opened)
    lease = claim_task(opened.database, "w1", machine.wall.now)
    assert lease is not None
    machine.sleep(days=days)  # forward, the list is past its days: nobody takes it up
    assert claim_task(opened.database, "w2", machine.wall.now) is None
    extend_lease(opened.database, lease, machine.wall.now)
    machine.run(seconds=29)
    assert claim_task(opened.database, "w2", machine.wall.now) is None


def test_the_steady_clock_believes_what_goes_forward_and_counts_on_from_it(
    machine: Machine,
) -> None:
    clock = machine.make_clock()
    start = clock()
    machine.sleep(days=31)
    assert clock() == start + timedelta(days=31)
    machine.sleep(days=-62)
    machine.run(seconds=5)
    assert clock() == start + timedelta(days=31, seconds=5)
