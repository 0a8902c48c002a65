"""Ranks of a sheet's rows, taken while they are scanned."""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from winnow.core.tasks.keep_rule import Keep
from winnow.lists.engine.duplicates import Ranks
from winnow.lists.engine.row_ranks import RankBlock, RowRanks, rank_by_count, rank_by_date_texts
from winnow.lists.formats.xlsx.block_text import gather_texts
from winnow.lists.formats.xlsx.cells import Cell
from winnow.lists.formats.xlsx.fast_parser import PlainBlock
from winnow.lists.formats.xlsx.text import CellTexts

_ROWS_HELD = 1 << 14


class SheetRanks:
    """Takes every row of a sheet, in order; rows that are none of the list have the rank 0."""

    def __init__(self, ranks: RowRanks, texts: CellTexts) -> None:
        self._ranks = ranks
        self._texts = texts
        self._column = ranks.rule.date_column
        self._counts = ranks.rule.keep is Keep.COMPLETE
        self._found: list[Ranks] = []
        self._held_texts: list[bytes | None] = []
        self._held_counts: list[int] = []

    @property
    def is_wanted(self) -> bool:
        """Whether there are ranks at all."""
        return self._ranks.rule.has_ranks

    def take_row(self, filled: list[Cell]) -> None:
        """Take one row by its cells with a value; none where it is no row of the list."""
        if self._counts:
            self._held_counts.append(len(filled))
        elif self._column is not None:
            cell = next((cell for cell in filled if cell.column == self._column), None)
            text = None if cell is None else self._texts.read(cell)
            self._held_texts.append(None if text is None else text.encode("utf-8", "replace"))
        if max(len(self._held_counts), len(self._held_texts)) >= _ROWS_HELD:
            self._flush()

    def take_block(
        self, block: PlainBlock, is_filled: NDArray[np.bool_], is_row: NDArray[np.bool_]
    ) -> None:
        """Take a block's rows; ``is_filled`` has its cells, ``is_row`` its rows."""
        if not self.is_wanted:
            return
        self._flush()
        is_wanted = is_filled & is_row[block.cell_rows]
        if self._counts:
            rows = block.cell_rows[is_wanted]
            self._add(rank_by_count(np.bincount(rows, minlength=len(is_row))))
            return
        cells = np.flatnonzero(is_wanted & (block.columns == self._column))
        places = np.full(len(is_row), len(cells))
        places[block.cell_rows[cells]] = np.arange(len(cells))
        texts = gather_texts(block, cells, self._texts)
        texts = pa.concat_arrays([texts, pa.array([b""], texts.type)])
        self._add(rank_by_date_texts(texts.take(pa.array(places))))

    def finish(self) -> Ranks | None:
        """Return the rank of every row that was taken, settled; None where none is wanted."""
        if not self.is_wanted:
            return None
        self._flush()
        return self._ranks.settle(np.concatenate([np.zeros(0, np.uint64), *self._found]))

    def _flush(self) -> None:
        if self._held_counts:
            self._add(rank_by_count(np.array(self._held_counts, np.int64)))
            self._held_counts.clear()
        if self._held_texts:
            self._add(rank_by_date_texts(pa.array(self._held_texts, pa.large_binary())))
            self._held_texts.clear()

    def _add(self, block: RankBlock) -> None:
        ranks = self._ranks.take(block)
        if ranks is not None:
            self._found.append(ranks)
