"""The file whose records a run reads: the upload itself, or plain CSV made of it.

UTF-16, encodings of several bytes a letter and lists with backslash escapes are converted on input,
and the result is converted back. Bytes that were no text are U+FFFD then, or ``?`` if the encoding
has no such character.
"""

import codecs
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TypeVar

from winnow.core.errors import BrokenFile
from winnow.core.file_faults import FileFault
from winnow.core.lists.input_head import MULTIBYTE
from winnow.core.tasks.input_plan import InputPlan
from winnow.lists.execution.blocks import read_blocks, skip_lines, work_in_order
from winnow.lists.execution.run_files import create_durably, create_file
from winnow.lists.requests import RowsRequest
from winnow.lists.text.block_reader import Block
from winnow.lists.text.cell_text import find_bom
from winnow.lists.text.escapes import EscapeStyle, remove_escapes, restore_escapes
from winnow.lists.text.splitter import count_lines

T = TypeVar("T")

_DECODED, _PLAIN = "pass.input", "pass.plain"
_UTF8, _UTF16 = frozenset({"utf-8", "ascii"}), "utf-16"
_CHUNK_BYTES = 1 << 22


@dataclass(frozen=True, slots=True)
class RecordsFile:
    """Records after ``above``, in an encoding whose ASCII bytes are always ASCII characters.

    ``plan`` is how it is to be read. ``is_made``: it is plain CSV made of the upload, which is in
    the encoding ``written_in``, with a ``bom``, and with escapes where it has their ``style``.
    """

    path: Path
    codec: str
    above: bytes
    plan: InputPlan
    written_in: str
    bom: bytes = b""
    is_made: bool = False
    style: EscapeStyle | None = None

    @property
    def delimiter(self) -> int:
        """The delimiter's byte."""
        return ord(self.plan.delimiter)

    def work_on(
        self, work: Callable[[Block], T | None], block_bytes: int
    ) -> Generator[T, None, None]:
        """Work on blocks of the records in threads; see ``work_in_order``."""
        start = len(self.above)
        return work_in_order(self.path, start, self.delimiter, work, block_bytes=block_bytes)

    def restore(self, source: Path, target: Path, report: Callable[[int], None]) -> None:
        """Write a result in plain CSV again as the upload was, and sync it."""
        with source.open("rb") as reader, create_durably(target) as writer:
            above = reader.read(len(self.above))
            blocks: Iterable[bytes] = iter(partial(reader.read, _CHUNK_BYTES), b"")
            if self.style is not None:
                blocks = restore_escapes(blocks, self.plan.delimiter, self.style)
            decoder = codecs.getincrementaldecoder("utf-8")("surrogatepass")
            encoder = codecs.getincrementalencoder(self.written_in)(_errors(self.written_in))
            writer.write(self.bom)
            for block in (above, *blocks):
                is_same = self.written_in == self.codec
                writer.write(block if is_same else encoder.encode(decoder.decode(block)))
                report(reader.tell())
            writer.write(encoder.encode("", final=True))


@contextmanager
def open_records(request: RowsRequest, *, to_utf8: bool = False) -> Iterator[RecordsFile]:
    """Convert an upload if it must be; temporary files are removed with the context.

    Args:
        request: The upload; converting ends soon after ``most_bytes`` of it.
        to_utf8: Whether all but UTF-8 is decoded.

    Raises:
        BrokenFile: It is not in its encoding, or not in its dialect; the line is named.
    """
    path, plan, folder = request.path, request.plan, request.scratch
    with path.open("rb") as file:
        bom, codec = find_bom(file.read(4), plan.encoding)
    holds_ascii = codec not in MULTIBYTE and not codec.startswith(_UTF16)
    is_decoded = not holds_ascii or (to_utf8 and codec not in _UTF8)
    if not (is_decoded or plan.escape):
        above = bom + skip_lines(path, len(bom), plan.preamble_lines)
        yield RecordsFile(path, codec, above, plan, codec)
        return
    source, begin, written_in, style = path, len(bom), codec, None
    decoded, plain = folder / _DECODED, folder / _PLAIN
    try:
        if is_decoded:
            texts = decode_blocks(path, begin, codec, _errors(codec))
            _write(decoded, (text.encode("utf-8", "surrogatepass") for text in texts), request)
            source, begin, codec = decoded, 0, "utf-8"
        above = skip_lines(source, begin, plan.preamble_lines)
        if plan.escape:
            begin += len(above)
            start = next(read_blocks(source, begin, _CHUNK_BYTES), b"")
            style = EscapeStyle.of(start, plan.delimiter)
            blocks = remove_escapes(read_blocks(source, begin, _CHUNK_BYTES), plan.delimiter, style)
            _write(plain, chain((above,), blocks), request)
            source, plan = plain, replace(plan, escape="")
        yield RecordsFile(source, codec, above, plan, written_in, bom, True, style)
    finally:
        decoded.unlink(missing_ok=True)
        plain.unlink(missing_ok=True)


def decode_blocks(
    path: Path, offset: int, codec: str, errors: str, block_bytes: int = _CHUNK_BYTES
) -> Iterator[str]:
    """Yield a file's text from an offset on, a text for each block and one for the end.

    ``errors`` is as for ``bytes.decode``; no bytes that are no text take a line break along.

    Raises:
        BrokenFile: With the line of what is not UTF-16; other encodings replace such bytes.
    """
    decoder = codecs.getincrementaldecoder(codec)(errors)
    # Half a letter at the end is read as if lines ended after it: it would take a quote along.
    end = b"" if codec.startswith(_UTF16) else b"\n\n\n"
    line = 1
    for block in chain(read_blocks(path, offset, block_bytes), (b"",)):
        try:
            text = decoder.decode(block or end, final=not block)
        except UnicodeDecodeError as error:
            line += count_lines(bytes(error.object[: error.start]).decode(codec, "ignore"))
            raise BrokenFile(
                "Line {line:d}: this is not valid UTF-16; the file may be cut off.",
                fault=FileFault.ENCODING,
                hint="Save the list again as CSV in UTF-8, or choose its encoding on the pages.",
                line=line,
            ) from error
        text = text if block else text.removesuffix(end.decode())
        line += count_lines(text)
        yield text


def _write(target: Path, blocks: Iterable[bytes], request: RowsRequest) -> None:
    """Write a file, no further than soon after ``most_bytes``."""
    done = 0
    with create_file(target) as writer:
        for block in blocks:
            writer.write(block)
            done += len(block)
            if request.most_bytes is not None and done > request.most_bytes:
                break
            request.report(0, None, done)


def _errors(codec: str) -> str:
    return "surrogatepass" if codec.startswith(_UTF16) else "replace"
