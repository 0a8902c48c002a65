"""Rewriting of a sheet's rows: removed, renumbered, with cells replaced and added."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from winnow.lists.formats.xlsx.cells import (
    CELL,
    MalformedRow,
    find_column,
    read_style,
    split_rows,
)
from winnow.lists.formats.xlsx.references.formula_cells import FormulaCells
from winnow.lists.formats.xlsx.references.widening import AddedColumns
from winnow.lists.formats.xlsx.xml import NAME, read_attributes
from winnow.lists.sheet_limits import column_letters, escape_text

# An opening tag up to the digits of its number or place, whatever is before that attribute.
_BEFORE = rb"""(?:\s++(?!r[\s=])[\w:.-]++\s*+=\s*+(?:"[^"]*+"|'[^']*+'))*+\s++r\s*+=\s*+["']\s*+"""
_CELL_DIGITS = re.compile(rb"(<" + NAME + rb"c" + _BEFORE + rb"\$?[A-Za-z]{1,3}\$?)[0-9]++")
_ROW_DIGITS = re.compile(rb"(<" + NAME + rb"row" + _BEFORE + rb")[0-9]++")
_SPANS = re.compile(rb"""\sspans\s*=\s*(?:"[^"]*"|'[^']*')""")
_FORMULA_TAG = re.compile(rb"<" + NAME + rb"f[\s/>]")


@dataclass(frozen=True, slots=True)
class SheetEdit:
    """Edits of one sheet.

    ``removed`` are row numbers, ascending. ``added`` has by row number which of ``cell_texts`` (one
    text for each added column) the row gets, counted from 1; 0 for none. ``styles`` gives some of
    these codes a style. ``first_added_column`` counts from 0; cells that are there already make
    room. ``replaced`` are texts for cells of ``replaced_column``
    by row number. ``columns`` are the added ones for filters and tables to include; None leaves
    those as they are.
    """

    removed: Sequence[int] = ()
    added: Sequence[int] = ()
    cell_texts: Sequence[tuple[str, ...]] = ()
    styles: Mapping[int, int] = field(default_factory=dict)
    first_added_column: int = 0
    replaced: Mapping[int, str] = field(default_factory=dict)
    replaced_column: int = 0
    columns: AddedColumns | None = None

    @property
    def first_free_column(self) -> int:
        """The first column, from 0, right of the added ones."""
        return self.first_added_column + (len(self.cell_texts[0]) if self.cell_texts else 0)


class RowRewriter:
    """Rewrites the rows of one sheet in order.

    Args:
        prefix: The namespace prefix of its rows, with the colon, or empty.
        sheet: Its name, for errors.
        edits: What is to change.
        formulas: Moves formulas; None leaves them untouched.
    """

    def __init__(
        self, prefix: bytes, sheet: str, edits: SheetEdit, formulas: FormulaCells | None = None
    ) -> None:
        self._prefix = prefix
        self._sheet = sheet
        self._edits = edits
        self._is_removed = bytearray(edits.removed[-1] + 1 if len(edits.removed) else 0)
        for number in edits.removed:
            self._is_removed[number] = True
        self._formulas = formulas
        self._number = self._gone = 0
        self._added = {
            code: self._word_added(texts, edits.styles.get(code, 0))
            for code, texts in enumerate(edits.cell_texts, start=1)
        }

    def rewrite(self, region: bytes) -> bytes:
        """Return the XML of a region of rows.

        Raises:
            BrokenFile: A row that cannot be read.
        """
        written: list[bytes] = []
        try:
            for number, tag, body in split_rows(region, self._number):
                self._number = number
                written += self._rewrite_row(tag, body)
        except MalformedRow as error:
            raise error.explain(self._sheet) from error
        except ValueError as error:
            raise MalformedRow("", self._number).explain(self._sheet) from error
        return b"".join(written)

    def _rewrite_row(self, tag: bytes, body: bytes) -> tuple[bytes, ...]:
        """Return a row's XML in pieces: none when it is removed."""
        number, edits = self._number, self._edits
        if number < len(self._is_removed) and self._is_removed[number]:
            if self._formulas is not None and _FORMULA_TAG.search(body):
                self._edit_cells(body, is_removed=True)
            self._gone += 1
            return ()
        code = edits.added[number] if number < len(edits.added) else 0
        if code:
            tag = _SPANS.sub(b"", tag)
            if tag.endswith(b"/>"):
                name = tag[1 : tag.index(b"row") + 3]
                tag, body = tag[:-2].rstrip() + b">", b"</" + name + b">" + body
        has_formula = self._formulas is not None and _FORMULA_TAG.search(body)
        if code or has_formula or number in edits.replaced:
            body = self._edit_cells(body, code)
        if self._gone:
            digits = b"%d" % (number - self._gone)
            tag = _number_row(tag, digits)
            pieces = _CELL_DIGITS.split(body)
            pieces[1::2] = [piece + digits for piece in pieces[1::2]]
            body = b"".join(pieces)
        return tag, body

    def _edit_cells(self, body: bytes, code: int = 0, *, is_removed: bool = False) -> bytes:
        """Return a row's body with its formulas moved, its cells replaced and added."""
        edits = self._edits
        number = b"%d" % self._number
        added = self._added[code].replace(b"\0", number) if code else b""
        pieces: list[bytes] = []
        column, done = -1, 0
        for found in CELL.finditer(body):
            column = find_column(found, column)
            if added and column >= edits.first_added_column:
                pieces += (body[done : found.start()], added)
                done, added = found.start(), b""
            pieces.append(body[done : found.start()])
            done = found.end()
            if code and edits.first_added_column <= column < edits.first_free_column:
                continue
            if column == edits.replaced_column and self._number in edits.replaced:
                text = edits.replaced[self._number]
                pieces.append(self._write_cell(column, number, _read_style(found), text))
            else:
                pieces.append(self._move_formula(found, column, is_removed=is_removed))
        return b"".join((*pieces, added, body[done:]))

    def _move_formula(self, found: re.Match[bytes], column: int, *, is_removed: bool) -> bytes:
        rest = found[7]
        if self._formulas is None or not rest:
            return found[0]
        moved = self._formulas.move(rest, self._number, column, keep=not is_removed)
        start, end = found.start(7) - found.start(), found.end(7) - found.start()
        return found[0][:start] + moved + found[0][end:]

    def _word_added(self, texts: tuple[str, ...], style: int) -> bytes:
        """Return the XML of added cells, with NUL for the row's number."""
        first = self._edits.first_added_column
        return b"".join(
            self._write_cell(first + place, b"\0", style, text) for place, text in enumerate(texts)
        )

    def _write_cell(self, column: int, number: bytes, style: int, text: str) -> bytes:
        place = column_letters(column) + number
        styled = b' s="%d"' % style if style else b""
        p = self._prefix
        opening = b'<%bc r="%b"%b t="inlineStr"><%bis><%bt>' % (p, place, styled, p, p)
        return opening + escape_text(text).encode() + b"</%bt></%bis></%bc>" % (p, p, p)


def _number_row(tag: bytes, digits: bytes) -> bytes:
    """Return a row's opening tag with another number, or with one."""
    before, *numbered = _ROW_DIGITS.split(tag, maxsplit=1)
    if numbered:
        return before + numbered[0] + digits + numbered[1]
    end = len(tag) - (2 if tag.endswith(b"/>") else 1)
    return tag[:end].rstrip() + b' r="' + digits + b'"' + tag[end:]


def _read_style(found: re.Match[bytes]) -> int:
    return read_style(found[3] or read_attributes(found[5] or b"").get("s", "").encode())
