"""Servers killed, stopped, and started twice on one folder."""

import subprocess
import sys
from pathlib import Path

from tests.faults.conftest import Desk
from tests.faults.invariants import require_sound
from tests.faults.lists import MadeList
from tests.faults.processes import Servers, is_alive, kill, list_workers, wait_until
from tests.faults.small_server import REFUSED
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.core.tasks.task import Phase, TaskState
from winnow.serving import choose_worker_environ
from winnow.wiring import Application

LIST = MadeList(30_000)


def run_command(opened: Application, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "winnow", *arguments],
        env=choose_worker_environ({}, opened.settings),
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_killed_server_finishes_its_list_when_it_is_started_again(
    opened: Application, desk: Desk, servers: Servers
) -> None:
    first = servers.start()
    task = desk.submit_held(LIST)
    unfinished = opened.services.uploads.begin(LOCAL_ACCOUNT, "a.csv", 1000)
    unfinished.write(b"x" * 500)
    (worker,) = list_workers(first.pid)
    servers.kill()
    wait_until(lambda: not is_alive(worker))  # it leaves by itself: its input has ended
    desk.let_go()
    servers.start()
    assert desk.wait_until_ended(task).state is TaskState.COMPLETED
    servers.stop()
    unfinished.abort()
    require_sound(opened, desk.submitted)


def test_a_server_that_stops_gives_its_list_back(
    opened: Application, desk: Desk, servers: Servers
) -> None:
    servers.start()
    task = desk.submit_held(LIST)
    assert servers.stop() == 0
    waiting = desk.get(task)
    assert (waiting.state, waiting.progress.phase) == (TaskState.PROCESSING, Phase.QUEUED)
    desk.let_go()
    servers.start()
    assert desk.wait_until_ended(task).attempt == 2
    servers.stop()
    require_sound(opened, desk.submitted)


def list_contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_second_server_on_the_folder_is_refused_and_changes_nothing(
    opened: Application, desk: Desk, servers: Servers
) -> None:
    servers.start()
    desk.wait_until_ended(desk.submit(LIST))
    before = list_contents(opened.folder.results) | list_contents(opened.folder.inputs)
    database = opened.folder.database.read_bytes()
    second = servers.launch()
    assert second.wait() == REFUSED
    assert "Another Winnow server" in servers.last_words()
    assert list_contents(opened.folder.results) | list_contents(opened.folder.inputs) == before
    assert opened.folder.database.read_bytes() == database


def test_commands_work_beside_a_server_and_without(opened: Application, servers: Servers) -> None:
    without = run_command(opened, "keys", "create", "--name", "one", "--type", "live")
    server = servers.start()
    wait_until(lambda: len(list_workers(server.pid)) == 1)
    (worker,) = list_workers(server.pid)
    beside = run_command(opened, "keys", "create", "--name", "two", "--type", "sandbox")
    for created in (without, beside):
        assert opened.services.keys.authenticate(created.stdout.strip())
    assert run_command(opened, "accounts", "create", "other").returncode == 0
    of_other = ("keys", "create", "--name", "x", "--type", "live", "--account", "other")
    assert run_command(opened, *of_other).returncode == 0
    assert run_command(opened, "backup").returncode == 0
    assert run_command(opened, "integrity").stdout == "everything adds up\n"
    refused = run_command(opened, "accounts", "create", "other")
    assert refused.returncode == 1
    assert refused.stderr == "winnow: account: is already there\n"
    kill(worker)
    wait_until(lambda: list_workers(server.pid) not in ([worker], []))
