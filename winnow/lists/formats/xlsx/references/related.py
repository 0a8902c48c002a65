"""Edits of the other parts of a workbook when rows of a sheet are removed."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from winnow.lists.formats.xlsx.archive import XlsxArchive
from winnow.lists.formats.xlsx.book import PIVOT_CACHE, Book, Part, SheetPart, list_parts
from winnow.lists.formats.xlsx.elements import stream_elements
from winnow.lists.formats.xlsx.markup import Element, edit_elements, set_root_attribute
from winnow.lists.formats.xlsx.references.drawing_rules import DRAWING_PARTS, LINKS
from winnow.lists.formats.xlsx.references.mover import ReferenceMover, list_names
from winnow.lists.formats.xlsx.references.part_mover import PartMover, Rules
from winnow.lists.formats.xlsx.references.sheet_rules import CELL_PARTS
from winnow.lists.formats.xlsx.references.table_rules import CACHE, PIVOT, TABLE
from winnow.lists.formats.xlsx.xml import clean_chunks, escape, resolve_references
from winnow.lists.new_workbook import DECLARATION

_WORKED_OUT = frozenset(("calcChain", "volatileDependencies"))  # programs make them anew
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
_RULES: dict[str, Rules] = {**DRAWING_PARTS, "table": TABLE}  # by the kind of a part
_OWN_RULES: dict[str, Rules] = {**_RULES, **CELL_PARTS, "pivotTable": PIVOT}  # of the sheet's own
_HIDDEN_NAME = "_xlnm."  # print areas, titles, filters: ISO/IEC 29500-1, 18.2.5
_BEFORE_CALCULATION = re.compile(
    rb"</((?:[\w.-]+:)?)(?:sheets|functionGroups|externalReferences|definedNames)\s*>"
)

Edit = Callable[[bytes], bytes]


@dataclass(frozen=True, slots=True)
class RelatedEdits:
    """Edits of the parts that refer to a sheet: by member, how to edit them or to leave them out.

    ``needles`` are the names that may hold removed rows, as another sheet's formulas would have
    them, in lower case; nothing for one beyond ASCII, which may be written in several ways.
    """

    edits: dict[str, Edit] = field(default_factory=dict)
    dropped: frozenset[str] = frozenset()
    needles: tuple[bytes, ...] = ()


def plan_related_edits(
    archive: XlsxArchive, book: Book, sheet: SheetPart, mover: ReferenceMover
) -> RelatedEdits:
    """Return the edits of each small part when rows of the sheet are removed.

    The mover learns which names and tables may hold removed rows.
    """
    parts = list_parts(archive, book)
    mover.outdated_names = _find_outdated_names(archive, book, parts, sheet)
    dropped = frozenset(part.member for part in parts if part.kind in _WORKED_OUT)
    drop = partial(_drop_mentions, parts=dropped)
    number = book.all_names.index(sheet.name)
    edits: dict[str, Edit] = {book.part: partial(_move_workbook, mover=mover, sheet_number=number)}
    for part in parts:
        if part.kind == "drawing":
            edits[_relations_of(part.member)] = PartMover(LINKS, mover, part.sheet).move
        if part.kind in _UNTOUCHED:
            mover.losses.untouched.append(_UNTOUCHED[part.kind])
        elif part.kind in _WORKED_OUT:
            edits["[Content_Types].xml"] = edits[_relations_of(part.owner)] = drop
        elif part.kind == PIVOT_CACHE:
            edits[part.member] = partial(_move_cache, mover=mover)
        elif rules := (_OWN_RULES if part.sheet == sheet.name else _RULES).get(part.kind):
            edits[part.member] = PartMover(rules, mover, part.sheet).move
    names = sorted(mover.outdated_names)
    needles = tuple(escape(name).lower() if name.isascii() else b"" for name in names)
    return RelatedEdits(clean_edits(archive, edits), dropped, needles)


def clean_edits(archive: XlsxArchive, edits: dict[str, Edit]) -> dict[str, Edit]:
    """Return edits by member, of those parts that there are; each gets its XML clean."""

    def run(content: bytes, name: str, edit: Edit) -> bytes:
        return DECLARATION + edit(b"".join(clean_chunks([content], name)))

    found = {archive.find(name): edit for name, edit in edits.items()}
    return {
        name: partial(run, name=name, edit=edit) for name, edit in found.items() if name is not None
    }


def may_refer(archive: XlsxArchive, name: str, needles: tuple[bytes, ...]) -> bool:
    """Whether another sheet's part may refer to a sheet, or hold one of the ``needles``."""
    rest = b""
    for chunk in clean_chunks(archive.stream(name), name):
        data = (rest + chunk).lower()
        if b"!" in data or any(needle in data for needle in needles):
            return True
        rest = data[-1024:]
    return False


