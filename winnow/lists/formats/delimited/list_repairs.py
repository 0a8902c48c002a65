"""Repairs of a text list: found in the first pass, put into its records in the second."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from winnow.core.tasks.repair_choice import RepairChoice, RepairPlace
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
from winnow.lists.formats.delimited.records_file import RecordsFile
from winnow.lists.result.added_columns import ORIGINAL, name_repaired, usual_name
from winnow.lists.result.row_index import RowText
from winnow.lists.result.row_tails import quote_cell


@dataclass(frozen=True, slots=True)
class BlockRepairs:
    """Repairs of one block, and the places of its email cells."""

    repaired: RepairedCells
    places: CellPlaces


@dataclass(frozen=True, slots=True)
class ListRepairs:
    """Repairs of a list, and how they are written.

    ``column`` is the name of the column for repaired addresses; ``""``: cells are replaced, and
    ``original`` is the name of the column for the former ones.
    """

    repairer: Repairer | None  # None: nothing is repaired
    store: RepairStore
    column: str
    original: str = ""

    @property
    def name(self) -> str:
        """The name of the added column."""
        return self.column or self.original

    def finish(self) -> None:
        """Flush; nothing is found afterwards."""
        self.store.finish()

    def blocks(self) -> Iterator[BlockRepairs]:
        """Yield what the first pass found of each block of the rows' addresses."""
        for repaired, places in self.store.blocks():
            yield BlockRepairs(repaired, CellPlaces(places[0], places[1]))

    def edit(
        self, records: RecordBytes, codes: NDArray[np.uint32], block: BlockRepairs, form: RowText
    ) -> RecordBytes:
        """Put a block's repairs into its records."""
        repaired = block.repaired
        cells = read_cells(records, block.places, repaired.rows, word_cells(repaired.new, form))
        if self.original:
            former = read_cells(records, block.places, repaired.rows, [])
            if len(repaired.rows):
                records = replace_cells(records, block.places, cells)
            cells = former
        return append_cells(records, codes, cells, self._describe(form))

    def _describe(self, form: RowText) -> CellColumn:
        [header] = word_cells([self.name], form)
        return CellColumn(form.delimiter.encode(), header, form.width - 1)


@contextmanager
def open_repairs(
    choice: RepairChoice | None, source: RecordsFile, folder: Path
) -> Iterator[ListRepairs | None]:
    """Open the store of a run's repairs; None where nothing is to be repaired."""
    if choice is None:
        yield None
        return
    plan, upload = source.plan, source.decoded_from
    codec = source.codec if upload is None else upload.codec
    is_replaced = choice.place is RepairPlace.REPLACE
    usual = ORIGINAL if is_replaced else usual_name(plan)
    name = name_repaired(plan.columns if plan.has_header else (), usual)
    column, original = ("", name) if is_replaced else (name, "")
    with RepairStore(folder) as store:
        repairer = None if choice.is_empty else Repairer(choice, codec)
        yield ListRepairs(repairer, store, column, original)


def word_cells(texts: Sequence[str], form: RowText) -> list[bytes]:
    """Return cells as they may be in a record of this form."""
    return [quote_cell(text, form).encode(form.encoding) for text in texts]
