"""A list is taken in and worked through with the shim noting every write, sync and rename.

python -m tests.faults.recorded_day FOLDER LOG
"""

import sys
from pathlib import Path

from tests.applications import run, submit
from tests.faults.day import open_day
from tests.faults.disk import Disk
from tests.faults.lists import MadeList
from winnow.lists.formats.delimited import run as text_run


def main(folder: Path, log: Path) -> None:
    """Work through one list."""
    opened = open_day(folder)
    Disk().record(folder, log)
    submit(opened, MadeList(300).content)
    run(opened)
    Disk().heal()
    opened.database.close()


if __name__ == "__main__":
    assert text_run  # loaded before anything is recorded
    main(Path(sys.argv[1]), Path(sys.argv[2]))
