"""A workbook's small parts: which sheets there are, in which parts, found by relations."""

import posixpath
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from urllib.parse import unquote

from backend.core.errors import BrokenFile, UnsupportedFormat
from backend.files.workbook.archive import XlsxArchive
from backend.files.workbook.xml import decode_part

# The last segment of a relation's type is the same in the transitional and the strict form
# (ISO/IEC 29500-1, 12.3 and part 4): only that is compared.
_WORKBOOK, _WORKSHEET = "officeDocument", "worksheet"
_SHARED_STRINGS, _STYLES, _CALC_CHAIN = "sharedStrings", "styles", "calcChain"
MAX_SHEETS = 1_000


@dataclass(frozen=True, slots=True)
class Relation:
    """One relation of a part: its id, the last segment of its type, and the part it leads to."""

    relation_id: str
    kind: str
    target: str


@dataclass(frozen=True, slots=True)
class SheetPart:
    """One worksheet: its name, whether it is shown, and its part."""

    name: str
    visible: bool
    part: str


@dataclass(frozen=True, slots=True)
class Book:
    """Where a workbook's parts are; None for one that it does not have."""

    part: str
    sheets: tuple[SheetPart, ...]  # worksheets in order
    all_names: tuple[str, ...]  # every tab's name in order, chart sheets too
    shared_strings: str | None
    styles: str | None
    calc_chain: str | None
    starts_1904: bool


def read_book(archive: XlsxArchive) -> Book:
    """Read the workbook part and its relations.

    Raises:
        UnsupportedFormat: A workbook with macros or in binary form.
        BrokenFile: Parts are missing or not well-formed.
    """
    part = next(
        (found.target for found in read_relations(archive, "") if found.kind == _WORKBOOK), None
    )
    if part is None:
        raise BrokenFile("The archive names no workbook.")
    _check_content_type(archive, part)
    root = parse_part(archive, part)
    if local_name(root) != "workbook":
        raise BrokenFile("The workbook part is not a workbook.")
    relations = {found.relation_id: found for found in read_relations(archive, part)}
    by_kind = {found.kind: found.target for found in relations.values()}
    sheets, names = _list_sheets(archive, root, relations)
    properties = next((child for child in root if local_name(child) == "workbookPr"), None)
    return Book(
        part=part,
        sheets=tuple(sheets),
        all_names=tuple(names),
        shared_strings=_existing(archive, by_kind.get(_SHARED_STRINGS)),
        styles=_existing(archive, by_kind.get(_STYLES)),
        calc_chain=_existing(archive, by_kind.get(_CALC_CHAIN)),
        starts_1904=properties is not None and properties.get("date1904") in ("1", "true"),
    )


def read_relations(archive: XlsxArchive, part: str) -> list[Relation]:
    """Return the relations of a part inside the package; ``""`` is the package. May be empty."""
    folder, _, name = part.rpartition("/")
    member = archive.find(f"{folder}/_rels/{name}.rels")
    if member is None:
        return []
    return [
        Relation(
            relation_id=child.get("Id", ""),
            kind=child.get("Type", "").rpartition("/")[2],
            target=_resolve(folder, child.get("Target", "")),
        )
        for child in parse_part(archive, member)
        if child.get("TargetMode") != "External"
    ]


def parse_part(archive: XlsxArchive, name: str) -> ET.Element:
    """Parse one small part.

    Raises:
        BrokenFile: Missing, not well-formed, or with a document type.
    """
    content = decode_part(archive.read(name), name)
    try:
        return ET.fromstring(content)  # noqa: S314 - decode_part refuses document types
    except (ET.ParseError, ValueError) as error:
        shown = name.rpartition("/")[2][:60]
        raise BrokenFile(f"The workbook's part {shown} is not well-formed XML.") from error


def local_name(element: ET.Element) -> str:
    """Return an element's name without its namespace."""
    return element.tag.rpartition("}")[2]


def _list_sheets(
    archive: XlsxArchive, root: ET.Element, relations: dict[str, Relation]
) -> tuple[list[SheetPart], list[str]]:
    sheets: list[SheetPart] = []
    names: list[str] = []
    holder = next((child for child in root if local_name(child) == "sheets"), None)
    for element in holder if holder is not None else ():
        name = element.get("name", "")
        names.append(name)
        if len(names) > MAX_SHEETS:
            raise BrokenFile(f"The workbook has more than {MAX_SHEETS:,} sheets.")
        relation_id = next((value for key, value in element.items() if key.endswith("}id")), None)
        relation = relations.get(relation_id or "")
        if relation is None:
            raise BrokenFile("The workbook names a sheet that has no part.", sheet=name)
        if relation.kind != _WORKSHEET:
            continue
        if archive.find(relation.target) is None:
            raise BrokenFile("The workbook names a sheet whose part is missing.", sheet=name)
        sheets.append(
            SheetPart(name, element.get("state", "visible") == "visible", relation.target)
        )
    if not sheets:
        raise BrokenFile("The workbook has no worksheet.")
    return sheets, names


def _check_content_type(archive: XlsxArchive, part: str) -> None:
    if part.lower().endswith(".bin"):
        raise UnsupportedFormat(
            "This is a binary workbook (.xlsb), not .xlsx.", hint="Save it as .xlsx."
        )
    for element in parse_part(archive, "[Content_Types].xml"):
        of_workbook = element.get("PartName", "").lstrip("/").lower() == part.lower()
        if of_workbook and "macroenabled" in element.get("ContentType", "").lower():
            raise UnsupportedFormat(
                "This workbook carries macros (.xlsm), whatever its name says.",
                hint="Save it as .xlsx, without macros.",
            )


def _resolve(folder: str, target: str) -> str:
    target = unquote(target)
    joined = target if target.startswith("/") else posixpath.join(folder, target)
    return posixpath.normpath(joined).lstrip("/")


def _existing(archive: XlsxArchive, name: str | None) -> str | None:
    return name if name is not None and archive.find(name) is not None else None
