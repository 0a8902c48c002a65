"""Choice of a text list's encoding by the whole file, with its notices."""

from collections import deque
from collections.abc import Iterator

from winnow.core.errors import BadField
from winnow.core.lists.input_head import MULTIBYTE, EncodingDoubt, describe_encoding
from winnow.core.tasks.task import Notice
from winnow.lists.execution.blocks import find_lines_of
from winnow.lists.formats.delimited.encoding import find_undefined, guess_encoding
from winnow.lists.formats.delimited.scan import find_invalid_utf8, find_replaced
from winnow.lists.formats.delimited.source import TextSource
from winnow.words import Sentence, mark

_SAMPLE_BYTES = 1 << 20


def settle_encoding(source: TextSource) -> tuple[str, EncodingDoubt, list[Notice]]:
    """Return the codec to read with, how sure it is, and what was assumed.

    Raises:
        BadField: The encoding that was chosen is not the file's.
        BrokenFile: With the line of what is not UTF-16.
    """
    if source.codec in MULTIBYTE:
        return source.codec, source.doubt, _tell_multibyte(source)
    if source.codec is not None:
        deque(source.read_content(), maxlen=0)  # to its end
        if source.bom_bytes or source.chosen:
            return source.codec, EncodingDoubt.NONE, []
        told = mark(
            "Read as {name}, by its pattern: it has no byte order mark.",
            name=describe_encoding(source.codec),
        )
        return source.codec, EncodingDoubt.NONE, [Notice("encoding_assumed", told)]
    if source.chosen not in (None, "utf-8"):
        if _holds(source, find_undefined(source.chosen)):
            raise BadField("encoding", "the file holds bytes that this encoding does not know")
        return source.chosen, EncodingDoubt.NONE, []
    offset = find_invalid_utf8(source.read_content())
    if offset is None:
        return "utf-8", EncodingDoubt.NONE, []
    line = _find_line(source, offset)
    if source.chosen == "utf-8":
        raise BadField(
            "encoding",
            "line {line:d} is not UTF-8",
            line=line,
            hint="Leave it out: the encoding is then detected.",
        )
    samples = list(_sample(source, offset))
    excluded = set(MULTIBYTE) if source.bom_bytes else set()
    codec, doubt = guess_encoding(samples, excluded)
    while codec not in MULTIBYTE and _holds(source, find_undefined(codec)):
        excluded.add(codec)
        codec, doubt = guess_encoding(samples, excluded)
    told = mark(
        "Not UTF-8 (first seen in line {line}); {guess}", line=line, guess=_word_guess(codec, doubt)
    )
    if source.bom_bytes or not samples[0][:offset].isascii():
        told = mark(
            "The file is UTF-8 up to line {line}, where it is not; read as "
            "{name}. Letters beyond A to Z may look wrong; every byte comes "
            "back as it was.",
            line=line,
            name=describe_encoding(codec),
        )
        return codec, EncodingDoubt.GREAT, [Notice("encoding_mixed", told, (line,), 1)]
    return codec, doubt, [Notice("encoding_assumed", told, (line,), 1)]


def _tell_multibyte(source: TextSource) -> list[Notice]:
    name, notices = describe_encoding(source.codec or ""), []
    if source.doubt is not EncodingDoubt.NONE:
        told = mark("Not UTF-8; {guess}", guess=_word_guess(source.codec or "", source.doubt))
        notices.append(Notice("encoding_assumed", told))
    replaced_at = find_replaced(source.read_content())
    if replaced_at is not None:
        line = _find_line(source, replaced_at)
        told = mark(
            "Line {line} holds bytes that are not {name}. They come back as �, or as ? where "
            "the encoding has no such character. If there are many, choose another encoding.",
            line=line,
            name=name,
        )
        notices.append(Notice("encoding_invalid", told, (line,), 1))
    return notices


def _word_guess(codec: str, doubt: EncodingDoubt) -> Sentence:
    name = describe_encoding(codec)
    if doubt is EncodingDoubt.SLIGHT:
        return mark("probably {name}: its letters fit. Change it if letters look wrong.", name=name)
    return mark("read as {name}: the likeliest. Check the letters beyond A to Z.", name=name)


def _find_line(source: TextSource, offset: int) -> int:
    """Return the physical line, from 1, in which a byte of the content is."""
    return find_lines_of(source.read_content(), [offset])[0]


def _sample(source: TextSource, offset: int) -> Iterator[bytes]:
    """Yield the file's first MiB and one that begins just before what is not UTF-8."""
    with source.path.open("rb") as file:
        file.seek(source.bom_bytes)
        yield file.read(_SAMPLE_BYTES)
        if offset >= _SAMPLE_BYTES:
            file.seek(source.bom_bytes + offset - 64)
            yield file.read(_SAMPLE_BYTES)


def _holds(source: TextSource, wanted: bytes) -> bool:
    return any(byte in block for block in source.read_content() for byte in wanted)
