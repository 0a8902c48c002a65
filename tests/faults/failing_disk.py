"""A day's work with the Nth write failing, for drawn N; then everything adds up.

python -m tests.faults.failing_disk FOLDER COUNT SEED

Needs the shim below it (``tests.faults.disk``).
"""

import errno
import random
import shutil
import sys
from pathlib import Path

from tests.faults.day import Day, open_day
from tests.faults.disk import Disk

ERRORS = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.EIO)


def count_writes(disk: Disk, root: Path) -> int:
    """Return how many writes a day has when nothing fails."""
    opened = open_day(root / "none")
    disk.count(root / "none")
    day = Day(opened)
    day.pass_by()
    writes = disk.heal()
    opened.database.close()
    judge(day, root / "none")
    return writes


def fail_one(disk: Disk, data_dir: Path, nth: int, error: int, *, is_lasting: bool) -> None:
    """Pass a day on which a write fails, and judge what it leaves.

    Raises:
        AssertionError: A promise is broken; the message names the write.
    """
    opened = open_day(data_dir)
    day = Day(opened)
    disk.fail(data_dir, nth, error, is_lasting=is_lasting)
    day.pass_by()
    disk.heal()
    opened.database.close()
    try:
        judge(day, data_dir)
    except AssertionError as broken:
        how = "from then on" if is_lasting else "once"
        broken.add_note(f"write {nth} failed {how} with {errno.errorcode[error]}; {data_dir}")
        raise


def judge(day: Day, data_dir: Path) -> None:
    """Judge a day on its folder, opened anew, and remove it."""
    reopened = open_day(data_dir)
    day.judge(reopened)
    reopened.database.close()
    shutil.rmtree(data_dir)


def main() -> int:
    """Fail drawn writes."""
    root, count, seed = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    disk, draw = Disk(), random.Random(seed)
    writes = count_writes(disk, root)
    for _ in range(count):
        nth, error = draw.randint(1, writes), draw.choice(ERRORS)
        fail_one(disk, root / f"write-{nth}", nth, error, is_lasting=draw.random() < 0.5)
    sys.stdout.write(f"{count} failures among {writes} writes; every promise was kept\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
