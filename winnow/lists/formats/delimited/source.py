"""Text list's bytes in an encoding that contains ASCII, unchanged or decoded to UTF-8."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from winnow.core.errors import BadField
from winnow.core.lists.input_head import MULTIBYTE, EncodingDoubt, describe_encoding
from winnow.core.lists.notices import Notice
from winnow.lists.execution.blocks import find_lines, read_blocks
from winnow.lists.formats.delimited.encoding import (
    find_invalid_utf8,
    find_replaced,
    find_undefined,
    guess_encoding,
    name_encoding,
    read_mark,
)
from winnow.lists.formats.delimited.read import decode_blocks
from winnow.words import Sentence, translatable

BLOCK_BYTES = 1 << 20
_SAMPLE_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class TextSource:
    """A text list and its encoding.

    ``codec`` is what a file is decoded from in which bytes of ASCII may be parts of other letters;
    None for all others. ``chosen`` is the analyst's encoding by our name. ``encoding`` is what it
    is read in, ``doubt`` how sure that is, and ``notices`` what was assumed.
    """

    path: Path
    codec: str | None
    bom_bytes: int
    chosen: str | None
    encoding: str = "utf-8"
    doubt: EncodingDoubt = EncodingDoubt.NONE
    notices: tuple[Notice, ...] = ()

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
        start = b""
        for block in self.read_content():
            start += block
            if len(start) >= size_bytes:
                break
        return start[:size_bytes]


def open_source(path: Path, start: bytes, encoding: str | None) -> TextSource:
    """Return a text list by its beginning: its byte order mark, the encoding that was chosen.

    Args:
        path: The file.
        start: Its beginning, or all of it.
        encoding: What the analyst chose.

    Raises:
        BadField: The encoding that was chosen is not the file's.
        UnsupportedFormat: UTF-32, ISO-2022.
    """
    found, bom_bytes = read_mark(start)
    chosen = name_encoding(encoding) if encoding is not None else None
    utf16 = found if found and found.startswith("utf-16") else None
    if chosen is not None and chosen != utf16:
        if utf16 is not None:
            raise BadField(
                "encoding", "the file is in UTF-16", hint=translatable("Choose {name}.", name=utf16)
            )
        if chosen.startswith("utf-16"):
            if found is not None or path.stat().st_size % 2:
                raise BadField("encoding", "the file is not in UTF-16")
            utf16 = chosen
    return TextSource(path, utf16, bom_bytes, chosen, utf16 or "utf-8")


def settle_encoding(source: TextSource) -> TextSource:
    """Read a text list to its end for its encoding, and what was assumed about it.

    Raises:
        BadField: The encoding that was chosen is not the file's.
        BrokenFile: With the line of what is not UTF-16.
    """
    if source.codec is not None:
        deque(source.read_content(), maxlen=0)  # to its end
        said = translatable(
            "Read as {name}, by its pattern: it has no byte order mark.",
            name=describe_encoding(source.encoding),
        )
        notices = (Notice("encoding_assumed", said),)
        return source if source.bom_bytes or source.chosen else replace(source, notices=notices)
    if source.chosen in MULTIBYTE and not source.bom_bytes:
        return _settle_multibyte(source, source.chosen or "", EncodingDoubt.NONE)
    return _settle_others(source)


def _settle_multibyte(source: TextSource, codec: str, doubt: EncodingDoubt) -> TextSource:
    source = replace(source, codec=codec, encoding=codec, doubt=doubt)
    name, notices = describe_encoding(codec), []
    if doubt is not EncodingDoubt.NONE:
        said = translatable("Not UTF-8; {guess}", guess=_word_guess(codec, doubt))
        notices.append(Notice("encoding_assumed", said))
    replaced_at = find_replaced(source.read_content())
    if replaced_at is not None:
        (line,) = find_lines(source.read_content(), [replaced_at])
        said = translatable(
            "Line {line} holds bytes that are not {name}. They come back as �, or as ? where "
            "the encoding has no such character. If there are many, choose another encoding.",
            line=line,
            name=name,
        )
        notices.append(Notice("encoding_invalid", said, (line,), 1))
    return replace(source, notices=tuple(notices))


def _settle_others(source: TextSource) -> TextSource:
    if source.chosen not in (None, "utf-8"):
        if _holds(source, find_undefined(source.chosen)):
            raise BadField("encoding", "the file holds bytes that this encoding does not know")
        return replace(source, encoding=source.chosen)
    offset = find_invalid_utf8(source.read_content())
    if offset is None:
        return source
    (line,) = find_lines(source.read_content(), [offset])
    if source.chosen == "utf-8":
        raise BadField(
            "encoding",
            "line {line:d} is not UTF-8",
            line=line,
            hint="Leave it out: the encoding is then detected.",
        )
    begins = [0, offset - 64] if offset >= _SAMPLE_BYTES else [0]  # just before what is not UTF-8
    blocks = (read_blocks(source.path, source.bom_bytes + one, _SAMPLE_BYTES) for one in begins)
    samples = [next(some) for some in blocks]
    excluded = set(MULTIBYTE) if source.bom_bytes else set()
    codec, doubt = guess_encoding(samples, excluded)
    while codec not in MULTIBYTE and _holds(source, find_undefined(codec)):
        excluded.add(codec)
        codec, doubt = guess_encoding(samples, excluded)
    if codec in MULTIBYTE:
        return _settle_multibyte(source, codec, doubt)
    if source.bom_bytes or not samples[0][:offset].isascii():  # it is UTF-8 up to there
        doubt = EncodingDoubt.GREAT
    said = translatable(
        "Not UTF-8 (first seen in line {line}); {guess}", line=line, guess=_word_guess(codec, doubt)
    )
    notice = Notice("encoding_assumed", said, (line,), 1)
    return replace(source, encoding=codec, doubt=doubt, notices=(notice,))


def _word_guess(codec: str, doubt: EncodingDoubt) -> Sentence:
    name = describe_encoding(codec)
    if doubt is EncodingDoubt.SLIGHT:
        return translatable(
            "probably {name}: its letters fit. Change it if letters look wrong.", name=name
        )
    return translatable(
        "read as {name}: the likeliest. Check the letters beyond A to Z.", name=name
    )


def _holds(source: TextSource, wanted: bytes) -> bool:
    return any(byte in block for block in source.read_content() for byte in wanted)
