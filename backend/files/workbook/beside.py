"""The parts beside a changed sheet that point at its rows: names, tables, comments, charts."""

import re
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

from backend.files.workbook.archive import XlsxArchive
from backend.files.workbook.areas import AreaShifter
from backend.files.workbook.book import Book, SheetPart, read_relations
from backend.files.workbook.rows import write_attribute
from backend.files.workbook.spelling import NotWellFormed, respell
from backend.files.workbook.xml import DECLARATION, clean_chunks, escape, resolve_references

_P = rb"(?:[\w.-]+:)?"
_NAME = re.compile(rb"(<" + _P + rb"definedName\b[^>]*>)([^<]*)(</)")
_CHART_FORMULA = re.compile(rb"(<" + _P + rb"f(?:\s[^>]*)?>)([^<]+)(</" + _P + rb"f>)")
_CALCULATION = re.compile(rb"<" + _P + rb"calcPr\b[^>]*>")
_PIVOT_SOURCE = re.compile(rb"<" + _P + rb"worksheetSource\b[^>]*>")
_RUN_OF_SHEETS = re.compile(rb":[^<>!\"&:/]{1,64}!")

_CHARACTER = re.compile(rb"&#(?:x([0-9A-Fa-f]{1,6})|([0-9]{1,7}));")

Edit = Callable[[bytes], bytes]


class Losses(Protocol):
    """Where this module counts what it could not move."""

    names: int
    rules: int


def list_edits(
    archive: XlsxArchive, book: Book, sheet: SheetPart, areas: AreaShifter, losses: Losses
) -> dict[str, Edit]:
    """Return what to do with each small part when rows of the sheet go, by member name."""
    edits: dict[str, Edit] = {book.part: lambda content: _edit_workbook(content, areas, losses)}
    by_kind: dict[str, Edit] = {
        "table": areas.shift_table,
        "comments": areas.shift_comments,
        "threadedComment": areas.shift_comments,
        "vmlDrawing": areas.shift_comment_shapes,
        "drawing": areas.shift_anchors,
    }
    for relation in read_relations(archive, sheet.part):
        if relation.kind in by_kind:
            edits[relation.target] = by_kind[relation.kind]
    for info in archive.infos:
        name = info.filename.lower()
        if "/charts/" in name and name.endswith(".xml"):
            edits[info.filename] = lambda content: _edit_chart(content, areas, losses)
        elif "/pivotcachedefinition" in name and name.endswith(".xml"):
            edits[info.filename] = lambda content: _edit_pivot(content, sheet, areas)
    if book.calc_chain is not None:
        chain = book.calc_chain
        folder, _, file_name = book.part.rpartition("/")
        edits["[Content_Types].xml"] = lambda content: _drop_mention(content, chain)
        edits[f"{folder}/_rels/{file_name}.rels"] = lambda content: _drop_mention(content, chain)
    found = {archive.find(name): edit for name, edit in edits.items()}
    return {name: _in_one_spelling(name, edit) for name, edit in found.items() if name is not None}


def mentions_sheet(archive: XlsxArchive, name: str, sheet: str) -> bool:
    """Whether another sheet's part may point at the sheet: by its name, or by a run of sheets."""
    plain = escape(sheet).lower()
    doubled = escape(sheet.replace("'", "''")).lower()
    loose = re.escape(sheet.replace("'", "''").replace("&", "&amp;")).lower().encode()
    needles = [plain + b"!", doubled + b"'!", doubled + b"&#x27;!", doubled + b"&apos;!"]
    pattern = re.compile(loose + rb"(?:'|&apos;|&#39;)?!")
    rest = b""
    for chunk in clean_chunks(archive.stream(name), name):
        raw = rest + chunk
        data = _CHARACTER.sub(_resolve, raw).lower()
        if any(needle in data for needle in needles) or pattern.search(data):
            return True
        if b"!" in data and (not sheet.isascii() or _RUN_OF_SHEETS.search(data)):
            return True
        rest = raw[-1024:]
    return False


def _resolve(match: re.Match[bytes]) -> bytes:
    """Return a character that is written as a number; the five of XML by their names."""
    number = int(match[1], 16) if match[1] else int(match[2])
    try:
        return escape(chr(number))
    except ValueError:  # no such character
        return match[0]


def _in_one_spelling(name: str, edit: Edit) -> Edit:
    def run(content: bytes) -> bytes:
        content = b"".join(clean_chunks([content], name))
        with suppress(NotWellFormed):  # drawings of old versions (VML) often are not
            content = respell(content)
        return DECLARATION + edit(content)

    return run


def _edit_workbook(content: bytes, areas: AreaShifter, losses: Losses) -> bytes:
    """Move defined names; have formulas worked out anew when the workbook is opened."""

    def move(match: re.Match[bytes]) -> bytes:
        moved = areas.shift_formula_text(match[2], at_home=False, relative=False)
        if moved is None:
            losses.names += 1
            return match[1] + b"#REF!" + match[3]
        return match[1] + moved + match[3]

    content = _NAME.sub(move, content)
    found = _CALCULATION.search(content)
    if found is not None:
        tag = write_attribute(found[0], b"fullCalcOnLoad", b"1")
        return content[: found.start()] + tag + content[found.end() :]
    place = max(
        (
            match.end()
            for holder in (b"sheets", b"functionGroups", b"externalReferences", b"definedNames")
            for match in re.finditer(rb"</(" + _P + holder + rb")>", content)
        ),
        default=-1,
    )
    if place < 0:
        return content
    prefix = re.search(rb"</((?:[\w.-]+:)?)sheets>", content)
    tag = b"<" + (prefix[1] if prefix else b"") + b'calcPr fullCalcOnLoad="1"/>'
    return content[:place] + tag + content[place:]


def _edit_chart(content: bytes, areas: AreaShifter, losses: Losses) -> bytes:
    def move(match: re.Match[bytes]) -> bytes:
        moved = areas.shift_formula_text(match[2], at_home=False)
        if moved is None:
            losses.rules += 1
            return match[0]
        return match[1] + moved + match[3]

    return _CHART_FORMULA.sub(move, content)


def _edit_pivot(content: bytes, sheet: SheetPart, areas: AreaShifter) -> bytes:
    def move(match: re.Match[bytes]) -> bytes:
        named = re.search(rb'\ssheet="([^"]*)"', match[0])
        if named is None or resolve_references(named[1]).casefold() != sheet.name.casefold():
            return match[0]
        return areas.move_attribute(match[0], b"ref")

    return _PIVOT_SOURCE.sub(move, content)


def _drop_mention(content: bytes, part: str) -> bytes:
    """Drop the element, of relations or content types, that names a part."""
    file_name = re.escape(part.rpartition("/")[2].encode())
    return re.sub(
        rb"<(?:[\w.-]+:)?(?:Override|Relationship)\b[^>]*[\"/]" + file_name + rb"\"[^>]*/>",
        b"",
        content,
    )
