"""A cell whose value is written as character references is the cell that they spell."""

import re
from html import escape
from pathlib import Path
from typing import Any

import pytest

from tests.lists.odd_spellings import TRANSITIONAL
from tests.lists.xlsx_support import build_list, edit_parts, run_batch, save, share_strings
from winnow.lists.formats.xlsx.head import read_xlsx_head


def write_all(text: str) -> str:
    return "".join(f"&#{ord(letter):012};" for letter in text)


def write_plainly(text: str) -> str:
    return escape(text, quote=False).replace("\r", "&#13;")


@pytest.mark.parametrize(
    ("attributes", "value", "shown"),
    [
        ("", "-17.5", "-17.5"),
        ("", " 7\n", "7"),
        ("", "7E+2", "700"),
        (' t="n"', "0.1234567890123456789", "0.12345678901234568"),
        (' s="1"', "45000", "2023-03-15"),
        (' t="s"', "10", "text 10"),
        (' t="s"', "\n10 ", "text 10"),
        (' t="b"', "1", "TRUE"),
        (' t="b"', "0", "FALSE"),
        (' t="d"', "2023-03-15", "2023-03-15"),
        (' t="e"', "#N/A", "#N/A"),
        (' t="str"', "a < b & c > d", "a < b & c > d"),
        (' t="str"', "ana@x.example.com", "ana@x.example.com"),
        (' t="str"', "\t", ""),
        (' t="inlineStr"', 'it\'s "ü€😀"', 'it\'s "ü€😀"'),
        (' t="inlineStr"', "line\r\nbreak", "line\r\nbreak"),
        (' t="inlineStr"', " ", ""),
    ],
)
def test_every_kind_of_cell(tmp_path: Path, attributes: str, value: str, shown: str) -> None:
    """As an address and beside one it is the same in the head and the result."""
    written = make_list(tmp_path / "references", attributes, write_all(value), in_tags=True)
    plain = make_list(tmp_path / "plain", attributes, write_plainly(value))
    seen = see(written)
    assert seen["head"].first_rows[1][1] == (shown, "u2@x.example.com")
    assert seen == see(plain)


def see(path: Path) -> dict[str, Any]:
    """Return all that is read from a list."""
    run = run_batch(path)
    return {
        "head": read_xlsx_head(path)[0],
        "index": run.index_lines(),
        "summary": run.outcome.summary,
        "result": list(run.load(data_only=True)["Data"].iter_rows(values_only=True)),
    }


def make_list(folder: Path, attributes: str, written: str, *, in_tags: bool = False) -> Path:
    """Return a list with a value in column A of each row, and as the address of every third."""
    folder.mkdir()
    book = build_list([[f"text {place}"] for place in range(1, 12)])
    book["Data"]["B1"].number_format = "yyyy-mm-dd"  # style 1
    tag = "t" if "inlineStr" in attributes else "v"
    content = f"<{tag}>{written}</{tag}>"
    content = f"<is>{content}</is>" if tag == "t" else content
    title = '<c r="%s1" t="str"><v>%s</v></c>'
    rows = [f'<row r="1">{title % ("A", "note")}{title % ("B", "email")}</row>']
    for number in range(2, 42):
        address = f'<c r="B{number}" t="str"><v>u{number}@x.example.com</v></c>'
        if number % 3 == 0:
            address = f'<c r="B{number}"{attributes}>{content}</c>'
        note = f'<c r="A{number}"{attributes}>{content}</c>'
        rows.append(f'<row r="{number}">{note}{address}</row>')
    if in_tags:
        rows = [re.sub(r'(?<= [rst]=")\w', lambda found: write_all(found[0]), row) for row in rows]
    data = f'<worksheet xmlns="{TRANSITIONAL}"><sheetData>{"".join(rows)}</sheetData></worksheet>'
    path = share_strings(save(book, folder))
    return edit_parts(path, {"xl/worksheets/sheet1.xml": data.encode()})
