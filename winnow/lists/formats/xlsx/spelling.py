"""One spelling of XML: whatever looks for patterns in a part meets this one and no other.

XML leaves much free: either quote, blanks and line breaks inside tags, a bare ``>`` in texts and
attributes, characters written as references (XML 1.0, 2.3, 2.4, 3.1). In the one spelling a tag is
``<name a="v" b="v">``, ``<name a="v"/>``, with one blank before the slash or none, or ``</name>``;
``>`` stands only at a tag's end.
"""

import io
import re
from xml.parsers import expat

from winnow.lists.formats.xlsx.elements import MAX_DEPTH, MAX_TAG_BYTES

_PLAIN_TAG = re.compile(
    rb"<(?:/[\w.:-]+|[\w.:-]+"
    rb'(?: [\w.:-]+="(?:[^"<>&\t\r\n]|&(?:amp|lt|gt|quot|apos);)*+")*+(?: ?/)?)>'
)
_CUT = b"<winnow-cut/>"  # an element of our own, where what was asked for begins and ends
_STEP_BYTES = 64 << 10
PIECES_AT_ONCE = 1 << 14  # of XML in memory, before they become bytes
_IN_TEXT = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"})
_IN_VALUE = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
    | {mark: f"&#{ord(mark)};" for mark in "\t\r\n"}  # else a reader makes them blanks
)


class NotWellFormed(ValueError):
    """The XML breaks the rules of XML itself, or goes beyond any that a program writes."""


def is_in_one_spelling(content: bytes) -> bool:
    """Whether every tag stands in the one spelling already: all ``<`` and ``>`` are counted."""
    count = content.count(b"<")
    return count == content.count(b">") and count == sum(1 for _ in _PLAIN_TAG.finditer(content))


def respell(content: bytes, *, before: bytes = b"", after: bytes = b"") -> bytes:
    """Return XML in the one spelling, untouched where it stands in it already.

    Args:
        content: From ``clean_chunks``: UTF-8, no comments, no document type.
        before: The tags, without attributes, that are open where it begins.
        after: The tags that close what is open where it ends.

    Raises:
        NotWellFormed: Such is no XML.
    """
    if is_in_one_spelling(content):
        return content
    whole = (before + _CUT if before else b"") + content + (_CUT + after if after else b"")
    written = _Speller().spell(whole)
    if before:
        written = written.partition(_CUT)[2]
    return written.rpartition(_CUT)[0] if after else written


def word_text(text: str) -> str:
    """Return a text as it stands between two tags."""
    return text.translate(_IN_TEXT)


def word_tag(name: str, attributes: list[tuple[str, str]]) -> str:
    """Return an opening tag without its end."""
    words = "".join(f' {key}="{value.translate(_IN_VALUE)}"' for key, value in attributes)
    return f"<{name}{words}"


def parse_in_steps(parser: expat.XMLParserType, content: bytes) -> None:
    """Parse a whole document; no tag may be so large that it alone fills the memory.

    Raises:
        NotWellFormed: Such is no XML.
    """
    try:
        for start in range(0, len(content), _STEP_BYTES):
            parser.Parse(content[start : start + _STEP_BYTES], False)
            if start + _STEP_BYTES - max(0, parser.CurrentByteIndex) > MAX_TAG_BYTES:
                raise NotWellFormed("holds a tag that is too long")
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise NotWellFormed("is not well-formed") from error


def pair_up(flat: list[str]) -> list[tuple[str, str]]:
    """Return attributes, as expat lists them in order, as pairs."""
    return list(zip(flat[::2], flat[1::2], strict=True))


class _Speller:
    def __init__(self) -> None:
        self._out = io.BytesIO()
        self._written: list[str] = []  # not yet in there: a part may have millions of pieces
        self._depth = 0
        self._is_open = False  # the last tag written still lacks its end

    def spell(self, content: bytes) -> bytes:
        parser = expat.ParserCreate("UTF-8")
        parser.ordered_attributes = True
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._write_text
        parse_in_steps(parser, content)
        self._flush()
        return self._out.getvalue()

    def _start(self, name: str, attributes: list[str]) -> None:
        self._close_tag()
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise NotWellFormed("is nested too deeply")
        if len(self._written) > PIECES_AT_ONCE:
            self._flush()
        self._written.append(word_tag(name, pair_up(attributes)))
        self._is_open = True

    def _end(self, name: str) -> None:
        self._depth -= 1
        if self._is_open:
            self._written.append("/>")
            self._is_open = False
        else:
            self._written.append(f"</{name}>")

    def _write_text(self, text: str) -> None:
        self._close_tag()
        self._written.append(word_text(text))

    def _flush(self) -> None:
        self._out.write("".join(self._written).encode("utf-8"))
        self._written.clear()

    def _close_tag(self) -> None:
        if self._is_open:
            self._written.append(">")
            self._is_open = False
