"""Charts, when rows go that they show."""

from winnow.lists.formats.xlsx.markup import Element, edit_elements
from winnow.lists.formats.xlsx.references.formula import parse_formula
from winnow.lists.formats.xlsx.references.range_shifter import ReferenceMover
from winnow.lists.formats.xlsx.xml import resolve_references

# What holds a reference and, beside it, the values that were there.
_SOURCES = frozenset((b"numRef", b"strRef", b"multiLvlStrRef", b"numDim", b"strDim"))
_KEPT_VALUES = frozenset((b"numCache", b"strCache", b"multiLvlStrCache", b"lvl"))
_ALONE = frozenset((b"f", b"sqref", b"nf"))


def move_chart(content: bytes, mover: ReferenceMover, what: str) -> bytes:
    """Move a chart's references; values kept of rows that are gone are dropped.

    A series whose rows all went refers to ``#REF!`` and shows nothing.
    """

    def move(element: Element) -> None:
        if element.local not in _SOURCES:
            _move_text(element, mover, what)
            return
        is_outdated = False
        for inner in element.elements():
            if inner.local in _ALONE:
                is_outdated |= _covers_removed(inner.text, mover)
                _move_text(inner, mover, what)
            elif inner.local not in _KEPT_VALUES:
                for deeper in inner.walk():
                    if deeper.local in _ALONE:
                        _move_text(deeper, mover, what)
        if is_outdated:
            element.children = [
                child
                for child in element.children
                if isinstance(child, bytes) or child.local not in _KEPT_VALUES
            ]

    return edit_elements(content, _SOURCES | _ALONE, move)


def _move_text(element: Element, mover: ReferenceMover, what: str) -> None:
    if element.text.strip():
        element.children = [mover.move_formula(element.text, what, at_home=False)]


def _covers_removed(content: bytes, mover: ReferenceMover) -> bool:
    try:
        formula = parse_formula(resolve_references(content))
    except ValueError:
        return False
    return mover.formulas.covers_removed(formula, at_home=False)
