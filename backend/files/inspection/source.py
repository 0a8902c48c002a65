"""A text list's bytes in a form that holds ASCII: as they are, or from UTF-16 in UTF-8."""

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from backend.core.errors import BadField, BrokenFile
from backend.files.inspection.encoding import name_encoding, read_mark
from backend.files.inspection.splitter import count_lines

BLOCK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class TextSource:
    """Where the content is. ``utf16`` is the codec of a UTF-16 file, None for all others."""

    path: Path
    utf16: str | None
    bom_bytes: int
    chosen: str | None  # the analyst's encoding, by our name

    def read_content(self) -> Iterator[bytes]:
        """Yield the content behind the BOM in blocks; UTF-16 comes as UTF-8.

        Raises:
            BrokenFile: With the line of what is not UTF-16.
        """
        with self.path.open("rb") as file:
            file.seek(self.bom_bytes)
            if self.utf16 is None:
                while block := file.read(BLOCK_BYTES):
                    yield block
                return
            decoder = codecs.getincrementaldecoder(self.utf16)()
            line = 1
            while True:
                block = file.read(BLOCK_BYTES)
                try:
                    text = decoder.decode(block, final=not block)
                except UnicodeDecodeError as error:
                    before = error.object[: error.start].decode(self.utf16, "ignore")
                    line += count_lines(before)
                    raise BrokenFile(
                        f"Line {line}: this is not valid UTF-16; the file may be cut off.",
                        line=line,
                    ) from None
                if not block:
                    break
                line += count_lines(text)
                yield text.encode("utf-8")

    def read_start(self, size_bytes: int) -> bytes:
        """Return the first bytes of ``read_content``; fewer only where it holds no more."""
        parts: list[bytes] = []
        missing = size_bytes
        for block in self.read_content():
            parts.append(block[:missing])
            missing -= len(parts[-1])
            if not missing:
                break
        return b"".join(parts)


def open_source(path: Path, start: bytes, encoding: str | None) -> TextSource:
    """Tell how a file's bytes become text that holds ASCII.

    Args:
        path: The file.
        start: Its first few KiB.
        encoding: What the analyst chose.

    Raises:
        BadField: A choice that the file's first bytes contradict.
        UnsupportedFormat: UTF-32.
    """
    mark = read_mark(start)
    chosen = name_encoding(encoding) if encoding is not None else None
    utf16 = mark.encoding if mark.encoding and mark.encoding.startswith("utf-16") else None
    if chosen is not None and chosen != utf16:
        if utf16 is not None:
            raise BadField("encoding", "the file is in UTF-16", hint=f"Choose {utf16}.")
        if chosen.startswith("utf-16"):
            if mark.encoding is not None or path.stat().st_size % 2:
                raise BadField("encoding", "the file is not in UTF-16")
            utf16 = chosen
    return TextSource(path, utf16, mark.bom_bytes, chosen)
