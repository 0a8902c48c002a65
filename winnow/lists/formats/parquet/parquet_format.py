"""Apache Parquet."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from winnow.core.lists.input_head import Choices, Head
from winnow.core.tasks.task import InputPlan
from winnow.lists.formats.parquet.footer import MAGIC, refuse_encrypted
from winnow.lists.inspection.signature import name_any
from winnow.lists.list_format import BatchOutcome, ListFormat
from winnow.lists.requests import BatchRequest, RewriteRequest, RowsRequest, SampleRequest

if TYPE_CHECKING:
    from winnow.lists.engine.row_ranks import RowRanks
    from winnow.lists.preview.list_part import ListPart, PartRequest
    from winnow.lists.preview.row_sample import RowSample
    from winnow.lists.text.row_block import RowBlock

T = TypeVar("T")


class ParquetFormat(ListFormat):
    """A table of named columns of any type; types, metadata, codecs and row groups come back."""

    def name_content(self, start: bytes) -> str | None:
        """Name what begins otherwise; refuse an encrypted file."""
        refuse_encrypted(start[: len(MAGIC)])
        return None if start.startswith(MAGIC) else name_any(start)

    def read_head(
        self, path: Path, choices: Choices, email_column: str | None, scratch: Path | None
    ) -> Head:
        """Read the footer and the first rows."""
        from winnow.lists.formats.parquet.inspection import inspect_parquet

        return inspect_parquet(path, choices)

    def sample(self, request: SampleRequest) -> "RowSample":
        """Read the email column, or of a long list the first rows of many row groups."""
        from winnow.lists.formats.parquet.preview import sample_parquet

        return sample_parquet(request)

    def open_part(
        self, request: "PartRequest", ranks: "RowRanks"
    ) -> "AbstractContextManager[ListPart]":
        """Read the first steps."""
        from winnow.lists.formats.parquet.part import open_parquet_part

        return open_parquet_part(request, ranks)

    def bound_result_bytes(self, path: Path, plan: InputPlan, scratch: Path | None) -> int:
        """Read all rows and measure their values and texts."""
        from winnow.lists.formats.parquet.room import bound_parquet_bytes

        return bound_parquet_bytes(path, plan)

    def read_rows(self, request: RowsRequest, work: "Callable[[RowBlock], T]") -> "Iterator[T]":
        """Read the cells as texts."""
        from winnow.lists.formats.parquet.table_rows import read_table_rows

        return read_table_rows(request, work)

    def run(self, request: BatchRequest) -> BatchOutcome:
        """Pass over the row groups twice, with one judgement a domain in between."""
        from winnow.lists.formats.parquet.batch import run_parquet_batch

        return run_parquet_batch(request)

    def rewrite(self, request: RewriteRequest) -> None:
        """Write the row groups again with only the rows wanted."""
        from winnow.lists.formats.parquet.rewrite import write_variant_parquet

        write_variant_parquet(request)
