"""The command as a process: signals, streams that are closed or full, names of any bytes."""

import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.applications import LIST
from tests.conftest import Terminal

KILLED_AT_WORK = """
import os, sys
from winnow.__main__ import main
from winnow.cli import clean
clean.show_progress = lambda progress: os.kill(os.getpid(), int(sys.argv[1]))
sys.exit(main(sys.argv[2:]))
"""
COMMAND = (sys.executable, "-m", "winnow")
CLEAN = (*COMMAND, "clean", "list.csv")
KILLED = (sys.executable, "-c", KILLED_AT_WORK)
Ended = tuple[int, bytes | None, bytes]


@pytest.fixture(autouse=True)
def folder(terminal: Terminal) -> Path:
    """The folder in which all run, with a list."""
    terminal.write("list.csv", LIST)
    return terminal.folder


def run(*words: str | bytes, **options: Any) -> Ended:
    """Run a program to its end; return its exit code and what it wrote to out and err."""
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    ended = subprocess.run(words, **options)
    return ended.returncode, ended.stdout, ended.stderr


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_command_that_is_ended_leaves_nothing(folder: Path, number: int) -> None:
    heeded = partial(signal.signal, number, signal.SIG_DFL)  # a shell may have had it ignored
    ended = run(*KILLED, str(int(number)), "clean", "list.csv", preexec_fn=heeded)
    assert ended == (128 + number, b"", b"")
    assert os.listdir(folder) == ["list.csv"]


@pytest.mark.slow
def test_a_signal_that_is_ignored_stays_so(folder: Path) -> None:
    code, _, _ = run("nohup", *KILLED, "1", "clean", "list.csv")
    assert code == 0
    assert (folder / "list-checked.csv").exists()


@pytest.mark.slow
def test_a_reader_that_left_is_no_fault(folder: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as nobody:
        assert run(*CLEAN, stdout=nobody) == (128 + signal.SIGPIPE, None, b"")
    assert (folder / "list-checked.csv").exists()


def test_a_full_disk_behind_the_output_is_told() -> None:
    with open("/dev/full", "wb") as full:
        code, _, err = run(*COMMAND, "check", "ana@gmail.com", stdout=full)
    assert (code, err.startswith(b"winnow: The disk is full.\n")) == (1, True)


@pytest.mark.slow
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_are_no_fault(folder: Path, closed: str) -> None:
    code, _, err = run("sh", "-c", f'exec "$@" {closed}', "sh", *CLEAN)
    assert (code, err) == (0, b"")
    lines = (folder / "list-checked.csv").read_bytes().splitlines()
    assert [line.count(b",") for line in lines] == [3] * 4


@pytest.mark.slow
@pytest.mark.parametrize(
    ("encoding", "said"),
    [
        ("utf-8:strict", "ü\udcff-checked.csv".encode(errors="surrogateescape")),  # as in de_DE
        ("ascii", rb"\xfc\udcff-checked.csv"),
        ("cp1252:strict", b"\xfc\\udcff-checked.csv"),
    ],
)
def test_files_of_any_name_are_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch, encoding: str, said: bytes
) -> None:
    named = os.fsencode(folder / "ü") + b"\xff.csv"
    os.rename(folder / "list.csv", named)
    monkeypatch.setenv("PYTHONIOENCODING", encoding)
    code, out, err = run(*map(os.fsencode, COMMAND), b"clean", named)
    assert (code, err) == (0, b"")
    assert said in (out or b"")


NO_ACCOUNT = b"winnow: account: there is no such account\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((b"check", b"a\xff@gmail.com"), b"winnow: address: is not UTF-8 text\n"),
        ((b"keys", b"list", b"--account", b"a\xff"), NO_ACCOUNT),
        ((b"keys", b"list", b"--account", b"no"), NO_ACCOUNT),
    ],
)
def test_what_is_no_text_is_told(arguments: tuple[bytes, ...], said: bytes) -> None:
    code, _, err = run(*COMMAND, "keys", "create", "--name", "a\tb\nc", "--type", "live")
    assert (code, err) == (0, b"")
    code, _, err = run(*map(os.fsencode, COMMAND), *arguments)
    assert (code, err) == (1, said)
    _, listed, _ = run(*COMMAND, "keys", "list")
    assert (listed or b"").endswith(b"\tactive\t0\ta b c\n")
    assert (listed or b"").count(b"\n") == 1
