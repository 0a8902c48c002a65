"""Delimited text: CSV, TSV and plain text."""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from winnow.core.lists.input_head import Choices, Head
from winnow.lists.inspection.signature import name_binary, name_text
from winnow.lists.list_format import ListFormat
from winnow.lists.requests import RowsRequest

if TYPE_CHECKING:
    from winnow.lists.list_source import ListSource


class DelimitedFormat(ListFormat):
    """Rows between line breaks, cells between delimiters; the bytes of each row are kept."""

    def name_content(self, start: bytes) -> str | None:
        """Name what is no table in text; any other bytes may be one."""
        return name_binary(start) or name_text(start)

    def read_head(
        self, path: Path, choices: Choices, email_column: str | None, scratch: Path | None
    ) -> Head:
        """Parse the beginning with care, and scan the rest once."""
        from winnow.lists.formats.delimited.head import inspect_text

        return inspect_text(path, self.code, choices, email_column)

    def open_source(self, request: RowsRequest) -> "AbstractContextManager[ListSource]":
        """Open the text, decoded where it must be."""
        from winnow.lists.formats.delimited.run import open_text

        return open_text(request)
