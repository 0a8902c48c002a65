"""XML reader for bytes in UTF-8, without document types, comments and CDATA sections."""

import codecs
import html
import re
from collections.abc import Iterable, Iterator

from winnow.core.errors import BrokenFile
from winnow.words import mark

NAME = rb"(?:[\w.-]+:)?"  # the namespace prefix of a tag, if it has one
ATTRIBUTES = rb"""((?:[^<>"'/]++|"[^"<]*+"|'[^'<]*+'|/(?!>))*+)"""

_DECLARATION = re.compile(rb"\s*<\?xml\s[^>]*\?>")
_ENCODING = re.compile(rb"""\sencoding\s*=\s*["']([A-Za-z0-9._-]+)["']""")
_ESCAPED_UNIT = re.compile(r"_x([0-9A-Fa-f]{4})_")  # ST_Xstring, ISO/IEC 29500-1, 22.9.2.19
_ATTRIBUTE = re.compile(rb"""(?:(?<=[\s"'])|^)([^\s=/"']++)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_REFERENCE = re.compile(r"&(?:#x0*([0-9A-Fa-f]{1,6})|#0*([0-9]{1,7})|(lt|gt|amp|quot|apos));")
_NAMED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}


def clean_chunks(chunks: Iterable[bytes], name: str) -> Iterator[bytes]:
    """Yield XML without BOM and declaration; after this every ``<`` begins a tag.

    Tags may be cut in two by the chunk borders.

    Raises:
        BrokenFile: Another encoding than UTF-8, a document type, a comment or a CDATA section.
    """
    held, is_first = b"", True
    for chunk in chunks:
        data = held + chunk if held else chunk
        if is_first:
            data, is_first = _drop_declaration(data, name), False
        if b"\0" in data:
            raise _broken(name, "contains NUL bytes")
        held = b"<" if data.endswith(b"<") else b""
        if b"<!D" in data:
            raise _broken(name, "declares a document type, which is refused")
        if b"<!" in data or b"<?" in data:
            raise _broken(name, "has comments or marks that no spreadsheet program writes")
        yield data[: len(data) - len(held)]
    if held:
        raise _broken(name, "ends within a tag")


def read_attributes(text: bytes) -> dict[bytes, bytes]:
    """Return a tag's attributes as they are written, not unescaped."""
    return {name: double or single for name, double, single in _ATTRIBUTE.findall(text)}


def unescape(content: bytes) -> str:
    """Return the text between two tags, as a spreadsheet program shows it.

    Raises:
        ValueError: Bytes that are not UTF-8 or references that name no character.
    """
    if b"\r" in content:
        content = content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")  # XML 1.0, 2.11
    text = resolve_references(content)
    if "_x" in text:
        text = _ESCAPED_UNIT.sub(lambda match: chr(int(match[1], 16)), text)
        if not text.isascii():  # two escaped halves make one character
            text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        text = text.replace("\0", "")
    return text


def resolve_references(content: bytes) -> str:
    """Return the characters of XML text, as formulas need them.

    Raises:
        ValueError: As in ``unescape``.
    """
    text = content.decode("utf-8")
    return _REFERENCE.sub(_resolve, text) if "&" in text else text


def escape(text: str) -> bytes:
    """Return text as it may be in an element or in a double-quoted attribute."""
    return html.escape(text, quote=True).encode("utf-8")


def _drop_declaration(start: bytes, name: str) -> bytes:
    """Return a part's first bytes without BOM and declaration (XML 1.0, appendix F)."""
    bare = start.removeprefix(codecs.BOM_UTF8)
    declared = _DECLARATION.match(bare)
    encoding = _ENCODING.search(declared[0]) if declared is not None else None
    is_read = encoding is None or encoding[1].lower() in (b"utf-8", b"utf8", b"us-ascii", b"ascii")
    if b"\0" in bare[:4] or not is_read:
        raise _broken(name, "is in an encoding that is not read")
    return bare if declared is None else bare[declared.end() :]


def _resolve(match: re.Match[str]) -> str:
    if match[3]:
        return _NAMED[match[3]]
    return chr(int(match[1], 16) if match[1] else int(match[2]))


def _broken(name: str, what: str) -> BrokenFile:
    shown = name.rpartition("/")[2][:60]
    return BrokenFile(
        "The workbook's part {shown} {problem}.",
        shown=shown,
        problem=mark(what),
        hint="Open it in a spreadsheet program and save it again as .xlsx.",
    )
