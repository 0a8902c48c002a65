"""Streaming zip writer: files are packed while they are sent, with bounded memory and no disk.

The directory that makes a zip readable is at its end, so one that was cut off is no zip.
"""

import io
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

ZIP_TYPE = "application/zip"

_DEFLATE_LEVEL = 3  # as the workbooks': addresses hardly shrink further
_ZIP64_FROM_BYTES = 1 << 31  # beyond, sizes need eight bytes, which some old readers do not know
_FIRST_YEAR = 1980  # the format knows no earlier one


@dataclass(frozen=True, slots=True)
class ZipMember:
    """One file; ``is_packed``: its bytes are compressed already, as a workbook's."""

    name: str
    chunks: Iterator[bytes]
    is_packed: bool = False


def stream_zip(members: Iterable[ZipMember], made_at: datetime, most_bytes: int) -> Iterator[bytes]:
    """Yield a zip of these files in their order.

    Args:
        members: Each is asked for when its turn comes.
        made_at: The time that every file gets.
        most_bytes: A size that no file exceeds.
    """
    sink = _Sink()
    moment = max(made_at, made_at.replace(year=_FIRST_YEAR)).timetuple()[:6]
    with zipfile.ZipFile(sink, "w") as out:
        for member in members:
            info = zipfile.ZipInfo(member.name, moment)
            info.compress_type = zipfile.ZIP_STORED if member.is_packed else zipfile.ZIP_DEFLATED
            info._compresslevel = _DEFLATE_LEVEL  # type: ignore[attr-defined]  # public from 3.13 on
            info.external_attr = 0o600 << 16
            with out.open(info, "w", force_zip64=most_bytes >= _ZIP64_FROM_BYTES) as file:
                for chunk in member.chunks:
                    file.write(chunk)
                    if sink.chunks:
                        yield sink.take()
    yield sink.take()


class _Sink(io.RawIOBase):
    """Keeps what was written until it is taken; cannot be rewound."""

    def __init__(self) -> None:
        self.chunks: list[bytes] = []

    def write(self, data: bytes, /) -> int:  # type: ignore[override]  # zipfile has bytes
        """Keep bytes."""
        if data:
            self.chunks.append(bytes(data))
        return len(data)

    def take(self) -> bytes:
        """Return what was written since the last time."""
        taken, self.chunks = b"".join(self.chunks), []
        return taken
