"""The file whose records a run reads: the upload as it came, or decoded and in UTF-8."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from winnow.core.errors import BrokenFile
from winnow.core.tasks.task import InputPlan
from winnow.lists.execution.blocks import skip_lines
from winnow.lists.formats.delimited.original_lines import LineSizes, OriginalLines
from winnow.lists.formats.delimited.transcode import decode_file
from winnow.lists.text.block_reader import Marks
from winnow.lists.text.cell_text import decode_cell, find_bom, keeps_ascii
from winnow.lists.text.splitter import count_lines, split_records

_DECODED, _LINE_SIZES = "pass.input", "pass.lines"


@dataclass(frozen=True, slots=True)
class UndecodedFile:
    """The file that a decoded one was made of, its BOM, and what stands above its records.

    Where decoding loses bytes, ``lines`` finds each row's own again; None: encoding gives them.
    """

    path: Path
    codec: str
    bom: bytes
    above: bytes
    lines: OriginalLines | None


@dataclass(frozen=True, slots=True)
class RecordsFile:
    """Records in bytes of which those of ASCII stand for themselves, behind ``above``.

    ``decoded_from`` is None where it is the upload itself.
    """

    path: Path
    codec: str
    above: bytes
    plan: InputPlan
    decoded_from: UndecodedFile | None = None

    @property
    def marks(self) -> Marks:
        """The marks of its dialect."""
        plan = self.plan
        return Marks.of(plan.delimiter, plan.escape, is_settled=plan.escape_is_chosen)

    def count_rows_above(self) -> int:
        """Return how many rows a spreadsheet shows above the list: titles, blank lines, ``sep=``.

        A title whose cell holds line breaks is one.
        """
        text = self.above.decode(self.codec, "replace").removeprefix("\ufeff")  # no row by itself
        delimiter, escape = self.plan.delimiter, self.plan.escape
        try:
            return sum(1 for _ in split_records(text, delimiter, is_whole=True, escape=escape))
        except BrokenFile:  # a title's quote that never closes
            return count_lines(text)

    @property
    def decode_cell(self) -> Callable[[bytes], str]:
        """What gives a cell's text."""
        return partial(decode_cell, codec=self.codec, escape=self.plan.escape)


@contextmanager
def open_records(
    path: Path, plan: InputPlan, folder: Path, tell: Callable[[int, None, int], None]
) -> Iterator[RecordsFile]:
    """Decode an upload if it must be; temporary files of ``folder`` go with the context.

    Raises:
        BrokenFile: It is not in its encoding; the line is named.
    """
    with path.open("rb") as file:
        bom, codec = find_bom(file.read(4), plan.encoding)
    if keeps_ascii(codec):
        yield RecordsFile(path, codec, bom + skip_lines(path, len(bom), plan.preamble_lines), plan)
        return
    decoded, sizes = folder / _DECODED, folder / _LINE_SIZES
    try:
        is_lossless = codec.startswith("utf-")
        decode_file(path, len(bom), codec, decoded, tell, None if is_lossless else LineSizes(sizes))
        above = skip_lines(decoded, 0, plan.preamble_lines)
        own_above = b"" if is_lossless else skip_lines(path, 0, plan.preamble_lines)
        lines = None if is_lossless else OriginalLines(sizes, 0, above)
        upload = UndecodedFile(path, codec, bom, own_above, lines)
        yield RecordsFile(decoded, "utf-8", above, plan, upload)
    finally:
        decoded.unlink(missing_ok=True)
        sizes.unlink(missing_ok=True)
