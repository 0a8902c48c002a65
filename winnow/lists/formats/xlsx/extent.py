"""How far right a sheet reaches: the last column with a value, with anything, with a cell."""

from collections.abc import Sequence

import numpy as np

from winnow.lists.formats.xlsx.block_text import read_indices
from winnow.lists.formats.xlsx.cells import Cell, CellGrammar, column_letters
from winnow.lists.formats.xlsx.fast_parser import Kind, PlainBlock
from winnow.lists.formats.xlsx.strings import SharedStrings


class SheetExtent:
    """Grows with the rows of a sheet; columns count from 0, -1 for none.

    ``last_column`` is the last with a value, ``widest_column`` the last with a cell, empty ones
    too. ``narrow_columns`` are the letters of all columns up to ``last_column``.
    """

    def __init__(self, grammar: CellGrammar, strings: SharedStrings) -> None:
        self._grammar = grammar
        self._strings = strings
        self._formula_open = b"<" + grammar.prefix + b"f"
        self._last_held_column = -1
        self.last_column = self.widest_column = -1
        self.narrow_columns: set[bytes] = set()

    @property
    def last_held_column(self) -> int:
        """The last column with anything in it: a value, blanks, a formula that shows nothing."""
        return max(self.last_column, self._last_held_column)

    def widen(self, column: int) -> None:
        """Take a column with a value in."""
        while self.last_column < column:
            self.last_column += 1
            self.narrow_columns.add(column_letters(self.last_column))

    def take_cells(self, cells: Sequence[Cell]) -> None:
        """Take the cells of a row in, whose values were."""
        if not cells:
            return
        self.widest_column = max(self.widest_column, cells[-1].column)
        for cell in reversed(cells):
            if cell.column <= self.last_held_column:
                return
            if self._holds_anything(cell):
                self._last_held_column = cell.column

    def take_block(self, block: PlainBlock) -> None:
        """Take the cells of a block in, whose values were.

        Raises:
            ValueError, LookupError: A damaged cell.
        """
        self.widest_column = max(self.widest_column, int(block.columns.max(initial=-1)))
        beyond = np.flatnonzero(block.columns > self.last_held_column)
        if not len(beyond):
            return
        is_held = block.ends[beyond] > block.starts[beyond]
        shared = np.flatnonzero(is_held & (block.kinds[beyond] == Kind.SHARED))
        indices = read_indices(block, beyond[shared])
        empty = [index for index in np.unique(indices).tolist() if not self._strings[index]]
        is_held[shared] = ~np.isin(indices, empty)
        if block.has_formulas:
            bytes_ = np.frombuffer(block.data, np.uint8)
            formulas = np.flatnonzero((bytes_[:-1] == ord("<")) & (bytes_[1:] == ord("f")))
            is_held |= np.isin(beyond, np.searchsorted(block.digit_starts, formulas) - 1)
        held = int(block.columns[beyond[is_held]].max(initial=-1))
        self._last_held_column = max(self._last_held_column, held)

    def _holds_anything(self, cell: Cell) -> bool:
        content = cell.content
        if self._formula_open in content:
            return True
        value = self._grammar.value.search(content)
        if value is not None and value[1]:
            is_index = cell.kind == b"s" and value[1].strip()
            return not is_index or bool(self._strings[int(value[1])])
        return any(match[1] for match in self._grammar.text.finditer(content))
