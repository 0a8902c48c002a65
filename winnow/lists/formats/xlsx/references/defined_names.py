"""Edits of the workbook part for removed rows: defined names, calculation, the OLE window."""

import re
from collections.abc import Iterable

from winnow.lists.formats.xlsx.archive import XlsxArchive
from winnow.lists.formats.xlsx.book import Book
from winnow.lists.formats.xlsx.markup import Element, edit_elements
from winnow.lists.formats.xlsx.references.formula import parse_formula
from winnow.lists.formats.xlsx.references.formula_shifter import FormulaShifter
from winnow.lists.formats.xlsx.references.range_shifter import ReferenceMover
from winnow.lists.formats.xlsx.xml import clean_chunks, resolve_references

_HIDDEN_NAME = "_xlnm."  # print areas, titles, filters: ISO/IEC 29500-1, 18.2.5
_LAST_BEFORE_CALCULATION = (b"sheets", b"functionGroups", b"externalReferences", b"definedNames")


def find_outdated_names(
    archive: XlsxArchive, book: Book, formulas: FormulaShifter, tables: Iterable[str]
) -> frozenset[str]:
    """Return the names, case folded, that hold removed rows, by way of other names as well.

    Args:
        archive: The workbook.
        book: Its parts.
        formulas: Knows the removed rows.
        tables: The names of tables on the sheet that lost rows.
    """
    texts: dict[str, bytes] = {}

    def note(name: Element) -> None:
        texts[resolve_references(name.attributes.get(b"name", b"")).casefold()] = name.text

    content = b"".join(clean_chunks(archive.stream(book.part), book.part))
    edit_elements(content, (b"definedName",), note)
    outdated = {name.casefold() for name in tables}
    is_growing = True
    while is_growing:
        formulas.outdated_names = frozenset(outdated)
        before = len(outdated)
        outdated |= {name for name, text in texts.items() if _holds_removed(text, formulas)}
        is_growing = len(outdated) > before
    return frozenset(outdated)


def move_workbook(content: bytes, mover: ReferenceMover, sheet_number: int) -> bytes:
    """Move defined names; have formulas worked out anew when the workbook is opened.

    Args:
        content: The workbook part.
        mover: Moves references.
        sheet_number: Tab, from 0, of the sheet whose rows are removed.
    """
    is_told = False

    def move(element: Element) -> None:
        nonlocal is_told
        if element.local == b"calcPr":
            element.attributes[b"fullCalcOnLoad"] = b"1"
            is_told = True
        elif element.local == b"oleSize":
            mover.rest_attribute(element, b"ref")
        else:
            name = resolve_references(element.attributes.get(b"name", b""))
            at_home = element.attributes.get(b"localSheetId") == b"%d" % sheet_number
            what = f"the name {name.removeprefix(_HIDDEN_NAME)}"
            moved = mover.move_formula(element.text, what, at_home=at_home, relative=False)
            element.children = [moved]

    edited = {b"definedName", b"calcPr"}
    if _is_active(content, sheet_number):
        edited.add(b"oleSize")
    content = edit_elements(content, edited, move)
    if is_told:
        return content
    ends = {
        match.end(): match[1]
        for holder in _LAST_BEFORE_CALCULATION
        for match in re.finditer(rb"</((?:[\w.-]+:)?)" + holder + rb"\s*>", content)
    }
    if not ends:
        return content
    place = max(ends)
    return content[:place] + b"<" + ends[place] + b'calcPr fullCalcOnLoad="1"/>' + content[place:]


def _is_active(content: bytes, sheet_number: int) -> bool:
    """Whether the sheet is the one shown first, whose window an embedded workbook has."""
    found: list[bytes] = []

    def look(view: Element) -> None:
        found.append(view.attributes.get(b"activeTab", b"0"))

    edit_elements(content, (b"workbookView",), look)
    return (found[0] if found else b"0") == b"%d" % sheet_number


def _holds_removed(content: bytes, formulas: FormulaShifter) -> bool:
    try:
        formula = parse_formula(resolve_references(content))
        return formulas.covers_removed(formula, at_home=False)
    except ValueError:
        return False
