"""What runs with the shim (``tests.faults.disk``) below its process.

python -m tests.faults.shimmed days FOLDER COUNT SEED    days' work, each with a drawn write failing
python -m tests.faults.shimmed backup FOLDER ERRNO       each write of ``winnow backup`` failing
python -m tests.faults.shimmed record FOLDER LOG         a list, with each write and sync noted
"""

import errno
import os
import random
import shutil
import sys
from pathlib import Path

from tests.applications import run, submit
from tests.faults.day import WORKBOOK, judge_day, open_day, pass_day
from tests.faults.disk import Disk
from tests.faults.lists import MadeList
from winnow.cli.commands import main as run_command
from winnow.lists.formats.delimited import run as text_run

ERRORS = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.EIO)


def fail_days(root: str, count: str, seed: str) -> None:
    """Let drawn writes fail."""
    assert WORKBOOK.content  # made while the disk is whole
    writes, draw = fail_one(Path(root) / "none", 0, 0, is_lasting=False), random.Random(int(seed))
    for _ in range(int(count)):
        nth, error = draw.randint(1, writes), draw.choice(ERRORS)
        fail_one(Path(root) / f"write-{nth}", nth, error, is_lasting=draw.random() < 0.5)
    sys.stdout.write(f"{count} failures among {writes} writes; every promise was kept\n")


def fail_one(data_dir: Path, nth: int, error: int, *, is_lasting: bool) -> int:
    """Pass a day on which a write fails, and judge what it leaves; return how many there were.

    Raises:
        AssertionError: A promise is broken; the message names the write.
    """
    disk, opened = Disk(), open_day(data_dir)
    disk.fail(data_dir, nth, error, is_lasting=is_lasting)
    notes = pass_day(opened)
    writes = disk.heal()
    opened.database.close()
    try:
        judge_day(data_dir, notes)
    except AssertionError as broken:
        how = "from then on" if is_lasting else "once"
        broken.add_note(f"write {nth} failed {how} with errno {error}; {data_dir}")
        raise
    shutil.rmtree(data_dir)
    return writes


def fail_backups(folder: str, error: str) -> None:
    """Fail the first write of a backup, the second, and so on, until none is left to fail.

    Prints a line for each: the exit code, then the names and modes in ``backups``.
    """
    os.environ["WINNOW_DATA_DIR"] = folder
    os.umask(0o022)
    backups, disk, nth, code = Path(folder) / "backups", Disk(), 0, 1
    while code != 0:
        nth += 1
        disk.fail(backups, nth, int(error), is_lasting=True)
        code = run_command(["backup"])
        disk.heal()
        found = [f"{path.name} {path.stat().st_mode & 0o777:o}" for path in backups.iterdir()]
        sys.stdout.write(f"{code} {' '.join(found)}\n")


def record_day(folder: str, log: str) -> None:
    """Work through one list."""
    assert text_run  # loaded before anything is recorded
    opened = open_day(Path(folder))
    Disk().record(Path(folder), Path(log))
    submit(opened, MadeList(300).content)
    run(opened)
    Disk().heal()
    opened.database.close()


if __name__ == "__main__":
    {"days": fail_days, "backup": fail_backups, "record": record_day}[sys.argv[1]](*sys.argv[2:])
