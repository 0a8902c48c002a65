"""The repairs of a Parquet list: its email column written again, or a column of its own."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from winnow.core.tasks.repair_choice import RepairChoice, RepairPlace
from winnow.lists.engine.repairer import RepairedCells, Repairer
from winnow.lists.formats.parquet.cell_texts import word_column
from winnow.lists.formats.parquet.source import ParquetSource
from winnow.lists.result.added_columns import name_repaired


@dataclass(frozen=True, slots=True)
class ColumnRepairs:
    """What is repaired, where the addresses stand, and how the repaired ones are written.

    ``column`` is the name of the column for them; ``""``: cells are replaced.
    """

    repairer: Repairer
    place: int
    column: str

    @classmethod
    def plan(
        cls, choice: RepairChoice | None, source: ParquetSource, place: int
    ) -> "ColumnRepairs | None":
        """Return how a choice is carried out; None where nothing is to be repaired.

        Only cells of texts are replaced.
        """
        if choice is None:
            return None
        kind = source.schema.field(place).type
        is_replaced = choice.place is RepairPlace.REPLACE and _holds_text(kind)
        column = "" if is_replaced else name_repaired(source.names)
        return cls(Repairer(choice), place, column)

    def edit(self, rows: pa.Table, repaired: RepairedCells) -> tuple[pa.Table, pa.Array | None]:
        """Return rows with their repairs, and the cells of the column beside, if there is one."""
        column = rows.column(self.place)
        if not self.column:
            if not len(repaired.rows):
                return rows, None
            kind = column.type
            inner = kind.value_type if pa.types.is_dictionary(kind) else kind
            texts = _merge(_join(column).cast(inner), repaired, inner)
            field = rows.schema.field(self.place)
            return rows.set_column(self.place, field, texts.cast(kind)), None
        texts = word_column(column, self.place)
        is_null = pc.is_null(_join(column))
        cells = pc.if_else(is_null, pa.scalar(None, texts.type), texts)
        return rows, _merge(cells, repaired, texts.type).cast(pa.string())


def _merge(cells: pa.Array, repaired: RepairedCells, kind: Any) -> pa.Array:
    """Return cells, the repaired ones in their rows."""
    chosen = np.arange(len(cells))
    chosen[repaired.rows] = len(cells) + np.arange(len(repaired.rows))
    new = pa.array(list(repaired.new), pa.string()).cast(kind)
    return pa.concat_arrays([cells, new]).take(pa.array(chosen))


def _join(column: pa.ChunkedArray) -> pa.Array:
    joined = column.combine_chunks()
    return joined.combine_chunks() if isinstance(joined, pa.ChunkedArray) else joined


def _holds_text(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        return _holds_text(kind.value_type)
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))
