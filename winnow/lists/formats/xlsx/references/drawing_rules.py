"""Rules for what drawings and charts say of rows; anchors and VML count from 0."""

from winnow.lists.formats.xlsx.markup import Element
from winnow.lists.formats.xlsx.references.part_mover import DIGITS, Entry, Kind, PartMover, Rules
from winnow.lists.new_workbook import MAX_ROWS

_KEPT_VALUES = frozenset(("numCache", "strCache", "multiLvlStrCache"))


def move_anchor(part: PartMover, anchor: Element) -> None:
    """Move an anchor's first corner to where its row is, and its second one as far."""
    first, last = anchor.find("from"), anchor.find("to")
    top = first.find("row") if first is not None else None
    if not part.at_home or anchor.get("editAs") == "absolute" or top is None:
        return
    before = top.text
    top.children = [part.move_row(before)]
    bottom = last.find("row") if last is not None else None
    if bottom is not None and DIGITS.fullmatch(before) and DIGITS.fullmatch(bottom.text):
        moved = int(top.text) + int(bottom.text) - int(before)
        bottom.children = [str(min(moved, MAX_ROWS - 1))]


def _move_shape(part: PartMover, shape: Element) -> bool | None:
    """Move the box of a comment or a control of VML; one of a removed row is removed."""
    data = next((one for one in shape.walk() if one.local == "ClientData"), None)
    if data is not None and any(one.local.startswith("Fmla") for one in data.elements()):
        part.losses.untouched.append("form controls")
    row = data.find("Row") if data is not None else None
    corners = data.find("Anchor") if data is not None else None
    if part.at_home and row is not None and DIGITS.fullmatch(row.text):
        if part.rows.find(int(row.text) + 1) is None:
            return False
        row.children = [part.move_row(row.text)]
    if part.at_home and corners is not None:
        corners.children = [_move_corners(part, corners.text)]
    return None


def _move_corners(part: PartMover, text: str) -> str:
    """Move a VML anchor: column, offset, row, offset of its first and its last corner."""
    numbers = [part.strip() for part in text.split(",")]
    if len(numbers) != 8 or not all(map(DIGITS.fullmatch, numbers)):
        return text
    top, bottom = int(numbers[2]), int(numbers[6])
    moved = part.mover.next_row(top)
    numbers[2], numbers[6] = str(moved), str(min(moved + bottom - top, MAX_ROWS - 1))
    return ", ".join(numbers)


def _move_series(part: PartMover, element: Element) -> None:
    """Drop the values that a chart keeps of removed rows; the table moves its references."""
    sources = (one.text for one in element.elements() if one.local in ("f", "sqref"))
    if any(list(map(part.mover.is_outdated, sources))):
        element.children = [
            child
            for child in element.children
            if isinstance(child, str) or child.local not in _KEPT_VALUES
        ]


def _move_target(part: PartMover, link: Element) -> bool:
    """Move the cells that a shape of a drawing leads to."""
    target = link.get("Target")
    if target.startswith("#"):
        moved = part.mover.move_formula(target[1:], f"the link of a shape{part.on}")
        link.attributes["Target"] = "#" + moved
    return True


_CHART = (Entry("", Kind.FORMULA, "a chart"),)
LINKS: Rules = {"Relationship": _move_target}  # of a drawing's part of relations
DRAWING_PARTS: dict[str, Rules] = {
    "drawing": {
        "cameraTool": (Entry("cellRange", Kind.FORMULA, "a picture of cells"),),
        "oneCellAnchor": move_anchor,
        "sp": (Entry("textlink", Kind.FORMULA, "a shape"),),
        "twoCellAnchor": move_anchor,
    },
    "vmlDrawing": {"shape": _move_shape},
    "chart": {
        **dict.fromkeys(("numRef", "strRef", "multiLvlStrRef"), _move_series),
        "f": _CHART,
        "sqref": _CHART,
    },
}
