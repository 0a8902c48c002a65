"""Delimited text: CSV, TSV and plain text."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from winnow.core.lists.input_head import Choices, Head
from winnow.lists.inspection.signature import name_binary, name_text
from winnow.lists.list_format import BatchOutcome, ListFormat
from winnow.lists.requests import BatchRequest, RowsRequest

if TYPE_CHECKING:
    from winnow.lists.text.row_block import RowBlock

T = TypeVar("T")


class DelimitedFormat(ListFormat):
    """Rows between line breaks, cells between delimiters; the bytes of each row are kept."""

    def name_content(self, start: bytes) -> str | None:
        """Name what is no table in text; any other bytes may be one."""
        return name_binary(start) or name_text(start)

    def read_head(
        self, path: Path, choices: Choices, email_column: str | None, scratch: Path | None
    ) -> Head:
        """Parse the first MiB with care, and scan the rest once."""
        from winnow.lists.formats.delimited.inspection import inspect_text

        return inspect_text(path, self.code, choices, email_column)

    def read_rows(self, request: RowsRequest, work: "Callable[[RowBlock], T]") -> "Iterator[T]":
        """Cut the rows out of the text, decoded where it must be."""
        from winnow.lists.formats.delimited.rows import read_text_rows

        return read_text_rows(request, work)

    def run(self, request: BatchRequest) -> BatchOutcome:
        """Read the bytes twice, with one judgement a domain in between."""
        from winnow.lists.execution.ordered import take_short_turns
        from winnow.lists.formats.delimited.batch import run_delimited_batch

        with take_short_turns():
            return run_delimited_batch(request)
