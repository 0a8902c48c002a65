"""The repairs of a text list: found in the first pass, put into its records in the second."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from winnow.core.tasks.repair_choice import RepairChoice, RepairPlace
from winnow.lists.engine.both_addresses import find_second
from winnow.lists.engine.record_edits import (
    CellColumn,
    CellPlaces,
    RecordBytes,
    append_cells,
    read_cells,
    replace_cells,
)
from winnow.lists.engine.repairer import RepairedCells, Repairer
from winnow.lists.execution.repair_store import RepairStore
from winnow.lists.execution.row_store import SECOND, RowColumns
from winnow.lists.formats.delimited.records_file import RecordsFile
from winnow.lists.result.added_columns import name_repaired, usual_name
from winnow.lists.result.row_index import RowText
from winnow.lists.result.row_tails import quote_cell


@dataclass(frozen=True, slots=True)
class BlockRepairs:
    """Of one block: what was repaired, and where its email cells stand."""

    repaired: RepairedCells
    places: CellPlaces

    def choose(self, others: "BlockRepairs", takes: NDArray[np.bool_]) -> "BlockRepairs":
        """Return these, but where ``takes`` says so others."""
        return BlockRepairs(
            self.repaired.choose(others.repaired, takes), self.places.choose(others.places, takes)
        )


@dataclass(frozen=True, slots=True)
class ListRepairs:
    """What is repaired in a list, and how it is written.

    ``column`` is the name of the column for repaired addresses; ``""``: cells are replaced.
    ``others`` are of the second address of each row, where both are judged.
    """

    repairer: Repairer | None  # None: nothing is repaired
    store: RepairStore
    column: str
    others: RepairStore | None = None

    def finish(self) -> None:
        """Flush; nothing is found afterwards."""
        self.store.finish()
        if self.others is not None:
            self.others.finish()

    def blocks(self, rows: Iterable[RowColumns]) -> Iterator[BlockRepairs]:
        """Yield what the first pass found of each block of the rows' addresses."""
        if self.others is None:
            yield from _read_blocks(self.store)
            return
        both = zip(_read_blocks(self.store), _read_blocks(self.others), rows, strict=True)
        for first, second, some in both:
            yield first.choose(second, find_second(some.flags))

    def edit(
        self, records: RecordBytes, codes: NDArray[np.uint32], block: BlockRepairs, form: RowText
    ) -> RecordBytes:
        """Put a block's repairs into its records."""
        repaired = block.repaired
        cells = read_cells(records, block.places, repaired.rows, word_cells(repaired.new, form))
        if not self.column:
            return replace_cells(records, block.places, cells) if len(repaired.rows) else records
        return append_cells(records, codes, cells, self._describe(form))

    def edit_original(
        self,
        original: RecordBytes,
        decoded: RecordBytes,
        codes: NDArray[np.uint32],
        block: BlockRepairs,
        form: RowText,
    ) -> RecordBytes:
        """Put a block's column behind its records in the bytes that they came in.

        ``decoded`` are the same records in UTF-8, which the block's cells stand in.
        """
        new = word_cells(block.repaired.new, form, "utf-8")
        cells = read_cells(decoded, block.places, block.repaired.rows, new)
        encoded = [
            cell.decode("utf-8", "replace").encode(form.encoding, "replace")
            for cell in cells.to_pylist()
        ]
        cells = pa.array(encoded, pa.large_binary())
        return append_cells(original, codes, cells, self._describe(form))

    def _describe(self, form: RowText) -> CellColumn:
        [header] = word_cells([self.column], form)
        return CellColumn(form.delimiter.encode(), header, form.width - 1)


@contextmanager
def open_repairs(
    choice: RepairChoice | None, source: RecordsFile, folder: Path
) -> Iterator[ListRepairs | None]:
    """Make room for what a run repairs; None where nothing is to be."""
    if choice is None:
        yield None
        return
    plan, upload = source.plan, source.decoded_from
    codec = source.codec if upload is None else upload.codec
    # Of an encoding that is read in UTF-8, the bytes of a single cell are not known.
    is_replaced = choice.place is RepairPlace.REPLACE and (upload is None or upload.lines is None)
    column = (
        ""
        if is_replaced
        else name_repaired(plan.columns if plan.has_header else (), usual_name(plan))
    )
    with ExitStack() as stack:
        store = stack.enter_context(RepairStore(folder))
        others = None
        if plan.judges_both:
            others = stack.enter_context(RepairStore(folder, suffix=SECOND))
        repairer = None if choice.is_empty else Repairer(choice, codec)
        yield ListRepairs(repairer, store, column, others)


def _read_blocks(store: RepairStore) -> Iterator[BlockRepairs]:
    for repaired, places in store.blocks():
        yield BlockRepairs(repaired, CellPlaces(places[0], places[1]))


def word_cells(texts: Sequence[str], form: RowText, encoding: str = "") -> list[bytes]:
    """Return cells as they may stand in a record of this form."""
    return [quote_cell(text, form).encode(encoding or form.encoding) for text in texts]
