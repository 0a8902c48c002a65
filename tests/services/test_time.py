"""Time: to the second, over sleep, and with a clock that is set forward and back."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import pytest

from tests.applications import (
    Clock,
    OpenApplication,
    complete,
    delete_for_good,
    download,
    follow,
    measure_use,
    open_test_application,
    stage,
    submit,
)
from winnow.core.errors import Gone, TaskUnknown
from winnow.core.identities import LOCAL_ACCOUNT, LOCAL_IDENTITY, Event
from winnow.core.lists.rows import Variant
from winnow.services.tasks.integrity import find_faults
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


def sweep(opened: Application, machine: Machine) -> None:
    """Sweep as the server does, by the machine's own clock."""
    opened.services.retention.sweep(machine.wall())


@pytest.fixture
def reopen(tmp_path: Path, machine: Machine) -> Callable[[], Application]:
    """Start anew on the same folder, with a first sweep."""

    def start() -> Application:
        opened = open_test_application(tmp_path, machine.make_clock())
        sweep(opened, machine)
        return opened

    return start


@pytest.mark.parametrize("wrong_hours", [0, 1, 23.9], ids=["a-moment", "an-hour", "a-day"])
def test_a_clock_that_is_ahead_at_one_start_deletes_nothing(
    reopen: Callable[[], Application], machine: Machine, wrong_hours: float
) -> None:
    before = reopen()
    task, gone, upload = complete(before), complete(before), stage(before)
    delete_for_good(before.services, gone.task_id)
    before.services.audit_log.record(Event.SIGNED_IN, LOCAL_IDENTITY, "")
    machine.sleep(days=400)
    wrong = reopen()
    machine.run(hours=wrong_hours)
    sweep(wrong, machine)
    until = machine.wall() + timedelta(hours=24 - wrong_hours)
    assert wrong.services.retention.find_wait() == until
    with pytest.raises(TaskUnknown):  # what is said follows the clock
        wrong.services.tasks.get(LOCAL_ACCOUNT, task.task_id)
    machine.sleep(days=-400)
    after = reopen()
    services = after.services
    assert services.tasks.get(LOCAL_ACCOUNT, task.task_id) == task
    assert download(after, task, Variant.ORIGINAL)
    assert services.uploads.get(LOCAL_ACCOUNT, upload.upload_id) == upload
    assert len(services.audit_log.list()) == 1
    with pytest.raises(Gone):  # its memory waited, too
        services.tasks.get(LOCAL_ACCOUNT, gone.task_id)
    assert find_faults(after.database, after.blobs) == ()
    assert services.retention.find_wait() == machine.wall() + timedelta(days=1)
    machine.run(days=1)
    sweep(after, machine)
    assert services.retention.find_wait() is None


def test_a_clock_set_right_while_the_server_runs_deletes_nothing(
    reopen: Callable[[], Application], machine: Machine
) -> None:
    """The server's time counts on from the wrong one; a day of that proves nothing."""
    opened = reopen()
    task = complete(opened)
    machine.sleep(days=400)
    sweep(opened, machine)
    machine.sleep(days=-400)
    for _ in range(20 * 4):
        machine.run(hours=6)
        sweep(opened, machine)
    assert reopen().services.tasks.get(LOCAL_ACCOUNT, task.task_id) == task


@pytest.mark.parametrize("restarts", [False, True])
def test_what_has_expired_is_deleted_a_day_after_a_holiday(
    reopen: Callable[[], Application], machine: Machine, restarts: bool
) -> None:
    opened = reopen()
    complete(opened)
    kept = complete(opened)
    machine.sleep(days=40)
    for hours in (0, 12, 11.9):  # sometimes for a moment only
        machine.run(hours=hours)
        opened = reopen() if restarts else opened
        sweep(opened, machine)
        assert measure_use(opened)[0] > 0
    own = complete(opened)  # what the analyst deletes does not wait
    used = measure_use(opened)[0]
    delete_for_good(opened.services, own.task_id)
    assert measure_use(opened)[0] == used - own.input_bytes - own.result_bytes
    machine.run(hours=0.1)
    opened = reopen() if restarts else opened
    sweep(opened, machine)
    assert measure_use(opened) == (0, 0)
    with pytest.raises(Gone):
        opened.services.tasks.get(LOCAL_ACCOUNT, kept.task_id)


def test_a_folder_that_never_saw_a_clock_knows_the_time_of_its_newest_project(
    opened: Application, machine: Machine
) -> None:
    """As a folder of 0.2 that is opened with a wrong clock."""
    complete(opened)
    machine.sleep(days=31)
    sweep(opened, machine)
    assert measure_use(opened)[0] > 0
    machine.run(days=1)
    sweep(opened, machine)
    assert measure_use(opened) == (0, 0)
