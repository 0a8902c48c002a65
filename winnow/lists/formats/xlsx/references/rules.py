"""Rules for what drawings, charts, sheets, tables and pivot tables say of rows.

Anchors and VML count from 0.
"""

from winnow.lists.formats.xlsx.markup import Element
from winnow.lists.formats.xlsx.references.formula import (
    Area,
    first_row,
    is_one_reference,
    parse_formula,
    read_area,
)
from winnow.lists.formats.xlsx.references.mover import DIGITS, Entry, Kind, PartMover, Rules

_KEPT_VALUES = frozenset(("numCache", "strCache", "multiLvlStrCache"))


def _move_anchor(part: PartMover, anchor: Element) -> None:
    """Move an anchor's first corner to where its row is, and its second one as far."""
    corners = (anchor.find("from"), anchor.find("to"))
    found = [corner.find("row") for corner in corners if corner is not None]
    rows = [row for row in found if row is not None]
    if part.at_home and anchor.get("editAs") != "absolute" and rows:
        moved = part.move_rows(rows[0].text, rows[-1].text)
        for row, number in zip(rows, moved, strict=False):
            row.children = [number]


def _move_shape(part: PartMover, shape: Element) -> bool | None:
    """Move the box of a comment or a control of VML; one of a removed row is removed."""
    data = next((one for one in shape.walk() if one.local == "ClientData"), None)
    if data is not None and any(one.local.startswith("Fmla") for one in data.elements()):
        part.losses.untouched.append("form controls")
    row = data.find("Row") if data is not None else None
    corners = data.find("Anchor") if data is not None else None
    if part.at_home and row is not None and DIGITS.fullmatch(row.text):
        number = part.rows.find(int(row.text) + 1)
        if number is None:
            return False
        row.children = [str(number - 1)]
    numbers = [one.strip() for one in corners.text.split(",")] if corners is not None else []
    if part.at_home and corners is not None and len(numbers) == 8:
        # Column, offset, row, offset of the first and of the last corner.
        numbers[2], numbers[6] = part.move_rows(numbers[2], numbers[6])
        corners.children = [", ".join(numbers)]
    return None


def _move_series(part: PartMover, element: Element) -> None:
    """Drop the values that a chart keeps of removed rows; the table moves its references."""
    sources = (one.text for one in element.elements() if one.local in ("f", "sqref"))
    formulas = map(parse_formula, sources)
    if any(part.mover.covers_removed(formula, at_home=False) for formula in formulas):
        element.children = [
            child
            for child in element.children
            if isinstance(child, str) or child.local not in _KEPT_VALUES
        ]


def _move_target(part: PartMover, link: Element) -> None:
    """Move the cells that a shape of a drawing leads to, or a cell."""
    target = link.get("Target")
    if target.startswith("#"):
        moved = part.mover.move_formula(target[1:], f"a link{part.on}")
        link.attributes["Target"] = "#" + moved


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
    distance = None
    if part.at_home:
        moved = part.rows.move_areas(areas)
        if moved is None:
            return False
        if "sqref" in element.attributes:
            element.attributes["sqref"] = moved
        elif holder is not None:
            holder.children = [moved]
        distance = first_row(moved) - first_row(areas)
    if element.local == "sparkline":
        return None
    what = f"a rule for {_show(areas)}{part.on}"
    for inner in element.walk():
        if inner.local in _FORMULAS and inner.text.strip():
            inner.children = [part.move_formula(inner.text, what, distance)]
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
    place = location.removeprefix("#")  # exceljs writes that, and a relation as well
    if is_one_reference(place) and not (leads_outside and place == location):
        what = f"the link at {_show(areas)}{part.on}"
        moved = part.move_formula(place, what)
        element.attributes["location"] = location.replace(place, moved)
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


_SORTING: Rules = dict.fromkeys(
    ("sortState", "sortCondition", "richSortCondition"), Entry("ref", Kind.FIXED_AREAS)
)
SHEET: Rules = {
    **_SORTING,
    **dict.fromkeys(_LEFT, _leave),
    "anchor": _move_anchor,
    "autoFilter": Entry("ref", Kind.FIXED_AREAS),
    "conditionalFormatting": _move_rule,
    "dataValidation": _move_rule,
    "f": Entry("", Kind.FORMULA, "a sparkline"),
    "hyperlink": _move_link,
    "ignoredError": _move_rule,
    "mergeCell": _move_merge,
    "pane": Entry("topLeftCell", Kind.FIXED_AREAS),
    "protectedRange": _move_rule,
    "sheetPr": Entry("syncRef", Kind.FIXED_AREAS),
    "sheetView": _move_view,
    "sparkline": _move_rule,
    "sparklineGroup": _move_sparklines,
}


