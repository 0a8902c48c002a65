"""Conversion of other workbooks to an XLSX of values, in a process with limits."""

import os
import sys
from functools import partial
from pathlib import Path

from winnow.core.errors import BrokenFile, InspectionLost, WinnowError
from winnow.core.lists.file_format import FileFormat
from winnow.limited.messages import Question, Request
from winnow.limited.process import Exceeded, Excess, LimitedProcess
from winnow.lists.formats.converted.value_book import (
    OversizedSheet,
    ProtectedBook,
    write_value_book,
)
from winnow.lists.unpacked_size import UnpackedSize
from winnow.words import mark

MEMORY_BYTES = 480 << 20  # resident; of three million cells in ODS, or more than XLS has
CPU_SECONDS = 20  # openpyxl writes a million blank rows in nine
BYTES_PER_SECOND = 100_000  # more time for larger files: ODS packs 300,000 cells a MB
_HINT = mark("Save the sheet with the list as CSV and upload that file.")
_DAMAGED = mark("The workbook is damaged and cannot be read.")


def convert_to_xlsx(path: Path, out_path: Path, file_format: FileFormat) -> None:
    """Write the values of all sheets, in a process that is ended when it takes too much.

    Raises:
        BrokenFile: Protected, damaged, more than an XLSX holds, or too much work; what was written
            is rubbish.
        InspectionLost: The process was killed from outside.
    """
    own_folder = str(Path(__file__).parents[4])  # where winnow lies, installed or not
    process = LimitedProcess(
        (sys.executable, "-P", "-m", "winnow.lists.formats.converted.child"),
        {**os.environ, "PYTHONPATH": own_folder},
    )
    work = partial(_convert, path, out_path, file_format)
    seconds = CPU_SECONDS + path.stat().st_size // BYTES_PER_SECOND
    try:
        reply = process.ask(Request(Question(path, work), seconds), MEMORY_BYTES)
    except Exceeded as exceeded:
        if exceeded.excess is Excess.KILLED:
            raise InspectionLost from exceeded
        raise BrokenFile(
            "The workbook is damaged, or too large to be read.", hint=_HINT
        ) from exceeded
    finally:
        process.kill()
    if reply.error is not None:
        raise reply.error
    if reply.crash is not None:
        raise RuntimeError(reply.crash)


def _convert(path: Path, out_path: Path, file_format: FileFormat) -> None:
    """Write the values of all sheets, each cell in its place; errors are ``convert_to_xlsx``'s."""
    if file_format is FileFormat.ODS:
        from winnow.lists.formats.converted.ods_sheets import read_sheets
    else:
        from winnow.lists.formats.converted.xls_sheets import read_sheets
    size = UnpackedSize(path.stat().st_size)
    try:
        write_value_book(read_sheets(path, size), out_path, size)
    except OversizedSheet as error:
        raise BrokenFile(error.args[0], hint=_HINT) from error
    except ProtectedBook as error:
        raise BrokenFile(
            "The workbook is protected by a password.",
            hint="Open it, remove the password, save it and upload it again.",
        ) from error
    except (WinnowError, OSError, MemoryError):
        raise
    except Exception as error:  # xlrd, zipfile and calamine raise any kind for a damaged file
        raise BrokenFile(_DAMAGED, hint=_HINT) from error
