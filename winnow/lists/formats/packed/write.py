"""Packing of bytes as one stream, a piece at a time."""

from collections.abc import Iterable, Iterator
from gzip import GzipFile
from io import BytesIO

import pyarrow as pa

from winnow.lists.formats.packed.read import Codec

_GZIP_LEVEL = 6


def pack(chunks: Iterable[bytes], codec: Codec) -> Iterator[bytes]:
    """Yield bytes packed as one member or frame; the same bytes give the same."""
    pieces = _Pieces()
    with (
        GzipFile(fileobj=pieces, mode="wb", compresslevel=_GZIP_LEVEL, filename="", mtime=0)
        if codec == "gzip"
        else pa.CompressedOutputStream(pieces, codec)
    ) as packer:
        for chunk in chunks:
            packer.write(chunk)
            if packed := pieces.take():
                yield packed
    yield pieces.take()


class _Pieces(BytesIO):
    """Holds what was written until it is taken, also after it is closed."""

    def close(self) -> None:
        """Keep what is held."""

    def take(self) -> bytes:
        """Return what was written since the last time."""
        held = self.getvalue()
        self.seek(0)
        self.truncate()
        return held