def _move_table(part: PartMover, table: Element) -> None:
    """Move a table's area, filter and formulas.

    A reader mends a file whose table has no row below its header, or whose header cells are
    not its columns' names: a table that lost its rows takes the next one in or its totals for
    data, one that lost its header row stays without.
    """
    what = f"the table {table.get('displayName')}"
    area = read_area(table.get("ref"))
    distance = None
    if part.at_home and area is not None:
        _move_table_area(part, table, area, what)
        distance = first_row(table.attributes["ref"]) - area.first_row
    for inner in table.walk():
        if inner.local in ("calculatedColumnFormula", "totalsRowFormula"):
            is_column = inner.local == "calculatedColumnFormula"
            moved = part.move_formula(
                inner.text, f"a column of {what}", distance if is_column else None
            )
            inner.children = [moved]


def _move_table_area(part: PartMover, table: Element, area: Area, what: str) -> None:
    headers = _read_count(table, "headerRowCount", 1)
    totals = _read_count(table, "totalsRowCount", 0)
    held = table.find("autoFilter")
    if headers and part.rows.find(area.first_row) is None:
        part.losses.pointless.append(what)
        table.attributes["headerRowCount"] = "0"
        table.children = [child for child in table.children if child is not held]
        headers, held = 0, None
    rest = read_area(part.rows.rest_areas(table.get("ref"))) or area
    height = rest.last_row - rest.first_row + 1
    if totals and (part.rows.find(area.last_row) is None or height < headers + 1 + totals):
        totals = 0  # its totals are removed, or the only row left
        table.attributes.pop("totalsRowCount", None)
    top, bottom = rest.first_row, max(rest.last_row, rest.first_row + headers + totals)
    table.attributes["ref"] = area._replace(first_row=top, last_row=bottom).write()
    if held is not None:
        filtered = read_area(held.get("ref")) or area
        filtered = filtered._replace(first_row=top, last_row=bottom - totals)
        held.attributes["ref"] = filtered.write()


def _move_source(part: PartMover, source: Element) -> None:
    """Move the rows that pivot tables are made from; a source without a sheet is a name."""
    sheet = source.get("sheet").casefold()
    is_here = sheet == part.mover.sheet.casefold()
    if any(key.endswith(":id") for key in source.attributes) or not (is_here or not sheet):
        return  # of another workbook or sheet
    part.losses.pivots += 1
    if is_here:
        source.attributes["ref"] = part.rows.rest_areas(source.get("ref"))


def _read_count(table: Element, name: str, default: int) -> int:
    digits = table.get(name)
    return int(digits) if digits.isdigit() and len(digits) < 8 else default


LINKS: Rules = {"Relationship": _move_target}  # of a part of relations
CACHE: Rules = {
    **dict.fromkeys(
        ("pivotCacheDataSource", "pivotCacheDynamicArray"),
        Entry("ref", Kind.FORMULA, "a pivot table's source"),
    ),
    **dict.fromkeys(("rangeSet", "worksheetSource"), _move_source),
}
PARTS: dict[str, Rules] = {  # by the kind of a part
    "drawing": {
        "cameraTool": Entry("cellRange", Kind.FORMULA, "a picture of cells"),
        "oneCellAnchor": _move_anchor,
        "sp": Entry("textlink", Kind.FORMULA, "a shape"),
        "twoCellAnchor": _move_anchor,
    },
    "vmlDrawing": {"shape": _move_shape},
    "chart": {
        **dict.fromkeys(("numRef", "strRef", "multiLvlStrRef"), _move_series),
        **dict.fromkeys(("f", "sqref"), Entry("", Kind.FORMULA, "a chart")),
    },
    "table": {**_SORTING, "table": _move_table},
}
OWN_PARTS: dict[str, Rules] = {  # of the sheet's own
    **PARTS,
    "comments": {"comment": Entry("ref", Kind.AREAS)},
    "threadedComment": {"threadedComment": Entry("ref", Kind.AREAS)},
    "pivotTable": {"location": Entry("ref", Kind.FIXED_AREAS)},
}
