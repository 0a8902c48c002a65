"""Reader and editor for elements of an XML part; everything around them stays byte for byte.

Every legal spelling of a tag is read (XML 1.0, 3.1): either quote, blanks and line breaks, a bare
``>`` in a value, any prefix. What is edited is written in one spelling, with double quotes.
"""

import html
import re
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass, field

from winnow.core.errors import BrokenFile
from winnow.lists.formats.xlsx.xml import (
    ATTRIBUTES,
    NAME,
    read_attributes,
    resolve_references,
)

# Of elements inside one that is edited: drawings group shapes, a reader's stack ends some time.
MAX_DEPTH, MAX_ELEMENTS = 200, 100_000
_TAG = re.compile(rb"""<(/?)([A-Za-z_\x80-\xff][^\s/<>"'=]*+)""" + ATTRIBUTES + rb"(/?)>")
_BLANKS = {ord(sign): f"&#{ord(sign)};" for sign in "\t\n\r"}  # in an attribute (XML 1.0, 3.3.3)
_COUNT = re.compile(rb"""(\scount\s*=\s*["'])[0-9]+""")
# Holders that are kept also when nothing is left in them.
_MAY_BE_EMPTY = frozenset(("commentList", "ThreadedComments", "wsDr", "worksheet"))


@dataclass(slots=True, eq=False)
class Element:
    """One element: its name as written, its attributes, what is inside: elements and bare texts."""

    name: str
    attributes: dict[str, str]
    children: list["Element | str"] = field(default_factory=list)

    @property
    def local(self) -> str:
        """The name without its prefix."""
        return self.name.rpartition(":")[2]

    @property
    def text(self) -> str:
        """The text directly inside."""
        return "".join(child for child in self.children if isinstance(child, str))

    def get(self, name: str, default: str = "") -> str:
        """Return an attribute."""
        return self.attributes.get(name, default)

    def elements(self) -> Iterator["Element"]:
        """Yield the child elements."""
        return (child for child in self.children if isinstance(child, Element))

    def walk(self) -> Iterator["Element"]:
        """Yield the element and all below it."""
        yield self
        for child in self.elements():
            yield from child.walk()

    def find(self, local: str) -> "Element | None":
        """Return the first child element of a name."""
        return next((child for child in self.elements() if child.local == local), None)

    def write(self) -> bytes:
        """Return the element as XML."""
        pairs = self.attributes.items()
        written = (f' {key}="{html.escape(one).translate(_BLANKS)}"' for key, one in pairs)
        tag = f"<{self.name}{''.join(written)}".encode()
        if not self.children:
            return tag + b"/>"
        inner = (
            html.escape(one, quote=False).replace("\r", "&#13;").encode()
            if isinstance(one, str)
            else one.write()
            for one in self.children
        )
        return tag + b">" + b"".join(inner) + f"</{self.name}>".encode()


def find_elements(content: bytes, local: str) -> Iterator[Element]:
    """Yield the elements of a name in a part, in their order, without what is inside."""
    name = NAME + local.encode()
    opening = re.compile(rb"<()(" + name + rb")(?=[\s/>])" + ATTRIBUTES + rb"/?>")
    return map(_open, opening.finditer(content))


def edit_elements(
    content: bytes, names: Container[str], edit: Callable[[Element], bool | None]
) -> bytes:
    """Return XML with some elements edited.

    Args:
        content: XML in which every ``<`` begins a tag; some may be open before and after it.
        names: Local names of the elements to edit; what is inside such an element is its own.
        edit: Changes an element; False drops it, and its holder when that is left empty. A
            holder's ``count`` is set right.

    Raises:
        BrokenFile: An element to edit holds more elements than any program writes, or deeper ones.
    """
    pieces: list[bytes] = []
    holders = [_Holder(0)]  # of what is in no other
    done = position = 0
    while match := _TAG.search(content, position):
        position = match.end()
        local = match[2].rpartition(b":")[2].decode()
        is_kept = True
        if match[1]:
            if len(holders) == 1:
                continue
            holder = holders.pop()
            if holder.dropped:
                pieces.append(content[done : match.start()])
                done = match.start()
                is_kept = holder.kept > 0 or local in _MAY_BE_EMPTY
                if is_kept:
                    count = rb"\g<1>%d" % holder.kept
                    pieces[holder.place] = _COUNT.sub(count, pieces[holder.place], count=1)
                else:
                    del pieces[holder.place :]
                    done = match.end()
        elif local in names:
            element, position = _read_element(content, match)
            pieces.append(content[done : match.start()])
            is_kept = edit(element) is not False
            if is_kept:
                pieces.append(element.write())
            done = position
        elif not match[4]:
            pieces += (content[done : match.start()], match[0])
            done = match.end()
            holders.append(_Holder(len(pieces) - 1))
            continue
        holders[-1].kept += is_kept
        holders[-1].dropped += not is_kept
    return b"".join((*pieces, content[done:]))


def read_root(content: bytes) -> Element:
    """Return a part's root without what is inside; one without a name for a part without any."""
    root = _TAG.search(content)
    return _open(root) if root is not None else Element("", {})


@dataclass(slots=True)
class _Holder:
    """An open element that is not edited itself: its place in what is written, its children."""

    place: int
    kept: int = 0
    dropped: int = 0


def _read_element(content: bytes, opened: re.Match[bytes]) -> tuple[Element, int]:
    """Return the element that a tag opens, and where it ends."""
    root = _open(opened)
    count = 0
    if opened[4]:
        return root, opened.end()
    stack = [root]
    position = opened.end()
    while match := _TAG.search(content, position):
        if match.start() > position:
            stack[-1].children.append(resolve_references(content[position : match.start()]))
        position = match.end()
        if match[1]:
            while len(stack) > 1 and stack[-1].name.encode() != match[2]:
                stack.pop()  # VML holds HTML, which leaves some tags open
            if len(stack) == 1 and stack[0].name.encode() == match[2]:
                return root, position
            stack = stack[:-1] or [root]
            continue
        child = _open(match)
        stack[-1].children.append(child)
        if not match[4]:
            stack.append(child)
        count += 1
        if len(stack) > MAX_DEPTH or count > MAX_ELEMENTS:
            raise BrokenFile(
                "The workbook has a drawing or a rule that no spreadsheet program writes.",
                hint="Export the sheet as CSV and use that.",
            )
    stack[-1].children.append(resolve_references(content[position:]))
    return root, len(content)


def _open(match: re.Match[bytes]) -> Element:
    return Element(match[2].decode(), read_attributes(match[3]))
