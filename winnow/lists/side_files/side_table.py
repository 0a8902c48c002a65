"""One table of a file that was laid beside a list: its first rows, and its columns by blocks."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.input_head import Choices
from winnow.core.tasks.task import InputPlan
from winnow.lists.engine.address_column import AddressColumn
from winnow.lists.engine.parsed_value import HashText
from winnow.lists.execution.blocks import work_in_order
from winnow.lists.formats.delimited.records_file import RecordsFile, open_records
from winnow.lists.formats.delimited.text_head import TextHead, read_text_head
from winnow.lists.inspection.signature import find_extension
from winnow.lists.text.block_reader import Block
from winnow.lists.text.records import Bytes, Positions, drop_end_mark, scan_records

SAMPLE_ROWS = 1000
_BLOCK_BYTES = 1 << 21  # a side file is read with little memory

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ColumnBlock:
    """Stretch of a table; ``cells`` bounds a wanted column's cells in ``data``, quotes included.

    ``decode`` gives a cell's text. Blank lines are left out.
    """

    data: Bytes
    cells: tuple[tuple[Positions, Positions], ...]
    decode: Callable[[bytes], str]


class SideTable:
    """A table in a text file. ``label`` names the part of the file that it is; ``""``: all of it.

    ``rows`` are its first lines that hold anything, the header among them where there is one.
    """

    def __init__(self, path: Path, label: str, head: TextHead, scratch: Path) -> None:
        self.label = label
        self.rows = tuple(record.cells for record in (*head.above, *head.records)[:SAMPLE_ROWS])
        self._path = path
        self._head = head
        self._scratch = scratch

    @classmethod
    def open(cls, path: Path, name: str, label: str, scratch: Path) -> "SideTable":
        """Find out how a text file is to be read.

        Raises:
            InputError: It is no table.
        """
        found = find_extension(name, (FileFormat.CSV, FileFormat.TSV, FileFormat.TXT))
        head = read_text_head(path, found or FileFormat.CSV, Choices())
        return cls(path, label, head, scratch)

    @property
    def is_one_column(self) -> bool:
        """Whether it is one value a line."""
        return max(map(len, self.rows), default=0) < 2

    def work(
        self,
        columns: Sequence[int],
        take: Callable[[ColumnBlock, AddressColumn], T],
        hash_text: HashText,
    ) -> Iterator[T]:
        """Yield what ``take`` makes of each stretch, in the file's order; threads call it.

        Args:
            columns: The wanted ones, from 0.
            take: Is given the stretch, and what reads its cells as addresses.
            hash_text: Hashes local parts.

        Raises:
            BrokenFile: With the line.
        """
        with open_records(self._path, self._plan(), self._scratch, _tell_nobody) as source:
            column = AddressColumn(
                source.decode_cell,
                frozenset(),
                is_utf8=source.codec == "utf-8",
                has_escapes=bool(self._head.escape),
                hash_text=hash_text,
            )

            def work(block: Block) -> T | None:
                cut = self._cut_block(source, columns, block)
                return None if cut is None else take(cut, column)

            yield from work_in_order(
                source.path, len(source.above), source.marks, work, block_bytes=_BLOCK_BYTES
            )

    def read_texts(self, columns: Sequence[int]) -> Iterator[tuple[int, tuple[str, ...]]]:
        """Yield each line's number among those that are not blank, from 1, and its wanted cells."""
        with open_records(self._path, self._plan(), self._scratch, _tell_nobody) as source:
            number = 0
            work = partial(self._cut_block, source, columns)
            for block in work_in_order(source.path, len(source.above), source.marks, work):
                raw = block.data.data
                bounds = [zip(a.tolist(), b.tolist(), strict=True) for a, b in block.cells]
                for cells in zip(*bounds, strict=True):
                    number += 1
                    yield number, tuple(block.decode(bytes(raw[a:b])) for a, b in cells)

    def _plan(self) -> InputPlan:
        head = self._head
        first = head.above[0] if head.above else head.records[0]
        return InputPlan(
            FileFormat.CSV,
            0,
            first.cells,
            has_header=False,
            encoding=head.encoding,
            bom=head.bom,
            delimiter=head.delimiter,
            newline=head.newline,
            preamble_lines=first.line - 1,
            escape=head.escape,
        )

    def _cut_block(
        self, source: RecordsFile, columns: Sequence[int], block: Block
    ) -> ColumnBlock | None:
        width = len(self.rows[-1])
        cells: list[tuple[Positions, Positions]] = []
        for place in columns:
            records = scan_records(block.shape, source.marks.delimiter, place, block.quotes, width)
            if records is None:
                return None
            if block.added_line_end:
                drop_end_mark(records)
            is_row = ~records.is_blank
            cells.append((records.cell_starts[is_row], records.cell_ends[is_row]))
        return ColumnBlock(block.data, tuple(cells), source.decode_cell)


def _tell_nobody(rows: int, total: None, size_bytes: int) -> None:
    """Progress of decoding; nobody waits for it."""
