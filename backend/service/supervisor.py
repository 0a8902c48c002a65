"""Worker processes: started, woken, replaced when they die, told to leave. No signals, no fork."""

import logging
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from uuid import uuid4

from backend.service.runs import describe_crash

STOP_SECONDS = 6.0  # a worker's own patience and a little more
BACK_OFF_FIRST_SECONDS = 0.2
BACK_OFF_LAST_SECONDS = 10.0
SETTLED_SECONDS = 10.0  # a worker that lived this long did not die of its start

_log = logging.getLogger(__name__)


class Supervisor:
    """Keeps a number of worker processes alive, each held by a pipe to its standard input."""

    def __init__(
        self,
        command: Sequence[str],
        environ: Mapping[str, str],
        count: int,
        take_back: Callable[[str], None],
    ) -> None:
        """Prepare; nothing is started yet.

        Args:
            command: What starts a worker; its id is appended.
            environ: The worker's whole environment.
            count: How many.
            take_back: Called with the id of a worker whose process has ended.
        """
        self._command = tuple(command)
        self._environ = dict(environ)
        self._take_back = take_back
        self._guard = threading.Lock()
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._stopping = threading.Event()
        self._threads = [
            threading.Thread(target=self._keep_one, name=f"worker-{slot}", daemon=True)
            for slot in range(count)
        ]

    def start(self) -> None:
        """Start the workers."""
        for thread in self._threads:
            thread.start()

    def wake(self) -> None:
        """Tell every worker that a task was submitted."""
        with self._guard:
            for process in self._processes.values():
                with suppress(OSError, ValueError):  # it is just dying; the next one looks anyway
                    assert process.stdin is not None  # noqa: S101  # a pipe, by Popen below
                    process.stdin.write(b"\n")
                    process.stdin.flush()

    def stop(self) -> None:
        """Let the workers give their leases back and leave; end those that do not."""
        self._stopping.set()
        with self._guard:
            processes = tuple(self._processes.values())
            for process in processes:
                _close_input(process)
        deadline = time.monotonic() + STOP_SECONDS
        for process in processes:
            try:
                process.wait(max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
        for thread in self._threads:
            if thread.is_alive():
                thread.join(STOP_SECONDS)

    def list_process_ids(self) -> tuple[int, ...]:
        """Return the ids of the living worker processes."""
        with self._guard:
            return tuple(process.pid for process in self._processes.values())

    def _keep_one(self) -> None:
        back_off = BACK_OFF_FIRST_SECONDS
        while not self._stopping.is_set():
            worker_id = str(uuid4())
            started = time.monotonic()
            code = self._run_one(worker_id)
            if code == 0:
                back_off = BACK_OFF_FIRST_SECONDS
                continue
            if time.monotonic() - started > SETTLED_SECONDS:
                back_off = BACK_OFF_FIRST_SECONDS
            if not self._stopping.is_set():
                _log.warning("worker %s ended with code %s; another follows", worker_id, code)
            self._stopping.wait(back_off)
            back_off = min(BACK_OFF_LAST_SECONDS, back_off * 2)

    def _run_one(self, worker_id: str) -> int | None:
        with self._guard:
            if self._stopping.is_set():
                return None
            try:
                process = subprocess.Popen(  # noqa: S603  # our own interpreter and module
                    [*self._command, worker_id],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    env=self._environ,
                )
            except OSError as error:
                _log.error("no worker could be started: %s", error.strerror)
                return None
            self._processes[worker_id] = process
        try:
            return process.wait()
        finally:
            with self._guard:
                del self._processes[worker_id]
                _close_input(process)
            if not self._stopping.is_set():
                self._take_leases(worker_id)

    def _take_leases(self, worker_id: str) -> None:
        try:
            self._take_back(worker_id)
        except Exception as error:  # a full disk, say: the leases run out by themselves
            _log.error("leases of worker %s not taken back: %s", worker_id, describe_crash(error))


def _close_input(process: subprocess.Popen[bytes]) -> None:
    if process.stdin is not None:
        with suppress(OSError):
            process.stdin.close()
