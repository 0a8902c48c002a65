"""A text list's bytes in an encoding that contains ASCII: unchanged, or decoded to UTF-8."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from winnow.core.errors import BadField
from winnow.core.lists.input_head import MULTIBYTE, EncodingDoubt
from winnow.lists.execution.blocks import read_blocks
from winnow.lists.formats.delimited.encoding import guess_encoding, name_encoding, read_mark
from winnow.lists.formats.delimited.records_file import decode_blocks
from winnow.words import mark

BLOCK_BYTES = 1 << 20
_GUESS_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class TextSource:
    """Where the content is.

    ``codec`` is what a file is decoded from in which bytes of ASCII may be parts of other letters;
    None for all others. ``chosen`` is the analyst's encoding by our name; ``doubt`` says how sure
    the codec is.
    """

    path: Path
    codec: str | None
    bom_bytes: int
    chosen: str | None
    doubt: EncodingDoubt = EncodingDoubt.NONE

    @property
    def unit_bytes(self) -> int:
        """How many bytes a letter of ASCII takes."""
        return 2 if self.codec is not None and self.codec not in MULTIBYTE else 1

    def read_content(self) -> Iterator[bytes]:
        """Yield the content after the BOM in blocks; what is decoded comes as UTF-8.

        Bytes that are no text become U+FFFD, and never take a line break along.

        Raises:
            BrokenFile: With the line of what is not UTF-16.
        """
        if self.codec is not None:
            errors = "replace" if self.codec in MULTIBYTE else "strict"
            texts = decode_blocks(self.path, self.bom_bytes, self.codec, errors, BLOCK_BYTES)
            yield from (text.encode() for text in texts if text)
            return
        yield from read_blocks(self.path, self.bom_bytes, BLOCK_BYTES)

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

    def decode_from(self, codec: str, doubt: EncodingDoubt) -> "TextSource":
        """Return the same file, decoded from an encoding that was guessed."""
        return replace(self, codec=codec, doubt=doubt)


def open_source(path: Path, start: bytes, encoding: str | None) -> TextSource:
    """Return how a file's bytes become text that holds ASCII.

    Args:
        path: The file.
        start: Its first MiB, or all of it.
        encoding: What the analyst chose.

    Raises:
        BadField: A choice that the file's first bytes contradict.
        UnsupportedFormat: UTF-32, ISO-2022.
    """
    bom = read_mark(start)
    chosen = name_encoding(encoding) if encoding is not None else None
    utf16 = bom.encoding if bom.encoding and bom.encoding.startswith("utf-16") else None
    if chosen is not None and chosen != utf16:
        if utf16 is not None:
            raise BadField(
                "encoding", "the file is in UTF-16", hint=mark("Choose {name}.", name=utf16)
            )
        if chosen.startswith("utf-16"):
            if bom.encoding is not None or path.stat().st_size % 2:
                raise BadField("encoding", "the file is not in UTF-16")
            utf16 = chosen
    codec = chosen if chosen in MULTIBYTE and not bom.bom_bytes else utf16
    source = TextSource(path, codec, bom.bom_bytes, chosen)
    if codec is not None or chosen is not None or bom.bom_bytes:
        return source
    return _guess_multibyte(source, start[:_GUESS_BYTES])


def _guess_multibyte(source: TextSource, start: bytes) -> TextSource:
    """Return the source decoded, where its first lines are in an encoding of several bytes."""
    lines = start[: start.rfind(b"\n") + 1] or start
    try:
        lines.decode("utf-8")
    except UnicodeDecodeError:
        codec, doubt = guess_encoding([lines])
        if codec in MULTIBYTE:
            return source.decode_from(codec, doubt)
    return source
