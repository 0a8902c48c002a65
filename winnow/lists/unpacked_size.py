"""Limit of what a list may unpack to: gzip, a workbook, Parquet pages."""

from winnow.core.errors import BrokenFile
from winnow.core.figures import show_size
from winnow.core.file_faults import FileFault
from winnow.words import translatable

MOST_RATIO = 250  # lists come to 40 at the most; zeros in gzip to 1,030, in Zstandard to any
FREE_BYTES = 64 << 20  # up to here the ratio does not count
_HINT = translatable("If it is a list, save it as plain CSV and upload that file.")


class UnpackedSize:
    """Counts the bytes that come out of a file."""

    def __init__(self, packed_bytes: int, *, most_bytes: int | None = None) -> None:
        self._packed_bytes = packed_bytes
        allowed = max(FREE_BYTES, MOST_RATIO * packed_bytes)
        self._left = self._most_bytes = allowed if most_bytes is None else min(allowed, most_bytes)

    def add(self, size_bytes: int) -> None:
        """Count some more.

        Raises:
            BrokenFile: It is more than ``most_bytes``, or than both 64 MiB and 250 times the file's
                own size.
        """
        self._left -= size_bytes
        if self._left < 0:
            packed, most = show_size(self._packed_bytes), show_size(self._most_bytes)
            raise BrokenFile(
                "This file of {packed} unpacks to more than {most}, which no ordinary list does.",
                fault=FileFault.UNPACKS_TOO_LARGE,
                packed=packed,
                most=most,
                hint=_HINT,
            )
