"""Cells of one column of a sheet that get another text and keep their style."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from winnow.lists.formats.xlsx.cells import CellGrammar, MalformedRow, column_letters
from winnow.lists.formats.xlsx.xml import escape


class ReplacedCells:
    """Puts texts into rows of a sheet, by the rows' numbers.

    Args:
        grammar: Expressions for the sheet.
        column: Where the cells stand, from 0.
        texts: By row number.
    """

    def __init__(self, grammar: CellGrammar, column: int, texts: Mapping[int, str]) -> None:
        self.texts = texts
        self._grammar = grammar
        self._column = column
        self._numbers = np.array(sorted(texts), np.int64)

    def has_any(self, numbers: NDArray[np.int64]) -> bool:
        """Tell whether any of some rows, rising, gets another text."""
        first, last = np.searchsorted(self._numbers, (numbers[0], numbers[-1] + 1))
        return bool(last > first)

    def put(self, row: bytes, number: int) -> bytes:
        """Return a row, as what follows ``<row``, with its text in the place of the old one.

        Raises:
            MalformedRow: It has no such cell.
        """
        _, _, cells = self._grammar.parse_row(row, number - 1)
        cell = next((cell for cell in cells if cell.column == self._column), None)
        if cell is None:
            raise MalformedRow
        prefix = self._grammar.prefix
        style = b' s="%d"' % cell.style if cell.style else b""
        place = column_letters(self._column) + b"%d" % number
        opening = b'<%(p)sc r="%(r)s"%(s)s t="inlineStr"><%(p)sis><%(p)st>' % {
            b"p": prefix,
            b"r": place,
            b"s": style,
        }
        closing = b"</%(p)st></%(p)sis></%(p)sc>" % {b"p": prefix}
        written = opening + escape(self.texts[number]) + closing
        return row[: cell.start] + written + row[cell.end :]
