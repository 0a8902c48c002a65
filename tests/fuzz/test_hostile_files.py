"""Files built to hurt end in an error that says what is wrong, in bounded memory."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz.hostile import BOOKS, TEXTS
from tests.server import PROJECT

PEAK_MAX_MIB = 600  # what an ordinary list may take: 440 were measured
SAID = {
    "write_bomb": "zip bomb",
    "write_rows": "zip bomb",
    "write_long_text": "zip bomb",
    "write_comment": "zip bomb",
    "write_members": "more than 10,000 parts",
    "write_sheets": "more than 1,000 sheets",
    "write_laughs": "document type",
    "write_external": "document type",
    "write_wide": "16,384 columns",
    "write_columns": "16,384 columns",
    "write_cell": "1 MiB",
    "write_line": "1 MiB",
    "write_quotes": "1 MiB",
    "write_utf16": "UTF-16",
    "write_breaks": "nothing else",
    "write_relations": "any spreadsheet program writes",
    "write_names": "any spreadsheet program writes",
    "write_attributes": "any spreadsheet program writes",
    "write_attribute": "any spreadsheet program writes",
    "write_million_sheets": "more than 1,000 sheets",
    "write_comments": "ends within a tag",
    "write_zips": "zip bomb",
}


@pytest.mark.parametrize("half", [0, 1])
def test_each_is_refused_or_read_within_bounds(tmp_path: Path, half: int) -> None:
    names = [write.__name__ for write in (*BOOKS, *TEXTS)][half::2]
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz.hostile", str(tmp_path), *names],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        timeout=1200,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told = dict(line.split(" ", 1) for line in done.stdout.splitlines())
    assert list(told) == names
    for name in SAID.keys() & told.keys():
        assert SAID[name] in told[name], told[name]
    assert max(int(line.split(" ")[0]) for line in told.values()) < PEAK_MAX_MIB
    assert "/etc" not in done.stdout