def _find_outdated_names(
    archive: XlsxArchive, book: Book, parts: list[Part], sheet: SheetPart
) -> frozenset[str]:
    """Return the sheet's tables and the names that refer to it, by other names as well.

    They are case folded.
    """
    found: set[str] = set()
    users: dict[str, set[str]] = {}  # by a name, those that refer to it
    sheet_name = sheet.name.casefold().replace("'", "''")

    def note(name: Element) -> None:
        own = resolve_references(name.attributes.get(b"name", b"")).casefold()
        text = resolve_references(name.text)
        if sheet_name in text.casefold():
            found.add(own)
        for other in list_names(text):
            users.setdefault(other, set()).add(own)

    content = b"".join(clean_chunks(archive.stream(book.part), book.part))
    edit_elements(content, (b"definedName",), note)
    for part in parts:
        if part.kind == "table" and part.sheet == sheet.name:
            table = next(stream_elements(archive, part.member)).attributes
            found |= {table.get(key, "").casefold() for key in ("displayName", "name")}
    waiting = list(found)
    while waiting:
        more = users.get(waiting.pop(), set()) - found
        found |= more
        waiting += more
    return frozenset(found - {""})


def _move_cache(content: bytes, mover: ReferenceMover) -> bytes:
    """Move the source of pivot tables, which are made anew on opening if it is in the sheet."""
    source = PartMover(CACHE, mover, "")
    content = source.move(content)
    if source.is_outdated:
        mover.losses.outdated.append("pivot tables")
        content = set_root_attribute(content, b"refreshOnLoad", b"1")
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
        if element.local == b"calcPr":
            element.attributes[b"fullCalcOnLoad"] = b"1"
            is_set = True
        elif element.local == b"oleSize":
            mover.losses.untouched.append("the window of an embedded workbook")
        else:
            name = resolve_references(element.attributes.get(b"name", b""))
            at_home = element.attributes.get(b"localSheetId") == b"%d" % sheet_number
            what = f"the name {name.removeprefix(_HIDDEN_NAME)}"
            moved = mover.move_formula(element.text, what, at_home=at_home, relative=False)
            element.children = [moved]

    content = edit_elements(content, (b"definedName", b"calcPr", b"oleSize"), move)
    ends = [] if is_set else list(_BEFORE_CALCULATION.finditer(content))
    if not ends:
        return content
    place, prefix = ends[-1].end(), ends[-1][1]
    return content[:place] + b"<" + prefix + b'calcPr fullCalcOnLoad="1"/>' + content[place:]


def _drop_mentions(content: bytes, parts: frozenset[str]) -> bytes:
    """Drop the elements, of relations or content types, that name parts."""
    names = {part.rpartition("/")[2].lower().encode() for part in parts}

    def is_kept(element: Element) -> bool:
        attributes = element.attributes
        target = attributes.get(b"PartName", attributes.get(b"Target", b""))
        return target.replace(b"\\", b"/").rpartition(b"/")[2].lower() not in names

    return edit_elements(content, (b"Override", b"Relationship"), is_kept)


def _relations_of(part: str) -> str:
    folder, _, name = part.rpartition("/")
    return f"{folder}/_rels/{name}.rels"
