"""Editor for elements of an XML part; everything around them stays byte for byte.

Every legal spelling of a tag is read (XML 1.0, 3.1): either quote, blanks and line breaks, a bare
``>`` in a value, any prefix. What is edited is written in one spelling, with double quotes.
"""

import re
from collections.abc import Callable, Container, Iterator

from winnow.core.errors import BrokenFile
from winnow.lists.formats.xlsx.xml import read_attributes

# Of elements inside one that is edited: drawings group shapes, a reader's stack ends some time.
MAX_DEPTH, MAX_ELEMENTS = 200, 100_000
_TAG = re.compile(
    rb"""<(/?)([A-Za-z_\x80-\xff][^\s/<>"'=]*+)"""
    rb"""([^<>"']*+(?:(?:"[^"<]*+"|'[^'<]*+')[^<>"']*+)*+)>"""
)
# Holders that are kept also when nothing is left in them.
_MAY_BE_EMPTY = frozenset((b"commentList", b"ThreadedComments", b"wsDr", b"worksheet"))


class Element:
    """One element: its name as written, attributes as written (escaped), and what is inside."""

    __slots__ = ("attributes", "children", "name")

    def __init__(self, name: bytes, attributes: dict[bytes, bytes]) -> None:
        self.name = name
        self.attributes = attributes
        self.children: list[bytes | Element] = []

    @property
    def local(self) -> bytes:
        """The name without its prefix."""
        return self.name.rpartition(b":")[2]

    @property
    def text(self) -> bytes:
        """The text directly inside, as written."""
        return b"".join(child for child in self.children if isinstance(child, bytes))

    def elements(self) -> Iterator["Element"]:
        """Yield the child elements."""
        return (child for child in self.children if isinstance(child, Element))

    def walk(self) -> Iterator["Element"]:
        """Yield the element and all below it."""
        yield self
        for child in self.elements():
            yield from child.walk()

    def find(self, local: bytes) -> "Element | None":
        """Return the first child element of a name."""
        return next((child for child in self.elements() if child.local == local), None)

    def write(self) -> bytes:
        """Return the element as XML."""
        tag = write_tag(self.name, self.attributes)
        if not self.children:
            return tag + b"/>"
        inner = b"".join(
            child if isinstance(child, bytes) else child.write() for child in self.children
        )
        return tag + b">" + inner + b"</" + self.name + b">"


def write_tag(name: bytes, attributes: dict[bytes, bytes]) -> bytes:
    """Return an opening tag without its end."""
    return (
        b"<"
        + name
        + b"".join(
            b" " + key + b'="' + value.replace(b'"', b"&quot;") + b'"'
            for key, value in attributes.items()
        )
    )


def edit_elements(
    content: bytes, names: Container[bytes], edit: Callable[[Element], bool | None]
) -> bytes:
    """Return XML with some elements edited.

    Args:
        content: From ``clean_chunks``: UTF-8, no comments, no document type. Tags may be open
            before it begins or where it ends.
        names: Local names of the elements to edit; what is inside such an element is its own.
        edit: Changes an element; False drops it, and its holder when that is left empty. A
            holder's ``count`` is set right.

    Raises:
        BrokenFile: An element to edit holds more elements than any program writes, or deeper ones.
    """
    pieces: list[bytes] = []
    holders: list[_Holder] = []
    done = position = 0
    while match := _TAG.search(content, position):
        position = match.end()
        local = match[2].rpartition(b":")[2]
        if match[1]:
            if not holders:
                continue
            holder = holders.pop()
            if not holder.dropped:
                _count(holders, kept=True)
                continue
            pieces.append(content[done : match.start()])
            done = match.start()
            is_kept = holder.kept > 0 or local in _MAY_BE_EMPTY
            if is_kept:
                pieces[holder.place] = _recount(pieces[holder.place], holder.kept)
            else:
                del pieces[holder.place :]
                done = match.end()
            _count(holders, kept=is_kept)
        elif local in names:
            element, position = _read_element(content, match)
            pieces.append(content[done : match.start()])
            is_kept = edit(element) is not False
            if is_kept:
                pieces.append(element.write())
            done = position
            _count(holders, kept=is_kept)
        elif match[3].endswith(b"/"):
            _count(holders, kept=True)
        else:
            pieces += (content[done : match.start()], match[0])
            done = match.end()
            holders.append(_Holder(len(pieces) - 1))
    return b"".join((*pieces, content[done:]))


def read_root(content: bytes) -> Element | None:
    """Return a part's root without what is inside, None for a part without elements."""
    root = _TAG.search(content)
    return _open(root) if root is not None else None


def set_root_attribute(content: bytes, name: bytes, value: bytes) -> bytes:
    """Return a part with one attribute of its root set."""
    root = _TAG.search(content)
    if root is None:
        return content
    element = _open(root)
    element.attributes[name] = value
    end = b"/>" if root[3].endswith(b"/") else b">"
    tag = write_tag(element.name, element.attributes) + end
    return content[: root.start()] + tag + content[root.end() :]


class _Holder:
    """An open element that is not edited itself: its place in what is written, its children."""

    __slots__ = ("dropped", "kept", "place")

    def __init__(self, place: int) -> None:
        self.place = place
        self.kept = self.dropped = 0


def _count(holders: list[_Holder], *, kept: bool) -> None:
    if holders:
        holders[-1].kept += kept
        holders[-1].dropped += not kept


def _recount(tag: bytes, count: int) -> bytes:
    return re.sub(rb"""(\scount\s*=\s*["'])[0-9]+""", rb"\g<1>%d" % count, tag, count=1)


def _read_element(content: bytes, opened: re.Match[bytes]) -> tuple[Element, int]:
    """Return the element that a tag opens, and where it ends."""
    root = _open(opened)
    count = 0
    if opened[3].endswith(b"/"):
        return root, opened.end()
    stack = [root]
    position = opened.end()
    while match := _TAG.search(content, position):
        if match.start() > position:
            stack[-1].children.append(content[position : match.start()])
        position = match.end()
        if match[1]:
            while len(stack) > 1 and stack[-1].name != match[2]:
                stack.pop()  # VML holds HTML, which leaves some tags open
            if len(stack) == 1 and stack[0].name == match[2]:
                return root, position
            stack = stack[:-1] or [root]
            continue
        child = _open(match)
        stack[-1].children.append(child)
        if not match[3].endswith(b"/"):
            stack.append(child)
        count += 1
        if len(stack) > MAX_DEPTH or count > MAX_ELEMENTS:
            raise BrokenFile(
                "The workbook has a drawing or a rule that no spreadsheet program writes.",
                hint="Export the sheet as CSV and use that.",
            )
    stack[-1].children.append(content[position:])
    return root, len(content)


def _open(match: re.Match[bytes]) -> Element:
    return Element(match[2], read_attributes(match[3]))
