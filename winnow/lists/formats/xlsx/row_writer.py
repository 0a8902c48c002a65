"""Rows of a sheet written again in the one spelling, from what the XML parser reads."""

import io
import re
from xml.parsers import expat

from winnow.lists.formats.xlsx.cells import (
    MAX_COLUMNS,
    MAX_DIGITS,
    MAX_ROWS,
    MalformedRow,
    column_index,
    column_letters,
)
from winnow.lists.formats.xlsx.elements import MAX_DEPTH
from winnow.lists.formats.xlsx.spelling import (
    PIECES_AT_ONCE,
    NotWellFormed,
    pair_up,
    parse_in_steps,
    word_tag,
    word_text,
)

MAX_ROW_NAMES = 1_000  # different ones, of elements, in a stretch of rows
BETWEEN = "\n"  # expat puts it between namespace, name and prefix

_CELL_PLACE = re.compile(r"\$?([A-Za-z]{1,3})\$?([0-9]{1,7})\Z")
_TEXT_HOLDERS = ("v", "f", "t")
_ATTRIBUTES_FIRST = ("s", "t")


class RowWriter:
    """Writes rows again, from what expat reads.

    Args:
        prefix: The one that all tags get, with its colon, or empty.
        previous: The number of the row before.
    """

    def __init__(self, prefix: str, previous: int) -> None:
        self._prefix = prefix
        self._row = previous
        self._column = -1
        self._main: str | None = None
        self._names: list[str] = []  # of the open elements, as they are written
        self._extension = 0  # how deep its outermost element is; 0 outside
        self._declared: list[tuple[str, str]] = []
        self._known: set[str] = set()  # names, which the parser remembers as well
        self._out = io.BytesIO()
        self._written: list[str] = []  # not yet in there
        self._is_open = False

    def write(self, content: bytes) -> bytes:
        """Return the rows of a whole ``sheetData`` element, without it.

        Raises:
            MalformedRow: As in ``RowSpelling.respell``.
        """
        parser = expat.ParserCreate("UTF-8", BETWEEN)
        parser.namespace_prefixes = True
        parser.ordered_attributes = True
        parser.buffer_text = True
        parser.StartNamespaceDeclHandler = self._declare
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._write_text
        try:
            parse_in_steps(parser, content)
        except NotWellFormed as error:
            raise MalformedRow(str(error)) from error
        except MalformedRow as error:
            error.row = self._row if len(self._names) > 1 else None
            raise
        self._flush()
        return self._out.getvalue()

    def _flush(self) -> None:
        self._out.write("".join(self._written).encode("utf-8"))
        self._written.clear()

    def _declare(self, prefix: str | None, uri: str | None) -> None:
        self._declared.append((prefix or "", uri or ""))

    def _start(self, name: str, flat: list[str]) -> None:
        uri, local, prefix = _take_name_apart(name)
        depth = len(self._names)
        self._known.add(name)
        if depth > MAX_DEPTH or len(self._known) > MAX_ROW_NAMES:
            raise MalformedRow("holds more than any spreadsheet program writes")
        if not depth:
            self._main = uri
            self._declared.clear()
            self._names.append(local)
            return
        is_main = uri == self._main
        attributes = [(_word_name(key), value) for key, value in pair_up(flat)]
        if depth == 1:
            if not is_main or local != "row":
                raise MalformedRow("is followed by something that is no row")
            attributes = self._place_row(attributes)
        elif depth == 2 and is_main and local == "c":
            attributes = self._place_cell(attributes)
        elif local == "extLst" and not self._extension:
            self._extension = depth
        elif depth == 2:
            raise MalformedRow("holds something that is no cell")
        is_ours = is_main and not self._extension
        written = self._prefix + local if is_ours else f"{prefix}:{local}" if prefix else local
        self._close_tag()
        if len(self._written) > PIECES_AT_ONCE:
            self._flush()
        self._written.append(word_tag(written, attributes + self._list_declared()))
        self._is_open = True
        self._names.append(written)

    def _list_declared(self) -> list[tuple[str, str]]:
        """Return the namespace declarations of an element as attributes."""
        own = self._prefix.removesuffix(":")
        declared, self._declared = self._declared, []
        if not self._extension:
            if any(prefix == own and uri != self._main for prefix, uri in declared):
                raise MalformedRow("uses the sheet's own prefix for something else")
            declared = [(prefix, uri) for prefix, uri in declared if prefix != own]
        return [(f"xmlns:{prefix}" if prefix else "xmlns", uri) for prefix, uri in declared]

    def _end(self, name: str) -> None:
        written = self._names.pop()
        if not self._names:
            return
        if len(self._names) == self._extension:
            self._extension = 0
        if self._is_open:
            self._written.append("/>")
            self._is_open = False
        else:
            self._written.append(f"</{written}>")

    def _write_text(self, text: str) -> None:
        holder = self._names[-1].removeprefix(self._prefix)
        if not self._extension and (len(self._names) < 4 or holder not in _TEXT_HOLDERS):
            if text.strip(" \t\r\n"):
                raise MalformedRow("holds text outside its cells")
            return
        self._close_tag()
        self._written.append(word_text(text))

    def _close_tag(self) -> None:
        if self._is_open:
            self._written.append(">")
            self._is_open = False

    def _place_row(self, attributes: list[tuple[str, str]]) -> list[tuple[str, str]]:
        """Return a row's attributes with its number first, without its spans, which are a hint."""
        stated = dict(attributes).get("r")
        number = self._row + 1 if stated is None else _read_number(stated)
        if not self._row < number <= MAX_ROWS:
            raise MalformedRow("is out of order")
        self._row, self._column = number, -1
        rest = [pair for pair in attributes if pair[0] not in ("r", "spans")]
        return [("r", str(number)), *rest]

    def _place_cell(self, attributes: list[tuple[str, str]]) -> list[tuple[str, str]]:
        """Return a cell's attributes in order, its place first."""
        given = dict(attributes)
        column = self._column + 1
        if (stated := given.pop("r", None)) is not None:
            match = _CELL_PLACE.match(stated.strip())
            if match is None or int(match[2]) != self._row:
                raise MalformedRow("has a cell that says it stands elsewhere")
            column = column_index(match[1].upper().encode())
        if column >= MAX_COLUMNS:
            raise MalformedRow(f"has more than {MAX_COLUMNS:,} columns")
        if column <= self._column:
            raise MalformedRow("has cells out of order")
        self._column = column
        first = [(key, given.pop(key).strip()) for key in _ATTRIBUTES_FIRST if key in given]
        return [("r", f"{column_letters(column).decode()}{self._row}"), *first, *given.items()]


def _read_number(stated: str) -> int:
    digits = stated.strip()
    if not (digits.isascii() and digits.isdigit()) or len(digits) > MAX_DIGITS:
        raise MalformedRow("has a number that is none")
    return int(digits)


def _take_name_apart(name: str) -> tuple[str, str, str]:
    """Return the namespace, local name and prefix of what expat calls an element."""
    parts = name.split(BETWEEN)
    if len(parts) == 1:
        return "", name, ""
    return parts[0], parts[1], parts[2] if len(parts) > 2 else ""


def _word_name(name: str) -> str:
    _, local, prefix = _take_name_apart(name)
    return f"{prefix}:{local}" if prefix else local
