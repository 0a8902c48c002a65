"""Workbooks in every spelling that XML and OOXML leave free, written without our own writers.

A workbook is a table of parts, each a small tree; ``Writer`` writes a tree with the freedoms of
its ``Habits``, drawn anew for each tag.
"""

import io
import random
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from hypothesis import strategies as st

from tests.lists.xlsx_support import TRASH

TRANSITIONAL = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
STRICT = "http://purl.oclc.org/ooxml/spreadsheetml/main"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
STRICT_RELATIONS = "http://purl.oclc.org/ooxml/officeDocument/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
TYPES = "application/vnd.openxmlformats-officedocument.spreadsheetml"
LETTERS = "ABCDEFGH"

Value = str | int | bool | None


@dataclass(frozen=True)
class Habits:
    """What a program makes use of; everything off is how Excel itself writes."""

    single_quotes: bool = False
    blanks_in_tags: bool = False
    blanks_around_equals: bool = False
    any_order: bool = False
    references: bool = False
    pretty: bool = False
    long_empties: bool = False
    bare_greater: bool = False
    prefix: str = ""
    mixed_prefixes: bool = False
    relation_prefix: str = "r"
    rows_without_numbers: bool = False
    cells_without_places: bool = False
    padded_numbers: bool = False
    small_letters: bool = False
    wrong_spans: bool = False
    empty_cells: bool = False
    rich_texts: bool = False
    texts: str = "shared"  # shared, inline, formula or any
    encoding: str = "utf-8"
    bom: bool = False
    strict: bool = False
    backslashes: bool = False
    leading_slashes: bool = False


@dataclass
class Element:
    """An element: its name in the main namespace, or with a prefix of its own."""

    name: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list["Element | str"] = field(default_factory=list)


@dataclass(frozen=True)
class Table:
    """A list as it stands in a sheet: the rows by number, each its values by column from 0."""

    rows: dict[int, dict[int, Value]]
    email_column: int
    header_row: int


class Writer:
    """Writes trees with all the freedoms of some habits."""

    def __init__(self, habits: Habits, seed: int) -> None:
        self.habits = habits
        self.dice = random.Random(seed)

    def maybe(self, allowed: bool, chance: float = 0.4) -> bool:
        return allowed and self.dice.random() < chance

    def write(self, root: Element, namespace: str, *, prefix: str = "") -> bytes:
        """Return a part with its declaration."""
        habits = self.habits
        spaces = {f"xmlns:{prefix[:-1]}" if prefix else "xmlns": namespace}
        self.prefixes = [prefix]
        if habits.mixed_prefixes and prefix != "m:":
            spaces["xmlns:m"] = namespace
            self.prefixes.append("m:")
        root.attributes = {**spaces, **root.attributes}
        body = self._element(root, prefix)
        encoding = habits.encoding
        quote = "'" if self.maybe(habits.single_quotes) else '"'
        text = f"<?xml version={quote}1.0{quote} encoding={quote}{encoding}{quote}?>\n{body}\n"
        data = text.encode(encoding, "xmlcharrefreplace")
        return b"\xef\xbb\xbf" + data if habits.bom and encoding == "utf-8" else data

    def _element(self, element: Element, prefix: str | None = None) -> str:
        habits = self.habits
        if ":" in element.name:
            name = element.name
        else:
            name = (self.dice.choice(self.prefixes) if prefix is None else prefix) + element.name
        attributes = list(element.attributes.items())
        if habits.any_order:
            self.dice.shuffle(attributes)
        words = "".join(self._attribute(key, value) for key, value in attributes)
        end = self._blank() if self.maybe(habits.blanks_in_tags) else ""
        if not element.children and not self.maybe(habits.long_empties):
            return f"<{name}{words}{end}/>"
        is_text = all(isinstance(child, str) for child in element.children)
        gap = "\n  " if habits.pretty and not is_text else ""
        inner = gap.join(
            self._text(child) if isinstance(child, str) else self._element(child)
            for child in element.children
        )
        closing = self._blank() if self.maybe(habits.blanks_in_tags) else ""
        return f"<{name}{words}{end}>{gap}{inner}{gap}</{name}{closing}>"

    def _attribute(self, name: str, value: str) -> str:
        habits = self.habits
        blank = self._blank() if self.maybe(habits.blanks_in_tags) else " "
        equals = "="
        if self.maybe(habits.blanks_around_equals):
            equals = self.dice.choice([" =", "= ", " = ", "\n=\t"])
        quote = "'" if self.maybe(habits.single_quotes) else '"'
        written = escape(value, quote=False).replace(quote, "&quot;" if quote == '"' else "&apos;")
        if habits.bare_greater:
            written = written.replace("&gt;", ">")
        return f"{blank}{name}{equals}{quote}{written}{quote}"

    def _refer(self, text: str) -> str:
        """Write quotes and letters beyond ASCII as references, as some libraries do."""
        form = self.dice.choice(["&#{};", "&#x{:x};", "&#x{:X};", "&#x000{:x};"])
        return "".join(
            form.format(ord(letter)) if letter in "'\"" or not letter.isascii() else escape(letter)
            for letter in text
        )

    def _text(self, text: str) -> str:
        if text and self.maybe(self.habits.references, 0.3):
            return self._refer(text)
        written = escape(text, quote=False)
        if self.habits.bare_greater and "]]" not in text:
            written = written.replace("&gt;", ">")
        return written

    def _blank(self) -> str:
        return self.dice.choice(["  ", "\n", "\t", "\r\n ", " \n\t "])


