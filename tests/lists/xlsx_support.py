"""Workbooks for the tests: openpyxl writes them, independently of us."""

import io
import re
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import openpyxl

from tests.lists.zips import read_zip, write_zip
from winnow.core.lists.file_format import FileFormat
from winnow.core.tasks.input_plan import InputPlan
from winnow.lists.formats.xlsx.archive import open_archive
from winnow.lists.formats.xlsx.book import read_book
from winnow.lists.formats.xlsx.references.mover import BrokenReferences
from winnow.lists.formats.xlsx.rows import SheetEdit
from winnow.lists.formats.xlsx.sheet import open_sheet
from winnow.lists.formats.xlsx.write import rewrite_workbook

SHEET = "xl/worksheets/sheet1.xml"
BOOK = "xl/workbook.xml"
RELATIONS = "xl/_rels/workbook.xml.rels"
PEOPLE = [["ana@firm.example.com", 1], ["ben@firm.example.com", 2], ["ana@firm.example.com", 4]]


def save(workbook: Any, folder: Path, name: str = "list.xlsx") -> Path:
    path = folder / name
    workbook.save(path)
    return path


def edit_parts(path: Path, changes: Mapping[str, Callable[[bytes], bytes] | bytes | None]) -> Path:
    """Rewrite a workbook's parts; None drops one, a name that is not there adds one."""
    parts = read_zip(path)
    for name, change in changes.items():
        if change is None:
            del parts[name]
        elif isinstance(change, bytes):
            parts[name] = change
        elif name in parts:
            parts[name] = change(parts[name])
    edited = path.with_name(f"edited-{path.name}")
    edited.write_bytes(write_zip(parts, zipfile.ZIP_DEFLATED))
    return edited


def remove_rows(source: Path, target: Path, removed: Sequence[int]) -> BrokenReferences:
    """Write a workbook without some rows of its first sheet; return what lost its place."""
    with open_archive(source) as archive:
        name = read_book(archive).sheets[0].name
    plan = InputPlan(FileFormat.XLSX, 0, (), sheet=name)
    with open_sheet(source, plan, target.parent) as opened:
        return rewrite_workbook(opened, SheetEdit(removed=removed), target)


def store_values(sheet: bytes, value: bytes = b"41") -> bytes:
    """Store a value beside each formula of a sheet, as spreadsheet programs do."""
    return re.sub(rb"(<f>[^<]*</f>)<v ?/?>(?:</v>)?", rb"\1<v>%b</v>" % value, sheet)


def make_workbook(*sheets: tuple[str, list[list[Any]]], hidden: tuple[str, ...] = ()) -> bytes:
    """Return a workbook of sheets of these names and rows."""
    book = openpyxl.Workbook()
    del book["Sheet"]
    for name, rows in sheets:
        sheet = book.create_sheet(name)
        sheet.sheet_state = "hidden" if name in hidden else "visible"
        for row in rows:
            sheet.append(row)
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def build_list(rows: Sequence[Sequence[Any]], *, title: str = "Data") -> Any:
    workbook = openpyxl.Workbook()
    workbook.active.title = title
    for row in rows:
        workbook.active.append(row)
    return workbook


def share_strings(path: Path) -> Path:
    """Put a workbook's inline strings into a shared table, as Excel does; some as rich text."""
    strings: list[bytes] = []

    def share(match: re.Match[bytes]) -> bytes:
        text = match[2]
        if len(strings) % 3 == 1 and b"<t>" in text and b"&" not in text:
            half = text[3:-4][:2], text[3:-4][2:]
            text = (
                b"<r><t>%s</t></r><r><rPr><b/></rPr><t xml:space='preserve'>%s</t></r>"
                b'<rPh sb="0" eb="1"><t>kana</t></rPh>' % half
            )
        strings.append(b"<si>" + text + b"</si>\n")
        return match[1] + b't="s"><v>%d</v></c>' % len(strings)  # the first is empty

    def edit_sheet(content: bytes) -> bytes:
        return re.sub(rb'(<c [^>]*)t="inlineStr"><is>(.*?)</is></c>', share, content)

    sheets = [name for name in read_zip(path) if name.startswith("xl/worksheets/sheet")]
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    kinds = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    with_cells = edit_parts(path, dict.fromkeys(sheets, edit_sheet))
    relation = f'<Relationship Type="{kinds}/sharedStrings" Target="sharedStrings.xml" Id="rIdS"/>'
    table = b'<sst xmlns="%s"><si/>' % main.encode() + b"".join(strings) + b"</sst>"
    override = (
        '<Override PartName="/xl/sharedStrings.xml" ContentType="application/vnd.openxmlformats'
        '-officedocument.spreadsheetml.sharedStrings+xml"/></Types>'
    )
    return edit_parts(
        with_cells,
        {
            "xl/sharedStrings.xml": table,
            RELATIONS: lambda content: content.replace(
                b"</Relationships>", relation.encode() + b"</Relationships>"
            ),
            "[Content_Types].xml": lambda content: content.replace(b"</Types>", override.encode()),
        },
    )
