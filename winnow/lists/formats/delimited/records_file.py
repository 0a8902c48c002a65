"""The file whose records a run reads: the upload itself, or its text decoded to UTF-8."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from winnow.core.errors import BrokenFile
from winnow.core.tasks.task import InputPlan
from winnow.lists.execution.blocks import skip_lines
from winnow.lists.formats.delimited.transcode import decode_file
from winnow.lists.text.block_reader import Marks
from winnow.lists.text.cell_text import decode_cell, find_bom, keeps_ascii
from winnow.lists.text.splitter import count_lines, split_records

_DECODED = "pass.input"
_UTF8 = frozenset({"utf-8", "ascii"})


@dataclass(frozen=True, slots=True)
class UndecodedFile:
    """Codec and BOM of the file from which a decoded one was made."""

    codec: str
    bom: bytes


@dataclass(frozen=True, slots=True)
class RecordsFile:
    """Records after ``above``, in an encoding whose ASCII bytes are always ASCII characters.

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
        """Function that returns a cell's text."""
        return partial(decode_cell, codec=self.codec, escape=self.plan.escape)


@contextmanager
def open_records(
    path: Path,
    plan: InputPlan,
    folder: Path,
    tell: Callable[[int, None, int], None],
    *,
    to_utf8: bool = False,
    most_bytes: int | None = None,
) -> Iterator[RecordsFile]:
    """Decode an upload if it must be; temporary files of ``folder`` are removed with the context.

    With ``to_utf8`` all but UTF-8 is decoded. ``most_bytes`` is as for ``decode_file``.

    Raises:
        BrokenFile: It is not in its encoding; the line is named.
    """
    with path.open("rb") as file:
        bom, codec = find_bom(file.read(4), plan.encoding)
    if codec in _UTF8 or (keeps_ascii(codec) and not to_utf8):
        yield RecordsFile(path, codec, bom + skip_lines(path, len(bom), plan.preamble_lines), plan)
        return
    decoded = folder / _DECODED
    try:
        decode_file(path, len(bom), codec, decoded, tell, most_bytes)
        above = skip_lines(decoded, 0, plan.preamble_lines)
        yield RecordsFile(decoded, "utf-8", above, plan, UndecodedFile(codec, bom))
    finally:
        decoded.unlink(missing_ok=True)
