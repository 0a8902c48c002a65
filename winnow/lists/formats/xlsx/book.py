"""Structure of a workbook: its sheets and all its parts, found by relations."""

import posixpath
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from urllib.parse import unquote

from winnow.core.errors import BrokenFile, UnsupportedFormat
from winnow.core.file_faults import FileFault
from winnow.lists.formats.xlsx.archive import MAX_MEMBERS, SAVE_AGAIN, XlsxArchive
from winnow.lists.formats.xlsx.markup import Element, find_elements, read_root
from winnow.lists.formats.xlsx.xml import read_xml

MAX_SHEETS = 1_000


@dataclass(frozen=True, slots=True)
class Relation:
    """One relation of a part: its id, the last segment of its type, and the part it leads to.

    The segment is the same in the transitional and the strict form (ISO/IEC 29500-1, 12.3 and
    part 4).
    """

    relation_id: str
    kind: str
    target: str


@dataclass(frozen=True, slots=True)
class SheetPart:
    """One worksheet: its name, whether it is shown, its part, and the number of its tab, from 0."""

    name: str
    visible: bool
    part: str
    number: int


@dataclass(frozen=True, slots=True)
class Book:
    """Where a workbook's parts are; None for one that it does not have."""

    part: str
    sheets: tuple[SheetPart, ...]  # worksheets in order
    shared_strings: str | None
    styles: str | None
    starts_1904: bool
    is_calculated: bool = True  # else readers are to work all formulas out when they open it


def read_book(archive: XlsxArchive) -> Book:
    """Read the workbook part and its relations.

    Raises:
        UnsupportedFormat: A workbook with macros or in binary form.
        BrokenFile: Parts are missing or not well-formed.
    """
    package = read_relations(archive, "")
    part = next((one.target for one in package if one.kind == "officeDocument"), None)
    if part is None:
        raise BrokenFile("The archive names no workbook.", hint=SAVE_AGAIN)
    _check_content_type(archive, part)
    content = read_xml(archive, part)
    if read_root(content).local != "workbook":
        raise BrokenFile("The workbook part is not a workbook.", hint=SAVE_AGAIN)
    relations = {found.relation_id: found for found in read_relations(archive, part)}
    by_kind = {one.kind: one.target for one in relations.values() if archive.find(one.target)}
    tabs = list(islice(find_elements(content, "sheet"), MAX_SHEETS + 1))
    if len(tabs) > MAX_SHEETS:
        raise BrokenFile(
            "The workbook has more than {most} sheets.",
            fault=FileFault.TOO_LARGE,
            most=MAX_SHEETS,
            hint="Copy the sheet with the list into a workbook of its own.",
        )
    found_sheets = (_read_sheet(archive, tab, relations, place) for place, tab in enumerate(tabs))
    sheets = tuple(sheet for sheet in found_sheets if sheet is not None)
    if not sheets:
        raise BrokenFile(
            "The workbook has no worksheet.", hint="Put the list into a sheet of its own."
        )
    return Book(
        part=part,
        sheets=sheets,
        shared_strings=by_kind.get("sharedStrings"),
        styles=by_kind.get("styles"),
        starts_1904=_is_any_set(content, "workbookPr", "date1904"),  # an extension has it as well
        is_calculated=not _is_any_set(content, "calcPr", "fullCalcOnLoad"),
    )


def _is_any_set(content: bytes, local: str, name: str) -> bool:
    return any(found.get(name) in ("1", "true") for found in find_elements(content, local))


def _read_sheet(
    archive: XlsxArchive, tab: Element, relations: dict[str, Relation], number: int
) -> SheetPart | None:
    """Return a tab's worksheet; None for a chart sheet, and for a module of Excel 95."""
    pairs = tab.attributes.items()
    relation_id = next((value for key, value in pairs if key.endswith(":id")), "")
    relation = relations.get(relation_id)
    if not relation_id or (relation is not None and relation.kind != "worksheet"):
        return None
    name = tab.get("name")
    if relation is None or archive.find(relation.target) is None:
        raise BrokenFile(
            "The workbook names a sheet that has no part.", hint=SAVE_AGAIN, sheet=name
        )
    return SheetPart(name, tab.get("state", "visible") == "visible", relation.target, number)


def read_relations(archive: XlsxArchive, part: str) -> list[Relation]:
    """Return the relations of a part inside the package; ``""`` is the package. May be empty.

    Raises:
        BrokenFile: There are more than a workbook may have parts.
    """
    folder = part.rpartition("/")[0]
    member = archive.find(relations_of(part))
    if member is None:
        return []
    inside = (
        Relation(
            relation_id=found.get("Id"),
            kind=found.get("Type").rpartition("/")[2],
            target=_resolve(folder, found.get("Target")),
        )
        for found in find_elements(read_xml(archive, member), "Relationship")
        if found.get("TargetMode") != "External" and "Target" in found.attributes
    )
    relations = list(islice(inside, MAX_MEMBERS + 1))
    if len(relations) > MAX_MEMBERS:
        raise BrokenFile(
            "A part of the workbook points at more than {most} others.",
            fault=FileFault.TOO_LARGE,
            most=MAX_MEMBERS,
            hint=SAVE_AGAIN,
        )
    return relations


def relations_of(part: str) -> str:
    """Return the part with a part's relations (OPC, 9.3.3)."""
    folder, _, name = part.rpartition("/")
    return f"{folder}/_rels/{name}.rels"


def list_parts(archive: XlsxArchive, book: Book) -> Iterator[tuple[str, str, str]]:
    """Yield every part below the workbook, each once, nearest first.

    Its member in the zip, the last segment of its relation's type, and the name of its sheet,
    which is ``""`` for the workbook's own.
    """
    sheets = {archive.find(sheet.part): sheet.name for sheet in book.sheets}
    waiting = deque([(book.part, "")])
    seen = {archive.find(book.part)}
    while waiting:
        owner, sheet = waiting.popleft()
        for relation in read_relations(archive, owner):
            member = archive.find(relation.target)
            if member is None or member in seen:
                continue
            seen.add(member)
            belongs_to = sheets.get(member, sheet)
            yield member, relation.kind, belongs_to
            waiting.append((member, belongs_to))


def _check_content_type(archive: XlsxArchive, part: str) -> None:
    if part.lower().endswith(".bin"):
        raise UnsupportedFormat(
            "This is a binary workbook (.xlsb), not .xlsx.", hint="Save it as .xlsx."
        )
    for found in find_elements(read_xml(archive, "[Content_Types].xml"), "Override"):
        of_workbook = found.get("PartName").lstrip("/").lower() == part.lower()
        if of_workbook and "macroenabled" in found.get("ContentType").lower():
            raise UnsupportedFormat(
                "This workbook has macros (.xlsm).",
                hint="Save it as .xlsx, without macros.",
            )


def _resolve(folder: str, target: str) -> str:
    target = unquote(target).replace("\\", "/")
    joined = target if target.startswith("/") else posixpath.join(folder, target)
    return posixpath.normpath(joined).lstrip("/")
