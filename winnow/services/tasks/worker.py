"""The worker process: works on tasks until its standard input ends."""

import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress

from winnow.services.tasks.runs import Runs

POLL_SECONDS = 1.0  # a submission wakes the worker at once; this finds what other processes queue
LEAVE_SECONDS = 4.0  # the time that a run has to reach its next report
BEAT_SECONDS = 2.0  # the supervisor ends a worker that is silent for many of these
LARGE_BYTES = 32 << 20  # after a list of this size a fresh process gives the memory back
NICENESS = 5  # with a large list: pages and API come first


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
        run = runs.run_next(worker_id, stopping, _step_back)
        if run is None:
            wake.wait(POLL_SECONDS)
            wake.clear()
        elif run.input_bytes >= LARGE_BYTES:
            return


def _step_back(input_bytes: int) -> None:
    if input_bytes >= LARGE_BYTES and hasattr(os, "nice"):
        os.nice(NICENESS)  # for the rest of this process's life, which ends with the list


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
