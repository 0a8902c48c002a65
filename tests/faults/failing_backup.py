"""``winnow backup`` with each of its writes failing in turn, as a process with the shim below it.

python -m tests.faults.failing_backup FOLDER ERRNO

Prints one line for each write that failed: the exit code, then the names and modes in ``backups``.
"""

import os
import sys
from pathlib import Path

from tests.faults.disk import Disk
from winnow.cli.commands import main as run_command


def main() -> int:
    """Fail the first write, the second, and so on, until none is left to fail."""
    folder, error = Path(sys.argv[1]), int(sys.argv[2])
    os.environ["WINNOW_DATA_DIR"] = str(folder)
    os.umask(0o022)
    backups, disk, nth, code = folder / "backups", Disk(), 0, 1
    while code != 0:
        nth += 1
        disk.fail(backups, nth, error, is_lasting=True)
        code = run_command(["backup"])
        disk.heal()
        found = [f"{path.name} {path.stat().st_mode & 0o777:o}" for path in backups.iterdir()]
        sys.stdout.write(f"{code} {' '.join(found)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
