"""XLSX workbooks (Office Open XML, ISO/IEC 29500)."""

from collections.abc import Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.input_head import Choices, Head
from winnow.lists.inspection.signature import COMPOUND, WORKBOOK, ZIP, name_any, name_binary
from winnow.lists.list_format import ListFormat
from winnow.lists.requests import RewriteRequest, RowsRequest

if TYPE_CHECKING:
    from winnow.lists.list_source import ListSource
    from winnow.lists.result.cell_grid import CellGrid


class XlsxFormat(ListFormat):
    """A workbook: one sheet is the list, everything else in it is kept.

    ``text`` is the format of plain CSV, by which the list is read.
    """

    def __init__(self, code: FileFormat, text: ListFormat) -> None:
        super().__init__(code)
        self._text = text

    def name_content(self, start: bytes) -> str | None:
        """Name what is no ZIP archive, or one of OpenDocument; refuse a protected workbook."""
        if start.startswith(COMPOUND):
            return None  # protected, or of an old version: the whole file says which
        found = name_binary(start)
        return None if found in (WORKBOOK, ZIP) else name_any(start)

    def read_head(
        self, path: Path, choices: Choices, email_column: str | None, scratch: Path | None
    ) -> Head:
        """Read the first rows of every sheet."""
        from winnow.lists.formats.xlsx.head import inspect_workbook

        return inspect_workbook(path, choices, email_column, scratch)

    def open_source(self, request: RowsRequest) -> "AbstractContextManager[ListSource]":
        """Open the workbook and its sheet."""
        from winnow.lists.formats.xlsx.run import open_workbook

        return open_workbook(request, self._text)

    def measure_content(self, path: Path, most_bytes: int) -> int:
        """Return what the archive says of the sheets' and texts' sizes."""
        from winnow.lists.formats.xlsx.archive import open_archive

        with open_archive(path) as archive:
            return sum(
                part.file_size
                for part in archive.infos
                if "sheet" in part.filename.lower() or "strings" in part.filename.lower()
            )

    def rewrite(self, request: RewriteRequest) -> None:
        """Write the workbook again with only the rows wanted, everything else as it is."""
        from winnow.lists.formats.xlsx.write import write_filtered_xlsx

        rows, export = request.rows, request.export
        write_filtered_xlsx(
            request.result_path,
            rows.select(export),
            request.out_path,
            request.plan,
            added=rows.find_added_cells(export),
            extra_columns=export.choice.extra_columns,
            added_count=rows.added_count,
        )

    def export(self, grids: "Iterable[CellGrid]", out_path: Path) -> None:
        """Write a new workbook with one sheet of texts."""
        from winnow.lists.formats.xlsx.plain_book import write_plain_book

        write_plain_book(grids, out_path)
