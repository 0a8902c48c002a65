"""Drawings: charts, and anchors of pictures, charts, controls and comment boxes.

An anchored object moves with the row it begins in, and keeps its size. Rows count from 0 there.
"""

import re

from winnow.lists.formats.xlsx.cells import MAX_ROWS
from winnow.lists.formats.xlsx.markup import Element, edit_elements
from winnow.lists.formats.xlsx.references.formula import parse_formula
from winnow.lists.formats.xlsx.references.range_shifter import ReferenceMover
from winnow.lists.formats.xlsx.xml import resolve_references

_CONTROL_FORMULAS = frozenset((b"FmlaLink", b"FmlaRange", b"FmlaPict", b"FmlaTxbx", b"FmlaGroup"))
_CONTROL_ATTRIBUTES = (b"fmlaLink", b"fmlaRange", b"fmlaGroup", b"fmlaTxbx")

# What holds a reference and the values that were there.
_SOURCES = frozenset((b"numRef", b"strRef", b"multiLvlStrRef"))
_KEPT_VALUES = frozenset((b"numCache", b"strCache", b"multiLvlStrCache"))
_ALONE = frozenset((b"f", b"sqref"))


def move_anchor(anchor: Element, mover: ReferenceMover) -> None:
    """Move an anchor's first corner, and its second one as far."""
    first, last = anchor.find(b"from"), anchor.find(b"to")
    top = first.find(b"row") if first is not None else None
    if top is None or not re.fullmatch(rb"\s*[0-9]{1,7}\s*", top.text):
        return
    before = int(top.text)
    mover.move_row_text(top)
    bottom = last.find(b"row") if last is not None else None
    if bottom is not None and re.fullmatch(rb"\s*[0-9]{1,7}\s*", bottom.text):
        moved = int(top.text) + int(bottom.text) - before
        bottom.children = [b"%d" % min(moved, MAX_ROWS - 1)]


def move_drawing(content: bytes, mover: ReferenceMover, sheet: str, *, at_home: bool) -> bytes:
    """Move what a drawing holds, and the cells whose text its shapes show."""

    def move(anchor: Element) -> None:
        if at_home and anchor.attributes.get(b"editAs") != b"absolute":
            move_anchor(anchor, mover)
        for inner in anchor.walk():
            mover.move_formula_attribute(inner, b"textlink", f"a shape on {sheet}", at_home=at_home)
            if inner.local == b"cameraTool":
                mover.move_formula_attribute(
                    inner, b"cellRange", f"a picture of cells on {sheet}", at_home=at_home
                )

    names = (
        b"twoCellAnchor",
        b"oneCellAnchor",
        b"absoluteAnchor",
        b"relSizeAnchor",
        b"absSizeAnchor",
    )
    return edit_elements(content, names, move)


def move_vml(content: bytes, mover: ReferenceMover, sheet: str, *, at_home: bool) -> bytes:
    """Move the shapes of a VML drawing; boxes of comments on removed rows are removed."""

    def move(shape: Element) -> bool:
        data = next((one for one in shape.walk() if one.local == b"ClientData"), None)
        if data is None:
            return True
        for one in list(data.elements()):
            if one.local in _CONTROL_FORMULAS and one.text.strip():
                what = f"a form control on {sheet}"
                one.children = [mover.move_formula(one.text, what, at_home=at_home)]
        if not at_home:
            return True
        row = data.find(b"Row")
        if row is not None and re.fullmatch(rb"\s*[0-9]{1,7}\s*", row.text):
            target = mover.rows.find(int(row.text) + 1)
            if target is None:
                return False
            row.children = [b"%d" % (target - 1)]
        corners = data.find(b"Anchor")
        if corners is not None:
            corners.children = [_move_corners(corners.text, mover)]
        return True

    return edit_elements(content, (b"shape",), move)


def move_control(content: bytes, mover: ReferenceMover, sheet: str, *, at_home: bool) -> bytes:
    """Move the cells that a form control writes to and reads from."""
    what = f"a form control on {sheet}"

    def move(element: Element) -> None:
        for name in _CONTROL_ATTRIBUTES:
            mover.move_formula_attribute(element, name, what, at_home=at_home)
        if any(
            element.attributes.get(key, b"").lower() in (b"linkedcell", b"listfillrange")
            for key in element.attributes
        ):
            value = next((key for key in element.attributes if key.endswith(b"value")), b"")
            mover.move_formula_attribute(element, value, what, at_home=at_home)

    return edit_elements(content, (b"formControlPr", b"ocxPr"), move)


def _move_corners(text: bytes, mover: ReferenceMover) -> bytes:
    """Move a VML anchor: column, offset, row, offset of its first and its last corner."""
    numbers = [part.strip() for part in text.split(b",")]
    if len(numbers) != 8 or not all(re.fullmatch(rb"[0-9]{1,7}", one) for one in numbers):
        return text
    top, bottom = int(numbers[2]), int(numbers[6])
    moved = mover.next_row(top)
    numbers[2], numbers[6] = b"%d" % moved, b"%d" % min(moved + bottom - top, MAX_ROWS - 1)
    return b", ".join(numbers)


def move_chart(content: bytes, mover: ReferenceMover, what: str) -> bytes:
    """Move a chart's references; values kept of rows that are gone are dropped.

    A series whose rows all went refers to ``#REF!`` and shows nothing.
    """

    def move(element: Element) -> None:
        if element.local not in _SOURCES:
            _move_source(element, mover, what)
            return
        is_outdated = False
        for inner in element.elements():
            if inner.local in _ALONE:
                is_outdated |= _covers_removed(inner.text, mover)
                _move_source(inner, mover, what)
            elif inner.local not in _KEPT_VALUES:
                for deeper in inner.walk():
                    if deeper.local in _ALONE:
                        _move_source(deeper, mover, what)
        if is_outdated:
            element.children = [
                child
                for child in element.children
                if isinstance(child, bytes) or child.local not in _KEPT_VALUES
            ]

    return edit_elements(content, _SOURCES | _ALONE, move)


def _move_source(element: Element, mover: ReferenceMover, what: str) -> None:
    if element.text.strip():
        element.children = [mover.move_formula(element.text, what, at_home=False)]


def _covers_removed(content: bytes, mover: ReferenceMover) -> bool:
    try:
        formula = parse_formula(resolve_references(content))
    except ValueError:
        return False
    return mover.formulas.covers_removed(formula, at_home=False)
