"""Limited process: asked, watched, and killed when it takes too much memory or time."""

import queue
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from enum import StrEnum
from pathlib import Path

from winnow.limited.messages import Reply, Request, pack, unpack

_OWN_GROUP = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)  # Windows
WATCH_SECONDS = 0.01  # memory grows by at most some 20 MB between two readings
WALL_FACTOR = 4  # a process gets only a part of a busy machine's time
_KILLING = {
    getattr(signal, name) for name in ("SIGKILL", "SIGTERM", "SIGHUP") if hasattr(signal, name)
}


def start_child(command: Sequence[str], environ: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """Start a process that is controlled by its input and that Ctrl-C in a terminal leaves alone.

    Raises:
        OSError: It cannot be started.
    """
    return subprocess.Popen(  # noqa: S603  # our own interpreter and module
        list(command),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=dict(environ),
        process_group=0,  # the terminal's signals go to the group of the process that started it
        creationflags=_OWN_GROUP,
    )


class Excess(StrEnum):
    """Why there is no answer."""

    MEMORY = "memory"
    TIME = "time"
    DEATH = "death"  # by a fault of its own
    KILLED = "killed"  # from outside: by the system when memory is short, or by an operator


class Exceeded(Exception):
    """The process was ended, or ended by itself, without an answer."""

    def __init__(self, excess: Excess) -> None:
        super().__init__(excess.value)
        self.excess = excess


class LimitedProcess:
    """A process that answers one question at a time.

    Resident memory is watched where the system has files with it (Linux), time everywhere.
    """

    def __init__(self, command: Sequence[str], environ: Mapping[str, str]) -> None:
        self._process = start_child(command, environ)
        self._replies: queue.SimpleQueue[Reply | None] = queue.SimpleQueue()
        self._ended = threading.Event()
        threading.Thread(target=self._hear, name="limited", daemon=True).start()

    @property
    def process_id(self) -> int:
        """Its number in the system."""
        return self._process.pid

    def ask(self, request: Request, memory_bytes: int) -> Reply:
        """Wait for the answer to a request.

        Raises:
            Exceeded: It took too much, or the process died; it is gone afterwards.
        """
        deadline = time.monotonic() + WALL_FACTOR * request.cpu_seconds
        with suppress(OSError, ValueError):  # it has just died: reading the reply reports that
            assert self._process.stdin is not None  # noqa: S101  # a pipe, by Popen above
            self._process.stdin.write(pack(request))
            self._process.stdin.flush()
        while True:
            with suppress(queue.Empty):
                reply = self._replies.get(timeout=WATCH_SECONDS)
                if reply is not None:
                    return reply
                raise Exceeded(self._find_excess())
            if self._read_status("VmRSS:") > memory_bytes:
                self.kill()
                raise Exceeded(Excess.MEMORY)
            if time.monotonic() > deadline:
                self.kill()
                raise Exceeded(Excess.TIME)

    def is_alive(self) -> bool:
        """Return whether it has not ended yet."""
        return not self._ended.is_set()

    def read_peak_bytes(self) -> int:
        """Return its peak memory in bytes, 0 if the system does not report it."""
        return self._read_status("VmHWM:")

    def close(self) -> None:
        """Let the idle process end."""
        assert self._process.stdin is not None  # noqa: S101  # a pipe, by Popen above
        with suppress(OSError):
            self._process.stdin.close()

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()
        self._process.wait()
        self.close()

    def _find_excess(self) -> Excess:
        code = self._process.wait()
        self.close()
        if hasattr(signal, "SIGXCPU") and code == -signal.SIGXCPU:
            return Excess.TIME
        return Excess.KILLED if -code in _KILLING else Excess.DEATH

    def _read_status(self, name: str) -> int:
        with suppress(OSError, ValueError, IndexError):  # it has no memory once it has ended
            status = Path(f"/proc/{self._process.pid}/status").read_text(encoding="latin-1")
            return int(status.partition(name)[2].split()[0]) << 10
        return 0

    def _hear(self) -> None:
        assert self._process.stdout is not None  # noqa: S101  # a pipe, by Popen above
        with self._process.stdout as output:
            while isinstance(reply := unpack(output.read), Reply):
                self._replies.put(reply)
        self._ended.set()
        self._replies.put(None)
        self._process.wait()
