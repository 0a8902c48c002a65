"""Rows of a sheet, rewritten one by one: dropped, numbered anew, cells added at the end."""

import re
from collections.abc import Sequence

import numpy as np

from winnow.lists.formats.xlsx.block_rewrite import BlockRewriter, take_apart_for_rewriting
from winnow.lists.formats.xlsx.cells import (
    Cell,
    CellGrammar,
    MalformedRow,
    column_letters,
    tell_broken_row,
)
from winnow.lists.formats.xlsx.fast_parser import PlainBlock
from winnow.lists.formats.xlsx.references.formula_cells import FormulaCells
from winnow.lists.formats.xlsx.replaced_cells import ReplacedCells
from winnow.lists.formats.xlsx.sheet import SheetStream
from winnow.lists.formats.xlsx.xml import escape

_SPANS = re.compile(rb' spans="[^"]*"')


class AddedCells:
    """The cells to append, as XML with room for the row's number.

    Args:
        prefix: The sheet's namespace prefix.
        first_column: Where the first one goes, from 0.
        texts: For each code from 1 on, one text a column; code 0 adds nothing.
        styles: The style of a code's cells, where they have one.
    """

    def __init__(
        self,
        prefix: bytes,
        first_column: int,
        texts: Sequence[tuple[str, ...]],
        styles: dict[int, int],
    ) -> None:
        self.pieces: list[tuple[bytes, ...]] = [()]
        self.width = len(texts[0]) if texts else 0
        for code, cells in enumerate(texts, start=1):
            style = b' s="%d"' % styles[code] if styles.get(code) else b""
            pieces = [b""]
            for place, text in enumerate(cells):
                letters = column_letters(first_column + place)
                pieces[-1] += b"<" + prefix + b'c r="' + letters
                closing = b"</%(p)st></%(p)sis></%(p)sc>" % {b"p": prefix}
                opening = b'"%(s)s t="inlineStr"><%(p)sis><%(p)st>' % {b"s": style, b"p": prefix}
                pieces.append(opening + escape(text) + closing)
            self.pieces.append(tuple(pieces))

    def write(self, code: int, row: int) -> bytes:
        """Return the XML of a row's added cells."""
        return (b"%d" % row).join(self.pieces[code])


