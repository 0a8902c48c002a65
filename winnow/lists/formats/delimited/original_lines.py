"""A decoded list's rows in the bytes they came in.

Some letters have two forms in Shift-JIS or Big5, and bytes that are no text have no way back. But
no letter of such an encoding holds a line break, and none is lost in decoding: the nth line of the
decoded text is the nth of the file, so that each row's own bytes are found again and written as
they are.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from winnow.lists.execution.run_files import create_file
from winnow.lists.text.records import CR, LF


class LineSizes:
    """Writes the bytes of each line of a file, up to and with each LF or CR (a CRLF is two)."""

    def __init__(self, path: Path) -> None:
        self._file = create_file(path)
        self._open_bytes = 0

    def add(self, chunk: bytes) -> None:
        """Take in the next bytes of the file."""
        data = np.frombuffer(chunk, np.uint8)
        ends = np.flatnonzero((data == LF) | (data == CR)) + 1
        sizes = np.diff(ends, prepend=0)
        if len(sizes):
            sizes[0] += self._open_bytes
            self._open_bytes = len(chunk) - int(ends[-1])
        else:
            self._open_bytes += len(chunk)
        self._file.write(sizes.astype("<u4").data)

    def finish(self) -> None:
        """Write the last line, which may have no end."""
        self._file.write(np.array([self._open_bytes], "<u4").data)
        self._file.close()


class OriginalLines:
    """Gives, row by row, where the bytes of decoded rows stand in the original file."""

    def __init__(self, sizes: Path, offset: int, above: bytes) -> None:
        self._sizes = sizes
        self._line = 0
        self._offset = offset
        if above:
            self.take(np.frombuffer(above, np.uint8), np.array([len(above)]))

    def take(
        self, data: NDArray[np.uint8], row_bytes: NDArray[np.integer]
    ) -> tuple[int, NDArray[np.uint32]]:
        """Return where the next rows start in the file, and how many bytes each has there.

        Args:
            data: The rows, decoded.
            row_bytes: How many bytes each has there.
        """
        ends = np.cumsum(row_bytes, dtype=np.int64)
        breaks = np.flatnonzero((data[: ends[-1]] == LF) | (data[: ends[-1]] == CR))
        lines = np.searchsorted(breaks, ends)  # behind each row
        if not len(breaks) or breaks[-1] != ends[-1] - 1:
            lines[-1] += 1  # the file's last line, without an end
        count = int(lines[-1])
        sizes = np.fromfile(self._sizes, "<u4", count, offset=4 * self._line).astype(np.int64)
        before = np.concatenate((np.zeros(1, np.int64), np.cumsum(sizes)))
        found = np.diff(before[lines], prepend=0)
        start = self._offset
        self._line += count
        self._offset += int(before[-1])
        return start, found.astype(np.uint32)
