"""Repairs of a Parquet list: its email column written again, or an added column."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from winnow.core.tasks.repair_choice import RepairChoice, RepairPlace
from winnow.lists.engine.repairer import RepairedCells, Repairer
from winnow.lists.formats.parquet.addresses import word_addresses
from winnow.lists.formats.parquet.source import ParquetSource
from winnow.lists.result.added_columns import ORIGINAL, name_repaired


@dataclass(frozen=True, slots=True)
class ColumnRepairs:
    """What is repaired, which columns hold addresses, and how the repaired ones are written.

    ``column`` is the name of the column for them; ``""``: cells are replaced, and ``original`` is
    the name of the column for the former addresses.
    """

    repairer: Repairer | None  # None: nothing is repaired
    places: Sequence[int]
    column: str
    original: str = ""

    @property
    def name(self) -> str:
        """The name of the added column."""
        return self.column or self.original

    @classmethod
    def plan(
        cls,
        choice: RepairChoice | None,
        source: ParquetSource,
        places: Sequence[int],
        usual: str,
    ) -> "ColumnRepairs | None":
        """Return how a choice is carried out; None where nothing is to be repaired.

        Only cells of texts are replaced. ``usual`` is the name that a column of addresses has.
        """
        if choice is None:
            return None
        kind = source.schema.field(places[0]).type
        is_replaced = choice.place is RepairPlace.REPLACE and _holds_text(kind)
        name = name_repaired(source.names, ORIGINAL if is_replaced else usual)
        column, original = ("", name) if is_replaced else (name, "")
        return cls(None if choice.is_empty else Repairer(choice), places, column, original)

    def edit(self, rows: pa.Table, repaired: RepairedCells) -> tuple[pa.Table, pa.Array]:
        """Return rows with their repairs, and the cells of the added column."""
        column = rows.column(self.places[0])
        if self.original:
            former = _join(column).cast(pa.string())
            if not len(repaired.rows):
                return rows, former
            kind = column.type
            inner = kind.value_type if pa.types.is_dictionary(kind) else kind
            texts = _merge(_join(column).cast(inner), repaired, inner)
            field = rows.schema.field(self.places[0])
            return rows.set_column(self.places[0], field, texts.cast(kind)), former
        columns = [rows.column(place) for place in self.places]
        texts = word_addresses(columns, self.places)
        is_null = pc.and_(pc.is_null(_join(column)), pc.equal(pc.binary_length(texts), 0))
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
