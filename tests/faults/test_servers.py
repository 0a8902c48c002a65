"""Servers killed, stopped, and started twice on one folder."""

import subprocess
import sys

from backend.bootstrap import House, choose_worker_environ
from backend.core.accounts import LOCAL_ACCOUNT
from backend.core.tasks import Phase, TaskState
from tests.faults.conftest import (
    Servers,
    get,
    is_alive,
    kill,
    list_children,
    require_sound,
    wait_until,
    wait_until_busy,
    wait_until_ended,
)
from tests.faults.lists import count_charged, expect_list, make_list
from tests.houses import submit

LARGE = 450_000


def run_command(house: House, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "backend", *arguments],
        env=choose_worker_environ({}, house.settings),
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_killed_server_finishes_its_list_when_it_is_started_again(
    house: House, servers: Servers
) -> None:
    first = servers.start()
    task = submit(house, make_list(LARGE))
    unfinished = house.services.uploads.begin(LOCAL_ACCOUNT, "a.csv", 1000)
    unfinished.write(b"x" * 500)
    wait_until_busy(house, task)
    (worker,) = list_children(first.pid)
    first.kill()
    wait_until(lambda: not is_alive(worker))  # it leaves by itself: its input has ended
    servers.start()
    done = wait_until_ended(house, task)
    assert done.state is TaskState.COMPLETED
    unfinished.abort()
    require_sound(house, {task.task_id: expect_list(LARGE)}, count_charged(LARGE))


def test_a_server_that_stops_gives_its_list_back(house: House, servers: Servers) -> None:
    first = servers.start()
    task = submit(house, make_list(LARGE))
    wait_until_busy(house, task)
    first.communicate("")
    assert first.returncode == 0
    waiting = get(house, task)
    assert (waiting.state, waiting.progress.phase) == (TaskState.PROCESSING, Phase.QUEUED)
    servers.start()
    assert wait_until_ended(house, task).attempt == 2
    require_sound(house, {task.task_id: expect_list(LARGE)}, count_charged(LARGE))


def test_a_second_server_on_the_folder_is_refused(house: House, servers: Servers) -> None:
    servers.start()
    second = servers.launch()
    _, errors = second.communicate()
    assert second.returncode == 3
    assert "Another Winnow server" in errors


def test_commands_work_beside_a_server_and_without(house: House, servers: Servers) -> None:
    without = run_command(house, "keys", "create", "--name", "one", "--type", "live")
    server = servers.start()
    (worker,) = list_children(server.pid)
    beside = run_command(house, "keys", "create", "--name", "two", "--type", "sandbox")
    for created in (without, beside):
        assert house.services.keys.authenticate(created.stdout.strip())
    assert run_command(house, "accounts", "create", "other").returncode == 0
    of_other = ("keys", "create", "--name", "x", "--type", "live", "--account", "other")
    assert run_command(house, *of_other).returncode == 0
    assert run_command(house, "backup").returncode == 0
    assert run_command(house, "integrity").stdout == "everything adds up\n"
    refused = run_command(house, "accounts", "create", "other")
    assert refused.returncode == 1
    assert refused.stderr == "winnow: account: is already there\n"
    kill(worker)
    wait_until(lambda: list_children(server.pid) not in ([worker], []))
