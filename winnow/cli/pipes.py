"""Lists from standard input, and results to standard output."""

import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from winnow.cli.clean import Outputs, clean_file, make_folder, name_result, require_given
from winnow.cli.list_files import read_choice
from winnow.cli.reports import CleanReport
from winnow.core.errors import BadField
from winnow.core.tasks.run_request import RunRequest

PIPE = "-"
_ENDINGS = (
    (b"PK\x03\x04", "xlsx"),
    (b"PAR1", "parquet"),
    (b"\x1f\x8b", "csv.gz"),
    (b"\x28\xb5\x2f\xfd", "csv.zst"),
)


def clean_piped(
    files: Sequence[str],
    out: str | None,
    request: RunRequest,
    outputs: Outputs,
    report: CleanReport,
) -> None:
    """Clean one list from standard input (``-``), to standard output (``-``), or both.

    A list from a pipe is a workbook, a Parquet file or packed text by its first bytes, else text;
    without ``--out`` its result goes to standard output. Both are copied to a folder for the run.

    Raises:
        BadField: There are several lists, or several files would be written to one stream.
        WinnowError: As ``clean_file``.
    """
    if len(files) != 1:
        raise BadField("file", "standard input is one list, and standard output takes one")
    if out in (None, PIPE) and (outputs.platform is not None):
        raise BadField("out", "a platform has two files, and standard output takes one")
    with tempfile.TemporaryDirectory(prefix="winnow-") as folder:
        name, content = Path(files[0]), Path(files[0])
        if files[0] == PIPE:
            content = Path(folder) / "list"
            with content.open("wb") as copy:
                shutil.copyfileobj(sys.stdin.buffer, copy)
            name = Path(folder) / f"input.{_find_ending(content)}"
        require_given(content)
        is_streamed = out in (None, PIPE)
        into = folder if out is None or is_streamed else out
        make_folder(into)
        target = Path(into)
        if target.is_dir():
            choice = read_choice(os.environ, outputs.policy)
            target /= name_result(name.name, outputs.platform, choice)
        cleaned = clean_file(name, target, request, outputs, content=content)
        if is_streamed:
            with cleaned.written[0].path.open("rb") as result:
                shutil.copyfileobj(result, sys.stdout.buffer)
        report.add(files[0], cleaned, lambda path: PIPE if is_streamed else str(path))


def _find_ending(content: Path) -> str:
    with content.open("rb") as file:
        start = file.read(4)
    return next((ending for magic, ending in _ENDINGS if start.startswith(magic)), "csv")
