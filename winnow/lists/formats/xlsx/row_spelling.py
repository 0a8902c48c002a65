"""Rows of a sheet in one spelling, every row and cell with its place, whatever a program wrote.

``<row r="7" …>`` and ``<c r="A7" s="…" t="…" …>``: the place comes first, also where it was only
implied; all tags have the sheet's own prefix; nothing but texts stands between tags; a value's
digits and letters stand for themselves.
"""

import re
from xml.parsers import expat

from winnow.lists.formats.xlsx.cells import MalformedRow
from winnow.lists.formats.xlsx.row_writer import BETWEEN, RowWriter
from winnow.lists.formats.xlsx.spelling import word_tag
from winnow.lists.formats.xlsx.xml import resolve_plain_references

_SINGLE_QUOTED = re.compile(rb"='([^'\"<>&]*)'(?=[^<>]{0,200}+>)")  # in a tag: texts end at a "<"
_LATE_STYLE = re.compile(rb'( t="[A-Za-z]++")( s="[0-9]++")(?=[^<>]{0,200}+>)')


class RowSpelling:
    """Brings the rows of one sheet into the one spelling.

    Args:
        prefix: The sheet's namespace prefix, with its colon, or empty.
        head: What stands before the rows, up to and with the opening ``sheetData`` tag.
    """

    def __init__(self, prefix: bytes, head: bytes) -> None:
        p = re.escape(prefix)
        self._prefix = prefix
        self._head = head
        self._declarations: bytes | None = None
        self._referring = re.compile(rb"<" + p + rb"[tv](?:\s[^<>]*+)?>[^<]*&#[^<]*+")
        self._late_place = re.compile(
            rb"(<" + p + rb"(?:row|c))((?: [\w:.-]++=\"[^\"<>]*+\")+?)( r=\"[A-Z]{0,3}[0-9]++\")"
        )
        attributes = rb'(?: [\w:.-]++="[^"<>&]*+")*+'
        inner = (
            rb"<(?!/?" + p + rb"(?:c|row)[ />])/?" + p + rb"[A-Za-z]++" + attributes + rb"(?: ?/)?>"
            rb"[^<>]*+"
        )
        cell = (
            rb"<"
            + p
            + rb'c r="[A-Z]{1,3}(?P=number)"'
            + attributes
            + rb"(?: ?/>|>(?:"
            + inner
            + rb")*+</"
            + p
            + rb"c>)"
        )
        self._row = re.compile(
            rb"<"
            + p
            + rb'row r="(?P<number>[1-9][0-9]{0,6})"'
            + attributes
            + rb"(?: ?/>|>(?:"
            + cell
            + rb")*+</"
            + p
            + rb"row>)\s*+"
        )

    def respell(self, region: bytes, previous: int) -> bytes:
        """Return whole rows in the one spelling, the same object where they stand in it already.

        Args:
            region: Rows as they came.
            previous: The number of the row before, which a row without a number follows.

        Raises:
            MalformedRow: No rows, or rows and cells out of their places; the first such.
        """
        region = self.resolve_values(region)
        if self._is_plain(region):
            return region
        straightened = self._straighten(region)
        if self._is_plain(straightened):
            return straightened
        if self._declarations is None:
            self._declarations = _read_declarations(self._head)
        name = self._prefix + b"sheetData"
        writer = RowWriter(self._prefix.decode(), previous)
        return writer.write(b"<%s%s>%s</%s>" % (name, self._declarations, region, name))

    def resolve_values(self, region: bytes) -> bytes:
        """Return rows with the characters themselves where values refer to them (XML 1.0, 4.1).

        ``<v>&#x37;</v>`` is a 7 to whoever looks for digits, and a text of ``&#32;`` is blank.
        """
        if b"#" not in region or b"&#" not in region:  # one byte is found much sooner than two
            return region
        return self._referring.sub(lambda found: resolve_plain_references(found[0]), region)

    def _straighten(self, region: bytes) -> bytes:
        """Return rows with what some programs spell otherwise put right, at a tenth of the cost.

        Whether that was all is for the proof to say: single quotes, and the place not in front.
        """
        region = _SINGLE_QUOTED.sub(rb'="\1"', region)
        region = self._late_place.sub(rb"\1\3\2", region)
        return _LATE_STYLE.sub(rb"\2\1", region)

    def _is_plain(self, region: bytes) -> bool:
        position = 0
        while match := self._row.match(region, position):
            position = match.end()
        return position == len(region) and b" xmlns" not in region


def _read_declarations(head: bytes) -> bytes:
    """Return the namespace declarations that hold for the rows, as attributes."""
    found: list[tuple[str, str]] = []

    def begin(prefix: str | None, uri: str | None) -> None:
        found.append((f"xmlns:{prefix}" if prefix else "xmlns", uri or ""))

    def end(prefix: str | None) -> None:
        name = f"xmlns:{prefix}" if prefix else "xmlns"
        del found[max(place for place, pair in enumerate(found) if pair[0] == name)]

    parser = expat.ParserCreate("UTF-8", BETWEEN)
    parser.StartNamespaceDeclHandler = begin
    parser.EndNamespaceDeclHandler = end
    try:
        parser.Parse(head, False)
    except expat.ExpatError as error:
        raise MalformedRow("stands in a sheet that is not well-formed") from error
    return word_tag("", list(dict(found).items())).removeprefix("<").encode()
