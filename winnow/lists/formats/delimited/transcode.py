"""Conversion to UTF-8 of encodings in which ASCII bytes are not always ASCII characters.

The result is converted back. Bytes that were no text are U+FFFD then, or ``?`` if the encoding
has no such character.
"""

import codecs
from collections.abc import Callable, Iterator
from pathlib import Path

from winnow.core.errors import BrokenFile
from winnow.lists.execution.run_files import create_durably, create_file
from winnow.lists.text.cell_text import decode_end
from winnow.lists.text.splitter import count_lines

_CHUNK_BYTES = 1 << 22


def decode_blocks(
    path: Path, offset: int, codec: str, errors: str, block_bytes: int = _CHUNK_BYTES
) -> Iterator[str]:
    """Yield a file's text from an offset on, a text for each block and one for the end.

    ``errors`` is as for ``bytes.decode``; no bytes that are no text take a line break along.

    Raises:
        BrokenFile: With the line of what is not UTF-16; other encodings replace such bytes.
    """
    decoder = codecs.getincrementaldecoder(codec)(errors)
    line = 1
    with path.open("rb") as file:
        file.seek(offset)
        block = b"more"
        while block:
            block = file.read(block_bytes)
            try:
                text = decoder.decode(block) if block else decode_end(decoder, codec)
            except UnicodeDecodeError as error:
                line += count_lines(bytes(error.object[: error.start]).decode(codec, "ignore"))
                raise BrokenFile(
                    f"Line {line}: this is not valid UTF-16; the file may be cut off.",
                    hint="Choose another encoding, or save the list again as CSV in UTF-8.",
                    line=line,
                ) from error
            line += count_lines(text)
            yield text


def decode_file(
    source: Path,
    offset: int,
    codec: str,
    target: Path,
    tell: Callable[[int, None, int], None],
    most_bytes: int | None = None,
) -> None:
    """Convert a file to UTF-8; bytes that are no text become U+FFFD but in UTF-16.

    Args:
        source: The file.
        offset: Where its text begins.
        codec: Its encoding.
        target: Where to.
        tell: Called with the progress.
        most_bytes: Decoding ends soon after so many bytes of the file; None: at its end.

    Raises:
        BrokenFile: It is not UTF-16; the line is named.
    """
    done = offset
    with create_file(target) as writer:
        for text in decode_blocks(source, offset, codec, _errors(codec)):
            writer.write(text.encode("utf-8", "surrogatepass"))
            done += _CHUNK_BYTES
            if most_bytes is not None and done > most_bytes:
                break
            tell(0, None, min(done, source.stat().st_size))


def encode_file(
    source: Path, target: Path, bom: bytes, codec: str, tell: Callable[[int], None]
) -> None:
    """Write a UTF-8 file again in the encoding, with the BOM, and sync it."""
    decoder = codecs.getincrementaldecoder("utf-8")("surrogatepass")
    encoder = codecs.getincrementalencoder(codec)(_errors(codec))
    done = 0
    with source.open("rb") as reader, create_durably(target) as writer:
        writer.write(bom)
        while True:
            chunk = reader.read(_CHUNK_BYTES)
            is_last = not chunk
            writer.write(encoder.encode(decoder.decode(chunk, is_last), is_last))
            if is_last:
                break
            done += len(chunk)
            tell(done)


def _errors(codec: str) -> str:
    return "surrogatepass" if codec.startswith(("utf-16", "utf-32")) else "replace"
