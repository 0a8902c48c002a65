"""Encodings in which a comma is not one byte: to UTF-8 before the run, and back after it."""

import codecs
from collections.abc import Callable
from pathlib import Path

from backend.core.errors import BrokenFile
from backend.files.rows.row_index import sync

_CHUNK_BYTES = 1 << 22


def decode_file(
    source: Path, offset: int, codec: str, target: Path, tell: Callable[[int, None, int], None]
) -> None:
    """Write a file again in UTF-8.

    Raises:
        BrokenFile: It is not in this encoding; the line is named.
    """
    decoder = codecs.getincrementaldecoder(codec)(_errors(codec))
    line, done = 1, offset
    with source.open("rb") as reader, target.open("wb") as writer:
        reader.seek(offset)
        while True:
            chunk = reader.read(_CHUNK_BYTES)
            try:
                text = decoder.decode(chunk, final=not chunk)
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
                return
            done += len(chunk)
            tell(0, None, done)


def encode_file(
    source: Path, target: Path, bom: bytes, codec: str, tell: Callable[[int], None]
) -> None:
    """Write a UTF-8 file again in the encoding, with the BOM, and sync it."""
    decoder = codecs.getincrementaldecoder("utf-8")("surrogatepass")
    encoder = codecs.getincrementalencoder(codec)(_errors(codec))
    done = 0
    with source.open("rb") as reader, target.open("wb") as writer:
        writer.write(bom)
        while True:
            chunk = reader.read(_CHUNK_BYTES)
            is_last = not chunk
            writer.write(encoder.encode(decoder.decode(chunk, is_last), is_last))
            if is_last:
                break
            done += len(chunk)
            tell(done)
        sync(writer)


def _errors(codec: str) -> str:
    return "surrogatepass" if codec.startswith(("utf-16", "utf-32")) else "strict"
