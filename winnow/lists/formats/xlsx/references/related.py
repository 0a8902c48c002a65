"""Edits of the other parts of a workbook when rows of a sheet are removed."""

import re
from collections.abc import Callable
from functools import partial

from winnow.lists.formats.xlsx.archive import XlsxArchive
from winnow.lists.formats.xlsx.book import Book, SheetPart, list_parts, relations_of
from winnow.lists.formats.xlsx.markup import Element, edit_elements
from winnow.lists.formats.xlsx.references.mover import PartMover, ReferenceMover
from winnow.lists.formats.xlsx.references.rules import CACHE, LINKS, OWN_PARTS, PARTS
from winnow.lists.formats.xlsx.xml import NAME

_WORKED_OUT = ("calcChain", "volatileDependencies")  # programs make them anew
_UNTOUCHED = {  # parts that hardly a workbook uses
    "chartEx": "charts of the newer kinds",
    "chartUserShapes": "shapes in charts",
    "connections": "queries",
    "control": "form controls",
    "ctrlProp": "form controls",
    "namedSheetView": "sheet views",
    "revisionHeaders": "the record of changes",
    "tableSingleCells": "cells of an XML map",
    "wsSortMap": "the order before sorting",
}
_HIDDEN_NAME = "_xlnm."  # print areas, titles, filters: ISO/IEC 29500-1, 18.2.5
_BEFORE_CALCULATION = re.compile(
    rb"</(" + NAME + rb")(?:sheets|functionGroups|externalReferences|definedNames)\s*>"
)
_CACHE_NAME = re.compile(rb"<" + NAME + rb"pivotCacheDefinition(?=[\s/>])")
_REFRESHES = re.compile(rb"""\srefreshOnLoad\s*=\s*(?:"[^"]*"|'[^']*')""")

Edit = Callable[[bytes], bytes]


def plan_related_edits(
    archive: XlsxArchive, book: Book, sheet: SheetPart, mover: ReferenceMover
) -> dict[str, Edit | None]:
    """Return the edits of parts when rows of the sheet are removed, None for those to leave out."""
    edits: dict[str, Edit | None] = {
        book.part: partial(_move_workbook, mover=mover, sheet_number=sheet.number),
        relations_of(book.part): _drop_worked_out,
        "[Content_Types].xml": _drop_worked_out,
    }
    for one in book.sheets:
        edits[relations_of(one.part)] = PartMover(LINKS, mover, one.name).move
    for member, kind, owner in list_parts(archive, book):
        if kind == "drawing":
            edits[relations_of(member)] = PartMover(LINKS, mover, owner).move
        if kind in _UNTOUCHED:
            mover.losses.untouched.append(_UNTOUCHED[kind])
        elif kind in _WORKED_OUT:
            edits[member] = None
        elif kind == "pivotCacheDefinition":
            edits[member] = partial(_move_cache, mover=mover)
        elif rules := (OWN_PARTS if owner == sheet.name else PARTS).get(kind):
            edits[member] = PartMover(rules, mover, owner).move
    return edits


def _move_cache(content: bytes, mover: ReferenceMover) -> bytes:
    """Move the source of pivot tables, which are made anew on opening if it is in the sheet."""
    pivots = mover.losses.pivots
    content = PartMover(CACHE, mover, "").move(content)
    if mover.losses.pivots > pivots:
        content = _REFRESHES.sub(b"", content, count=1)
        content = _CACHE_NAME.sub(rb'\g<0> refreshOnLoad="1"', content, count=1)
    return content


def _move_workbook(content: bytes, mover: ReferenceMover, sheet_number: int) -> bytes:
    """Move defined names; have formulas worked out anew when the workbook is opened.

    Args:
        content: The workbook part.
        mover: Moves references.
        sheet_number: Tab, from 0, of the sheet whose rows are removed.
    """
    is_set = False

    def move(element: Element) -> None:
        nonlocal is_set
        if element.local == "calcPr":
            element.attributes["fullCalcOnLoad"] = "1"
            is_set = True
        elif element.local == "oleSize":
            mover.losses.untouched.append("the window of an embedded workbook")
        else:
            at_home = element.get("localSheetId") == str(sheet_number)
            name = element.get("name")
            distance = None if name.startswith(_HIDDEN_NAME) else 0  # which mean rows without ``$``
            what = f"the name {name.removeprefix(_HIDDEN_NAME)}"
            moved = mover.move_formula(element.text, what, at_home=at_home, distance=distance)
            element.children = [moved]

    content = edit_elements(content, ("definedName", "calcPr", "oleSize"), move)
    ends = [] if is_set else list(_BEFORE_CALCULATION.finditer(content))
    if not ends:
        return content
    place, prefix = ends[-1].end(), ends[-1][1]
    return content[:place] + b"<" + prefix + b'calcPr fullCalcOnLoad="1"/>' + content[place:]


def _drop_worked_out(content: bytes) -> bytes:
    """Drop the relations and content types of parts that are left out."""

    def is_kept(element: Element) -> bool:
        kind = element.get("Type") + element.get("ContentType")
        return not any(name in kind for name in _WORKED_OUT)

    return edit_elements(content, ("Override", "Relationship"), is_kept)
