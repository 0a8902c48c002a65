"""Exports for a mail platform, split where they are too large for one file."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from winnow.core.lists.exports import DownloadChoice, Export, FileLimits, FilePart
from winnow.core.lists.platforms import PlatformFile, PlatformPreview
from winnow.lists.result.cell_grid import gather_bytes
from winnow.lists.result.platform_rows import PlatformRows, cut_parts, divide, measure_records
from winnow.lists.result.result_rows import ResultRows

_GROWTH_MOST = 4  # of a row: another encoding, quotes around each cell
_VERDICT_MOST_BYTES = 32  # the longest category, its prefix, a comma


class PlatformExport:
    """One export for a platform; its rows are written as they are read, memory is bounded."""

    def __init__(self, rows: ResultRows, export: Export, file: PlatformFile) -> None:
        self._rows = rows
        # Other columns and forms that were chosen are not this file's.
        self._export = replace(export, choice=DownloadChoice(export.choice.policy))
        self._layout = rows.lay_out(file)
        self._form = PlatformRows(self._layout, len(rows.columns))

    def stream(self) -> Iterator[bytes]:
        """Yield the header and the rows."""
        yield self._form.word_header()
        for records in self._form.word_rows(islice(self._rows.stream_cells(self._export), 1, None)):
            yield gather_bytes(records)

    def preview(self, most: int) -> PlatformPreview:
        """Return what the file will be, with so many of its first rows."""
        first = self._rows.first_rows(self._export, most)
        arranged = (self._layout.arrange(row.cells, row.verdict.category) for row in first)
        row_count = self._rows.measure(self._export)
        of_any = self._rows.measure(replace(self._export, platform=None))
        return PlatformPreview(self._layout, tuple(arranged), row_count, of_any - row_count)

    def find_parts(self, limits: FileLimits) -> Sequence[FilePart]:
        """Return the files that the rows fall into; they are read through only if need be."""
        header_bytes = len(self._form.word_header())
        row_count = self._rows.measure(self._export)
        size_most = _GROWTH_MOST * self._rows.measure_stored_bytes(self._export)
        size_most += _VERDICT_MOST_BYTES * row_count
        if limits.size_bytes is None or header_bytes + size_most <= limits.size_bytes:
            return divide(row_count, limits.rows)
        grids = islice(self._rows.stream_cells(self._export), 1, None)
        sizes = map(measure_records, self._form.word_rows(grids))
        return cut_parts(sizes, limits.size_bytes - header_bytes, limits.rows)


def find_parts(rows: ResultRows, export: Export) -> Sequence[FilePart]:
    """Return the files that an export is split into; where it is not: one, or none without rows."""
    if export.platform is not None:
        return PlatformExport(rows, export, export.platform).find_parts(export.limits)
    return divide(rows.measure(export), export.limits.rows)
