"""Related edits: parts that refer to a changed sheet's rows (names, tables, comments, charts)."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

from winnow.lists.formats.xlsx.archive import XlsxArchive
from winnow.lists.formats.xlsx.book import (
    PIVOT_CACHE,
    Book,
    Part,
    SheetPart,
    list_parts,
    read_relations,
)
from winnow.lists.formats.xlsx.elements import stream_elements
from winnow.lists.formats.xlsx.markup import Element, edit_elements
from winnow.lists.formats.xlsx.references.defined_names import find_outdated_names, move_workbook
from winnow.lists.formats.xlsx.references.drawings import (
    move_chart,
    move_control,
    move_drawing,
    move_vml,
)
from winnow.lists.formats.xlsx.references.range_shifter import (
    ReferenceMover,
    read_rows,
    shift_areas,
)
from winnow.lists.formats.xlsx.references.tables import (
    move_pivot,
    move_pivot_source,
    move_table,
    refresh_on_load,
)
from winnow.lists.formats.xlsx.references.widening import AddedColumns
from winnow.lists.formats.xlsx.xml import DECLARATION, clean_chunks, escape

_CHARACTER = re.compile(rb"&#(?:x([0-9A-Fa-f]{1,6})|([0-9]{1,7}));")
_WORKED_OUT = frozenset(("calcChain", "volatileDependencies"))  # programs make them anew
# Parts that no workbook that we have met uses: they stay as they are.
_UNTOUCHED = {
    "chartEx": "charts of the newer kinds",
    "connections": "queries",
    "namedSheetView": "sheet views",
    "revisionHeaders": "the record of changes",
    "wsSortMap": "the order before sorting",
}

Edit = Callable[[bytes], bytes]


@dataclass(frozen=True, slots=True)
class RelatedEdits:
    """Edits of the parts that refer to a sheet: by member, how to edit them or to leave them out.

    ``needles`` are the names that hold removed rows, as another sheet's formulas would hold them,
    in lower case.
    """

    edits: dict[str, Edit] = field(default_factory=dict)
    dropped: frozenset[str] = frozenset()
    needles: tuple[bytes, ...] = ()


def plan_related_edits(
    archive: XlsxArchive, book: Book, sheet: SheetPart, mover: ReferenceMover
) -> RelatedEdits:
    """Return the edits of each small part when rows of the sheet are removed.

    The mover's formulas learn which names and tables hold removed rows.
    """
    parts = list_parts(archive, book)
    lost_tables = list(_list_shrunk_tables(archive, parts, sheet, mover))
    names = find_outdated_names(archive, book, mover.formulas, lost_tables)
    refreshed = _find_caches_to_refresh(archive, parts, sheet, mover)
    edits: dict[str, Edit] = {
        book.part: partial(
            move_workbook, mover=mover, sheet_number=book.all_names.index(sheet.name)
        )
    }
    dropped: set[str] = set()
    for part in parts:
        edit = _choose_edit(part, sheet, mover, names, refreshed)
        if edit is not None:
            edits[part.member] = edit
        if part.kind in ("drawing", "chartUserShapes"):
            edits[_relations_of(part.member)] = partial(
                _move_links, mover=mover, what=f"the link of a shape on {part.sheet}"
            )
        if part.kind in _UNTOUCHED:
            mover.losses.untouched.append(_UNTOUCHED[part.kind])
        if part.kind in _WORKED_OUT:
            dropped.add(part.member)
            drop = partial(_drop_mentions, parts=dropped)
            edits["[Content_Types].xml"] = edits[_relations_of(part.owner)] = drop
    found = {archive.find(name): edit for name, edit in edits.items()}
    return RelatedEdits(
        {name: _clean(name, edit) for name, edit in found.items() if name is not None},
        frozenset(dropped),
        tuple(escape(name).lower() for name in sorted(names)),
    )


def plan_widening(
    archive: XlsxArchive, book: Book, sheet: SheetPart, columns: AddedColumns
) -> dict[str, Edit]:
    """Return the edits of the parts that refer to a sheet that gets columns, by member."""
    number = book.all_names.index(sheet.name)
    edits: dict[str, Edit] = {book.part: partial(columns.widen_name, sheet_number=number)}
    for relation in read_relations(archive, sheet.part):
        if relation.kind == "table":
            edits[relation.target] = columns.widen_table
    found = {archive.find(name): edit for name, edit in edits.items()}
    return {name: _clean(name, edit) for name, edit in found.items() if name is not None}


def mentions_sheet(
    archive: XlsxArchive, name: str, sheet: str, needles: tuple[bytes, ...] = ()
) -> bool:
    """Whether another sheet's part may depend on the sheet.

    ``needles`` are other names to look for.
    """
    plain = escape(sheet).lower()
    doubled = escape(sheet.replace("'", "''")).lower()
    loose = re.escape(sheet.replace("'", "''").replace("&", "&amp;")).lower().encode()
    found = (plain + b"!", doubled + b"'!", doubled + b"&#x27;!", doubled + b"&apos;!", *needles)
    pattern = re.compile(loose + rb"(?:'|&apos;|&#39;)?!")
    rest = b""
    for chunk in clean_chunks(archive.stream(name), name):
        raw = rest + chunk
        data = _CHARACTER.sub(_resolve, raw).lower()
        if any(needle in data for needle in found) or pattern.search(data):
            return True
        if b"!" in data and not sheet.isascii():
            return True
        rest = raw[-1024:]
    return False


def _choose_edit(
    part: Part,
    sheet: SheetPart,
    mover: ReferenceMover,
    names: frozenset[str],
    refreshed: frozenset[str],
) -> Edit | None:
    at_home = part.sheet == sheet.name
    match part.kind:
        case "table":
            return partial(move_table, mover=mover, sheet=part.sheet, at_home=at_home)
        case "drawing" | "chartUserShapes":
            return partial(move_drawing, mover=mover, sheet=part.sheet, at_home=at_home)
        case "vmlDrawing":
            return partial(move_vml, mover=mover, sheet=part.sheet, at_home=at_home)
        case "ctrlProp" | "control":
            return partial(move_control, mover=mover, sheet=part.sheet, at_home=at_home)
        case "chart":
            where = f" on {part.sheet}" if part.sheet else ""
            return partial(move_chart, mover=mover, what=f"a chart{where}")
        case "comments" | "threadedComment" if at_home:
            return partial(_move_cells, mover=mover)
        case "tableSingleCells" if at_home:
            return partial(_move_cells, mover=mover)
        case "pivotTable" if at_home:
            return partial(move_pivot, mover=mover, sheet=part.sheet)
        case _ if part.kind == PIVOT_CACHE:
            return partial(
                _move_cache,
                mover=mover,
                sheet=sheet.name,
                names=names,
                is_refreshed=part.member in refreshed,
            )
    return None


def _list_shrunk_tables(
    archive: XlsxArchive, parts: list[Part], sheet: SheetPart, mover: ReferenceMover
) -> Iterator[str]:
    """Yield the names of the sheet's tables that lose rows."""
    for part in parts:
        if part.kind != "table" or part.sheet != sheet.name:
            continue
        found = next(stream_elements(archive, part.member)).attributes
        rows = read_rows(found.get("ref", "").encode())
        if rows is not None and mover.rows.covers_removed(*rows):
            yield from {found.get("displayName", ""), found.get("name", "")} - {""}


