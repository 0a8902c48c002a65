"""OpenDocument and old Excel workbooks, which are only read."""

from dataclasses import replace
from pathlib import Path

from winnow.core.errors import BrokenFile
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.input_head import Choices, Head
from winnow.core.tasks.task import Notice
from winnow.lists.inspection.signature import (
    COMPOUND,
    ENCRYPTED_PACKAGE,
    OPEN_DOCUMENT,
    ZIP,
    name_any,
    name_binary,
)
from winnow.lists.list_format import WrappedFormat
from winnow.words import mark

_TOLD = mark(
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
            raise BrokenFile(
                "The workbook is protected by a password.",
                hint="Open it, remove the password, save it and upload it again.",
            )
        return None

    def unwrap(self, path: Path, out_path: Path) -> None:
        """Write the values of every sheet to an XLSX."""
        from winnow.lists.formats.converted.convert import convert_to_xlsx

        convert_to_xlsx(path, out_path, self.code)

    def read_head(
        self, path: Path, choices: Choices, email_column: str | None, scratch: Path | None
    ) -> Head:
        """Inspect the converted list, with a notice of the conversion."""
        head = super().read_head(path, choices, email_column, scratch)
        return replace(head, notices=(Notice("converted", _TOLD), *head.notices))
