"""A worker that stands still at its first report while a file ``hold`` is in the data folder.

It stands between two writes, is alive, and minds its fence; so a test need not be quick to find
it in the middle of a list.

python -m tests.faults.held_worker WORKER_ID
"""

import os
import signal
import sys
import time

from winnow.core.tasks.task import Progress
from winnow.environment import read_environment
from winnow.services.tasks import runs
from winnow.serving import run_worker

HOLD = "hold"
HANG = "hang"  # stop for good inside a write transaction, once


def main(worker_id: str) -> None:
    """Be a worker that can be held."""
    hold = read_environment(os.environ).data_dir / HOLD
    hang = hold.with_name(HANG)
    report = runs._Heartbeat.report

    def report_and_stay(heartbeat: runs._Heartbeat, progress: Progress) -> None:
        if hang.exists():
            with heartbeat.database.writing():
                hang.unlink()
                os.kill(os.getpid(), signal.SIGSTOP)
        if not (progress.bytes_done and hold.exists()):
            report(heartbeat, progress)
            return
        heartbeat._reported_at = 0.0  # recorded at once, so that the test sees it
        report(heartbeat, progress)
        while hold.exists():
            heartbeat.require_running()
            time.sleep(0.02)

    runs._Heartbeat.report = report_and_stay  # type: ignore[method-assign]
    run_worker(read_environment(os.environ), worker_id)


if __name__ == "__main__":
    main(sys.argv[1])
