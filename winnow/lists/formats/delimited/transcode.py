"""Encodings in which bytes of ASCII are not always letters of it: to UTF-8 before the run.

UTF-16 goes back after it, unit by unit. Of others the rows' own bytes are written again, see
``original_lines``.
"""

import codecs
from collections.abc import Callable
from pathlib import Path

from winnow.core.errors import BrokenFile
from winnow.lists.execution.run_files import create_durably, create_file
from winnow.lists.formats.delimited.original_lines import LineSizes
from winnow.lists.text.cell_text import decode_end

_CHUNK_BYTES = 1 << 22


def decode_file(
    source: Path,
    offset: int,
    codec: str,
    target: Path,
    tell: Callable[[int, None, int], None],
    lines: LineSizes | None = None,
) -> None:
    """Write a file again in UTF-8; bytes that are no text become U+FFFD but in UTF-16.

    Args:
        source: The file.
        offset: Where its text begins.
        codec: Its encoding.
        target: Where to.
        tell: Called with the progress.
        lines: Takes in the sizes of its lines, where its own bytes are wanted again.

    Raises:
        BrokenFile: It is not UTF-16; the line is named.
    """
    decoder = codecs.getincrementaldecoder(codec)(_errors(codec))
    line, done = 1, offset
    with source.open("rb") as reader, create_file(target) as writer:
        reader.seek(offset)
        while True:
            chunk = reader.read(_CHUNK_BYTES)
            if lines is not None:
                lines.add(chunk)
            try:
                text = decoder.decode(chunk) if chunk else decode_end(decoder, codec)
            except UnicodeDecodeError as error:
                valid = bytes(error.object[: error.start])
                line += codecs.decode(valid, codec, "replace").count("\n")
                raise BrokenFile(
                    f"Row {line:,}: bytes that are no text in {codec}.",
                    hint="Choose another encoding, or save the list again as CSV in UTF-8.",
                    line=line,
                ) from error
            line += text.count("\n")
            writer.write(text.encode("utf-8", "surrogatepass"))
            if not chunk:
                break
            done += len(chunk)
            tell(0, None, done)
    if lines is not None:
        lines.finish()


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
