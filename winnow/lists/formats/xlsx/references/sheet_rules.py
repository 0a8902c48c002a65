"""Rules for what a worksheet says of rows before and after its cells."""

from winnow.lists.formats.xlsx.markup import Element
from winnow.lists.formats.xlsx.references.drawing_rules import move_anchor
from winnow.lists.formats.xlsx.references.formula import first_row, is_one_reference
from winnow.lists.formats.xlsx.references.part_mover import Entry, Kind, PartMover, Rules

_FORMULAS = frozenset(("formula", "formula1", "formula2", "f"))
_LEFT = {  # what hardly a workbook uses
    "cellSmartTags": "smart tags",
    "cellWatch": "watched cells",
    "controlPr": "form controls",
    "customSheetView": "custom views",
    "dataConsolidate": "consolidated data",
    "rowBreaks": "page breaks",
    "scenarios": "scenarios",
    "webPublishItem": "published areas",
}


def _move_rule(part: PartMover, element: Element) -> bool | None:
    """Move what holds for areas: a rule of either schema, a sparkline, a protected range."""
    holder = element.find("sqref")
    areas = element.get("sqref", holder.text if holder is not None else "")
    anchor = None
    if part.at_home:
        moved = part.rows.move_areas(areas)
        if moved is None:
            return False
        if "sqref" in element.attributes:
            element.attributes["sqref"] = moved
        elif holder is not None:
            holder.children = [moved]
        anchor = (first_row(areas), first_row(moved))
    if element.local == "sparkline":
        return None
    what = f"a rule for {_show(areas)}{part.on}"
    for inner in element.walk():
        if inner.local in _FORMULAS and inner.text.strip():
            inner.children = [
                part.mover.move_formula(inner.text, what, at_home=part.at_home, anchor=anchor)
            ]
        elif inner.local == "cfvo":
            part.move_entry(inner, "val", Kind.FORMULA, f"a rule for {_show(areas)}")
    return True


def _move_sparklines(part: PartMover, element: Element) -> bool:
    part.move_children(element)
    return element.find("sparklines") is not None


def _move_link(part: PartMover, element: Element) -> bool:
    areas = element.get("ref")
    if not part.move_entry(element, "ref", Kind.AREAS):
        return False
    leads_outside = any(name.rpartition(":")[2] == "id" for name in element.attributes)
    location = element.get("location")
    if not leads_outside and is_one_reference(location):
        part.move_entry(element, "location", Kind.FORMULA, f"the link at {_show(areas)}")
    return True


def _move_merge(part: PartMover, element: Element) -> bool:
    is_left = part.move_entry(element, "ref", Kind.AREAS)
    first, colon, last = element.get("ref").replace("$", "").partition(":")
    return is_left and bool(colon) and first != last


def _move_view(part: PartMover, view: Element) -> bool:
    """Move a view's first row and pane; its selection goes back to the first cell."""
    if part.at_home:
        part.move_entry(view, "topLeftCell", Kind.FIXED_AREAS)
        view.children = [one for one in view.elements() if one.local == "pane"]
        part.move_children(view)
    return True


def _leave(part: PartMover, element: Element) -> bool:
    if part.at_home or element.local in ("controlPr", "dataConsolidate"):
        part.losses.untouched.append(f"the {_LEFT[element.local]}{part.on}")
    return True


def _show(areas: str) -> str:
    """Return areas as an analyst may read them, however many they are."""
    return areas if len(areas) <= 40 else f"{areas[:39]}…"


SORTING: Rules = dict.fromkeys(
    ("sortState", "sortCondition", "richSortCondition"), (Entry("ref", Kind.FIXED_AREAS),)
)
SHEET: Rules = {
    **SORTING,
    **dict.fromkeys(_LEFT, _leave),
    "anchor": move_anchor,
    "autoFilter": (Entry("ref", Kind.FIXED_AREAS),),
    "conditionalFormatting": _move_rule,
    "dataValidation": _move_rule,
    "f": (Entry("", Kind.FORMULA, "a sparkline"),),
    "hyperlink": _move_link,
    "ignoredError": _move_rule,
    "mergeCell": _move_merge,
    "pane": (Entry("topLeftCell", Kind.FIXED_AREAS),),
    "protectedRange": _move_rule,
    "sheetPr": (Entry("syncRef", Kind.FIXED_AREAS),),
    "sheetView": _move_view,
    "sparkline": _move_rule,
    "sparklineGroup": _move_sparklines,
}
CELL_PARTS: dict[str, Rules] = {
    "comments": {"comment": (Entry("ref", Kind.AREAS),)},
    "threadedComment": {"threadedComment": (Entry("ref", Kind.AREAS),)},
}
