"""Delimited text packed with gzip or Zstandard; downloads are packed alike."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from winnow.core.errors import UnsupportedFormat
from winnow.core.lists.file_format import FileFormat
from winnow.lists.inspection.signature import (
    GZIP,
    SIGNATURE_BYTES,
    ZSTANDARD,
    name_any,
    name_binary,
)
from winnow.lists.list_format import ListFormat, WrappedFormat

if TYPE_CHECKING:
    from winnow.lists.formats.packed.read import Codec


class PackedFormat(WrappedFormat):
    """Text in a stream of gzip members or Zstandard frames; the stored result is not packed."""

    def __init__(self, code: FileFormat, inner: ListFormat) -> None:
        super().__init__(code, inner)
        self._codec: Codec = "gzip" if code.endswith(".gz") else "zstd"
        self._mark = GZIP if self._codec == "gzip" else ZSTANDARD

    def name_content(self, start: bytes) -> str | None:
        """Name what is not packed in this way."""
        return None if name_binary(start) == self._mark else name_any(start)

    def measure_content(self, path: Path, most_bytes: int) -> int:
        """Unpack without keeping anything."""
        from winnow.lists.formats.packed.read import unpack

        size_bytes = 0
        for chunk in unpack(path, self._codec):
            size_bytes += len(chunk)
            if size_bytes > most_bytes:
                break
        return size_bytes

    def unwrap(self, path: Path, out_path: Path) -> None:
        """Write the unpacked file, unless it is no text."""
        from winnow.lists.execution.run_files import create_file
        from winnow.lists.formats.packed.read import unpack

        with create_file(out_path) as out:
            out.writelines(unpack(path, self._codec))
        with out_path.open("rb") as file:
            start = file.read(SIGNATURE_BYTES)
        found = self.inner.name_content(start)
        if found is not None:
            raise UnsupportedFormat(
                "The archive contains {found}, not text.",
                found=found,
                hint="Unpack it, and upload what is inside if it is a list.",
            )

    def pack(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """Yield a result packed as the list was."""
        from winnow.lists.formats.packed.write import pack

        return pack(chunks, self._codec)
