"""Servers and workers of one data folder: started, watched, paused, killed."""

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing, suppress
from pathlib import Path

from tests.waiting import PATIENCE_SECONDS, wait_until
from winnow.core.settings import Settings
from winnow.serving import choose_worker_environ


class Servers:
    """Starts servers on one data folder, keeps what they say, and ends what is left of them."""

    def __init__(self, settings: Settings, *command: str) -> None:
        """Prepare; nothing is started yet.

        Args:
            settings: Of the folder; what the servers say is appended to a file beside it.
            command: A module that says "ready" and leaves when its input ends, with arguments.
        """
        self._settings = settings
        self._command = command
        self._log = settings.data_dir.with_suffix(".log")
        self._started: list[subprocess.Popen[str]] = []

    def start(self) -> subprocess.Popen[str]:
        """Start a server and wait until it serves.

        Raises:
            AssertionError: It ended instead, or was refused; the message is its last words.
        """
        process = self.launch()
        assert process.stdout is not None
        if process.stdout.readline() != "ready\n":
            process.wait()
            raise AssertionError(self.last_words())
        return process

    def launch(self) -> subprocess.Popen[str]:
        """Start a server and do not wait for it."""
        # Into a file: a pipe that nobody reads would fill up, and its writer stand still.
        with self._log.open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", *self._command],
                env=choose_worker_environ(os.environ, self._settings),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        self._started.append(process)
        return process

    def last_words(self) -> str:
        """Return the end of what all servers and their workers said."""
        return self._log.read_text(errors="replace")[-4000:]

    def kill(self) -> None:
        """Kill the newest server; its workers leave by themselves."""
        self.newest.kill()
        self.newest.communicate()

    def stop(self) -> int:
        """Let the newest server leave in good order; return its code."""
        self.newest.communicate("")
        return self.newest.returncode

    @property
    def newest(self) -> subprocess.Popen[str]:
        """The server started last."""
        return self._started[-1]

    def end_all(self) -> None:
        """Kill what still runs, paused workers too."""
        for process in self._started:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with suppress(OSError):  # what it was never told
                        pipe.close()
        for process_id in list_processes_on(self._settings.data_dir):
            kill(process_id)


def read_state(process_or_thread: Path) -> str:
    """Return the letter of a state (proc(5)); ``Z`` where there is nothing any more."""
    try:
        return (process_or_thread / "stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return "Z"


def is_alive(process_id: int) -> bool:
    """Say whether a process exists and is no zombie."""
    return read_state(Path(f"/proc/{process_id}")) not in "ZX"


def list_workers(process_id: int) -> list[int]:
    """Return the ids of a server's living children, but for those that look into uploads.

    Between fork and exec a child bears its server's command line: it may become either.
    """
    found: list[int] = []
    for path in Path(f"/proc/{process_id}/task").glob("*/children"):
        with suppress(FileNotFoundError, ProcessLookupError):  # a thread that has just ended
            found += map(int, path.read_text().split())
    server = _read_command(process_id)
    return [child for child in found if is_alive(child) and _is_worker(child, server)]


def _is_worker(process_id: int, server: bytes) -> bool:
    command = _read_command(process_id)
    return command not in (b"", server) and b"winnow.inspector" not in command


def _read_command(process_id: int) -> bytes:
    with suppress(OSError):
        return Path(f"/proc/{process_id}/cmdline").read_bytes()
    return b""


def list_processes_on(data_dir: Path) -> list[int]:
    """Return every living process that was started on a data folder: servers and workers."""
    mark = f"WINNOW_DATA_DIR={data_dir}".encode()
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has just ended, or is another user's
            environ = (folder / "environ").read_bytes().split(b"\0")
            if mark in environ and int(folder.name) != os.getpid() and is_alive(int(folder.name)):
                found.append(int(folder.name))
    return found


def kill(process_id: int) -> None:
    """End a process at once, if there is one."""
    with suppress(ProcessLookupError):
        os.kill(process_id, signal.SIGKILL)


def pause_between_writes(database: Path, process_id: int) -> None:
    """Stop each thread of a process while it has no lock on the database: this one has it."""
    with closing(sqlite3.connect(database, PATIENCE_SECONDS, isolation_level=None)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        os.kill(process_id, signal.SIGSTOP)
        threads = Path(f"/proc/{process_id}/task")
        wait_until(lambda: all(read_state(thread) == "T" for thread in threads.iterdir()))


def wake(process_id: int) -> None:
    """Let a paused process go on."""
    os.kill(process_id, signal.SIGCONT)
