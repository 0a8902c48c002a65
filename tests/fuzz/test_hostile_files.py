"""Files built to hurt end in an error that says what is wrong, in bounded memory."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz.hostile import BOOKS, TEXTS
from tests.server import PROJECT

PEAK_MAX_MIB = 600  # what an ordinary list may take: 440 were measured
SAID = {
    "blanks in a sheet": "zip bomb",
    "empty rows": "zip bomb",
    "a cell of a hundred megabytes": "zip bomb",
    "a comment without end": "zip bomb",
    "members": "more than 10,000 parts",
    "sheets of one part": "more than 1,000 sheets",
    "laughs": "document type",
    "a file of this machine": "document type",
    "one column too many": "16,384 columns",
    "columns": "16,384 columns",
    "a cell": "1 MiB",
    "a line": "1 MiB",
    "quotes": "1 MiB",
    "half characters": "UTF-16",
    "relations": "any spreadsheet program writes",
    "names": "any spreadsheet program writes",
    "attributes": "any spreadsheet program writes",
    "an attribute": "any spreadsheet program writes",
    "a million sheets": "more than 1,000 sheets",
    "comments": "not well-formed",
    "zips": "zip bomb",
}


@pytest.mark.parametrize("half", [0, 1])
def test_each_is_refused_or_read_within_bounds(tmp_path: Path, half: int) -> None:
    names = [*BOOKS, *TEXTS][half::2]
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz.bounds", str(tmp_path), *names],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        timeout=1200,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told = dict(line.split(": ", 1) for line in done.stdout.splitlines())
    assert list(told) == names
    for name in SAID.keys() & told.keys():
        assert SAID[name] in told[name], told[name]
    assert max(int(line.split(" ")[0]) for line in told.values()) < PEAK_MAX_MIB
    assert "/etc" not in done.stdout