def render(table: Table, habits: Habits, seed: int) -> bytes:
    """Return a workbook with the list in its first sheet and formulas about it in a second."""
    writer = Writer(habits, seed)
    main = STRICT if habits.strict else TRANSITIONAL
    office = STRICT_RELATIONS if habits.strict else RELATIONS
    strings: list[Element] = []
    sheet = _build_sheet(table, writer, strings)
    check = _build_check(table)
    relation = habits.relation_prefix
    book = Element("workbook", {f"xmlns:{relation}": office})
    book.children = [
        Element(
            "sheets",
            {},
            [
                Element(
                    "sheet", {"name": name, "sheetId": str(place), f"{relation}:id": f"rId{place}"}
                )
                for place, name in enumerate(("Data", "Check"), start=1)
            ],
        ),
        Element("definedNames", {}, [_name_last(table)]),
    ]
    parts = {
        "[Content_Types].xml": writer.write(_build_types(), f"{PACKAGE}/content-types"),
        "_rels/.rels": writer.write(
            _relate(office, ("officeDocument", "xl/workbook.xml")), f"{PACKAGE}/relationships"
        ),
        "xl/workbook.xml": writer.write(book, main, prefix=habits.prefix),
        "xl/_rels/workbook.xml.rels": writer.write(
            _relate(
                office,
                ("worksheet", "sheets/data.xml"),
                ("worksheet", "/xl/sheets/check.xml"),
                ("sharedStrings", "texts.xml"),
                ("styles", "styles.xml"),
            ),
            f"{PACKAGE}/relationships",
        ),
        "xl/sheets/data.xml": writer.write(sheet, main, prefix=habits.prefix),
        "xl/sheets/check.xml": writer.write(check, main, prefix=habits.prefix),
        "xl/styles.xml": writer.write(_build_styles(), main, prefix=habits.prefix),
        "xl/texts.xml": writer.write(Element("sst", {}, list(strings)), main, prefix=habits.prefix),
    }
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            member = name.replace("/", "\\") if habits.backslashes else name
            archive.writestr("/" + member if habits.leading_slashes else member, content)
    return memory.getvalue()


def _build_sheet(table: Table, writer: Writer, strings: list[Element]) -> Element:
    habits = writer.habits
    rows: list[Element | str] = []
    previous = 0
    for number, values in table.rows.items():
        attributes = {"ht": "15.5", "customHeight": "1"} if writer.maybe(True, 0.2) else {}
        if habits.wrong_spans:
            attributes["spans"] = "1:2"
        if not (habits.rows_without_numbers and number == previous + 1 and writer.maybe(True, 0.7)):
            padded = writer.maybe(habits.padded_numbers)
            attributes = {"r": f"0{number}" if padded else str(number), **attributes}
        previous = number
        rows.append(Element("row", attributes, _build_cells(number, values, writer, strings)))
    links: list[Element | str] = [
        Element(
            "hyperlink",
            {
                "ref": f"{LETTERS[table.email_column]}{number}",
                "location": "Check!A1",
                "tooltip": text,
            },
        )
        for number, text in _list_links(table)
    ]
    children: list[Element | str] = [
        Element("dimension", {"ref": _measure(table)}),
        Element(
            "sheetViews",
            {},
            [
                Element(
                    "sheetView", {"workbookViewId": "0"}, [Element("selection", {"sqref": "A1"})]
                )
            ],
        ),
        Element("cols", {}, [Element("col", {"min": "1", "max": "2", "width": "20"})]),
        Element("sheetData", {}, rows),
    ]
    if links:
        children.append(Element("hyperlinks", {}, links))
    return Element("worksheet", {}, children)