class RowRewriter:
    """Rewrites the rows of one sheet in order.

    Args:
        grammar: Expressions for the sheet.
        sheet: Its name, for errors.
        removed: By row number: whether the row goes.
        added: By row number: the code of its added cells.
        cells: The cells to add, maybe none; None for a sheet that only has its formulas moved.
        first_added_column: Existing (empty) cells from here on make room.
        crowded: Whether there are such cells at all.
        formulas: Moves formulas; None leaves them untouched.
        replaced: Cells that get another text; None for none.
    """

    def __init__(
        self,
        grammar: CellGrammar,
        sheet: str,
        *,
        removed: bytes = b"",
        added: Sequence[int] = (),
        cells: AddedCells | None = None,
        first_added_column: int = 0,
        crowded: bool = False,
        formulas: FormulaCells | None = None,
        replaced: ReplacedCells | None = None,
    ) -> None:
        self._grammar = grammar
        self._sheet = sheet
        self._removed = removed
        self._added = added
        self._cells = cells
        self._first_added_column = first_added_column
        self._crowded = crowded
        self._formula_cells = formulas
        self._replaced = replaced if replaced is not None and replaced.texts else None
        self._number = self._gone = 0
        self._blocks = BlockRewriter(
            np.frombuffer(removed, np.bool_),
            np.array(added, np.uint32),
            cells.pieces if cells is not None else (),
        )
        self._row_open = b"<" + grammar.prefix + b"row"
        self._row_close = b"</" + grammar.prefix + b"row>"
        self._cell_open = b"<" + grammar.prefix + b"c "
        self._cell_and_row_close = b"</" + grammar.prefix + b"c>" + self._row_close
        self._added_opens = [
            self._cell_open + b'r="' + column_letters(first_added_column + place)
            for place in range(cells.width if cells is not None else 0)
        ]
        self._formula_open = b"<" + grammar.prefix + b"f"

    def rewrite(self, stream: SheetStream, region: bytes) -> bytes:
        """Return the XML of a region of rows.

        Raises:
            BrokenFile: A row that cannot be read.
        """
        take = take_apart_for_rewriting
        if self._crowded or self._cells is None:
            take = _decline
        region, block = stream.read_block(region, self._number, take)
        is_plain = block is not None and not (
            (block.has_formulas and self._formula_cells is not None)
            or (self._replaced is not None and self._replaced.has_any(block.numbers))
        )
        if block is not None and is_plain:
            if int(block.numbers[0]) <= self._number:
                error = MalformedRow("is out of order")
                raise tell_broken_row(self._sheet, self._number, error)
            data, gone = self._blocks.rewrite(block, self._gone)
            self._gone += gone
            self._number = int(block.numbers[-1])
            return data
        if block is not None:
            region = stream.respell_rows(region, self._number)
        written: list[bytes] = []
        for row in stream.split(region):
            try:
                written.append(self._rewrite_row(row))
            except (MalformedRow, ValueError) as error:
                raise tell_broken_row(self._sheet, self._number, error) from error
        return b"".join(written)

    def _rewrite_row(self, row: bytes) -> bytes:
        end = row.find(b'"', 4)
        number = int(row[4:end])
        if self._replaced is not None and number in self._replaced.texts:
            row = self._replaced.put(row, number)
            end = row.find(b'"', 4)
        has_formulas = self._formula_cells is not None and self._formula_open in row
        if number < len(self._removed) and self._removed[number] and not has_formulas:
            self._number = number
            self._gone += 1
            return b""
        code = self._added[number] if number < len(self._added) else 0
        if code and self._crowded and not has_formulas:
            cut = self._find_added(row)
            if cut < 0:
                return self._rewrite_any_row(row)
            row = row[:cut] + self._row_close
        elif has_formulas or (code and not row.rstrip().endswith(self._row_close)):
            return self._rewrite_any_row(row)
        self._number = number
        if self._gone:
            number -= self._gone
            digits = b"%d" % number
            pieces = self._grammar.numbered.split(row[end:])
            if len(pieces) // 2 != row.count(self._cell_open):
                raise MalformedRow
            pieces[1::2] = [piece + digits for piece in pieces[1::2]]
            row = b' r="' + digits + b"".join(pieces)
        if not code or self._cells is None:
            return self._row_open + row
        if b"spans" in row:
            row = _SPANS.sub(b"", row, count=1)
        body = row[: row.rindex(self._row_close)]
        return self._row_open + body + self._cells.write(code, number) + self._row_close

    def _find_added(self, row: bytes) -> int:
        """Return where the cells begin that the added ones replace.

        -1 unless exactly these cells, or the first of them, end the row.
        """
        found = [(row.rfind(opening), opening) for opening in self._added_opens]
        found = [(place, opening) for place, opening in found if place >= 0]
        if not found or not row.endswith(self._cell_and_row_close):
            return -1
        is_there = all(row[place + len(opening) :][:1].isdigit() for place, opening in found)
        first = found[0][0]
        is_last = row.count(self._cell_open, first) == len(found)
        return first if is_there and is_last and sorted(found) == found else -1

    def _rewrite_any_row(self, row: bytes) -> bytes:
        previous = self._number
        number, opened, cells = self._grammar.parse_row(row, previous)
        self._number = number
        is_removed = number < len(self._removed) and bool(self._removed[number])
        target = number - self._gone
        written = [
            self._rewrite_cell(row, cell, number, target, is_removed=is_removed) for cell in cells
        ]
        if is_removed:
            self._gone += 1
            return b""
        code = self._added[number] if number < len(self._added) else 0
        if code and self._cells is not None:
            first = self._first_added_column
            beyond = first + self._cells.width
            added = self._cells.write(code, target)
            written = [
                *(text for text, cell in zip(written, cells, strict=True) if cell.column < first),
                added,
                *(text for text, cell in zip(written, cells, strict=True) if cell.column >= beyond),
            ]
        tag = write_attribute(row[:opened], b"r", b"%d" % target)
        if code:
            tag = _SPANS.sub(b"", tag)
        rest = row[cells[-1].end if cells else opened :]
        if tag.endswith(b"/>") and written:
            tag, rest = tag[:-2] + b">", self._row_close + rest
        return b"".join((self._row_open, tag, *written, rest))

    def _rewrite_cell(
        self, row: bytes, cell: Cell, number: int, target: int, *, is_removed: bool
    ) -> bytes:
        text = row[cell.start : cell.end]
        if self._formula_cells is not None and self._formula_open in cell.content:
            moved = self._formula_cells.move(cell.content, number, cell.column, keep=not is_removed)
            if moved != cell.content:
                start = text.rindex(cell.content)
                text = text[:start] + moved + text[start + len(cell.content) :]
        if is_removed or target == number:
            return text
        close = text.index(b">") + 1
        reference = column_letters(cell.column) + b"%d" % target
        return write_attribute(text[:close], b"r", reference) + text[close:]


def _decline(region: bytes) -> PlainBlock | None:
    """Take no region apart."""
    return None


def write_attribute(tag: bytes, name: bytes, value: bytes) -> bytes:
    """Return an opening tag in the one spelling, or what follows its name, with an attribute."""
    found = re.search(b" " + name + rb'="[^"]*"', tag)
    written = b" " + name + b'="' + value + b'"'
    if found is not None:
        return tag[: found.start()] + written + tag[found.end() :]
    end = len(tag) - (2 if tag.endswith(b"/>") else 1)
    return tag[:end].rstrip() + written + tag[end:]
