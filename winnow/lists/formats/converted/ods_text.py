"""The text of an OpenDocument cell: its paragraphs, with the white space that they mean."""

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from winnow.lists.formats.converted.value_book import MAX_CELL_CHARACTERS, OversizedSheet
from winnow.words import mark

_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_PARAGRAPHS = f"{_TEXT}p", f"{_TEXT}h"
_LEFT_OUT = f"{_TEXT}note", f"{_TEXT}ruby-text"
_BLANKS = re.compile("[ \t\r\n]+")  # ODF 1.3 part 3, 6.1.2
# Signs that XML cannot hold, for white space that is written as elements and does not collapse.
_SPACE, _TAB, _BREAK = "\x01", "\x02", "\x03"
_MEANT = str.maketrans({_SPACE: " ", _TAB: "\t", _BREAK: "\n"})

_TOO_LONG = mark("A cell has more characters than a cell of Excel holds.")


def read_text(cell: Element) -> str:
    """Return the paragraphs that are the cell's own, one a line; not those of its comment.

    Raises:
        OversizedSheet: It has more blanks than a cell of Excel holds characters.
    """
    return "\n".join(_read_paragraph(one) for one in cell if one.tag in _PARAGRAPHS)


def _read_paragraph(paragraph: Element) -> str:
    text = "".join(_list_pieces(paragraph)) if len(paragraph) else paragraph.text or ""
    return _BLANKS.sub(" ", text).strip(" ").translate(_MEANT)


def _list_pieces(element: Element) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        name = child.tag.removeprefix(_TEXT)
        if name == "s":
            count = int(child.get(f"{_TEXT}c", "1"))
            if count > MAX_CELL_CHARACTERS:
                raise OversizedSheet(_TOO_LONG)
            yield _SPACE * count
        elif name in ("tab", "line-break"):
            yield _TAB if name == "tab" else _BREAK
        elif child.tag not in _LEFT_OUT and not child.tag.endswith("}annotation"):
            yield from _list_pieces(child)
        yield child.tail or ""