def _build_cells(
    number: int, values: dict[int, Value], writer: Writer, strings: list[Element]
) -> list[Element | str]:
    habits = writer.habits
    cells: list[Element | str] = []
    previous = -1
    for column, value in sorted(values.items()):
        attributes: dict[str, str] = {}
        if not (habits.cells_without_places and column == previous + 1 and writer.maybe(True, 0.7)):
            letters = LETTERS[column]
            place = (letters.lower() if writer.maybe(habits.small_letters) else letters) + str(
                number
            )
            attributes["r"] = place
        previous = column
        if writer.maybe(True, 0.2):
            attributes["s"] = "1"
        cell = Element("c", attributes)
        _fill_cell(cell, value, writer, strings)
        cells.append(cell)
    return cells


def _fill_cell(cell: Element, value: Value, writer: Writer, strings: list[Element]) -> None:
    habits = writer.habits
    if value is None:
        if habits.empty_cells:
            kind = writer.dice.choice(["n", "str", "b", ""])
            cell.attributes |= {"t": kind} if kind else {}
            cell.children = [Element("v")] if writer.maybe(True) else []
        return
    if isinstance(value, bool):
        cell.attributes["t"] = "b"
        cell.children = [Element("v", {}, [str(int(value))])]
        return
    if isinstance(value, int):
        if writer.maybe(True, 0.3):
            cell.attributes["t"] = "n"
        cell.children = [Element("v", {}, [str(value)])]
        return
    way = habits.texts
    if way == "any":
        way = writer.dice.choice(["shared", "inline", "formula"])
    if way == "shared":
        cell.attributes["t"] = "s"
        strings.append(Element("si", {}, _word_item(value, writer)))
        cell.children = [Element("v", {}, [str(len(strings) - 1)])]
    elif way == "inline":
        cell.attributes["t"] = "inlineStr"
        cell.children = [Element("is", {}, _word_item(value, writer))]
    else:
        cell.attributes["t"] = "str"
        quoted = value.replace('"', '""')
        cell.children = [Element("f", {}, [f'"{quoted}"']), Element("v", {}, [value])]


def _word_item(text: str, writer: Writer) -> list[Element | str]:
    if not (writer.habits.rich_texts and len(text) > 1 and writer.maybe(True)):
        return [_word_piece(text)]
    cut = writer.dice.randrange(1, len(text))
    runs: list[Element | str] = [
        Element("r", {}, [_word_piece(text[:cut])]),
        Element("r", {}, [Element("rPr", {}, [Element("b")]), _word_piece(text[cut:])]),
    ]
    if writer.maybe(True):
        runs.append(Element("rPh", {"sb": "0", "eb": "1"}, [Element("t", {}, ["kana"])]))
    return runs


def _word_piece(text: str) -> Element:
    space = {"xml:space": "preserve"} if text != text.strip() else {}
    return Element("t", space, [text])


def _list_links(table: Table) -> list[tuple[int, str]]:
    """Return which rows have a link, and its tip: what their cell says."""
    return [
        (number, text)
        for number, values in table.rows.items()
        if number > table.header_row and isinstance(text := values.get(table.email_column), str)
    ]


def _build_check(table: Table) -> Element:
    rows: list[Element | str] = []
    for number in table.rows:
        formula = f"Data!${LETTERS[table.email_column]}${number}"
        cell = Element("c", {"r": f"A{number}"}, [Element("f", {}, [formula])])
        rows.append(Element("row", {"r": str(number)}, [cell]))
    return Element("worksheet", {}, [Element("sheetData", {}, rows)])


