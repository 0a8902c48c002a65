"""Files built to hurt, each cleaned in one process whose peak memory is told.

``python -m tests.fuzz.bounds FOLDER NAME...``: prints one line a file with the peak in MiB.
"""

import re
import resource
import sys
import time
from contextlib import suppress
from pathlib import Path

from tests.fuzz.entries import clean_file
from tests.fuzz.hostile import BOOKS, write_apart
from winnow.core.errors import WinnowError
from winnow.lists.inspect import plan_input, read_head


def read_peak_mib() -> int:
    """Return the most memory that this program took.

    The usage of the process would count what its parent had when it began.
    """
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    (peak,) = re.findall(r"VmHWM:\s+(\d+) kB", status.read_text())
    return int(peak) // 1024


def forget_peak() -> None:
    """Let the peak count from now on, where the system can (Linux)."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def main() -> None:
    """Write each file, look at it, clean it, and throw it away."""
    folder = Path(sys.argv[1])
    for name in sys.argv[2:]:
        path = folder / ("list.xlsx" if name in BOOKS else "list.csv")
        write_apart(name, path)
        forget_peak()
        try:
            plan_input(read_head(path, path.name), email_column=0)
            said = "read"
        except WinnowError as error:
            said = f"{error.code}: {error.detail}"
        clean_file(path, path.name)
        told = f"{name}: {read_peak_mib()} MiB {time.process_time():.1f} s {said}"
        print(told, flush=True)  # noqa: T201
        path.unlink()


if __name__ == "__main__":
    main()
