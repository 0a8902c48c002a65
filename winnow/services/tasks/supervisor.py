"""Worker processes: their work, and the supervisor that starts, wakes and replaces them."""

import logging
import os
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from uuid import uuid4

from winnow.core.faults import describe_fault
from winnow.limited.process import start_child
from winnow.services.tasks.runs import Runs
from winnow.storage.repositories.leases import LEASE_SECONDS

POLL_SECONDS = 1.0  # a submission wakes the worker at once; this finds what other processes queue
LEAVE_SECONDS = 4.0  # the time that a run has to reach its next report
BEAT_SECONDS = 2.0  # the supervisor ends a worker that is silent for many of these
LARGE_BYTES = 32 << 20  # after a list of this size a fresh process gives the memory back
STOP_SECONDS = 6.0  # a little more than LEAVE_SECONDS
BACK_OFF_FIRST_SECONDS = 0.2
BACK_OFF_LAST_SECONDS = 10.0
SILENCE_SECONDS = LEASE_SECONDS + 15.0  # a worker that has lost its lease, and a grace
SILENCE_STEPS = 9  # counted in steps: a sleeping or busy machine misses one or two
FIRST_WORD_FACTOR = 4  # Python must load first, perhaps from a cold disk
SETTLED_SECONDS = 10.0  # a worker that lived this long did not fail at its start
LOOP_DEATHS = 5  # in a row, each at the start; a list that kills workers is given up before

_log = logging.getLogger(__name__)


