"""The command as a process: signals, streams that are closed or full, names of any bytes."""

import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from tests.applications import LIST
from tests.folders import set_up_data_folder

KILLED_AT_WORK = """
import os, sys
from winnow.__main__ import main
from winnow.cli import clean
clean.show_progress = lambda progress: os.kill(os.getpid(), int(sys.argv[1]))
sys.exit(main(sys.argv[2:]))
"""
COMMAND = (sys.executable, "-m", "winnow")


@pytest.fixture
def environ(tmp_path: Path, pytestconfig: pytest.Config, knowledge: object) -> dict[str, str]:
    """An environment with a data folder of its own and the knowledge that is compiled already."""
    assert pytestconfig.cache is not None
    assert knowledge
    set_up_data_folder(tmp_path / "data", pytestconfig.cache.mkdir("knowledge"))
    return {**os.environ, "WINNOW_DATA_DIR": str(tmp_path / "data")}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "lists").mkdir()
    path = tmp_path / "lists/list.csv"
    path.write_bytes(LIST)
    return path


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_command_that_is_ended_leaves_nothing(
    environ: dict[str, str], source: Path, number: int
) -> None:
    command = [sys.executable, "-c", KILLED_AT_WORK, str(int(number)), "clean", str(source)]
    heeded = partial(signal.signal, number, signal.SIG_DFL)  # a shell may have had it ignored
    ended = subprocess.run(command, env=environ, capture_output=True, text=True, preexec_fn=heeded)
    assert (ended.returncode, ended.stdout, ended.stderr) == (128 + number, "", "")
    assert os.listdir(source.parent) == ["list.csv"]


@pytest.mark.slow
def test_a_signal_that_is_ignored_stays_so(environ: dict[str, str], source: Path) -> None:
    command = [sys.executable, "-c", KILLED_AT_WORK, "1", "clean", str(source)]
    ended = subprocess.run(["nohup", *command], env=environ, capture_output=True)  # noqa: S607
    assert ended.returncode == 0
    assert (source.parent / "list-checked.csv").exists()


@pytest.mark.slow
def test_a_reader_that_left_is_no_fault(environ: dict[str, str], source: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as nobody:
        ended = subprocess.run(
            [*COMMAND, "clean", str(source)], env=environ, stdout=nobody, stderr=subprocess.PIPE
        )
    assert (ended.returncode, ended.stderr) == (128 + signal.SIGPIPE, b"")
    assert (source.parent / "list-checked.csv").exists()


def test_a_full_disk_behind_the_output_is_told(environ: dict[str, str]) -> None:
    with open("/dev/full", "wb") as full:
        ended = subprocess.run(
            [*COMMAND, "check", "ana@gmail.com"], env=environ, stdout=full, stderr=subprocess.PIPE
        )
    assert ended.returncode == 1
    assert ended.stderr.startswith(b"winnow: The disk is full.\n")


@pytest.mark.slow
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_are_no_fault(environ: dict[str, str], source: Path, closed: str) -> None:
    shell = ["sh", "-c", f'exec "$@" {closed}', "sh", *COMMAND, "clean", str(source)]
    ended = subprocess.run(shell, env=environ, capture_output=True)
    assert (ended.returncode, ended.stderr) == (0, b"")
    lines = (source.parent / "list-checked.csv").read_bytes().splitlines()
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
    environ: dict[str, str], source: Path, encoding: str, said: bytes
) -> None:
    named = os.fsencode(source.with_name("ü")) + b"\xff.csv"
    os.rename(source, named)
    command = [*map(os.fsencode, COMMAND), b"clean", named]
    environ |= {"PYTHONIOENCODING": encoding}
    ended = subprocess.run(command, env=environ, capture_output=True)
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert said in ended.stdout


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
def test_what_is_no_text_is_told(
    environ: dict[str, str], arguments: tuple[bytes, ...], said: bytes
) -> None:
    key = (b"keys", b"create", b"--name", b"a\tb\nc", b"--type", b"live")
    for some, code, error in ((key, 0, b""), (arguments, 1, said)):
        command = [*map(os.fsencode, COMMAND), *some]
        ended = subprocess.run(command, env=environ, capture_output=True)
        assert (ended.returncode, ended.stderr) == (code, error)
    listed = subprocess.run([*COMMAND, "keys", "list"], env=environ, capture_output=True)
    assert listed.stdout.count(b"\n") == 1
    assert listed.stdout.endswith(b"\tactive\t0\ta b c\n")
