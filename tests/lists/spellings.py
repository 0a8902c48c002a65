"""The freedoms that XML and OOXML leave, each as a change of a workbook's parts in bytes."""

import re
from collections.abc import Callable, Collection
from pathlib import Path

from tests.lists.xlsx_support import edit_parts, share_strings
from tests.lists.zips import read_zip

TRANSITIONAL = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_ATTRIBUTE = rb' [\w:]+="[^"]*"'


def leave_out_references(part: bytes) -> bytes:
    """Leave out the numbers of rows and the references of cells where they count by themselves."""
    row = column = 0

    def leave_out(found: re.Match[bytes]) -> bytes:
        nonlocal row, column
        if found[1] == b"row":
            is_next, row, column = int(found[2]) == row + 1, int(found[2]), 0
        else:
            place = ord(found[2][:1]) - ord("A") + 1
            is_next, column = place == column + 1, place
        return b"<" + found[1] if is_next else found[0]

    return re.sub(rb'<(row|c) r="(\w+)"', leave_out, part)


def turn_attributes_round(part: bytes) -> bytes:
    def turn_round(found: re.Match[bytes]) -> bytes:
        return found[1] + b"".join(reversed(re.findall(_ATTRIBUTE, found[2])))

    return re.sub(rb"(<\w+)((?:%s)+)" % _ATTRIBUTE, turn_round, part)


def refer_to_letters(part: bytes) -> bytes:
    """Write some letters of texts, names and areas as character references; none of cells."""

    def refer(found: re.Match[bytes]) -> bytes:
        return found[1] + found[2].replace(b"@", b"&#x40;").replace(b"an", b"&#97;&#x0006E;")

    def refer_to_first(found: re.Match[bytes]) -> bytes:
        return found[1] + b"&#%d;" % ord(found[2])

    part = re.sub(rb"(<[tv](?: [^>]*)?>)([^<]*)", refer, part)
    return re.sub(rb'(\s(?:name|ref|sqref|location|sheet|topLeftCell)=")(\w)', refer_to_first, part)


def work_out_texts(part: bytes) -> bytes:
    """Let a formula stand behind each text."""
    form = rb't="str"><f>T("x")</f><v xml:space="preserve">\1</v>'
    return re.sub(rb't="inlineStr"><is><t[^>]*>(.*?)</t></is>', form, part, flags=re.DOTALL)


def quote_otherwise(part: bytes) -> bytes:
    return re.sub(rb'="([^"\']*)"', rb"='\1'", part)


def space_out(part: bytes) -> bytes:
    part = re.sub(rb" ([\w:]+)=(?=[\"'])", rb"\n\t \1 = ", part)
    return re.sub(rb"(?<!\?)(/?>)(?=<[^/])", rb" \1\n", part)


def prefix(part: bytes) -> bytes:
    part = re.sub(rb"<(/?)(\w+)(?=[\s/>])", rb"<\1main:\2", part)
    return part.replace(b' xmlns="', b' xmlns:main="')


SPELLINGS: dict[str, Callable[[bytes], bytes]] = {
    "shared-texts": lambda part: part,
    "worked-out-texts": work_out_texts,
    "without-references": leave_out_references,
    "wrong-spans": lambda part: re.sub(rb'<row( r="\d+")?', rb'\g<0> spans="1:2"', part),
    "padded-numbers": lambda part: part.replace(b'<row r="', b'<row r="0'),
    "small-letters": lambda part: re.sub(
        rb'(<c r=")([A-Z]+)', lambda found: found[1] + found[2].lower(), part
    ),
    "references-of-letters": refer_to_letters,
    "bare-greater": lambda part: part.replace(b"&gt;", b">"),
    "attributes-turned-round": turn_attributes_round,
    "relations-by-another-prefix": lambda part: part.replace(b"r:id=", b"d3p1:id=").replace(
        b"xmlns:r=", b"xmlns:d3p1="
    ),
    "long-empties": lambda part: re.sub(rb"<(\w+)([^<>]*?)/>", rb"<\1\2></\1>", part),
    "prefixed": prefix,
    "other-quotes": quote_otherwise,
    "spaced-out": space_out,
    "byte-order-mark": lambda part: b"\xef\xbb\xbf" + part,
}
"""In the order in which they are made."""


def respell(path: Path, names: Collection[str]) -> Path:
    """Write a workbook of openpyxl in some spellings next to it."""
    if "shared-texts" in names:
        path = share_strings(path)

    def change(part: bytes) -> bytes:
        for name, spelling in SPELLINGS.items():
            part = spelling(part) if name in names else part
        return part

    parts = [name for name in read_zip(path) if re.fullmatch(r"xl/[\w/]+\.xml", name)]
    return edit_parts(path, dict.fromkeys(set(parts) - {"xl/theme/theme1.xml"}, change))
