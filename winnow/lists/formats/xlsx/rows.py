"""Rewriting of a sheet's rows: removed, renumbered, with cells replaced and added."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from winnow.lists.formats.xlsx.cells import (
    CELL,
    column_index,
    explain_row,
    read_place,
    split_rows,
)
from winnow.lists.formats.xlsx.plain_rows import PLAIN_ROW
from winnow.lists.formats.xlsx.references.formula import RowMap
from winnow.lists.formats.xlsx.references.formula_cells import FormulaCells
from winnow.lists.formats.xlsx.references.widening import AddedColumns
from winnow.lists.formats.xlsx.xml import NAME
from winnow.lists.sheet_limits import MAX_ROWS, column_letters, escape_text

# An opening tag up to the digits of its number or place, whatever is before that attribute.
_OTHER = rb"""(?:\s++(?!r[\s=])[\w:.-]++\s*+=\s*+(?:"[^"]*+"|'[^']*+'))"""
_BEFORE = rb"(?>" + _OTHER + rb"""*)\s++r\s*+=\s*+["']\s*+"""
_CELL_DIGITS = re.compile(rb"(<" + NAME + rb"c" + _BEFORE + rb"\$?[A-Za-z]{1,3}\$?)[0-9]++")
_ROW_DIGITS = re.compile(rb"(<" + NAME + rb"row" + _BEFORE + rb")[0-9]++")
_SPANS = re.compile(rb"""\sspans\s*=\s*(?:"[^"]*"|'[^']*')""")
_FORMULA_TAG = re.compile(rb"<" + NAME + rb"f[\s/>]")


@dataclass(frozen=True, slots=True)
class SheetEdit:
    """Edits of one sheet.

    ``removed`` are row numbers, ascending. ``added`` has by row number which of ``cell_texts`` (one
    text for each of the added ``columns``) the row gets, counted from 1; 0 for none. Cells that are
    in these columns already make room. ``replaced`` are new addresses by row number.
    """

    removed: Sequence[int] = ()
    added: Sequence[int] = ()
    cell_texts: Sequence[tuple[str, ...]] = ()
    columns: AddedColumns = field(default_factory=AddedColumns)
    replaced: Mapping[int, str] = field(default_factory=dict)


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
        self._rows = RowMap(edits.removed)
        self._formulas = formulas
        self._columns = edits.columns
        self._added_count = len(edits.cell_texts[0]) if edits.cell_texts else 0
        self._previous = 0
        self._added = [b"", *map(self._word_added, edits.cell_texts)]
        self._header = self._word_added(edits.columns.names, edits.columns.header_style)

    def rewrite(self, region: bytes) -> bytes:
        """Return the XML of a region of rows.

        Raises:
            BrokenFile: A row that cannot be read.
        """
        written, done = list[bytes](), 0
        for row in PLAIN_ROW.finditer(region):
            if done < row.start():
                written += self._rewrite_rows(region[done : row.start()])
            written += self._rewrite_plain(row)
            done = row.end()
        return b"".join((*written, *self._rewrite_rows(region[done:])))

    def _rewrite_plain(self, row: re.Match[bytes]) -> Iterable[bytes]:
        """Return a plain row's XML in pieces, as ``_rewrite_row`` does; none when it is removed."""
        number = int(row[1])
        new_number, added = self._rows.find(number), self._find_added(number)
        if (
            not self._previous < number <= MAX_ROWS
            or number in self._edits.replaced
            or (added and column_index(row[4] or b"") >= self._columns.first)
        ):
            return self._rewrite_rows(row[0])
        self._previous = number
        if new_number is None:
            return ()
        old, digits, rest, cells = b'%b"' % row[1], b"%d" % new_number, row[2], row[3]
        if new_number != number:
            cells = _number_plain_cells(cells, old, digits)
        if added:
            rest = _SPANS.sub(b"", rest)
        return b'<row r="', digits, b'"', rest, b">", cells, added.replace(b"\0", digits), row[5]

    def _rewrite_rows(self, rows: bytes) -> Iterator[bytes]:
        """Yield the XML of any rows in pieces."""
        try:
            for number, tag, body in split_rows(rows, self._previous):
                yield from self._rewrite_row(number, tag, body)
                self._previous = number
        except ValueError as error:
            raise explain_row(error, self._sheet, self._previous) from error

    def _find_added(self, number: int) -> bytes:
        """Return the XML of the cells that a row gets, with NUL for its number."""
        if number == self._columns.header_row:
            return self._header
        return self._added[self._edits.added[number]] if number < len(self._edits.added) else b""

    def _rewrite_row(self, number: int, tag: bytes, body: bytes) -> tuple[bytes, ...]:
        """Return a row's XML in pieces: none when it is removed."""
        new_number = self._rows.find(number)
        has_formula = self._formulas is not None and _FORMULA_TAG.search(body)
        if new_number is None:
            if has_formula:
                self._edit_cells(number, body, is_removed=True)
            return ()
        added = self._find_added(number)
        if added:
            tag = _SPANS.sub(b"", tag)
            if tag.endswith(b"/>"):
                name = tag[1 : tag.index(b"row") + 3]
                tag, body = tag[:-2].rstrip() + b">", b"</" + name + b">" + body
        if added or has_formula or number in self._edits.replaced:
            body = self._edit_cells(number, body, added)
        if new_number != number:
            digits = b"%d" % new_number
            body = _number_cells(body, digits)
            before, *numbered = _ROW_DIGITS.split(tag, maxsplit=1)
            end = len(tag) - (2 if tag.endswith(b"/>") else 1)
            tag = tag[:end].rstrip() + b' r="' + digits + b'"' + tag[end:]
            if numbered:
                tag = before + numbered[0] + digits + numbered[1]
        return tag, body

    def _edit_cells(
        self, number: int, body: bytes, added: bytes = b"", *, is_removed: bool = False
    ) -> bytes:
        """Return a row's body with its formulas moved, its cells replaced and added."""
        replaced, digits = self._edits.replaced, b"%d" % number
        first, count = self._columns.first, self._added_count if added else 0
        added = added.replace(b"\0", digits)
        pieces: list[bytes] = []
        column, done = -1, 0
        for found in CELL.finditer(body):
            column, style = read_place(found, column)
            if added and column >= first:
                pieces += (body[done : found.start()], added)
                done, added = found.start(), b""
            pieces.append(body[done : found.start()])
            done = found.end()
            if 0 <= column - first < count:
                continue
            if column == self._columns.email_column and number in replaced:
                pieces.append(self._write_cell(column, digits, style, replaced[number]))
            elif self._formulas is not None and found[7]:
                moved = self._formulas.move(found[7], number, column, keep=not is_removed)
                start, end = found.span(7)
                pieces += (body[found.start() : start], moved, body[end : found.end()])
            else:
                pieces.append(found[0])
        return b"".join((*pieces, added, body[done:]))

    def _word_added(self, texts: Sequence[str], style: int = 0) -> bytes:
        """Return the XML of added cells, with NUL for the row's number."""
        return b"".join(
            self._write_cell(self._columns.first + place, b"\0", style, text)
            for place, text in enumerate(texts)
        )

    def _write_cell(self, column: int, number: bytes, style: int, text: str) -> bytes:
        place = column_letters(column) + number
        styled = b' s="%d"' % style if style else b""
        p = self._prefix
        opening = b'<%bc r="%b"%b t="inlineStr"><%bis><%bt>' % (p, place, styled, p, p)
        return opening + escape_text(text).encode() + b"</%bt></%bis></%bc>" % (p, p, p)


def _number_cells(body: bytes, digits: bytes) -> bytes:
    """Return a row's cells with another number."""
    pieces = _CELL_DIGITS.split(body)
    pieces[1::2] = [piece + digits for piece in pieces[1::2]]
    return b"".join(pieces)


def _number_plain_cells(cells: bytes, before: bytes, digits: bytes) -> bytes:
    """Return cells with another number than the one ``before`` a quote, which each has."""
    if cells.count(before) == cells.count(b"<c "):
        return cells.replace(before, digits + b'"')
    return _number_cells(cells, digits)  # a style or a text has it as well
