"""Delimited text: CSV, TSV and plain text."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from winnow.core.lists.input_head import Choices, Head
from winnow.core.tasks.task import InputPlan
from winnow.lists.inspection.signature import name_binary, name_text
from winnow.lists.list_format import BatchOutcome, ListFormat
from winnow.lists.requests import BatchRequest, RowsRequest, SampleRequest

if TYPE_CHECKING:
    from winnow.lists.engine.row_ranks import RowRanks
    from winnow.lists.preview.list_part import ListPart, PartRequest
    from winnow.lists.preview.row_sample import RowSample
    from winnow.lists.text.row_block import RowBlock

T = TypeVar("T")


class DelimitedFormat(ListFormat):
    """Rows between line breaks, cells between delimiters; the bytes of each row come back."""

    def name_content(self, start: bytes) -> str | None:
        """Name what is no table in text; any other bytes may be one."""
        return name_binary(start) or name_text(start)

    def read_head(
        self, path: Path, choices: Choices, email_column: str | None, scratch: Path | None
    ) -> Head:
        """Read the first MiB with care, and pass over the rest once."""
        from winnow.lists.formats.delimited.inspection import inspect_text

        return inspect_text(path, self.code, choices, email_column)

    def sample(self, request: SampleRequest) -> "RowSample":
        """Read all rows of a small list, else windows across it."""
        from winnow.lists.formats.delimited.preview import sample_delimited

        return sample_delimited(request)

    def open_part(
        self, request: "PartRequest", ranks: "RowRanks"
    ) -> "AbstractContextManager[ListPart]":
        """Read the first blocks."""
        from winnow.lists.formats.delimited.part import open_delimited_part

        return open_delimited_part(request, ranks)

    def bound_result_bytes(self, path: Path, plan: InputPlan, scratch: Path | None) -> int:
        """Count the rows and bound what is put behind each."""
        from winnow.lists.formats.delimited.room import bound_text_bytes

        return bound_text_bytes(path, plan)

    def read_rows(self, request: RowsRequest, work: "Callable[[RowBlock], T]") -> "Iterator[T]":
        """Cut the rows out of the text, decoded where it must be."""
        from winnow.lists.formats.delimited.rows import read_text_rows

        return read_text_rows(request, work)

    def run(self, request: BatchRequest) -> BatchOutcome:
        """Pass over the bytes twice, with one judgement a domain in between."""
        from winnow.lists.execution.ordered import take_short_turns
        from winnow.lists.formats.delimited.batch import run_delimited_batch

        with take_short_turns():
            return run_delimited_batch(request)
