"""Servers killed, stopped, and started twice on one folder."""

from sqlalchemy import select

from tests.faults.conftest import Desk
from tests.faults.invariants import require_sound
from tests.faults.lists import MadeList
from tests.faults.processes import Servers, is_alive, kill, list_workers
from tests.faults.small_server import REFUSED
from tests.folders import describe_tree
from tests.server import run_command
from tests.waiting import wait_until
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.tasks.task import Phase, TaskState
from winnow.storage.database import tables
from winnow.wiring import Application

LIST = MadeList(30_000)


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


def test_a_second_server_on_the_folder_is_refused_and_changes_nothing(
    opened: Application, desk: Desk, servers: Servers
) -> None:
    servers.start()
    desk.wait_until_ended(desk.submit(LIST))
    last = select(tables.mail_choices.c.last_list)  # what a worker stores behind a result
    wait_until(lambda: opened.database.fetch(last))
    folders = (opened.folder.results, opened.folder.inputs)
    before = [describe_tree(one) for one in folders]
    database = opened.folder.database.read_bytes()
    second = servers.launch()
    assert second.wait() == REFUSED
    assert "Another Winnow server" in servers.last_words()
    assert [describe_tree(one) for one in folders] == before
    assert opened.folder.database.read_bytes() == database


def test_commands_work_beside_a_server_and_without(opened: Application, servers: Servers) -> None:
    def run(*words: str) -> tuple[int, str, str]:
        done = run_command(opened.settings.data_dir, *words)
        return done.returncode, done.stdout.strip(), done.stderr.strip()

    create_key = ("keys", "create", "--name", "one", "--type", "live")
    _, without, _ = run(*create_key)
    server = servers.start()
    wait_until(lambda: len(list_workers(server.pid)) == 1)
    (worker,) = list_workers(server.pid)
    assert run("accounts", "create", "other") == (0, "", "")
    for account, key in (("local", without), ("other", run(*create_key, "--account", "other")[1])):
        assert opened.services.keys.authenticate(key).account == account
    assert run("backup")[0] == 0
    assert run("integrity") == (0, "everything adds up", "")
    assert run("accounts", "create", "other") == (1, "", "winnow: account: is already there")
    kill(worker)
    wait_until(lambda: list_workers(server.pid) not in ([worker], []))