def _name_last(table: Table) -> Element:
    letters = LETTERS[table.email_column]
    return Element("definedName", {"name": "Last"}, [f"Data!${letters}${max(table.rows)}"])


def _measure(table: Table) -> str:
    columns = [column for values in table.rows.values() for column in values]
    return f"A{min(table.rows)}:{LETTERS[max(columns, default=0)]}{max(table.rows)}"


def _build_styles() -> Element:
    xf: dict[str, Any] = {"numFmtId": "0", "fontId": "0", "fillId": "0", "borderId": "0"}
    return Element(
        "styleSheet",
        {},
        [
            Element("fonts", {"count": "1"}, [Element("font", {}, [Element("sz", {"val": "11"})])]),
            Element("fills", {"count": "1"}, [Element("fill", {}, [Element("patternFill")])]),
            Element("borders", {"count": "1"}, [Element("border")]),
            Element("cellStyleXfs", {"count": "1"}, [Element("xf", dict(xf))]),
            Element(
                "cellXfs",
                {"count": "2"},
                [Element("xf", xf | {"xfId": "0"}), Element("xf", xf | {"xfId": "0"})],
            ),
            Element(
                "cellStyles",
                {"count": "1"},
                [Element("cellStyle", {"name": "Normal", "xfId": "0", "builtinId": "0"})],
            ),
        ],
    )


def _build_types() -> Element:
    package = "application/vnd.openxmlformats-package.relationships+xml"
    kinds = {
        "/xl/workbook.xml": "sheet.main",
        "/xl/sheets/data.xml": "worksheet",
        "/xl/sheets/check.xml": "worksheet",
        "/xl/styles.xml": "styles",
        "/xl/texts.xml": "sharedStrings",
    }
    return Element(
        "Types",
        {},
        [
            Element("Default", {"Extension": "rels", "ContentType": package}),
            Element("Default", {"Extension": "xml", "ContentType": "application/xml"}),
            *(
                Element("Override", {"PartName": name, "ContentType": f"{TYPES}.{kind}+xml"})
                for name, kind in kinds.items()
            ),
        ],
    )


def _relate(office: str, *targets: tuple[str, str]) -> Element:
    return Element(
        "Relationships",
        {},
        [
            Element(
                "Relationship", {"Id": f"rId{place}", "Type": f"{office}/{kind}", "Target": target}
            )
            for place, (kind, target) in enumerate(targets, start=1)
        ],
    )


Rows = Sequence[Sequence[str | int | None]]

FORMS = {
    "as-excel": Habits(wrong_spans=True),
    "as-openpyxl": Habits(texts="inline"),
    "prefixed": Habits(prefix="x:"),
    "without-references": Habits(rows_without_numbers=True, cells_without_places=True),
    "spaced-out": Habits(pretty=True, blanks_in_tags=True, texts="inline"),
}


def render_rows(rows: Rows, form: Habits) -> bytes:
    """Write a workbook with a list in a form."""
    numbered = {number: dict(enumerate(row)) for number, row in enumerate(rows, start=1)}
    return render(Table(numbered, 1, 1), form, seed=0)


ADDRESSES = st.sampled_from(
    [
        "ana@firm.example.com",
        " Ana@FIRM.example.com",
        f"x+tag@{TRASH}",
        "info@münchen.example",
        "INFO@xn--mnchen-3ya.example",
        "no at sign",
        "NO at sign ",
        "a@b",
        '"quoted local"@firm.example.com',
        '"',
        "a&b@firm.example.com",
        "Ana <ana@firm.example.com>",
    ]
)
TEXTS = st.text(
    st.characters(
        codec="utf-8",
        exclude_categories=("Cs", "Cc"),
        include_characters="\n\t",
        exclude_characters="\ufffe\uffff",  # not in XML: the made-up source could not be read
    ),
    max_size=8,
).filter(lambda text: "_x" not in text)
ROWS = st.lists(
    st.tuples(
        TEXTS | st.integers(-(10**12), 10**12) | st.none(),
        ADDRESSES | TEXTS | st.integers(0, 99) | st.none(),
        TEXTS | st.none(),
    ),
    min_size=1,
    max_size=12,
)
