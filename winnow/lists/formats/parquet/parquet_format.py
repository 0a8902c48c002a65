"""Apache Parquet."""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from winnow.core.lists.input_head import Choices, Head
from winnow.lists.formats.parquet.footer import MAGIC, refuse_encrypted
from winnow.lists.inspection.signature import name_any
from winnow.lists.list_format import ListFormat
from winnow.lists.requests import RewriteRequest, RowsRequest

if TYPE_CHECKING:
    from winnow.lists.list_source import ListSource


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
            for step, _ in source.read():
                size_bytes += len(word_lines(step)[0])
                if size_bytes > most_bytes:
                    break
        return size_bytes

    def open_source(self, request: RowsRequest) -> "AbstractContextManager[ListSource]":
        """Open the file."""
        from winnow.lists.formats.parquet.run import open_table

        return open_table(request)

    def rewrite(self, request: RewriteRequest) -> None:
        """Write the row groups again with only the rows wanted."""
        from winnow.lists.formats.parquet.rewrite import write_variant_parquet

        write_variant_parquet(request)
