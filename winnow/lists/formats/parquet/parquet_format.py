"""Apache Parquet."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from winnow.core.lists.input_head import Choices, Head
from winnow.lists.formats.parquet.footer import MAGIC, refuse_encrypted
from winnow.lists.inspection.signature import name_any
from winnow.lists.list_format import BatchOutcome, ListFormat
from winnow.lists.requests import BatchRequest, RewriteRequest, RowsRequest

if TYPE_CHECKING:
    from winnow.lists.text.row_block import RowBlock

T = TypeVar("T")


class ParquetFormat(ListFormat):
    """A table of named columns of any type; types, metadata, codecs and row groups are kept."""

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

    def measure_content(self, path: Path, most_bytes: int) -> int:
        """Read all rows, as a run does, and measure their texts."""
        from winnow.lists.formats.parquet.cell_texts import word_lines
        from winnow.lists.formats.parquet.source import open_parquet

        size_bytes = 0
        with open_parquet(path) as source:
            for step, _ in source.read_whole():
                size_bytes += len(word_lines(step)[0])
                if size_bytes > most_bytes:
                    break
        return size_bytes

    def read_rows(self, request: RowsRequest, work: "Callable[[RowBlock], T]") -> "Iterator[T]":
        """Read the cells as texts."""
        from winnow.lists.execution.ordered import map_in_order
        from winnow.lists.formats.parquet.cell_texts import word_lines
        from winnow.lists.formats.parquet.source import open_parquet
        from winnow.lists.text.row_block import RowBlock

        width = len(request.plan.columns)
        with open_parquet(request.path) as source:
            steps = (step for step, _ in source.read_whole() if step.num_rows)
            yield from map_in_order(
                lambda step: work(RowBlock.of_lines(word_lines(step)[0], width)), steps
            )

    def run(self, request: BatchRequest) -> BatchOutcome:
        """Read the row groups twice, with one judgement a domain in between."""
        from winnow.lists.formats.parquet.batch import run_parquet_batch

        return run_parquet_batch(request)

    def rewrite(self, request: RewriteRequest) -> None:
        """Write the row groups again with only the rows wanted."""
        from winnow.lists.formats.parquet.rewrite import write_variant_parquet

        write_variant_parquet(request)
