"""Rules for what a worksheet says of rows before and after its cells."""

from winnow.lists.formats.xlsx.markup import Element
from winnow.lists.formats.xlsx.references.drawing_rules import move_anchor
from winnow.lists.formats.xlsx.references.formula import first_row, is_one_reference, read_rows
from winnow.lists.formats.xlsx.references.part_mover import Entry, Kind, PartMover, Rules
from winnow.lists.formats.xlsx.xml import resolve_references
from winnow.lists.new_workbook import MAX_ROWS

_FORMULAS = frozenset((b"formula", b"formula1", b"formula2", b"f"))
_LEFT = {  # what hardly a workbook uses
    b"cellSmartTags": "smart tags",
    b"cellWatch": "watched cells",
    b"controlPr": "form controls",
    b"customSheetView": "custom views",
    b"dataConsolidate": "consolidated data",
    b"rowBreaks": "page breaks",
    b"scenarios": "scenarios",
    b"webPublishItem": "published areas",
}


def _move_rule(part: PartMover, element: Element) -> bool | None:
    """Move what holds for areas: a rule of either schema, a sparkline, a protected range."""
    holder = element.find(b"sqref")
    areas = element.attributes.get(b"sqref", holder.text if holder is not None else b"")
    anchor = None
    if part.at_home:
        moved = part.rows.move_areas(areas)
        if moved is None:
            return False
        if b"sqref" in element.attributes:
            element.attributes[b"sqref"] = moved
        elif holder is not None:
            holder.children = [moved]
        anchor = (first_row(areas), first_row(moved))
    if element.local == b"sparkline":
        return None
    what = f"a rule for {_show(areas)}{part.on}"
    for inner in element.walk():
        if inner.local in _FORMULAS and inner.text.strip():
            inner.children = [
                part.mover.move_formula(inner.text, what, at_home=part.at_home, anchor=anchor)
            ]
        elif inner.local == b"cfvo":
            part.move_entry(inner, b"val", Kind.FORMULA, f"a rule for {_show(areas)}")
    return True


def _move_sparklines(part: PartMover, element: Element) -> bool:
    part.move_children(element)
    return element.find(b"sparklines") is not None


def _move_link(part: PartMover, element: Element) -> bool:
    areas = element.attributes.get(b"ref", b"")
    if not part.move_entry(element, b"ref", Kind.AREAS):
        return False
    leads_outside = any(name.rpartition(b":")[2] == b"id" for name in element.attributes)
    location = resolve_references(element.attributes.get(b"location", b""))
    if not leads_outside and is_one_reference(location):
        part.move_entry(element, b"location", Kind.FORMULA, f"the link at {_show(areas)}")
    return True


def _move_merge(part: PartMover, element: Element) -> bool:
    is_left = part.move_entry(element, b"ref", Kind.AREAS)
    first, colon, last = element.attributes.get(b"ref", b"").replace(b"$", b"").partition(b":")
    return is_left and bool(colon) and first != last


def _move_view(part: PartMover, view: Element) -> bool:
    """Move a view's first row and pane; its selection goes back to the first cell."""
    if not part.at_home:
        return True
    view.children = [one for one in view.children if not _is_selection(one)]
    pane, start = view.find(b"pane"), read_rows(view.attributes.get(b"topLeftCell", b"A1"))
    if pane is not None and start is not None:
        _move_pane(part, pane, start[0])
        part.move_entry(pane, b"topLeftCell", Kind.FIXED_AREAS)
    return part.move_entry(view, b"topLeftCell", Kind.FIXED_AREAS)


def _is_selection(child: bytes | Element) -> bool:
    return isinstance(child, Element) and child.local in (b"selection", b"pivotSelection")


def _move_pane(part: PartMover, pane: Element, first: int) -> None:
    """Let a frozen pane hold those of its rows that stay, at least one."""
    if pane.attributes.get(b"state", b"split") == b"split":
        return  # the height is in twentieths of a point
    count = pane.attributes.get(b"ySplit", b"").partition(b".")[0]
    if count.isdigit() and 0 < int(count[:7]) <= MAX_ROWS:
        left = part.rows.span(first, min(first + int(count[:7]) - 1, MAX_ROWS - 1))
        pane.attributes[b"ySplit"] = b"%d" % (left[1] - left[0] + 1 if left else 1)


def _leave(part: PartMover, element: Element) -> bool:
    if part.at_home or element.local in (b"controlPr", b"dataConsolidate"):
        part.losses.untouched.append(f"the {_LEFT[element.local]}{part.on}")
    return True


def _show(areas: bytes) -> str:
    """Return areas as an analyst may read them, however many they are."""
    text = areas.decode("ascii", "replace")
    return text if len(text) <= 40 else f"{text[:39]}…"


SORTING: Rules = dict.fromkeys(
    (b"sortState", b"sortCondition", b"richSortCondition"), (Entry(b"ref", Kind.FIXED_AREAS),)
)
SHEET: Rules = {
    **SORTING,
    **dict.fromkeys(_LEFT, _leave),
    b"anchor": move_anchor,
    b"autoFilter": (Entry(b"ref", Kind.FIXED_AREAS),),
    b"conditionalFormatting": _move_rule,
    b"dataValidation": _move_rule,
    b"f": (Entry(b"", Kind.FORMULA, "a sparkline"),),
    b"hyperlink": _move_link,
    b"ignoredError": _move_rule,
    b"mergeCell": _move_merge,
    b"protectedRange": _move_rule,
    b"sheetPr": (Entry(b"syncRef", Kind.FIXED_AREAS),),
    b"sheetView": _move_view,
    b"sparkline": _move_rule,
    b"sparklineGroup": _move_sparklines,
}
CELL_PARTS: dict[str, Rules] = {
    "comments": {b"comment": (Entry(b"ref", Kind.AREAS),)},
    "threadedComment": {b"threadedComment": (Entry(b"ref", Kind.AREAS),)},
}
