"""Apache Parquet."""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.input_head import Choices, Head
from winnow.lists.inspection.signature import name_any
from winnow.lists.list_format import ListFormat
from winnow.lists.requests import RewriteRequest, RowsRequest

if TYPE_CHECKING:
    from winnow.lists.list_source import ListSource


class ParquetFormat(ListFormat):
    """A table of named columns of any type; types and metadata are kept.

    ``text`` is the format that reads its rows, once they are plain CSV.
    """

    def __init__(self, code: FileFormat, text: ListFormat) -> None:
        super().__init__(code)
        self._text = text

    def name_content(self, start: bytes) -> str | None:
        """Name what begins otherwise; refuse an encrypted file."""
        from winnow.lists.formats.parquet.read import MAGIC, refuse_encrypted

        refuse_encrypted(start[: len(MAGIC)])
        return None if start.startswith(MAGIC) else name_any(start)

    def read_head(
        self, path: Path, choices: Choices, email_column: str | None, scratch: Path | None
    ) -> Head:
        """Read the footer and the first rows."""
        from winnow.lists.formats.parquet.head import inspect_parquet

        return inspect_parquet(path, choices)

    def measure_content(self, path: Path, most_bytes: int) -> int:
        """Return what the footer says of the columns' sizes before they were compressed."""
        from winnow.lists.formats.parquet.read import open_parquet

        with open_parquet(path) as source:
            return source.content_bytes

    def open_source(self, request: RowsRequest) -> "AbstractContextManager[ListSource]":
        """Open the file."""
        from winnow.lists.formats.parquet.run import open_table

        return open_table(request, self._text)

    def rewrite(self, request: RewriteRequest) -> None:
        """Write the row groups again with only the rows wanted."""
        from winnow.lists.formats.parquet.write import write_variant_parquet

        write_variant_parquet(request)
