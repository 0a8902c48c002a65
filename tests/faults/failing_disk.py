"""A day's work with the Nth write failing, for drawn N or for every N; then everything adds up.

python -m tests.faults.failing_disk [--count 40 | --every STEP] [--seed N] [--data FOLDER]

Needs the shim below it (``tests.faults.disk``); started without, it builds it and starts again.
"""

import argparse
import errno
import os
import random
import shutil
import sys
import tempfile
from pathlib import Path

from tests.faults.day import Day, open_day
from tests.faults.disk import Disk, build_shim, run_on_shim

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
    """Fail writes as the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--every", type=int, help="each STEPth write instead, in every way")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1_000_000))
    parser.add_argument("--data", type=Path, help="default: a temporary folder")
    options = parser.parse_args()
    root = (options.data or Path(tempfile.mkdtemp(prefix="winnow-disk-"))).absolute()
    root.mkdir(parents=True, exist_ok=True)
    if "LD_PRELOAD" not in os.environ:
        arguments = [*sys.argv[1:], "--data", str(root), "--seed", str(options.seed)]
        done = run_on_shim("tests.faults.failing_disk", *arguments, library=build_shim(root))
        sys.stdout.write(done.stdout)
        sys.stderr.write(done.stderr)
        return done.returncode
    disk = Disk()
    writes = count_writes(disk, root)
    draw = random.Random(options.seed)
    if options.every:
        ways = [(error, lasts) for error in ERRORS for lasts in (False, True)]
        chosen = [(n, *way) for n in range(1, writes + 1, options.every) for way in ways]
    else:
        chosen = [
            (draw.randint(1, writes), draw.choice(ERRORS), draw.random() < 0.5)
            for _ in range(options.count)
        ]
    for nth, error, is_lasting in chosen:
        fail_one(disk, root / f"write-{nth}", nth, error, is_lasting=is_lasting)
    sys.stdout.write(
        f"seed {options.seed}: {len(chosen)} failures among {writes} writes; "
        "every promise was kept\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
