"""OpenDocument and old Excel workbooks, which are only read: converted to an XLSX of values."""

import os
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

from winnow.core.errors import BrokenFile, InspectionLost, WinnowError
from winnow.core.file_faults import FileFault
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.input_head import Choices, Head
from winnow.core.lists.notices import Notice
from winnow.limited.messages import Question, Request
from winnow.lists.inspection.signature import (
    COMPOUND,
    ENCRYPTED_PACKAGE,
    OPEN_DOCUMENT,
    ZIP,
    name_any,
    name_binary,
    word_protected,
)
from winnow.lists.list_format import WrappedFormat
from winnow.lists.unpacked_size import UnpackedSize
from winnow.words import translatable

MEMORY_BYTES = 480 << 20  # resident; of three million cells in ODS, or more than XLS has
CPU_SECONDS = 20  # openpyxl writes a million blank rows in nine
BYTES_PER_SECOND = 100_000  # more time for larger files: ODS packs 300,000 cells a MB
_HINT = translatable("Save the sheet with the list as CSV and upload that file.")
_CONVERTED = translatable(
    "The list comes back as an Excel workbook (.xlsx) of values: formulas as what they showed, "
    "without colours, charts and comments."
)


class ConvertedFormat(WrappedFormat):
    """A workbook that is converted to an XLSX of values first."""

    def name_content(self, start: bytes) -> str | None:
        """Name what is no workbook of this kind; refuse a protected one."""
        if self.code is FileFormat.ODS:
            return None if name_binary(start) in (OPEN_DOCUMENT, ZIP) else name_any(start)
        if not start.startswith(COMPOUND):
            return name_any(start)
        if ENCRYPTED_PACKAGE in start:
            raise word_protected()
        return None

    def unwrap(self, path: Path, out_path: Path) -> None:
        """Write the values of every sheet to an XLSX, in a process that may be ended.

        Raises:
            BrokenFile: Also for a workbook that takes too much memory or time.
            InspectionLost: The process was killed from outside.
        """
        from winnow.limited.process import Exceeded, Excess, LimitedProcess

        own_folder = str(Path(__file__).parents[4])  # where winnow lies, installed or not
        process = LimitedProcess(
            (sys.executable, "-P", "-m", "winnow.limited.serving"),
            {**os.environ, "PYTHONPATH": own_folder},
        )
        work = partial(_convert, path, out_path, self.code)
        seconds = CPU_SECONDS + path.stat().st_size // BYTES_PER_SECOND
        try:
            reply = process.ask(Request(Question(path, work), seconds), MEMORY_BYTES)
        except Exceeded as exceeded:
            if exceeded.excess is Excess.KILLED:
                raise InspectionLost from exceeded
            raise BrokenFile(
                "The workbook is damaged, or too large to be read.",
                fault=FileFault.TOO_COSTLY,
                hint=_HINT,
            ) from exceeded
        finally:
            process.kill()
        if reply.error is not None:
            raise reply.error
        if reply.crash is not None:
            raise RuntimeError(reply.crash)

    def read_head(
        self, path: Path, choices: Choices, email_column: str | None, scratch: Path | None
    ) -> Head:
        """Inspect the converted list, with a notice of the conversion."""
        head = super().read_head(path, choices, email_column, scratch)
        return replace(head, notices=(Notice("converted", _CONVERTED), *head.notices))


def _convert(path: Path, out_path: Path, file_format: FileFormat) -> None:
    """Write the values of all sheets, each cell in its place; see ``ConvertedFormat.unwrap``."""
    from winnow.lists.formats.converted.read import read_ods, read_xls
    from winnow.lists.formats.converted.write import write_value_book

    size = UnpackedSize(path.stat().st_size)
    try:
        is_ods = file_format is FileFormat.ODS
        write_value_book(read_ods(path, size) if is_ods else read_xls(path), out_path, size)
    except (WinnowError, OSError, MemoryError):
        raise
    except Exception as error:  # xlrd, zipfile and calamine raise any kind for a damaged file
        raise BrokenFile("The workbook is damaged and cannot be read.", hint=_HINT) from error