def _find_caches_to_refresh(
    archive: XlsxArchive, parts: list[Part], sheet: SheetPart, mover: ReferenceMover
) -> frozenset[str]:
    """Return the caches of pivot tables that lose some of their own cells."""
    caches: set[str] = set()
    for part in parts:
        if part.kind != "pivotTable" or part.sheet != sheet.name:
            continue
        for place in stream_elements(archive, part.member):
            area = place.attributes.get("ref", "").encode()
            rows = read_rows(area) if place.name == "location" else None
            if rows is not None and mover.rows.covers_removed(*rows):
                caches.update(part.caches if shift_areas(area, mover.rows) else ())
    return frozenset(caches)


def _move_cache(
    content: bytes, mover: ReferenceMover, sheet: str, names: frozenset[str], *, is_refreshed: bool
) -> bytes:
    content = move_pivot_source(content, mover, sheet, names)
    return refresh_on_load(content) if is_refreshed else content


def _move_cells(content: bytes, mover: ReferenceMover) -> bytes:
    """Move comments and mapped cells; those of removed rows are removed."""

    def move(element: Element) -> bool:
        name = b"r" if element.local == b"singleXmlCell" else b"ref"
        return mover.move_attribute(element, name)

    return edit_elements(content, (b"comment", b"threadedComment", b"singleXmlCell"), move)


def _move_links(content: bytes, mover: ReferenceMover, what: str) -> bytes:
    """Move the places in the workbook that shapes of a drawing lead to."""

    def move(element: Element) -> None:
        target = element.attributes.get(b"Target", b"")
        if target.startswith(b"#"):
            moved = mover.move_formula(target[1:], what, at_home=False)
            element.attributes[b"Target"] = b"#" + moved

    return edit_elements(content, (b"Relationship",), move)


def _drop_mentions(content: bytes, parts: set[str]) -> bytes:
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


def _resolve(match: re.Match[bytes]) -> bytes:
    """Return a character that is written as a number; the five of XML by their names."""
    number = int(match[1], 16) if match[1] else int(match[2])
    try:
        return escape(chr(number))
    except ValueError:  # no such character
        return match[0]


def _clean(name: str, edit: Edit) -> Edit:
    def run(content: bytes) -> bytes:
        return DECLARATION + edit(b"".join(clean_chunks([content], name)))

    return run