class Supervisor:
    """Keeps a number of worker processes alive, each controlled by its standard input.

    Each reports on its standard output that it lives. One that hangs may hold the database's write
    lock, so that all others wait: it is killed, and its transaction is rolled back.
    """

    def __init__(
        self,
        command: Sequence[str],
        environ: Mapping[str, str],
        count: int,
        take_back: Callable[[str], None],
        *,
        silence_seconds: float = SILENCE_SECONDS,
        first_wait_seconds: float = 0.0,
    ) -> None:
        """Prepare; nothing is started yet.

        Args:
            command: What starts a worker; its id is appended.
            environ: The worker's whole environment.
            count: How many.
            take_back: Called with the id of a worker whose process has ended.
            silence_seconds: How long a worker may be silent; at its start four times as long.
            first_wait_seconds: How long after ``start`` the first workers begin, if nothing wakes
            them before: until then the first page needs the processor.
        """
        self._command = tuple(command)
        self._environ = dict(environ)
        self._take_back = take_back
        self._step_seconds = silence_seconds / SILENCE_STEPS
        self._guard = threading.Lock()
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._stopping = threading.Event()
        self._first_wait_seconds = first_wait_seconds
        self._deaths, self._died_at = 0, 0.0  # in a row, at the start
        self._wanted = threading.Event()
        self._threads = [
            threading.Thread(target=self._keep_one, name=f"worker-{slot}", daemon=True)
            for slot in range(count)
        ]

    def start(self) -> None:
        """Start the workers."""
        for thread in self._threads:
            thread.start()

    def wake(self) -> None:
        """Notify every worker of a submitted task; start those that have not started."""
        self._wanted.set()
        with self._guard:
            for process in self._processes.values():
                with suppress(OSError, ValueError):  # it is ending; the next worker claims the task
                    assert process.stdin is not None  # noqa: S101  # a pipe, by Popen below
                    process.stdin.write(b"\n")
                    process.stdin.flush()

    def stop(self) -> None:
        """Ask the workers to release their leases and exit; kill those that do not."""
        self.dismiss()
        with self._guard:
            processes = tuple(self._processes.values())
        deadline = time.monotonic() + STOP_SECONDS
        for process in processes:
            try:
                process.wait(max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
        for thread in self._threads:
            if thread.is_alive():
                thread.join(STOP_SECONDS)

    def dismiss(self) -> None:
        """Ask the workers to exit; wait for none."""
        self._stopping.set()
        self._wanted.set()
        with self._guard:
            for process in self._processes.values():
                _close_input(process)

    def kill(self) -> None:
        """Kill the workers at once; takes no lock, so that a signal handler may call it."""
        self._stopping.set()
        for process in tuple(self._processes.values()):
            process.kill()

    def list_process_ids(self) -> tuple[int, ...]:
        """Return the ids of the living worker processes."""
        with self._guard:
            return tuple(process.pid for process in self._processes.values())

    @property
    def is_down(self) -> bool:
        """Whether workers die at their start, again and again until now."""
        seconds = time.monotonic() - self._died_at
        return self._deaths >= LOOP_DEATHS and seconds < SETTLED_SECONDS + BACK_OFF_LAST_SECONDS

    def _keep_one(self) -> None:
        self._wanted.wait(self._first_wait_seconds)
        back_off = BACK_OFF_FIRST_SECONDS
        while not self._stopping.is_set():
            worker_id = str(uuid4())
            started = time.monotonic()
            code = self._run_one(worker_id)
            ended = time.monotonic()
            if code == 0 or ended - started > SETTLED_SECONDS:
                back_off, self._deaths = BACK_OFF_FIRST_SECONDS, 0
            if code == 0:
                continue
            self._deaths, self._died_at = self._deaths + 1, ended
            if not self._stopping.is_set():
                _log.warning("worker %s ended with code %s; another follows", worker_id, code)
            self._stopping.wait(back_off)
            back_off = min(BACK_OFF_LAST_SECONDS, back_off * 2)

    def _run_one(self, worker_id: str) -> int | None:
        with self._guard:
            if self._stopping.is_set():
                return None
            try:
                process = start_child((*self._command, worker_id), self._environ)
            except OSError as error:
                _log.error("no worker could be started: %s", error.strerror)
                return None
            self._processes[worker_id] = process
        try:
            self._wait(process, worker_id)
            return process.wait()
        finally:
            with self._guard:
                del self._processes[worker_id]
                _close_input(process)
            if not self._stopping.is_set():
                try:
                    self._take_back(worker_id)
                except Exception as error:  # such as a full disk: the leases expire
                    said = describe_fault(error)
                    _log.error("leases of worker %s not taken back: %s", worker_id, said)

    def _wait(self, process: subprocess.Popen[bytes], worker_id: str) -> None:
        """Wait until a worker has closed its output; kill one that is silent for too long."""
        heard, closed = threading.Event(), threading.Event()
        threading.Thread(
            target=_hear, args=(process, heard, closed), name="hearing", daemon=True
        ).start()
        silent_steps, allowed_steps = 0, SILENCE_STEPS * FIRST_WORD_FACTOR
        while not closed.is_set():
            if heard.wait(self._step_seconds):
                heard.clear()
                silent_steps, allowed_steps = 0, SILENCE_STEPS
                continue
            silent_steps += 1
            if silent_steps >= allowed_steps:
                _log.error("worker %s does not progress and is ended", worker_id)
                process.kill()
                return


def _hear(
    process: subprocess.Popen[bytes], heard: threading.Event, closed: threading.Event
) -> None:
    assert process.stdout is not None  # noqa: S101  # a pipe, by Popen above
    with process.stdout as output:
        while os.read(output.fileno(), 64):
            heard.set()
    closed.set()
    heard.set()


def _close_input(process: subprocess.Popen[bytes]) -> None:
    if process.stdin is not None:
        with suppress(OSError):
            process.stdin.close()


def work(runs: Runs, worker_id: str, read_input: Callable[[], bytes]) -> None:
    """Work until the input ends, or until a large list is done and a fresh process should follow.

    Args:
        runs: Claims and runs the tasks.
        worker_id: Names this process in its leases.
        read_input: Blocks; any bytes mean "a task was submitted", none mean "leave". The
            supervisor's end of the pipe closes with it, however it ends, so no signal is needed.
    """
    stopping, wake = threading.Event(), threading.Event()
    listener = threading.Thread(
        target=_listen, args=(read_input, stopping, wake), name="listener", daemon=True
    )
    listener.start()
    while not stopping.is_set():
        task = runs.run_next(worker_id, stopping)
        if task is None:
            wake.wait(POLL_SECONDS)
            wake.clear()
        elif task.input_bytes >= LARGE_BYTES:
            return


def start_beating(write_output: Callable[[bytes], object]) -> None:
    """Start the thread that reports that this process lives and is not stopped.

    It needs neither the database nor the engine, so only a process that hangs is silent.
    """
    threading.Thread(target=_beat, args=(write_output,), name="beat", daemon=True).start()


def _beat(write_output: Callable[[bytes], object]) -> None:
    with suppress(OSError):  # no one reads any more; the input ends as well
        while True:
            write_output(b".")
            time.sleep(BEAT_SECONDS)


def _listen(
    read_input: Callable[[], bytes], stopping: threading.Event, wake: threading.Event
) -> None:
    while read_input():
        wake.set()
    stopping.set()
    wake.set()
    time.sleep(LEAVE_SECONDS)
    os._exit(0)  # the engine is deep in native code; the lease is taken back from outside
