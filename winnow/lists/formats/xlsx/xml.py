"""XML reader for bytes in UTF-8: refuses document types, leaves out comments."""

import codecs
import html
import re
from collections.abc import Iterable, Iterator

from winnow.core.errors import BrokenFile
from winnow.words import mark

MAX_MARKUP_BYTES = 4 << 20  # one comment or CDATA section; a cell ends at 32,767 characters
NAME = rb"(?:[\w.-]+:)?"  # the namespace prefix of a tag, if it has one
ATTRIBUTES = rb"""((?:[^<>"'/]++|"[^"<]*+"|'[^'<]*+'|/(?!>))*+)"""

_DECLARED = re.compile(rb"""^\s*<\?xml[^>]*\sencoding\s*=\s*["']([A-Za-z0-9._-]+)["']""")
_ODD_MARKUP = re.compile(rb"<!--|<\?|<!\[CDATA\[")
_ENDS = {b"<!--": b"-->", b"<?": b"?>", b"<![CDATA[": b"]]>"}
_DECLARATION = re.compile(rb"<[!?]")
_ESCAPED_UNIT = re.compile(r"_x([0-9A-Fa-f]{4})_")  # ST_Xstring, ISO/IEC 29500-1, 22.9.2.19
_ATTRIBUTE = re.compile(rb"""(?:(?<=[\s"'])|^)([^\s=/"']++)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_REFERENCE = re.compile(r"&(?:#x0*([0-9A-Fa-f]{1,6})|#0*([0-9]{1,7})|(lt|gt|amp|quot|apos));")
_ASCII_REFERENCE = re.compile(rb"&#(?:x0*+([0-9A-Fa-f]{1,2})|0*+([0-9]{1,3}));")
_MAX_REFERENCE_BYTES = 16  # those with more leading zeros are no spreadsheet program's
_PLAIN = frozenset(b"\t\n") | frozenset(range(0x20, 0x7F)) - frozenset(b"&<>\"'")
_NAMED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}


def clean_chunks(chunks: Iterable[bytes], name: str) -> Iterator[bytes]:
    """Yield XML without BOM, declaration, comments, instructions; CDATA becomes text.

    After this, every ``<`` begins a tag, and characters of ASCII are written as themselves where
    they may be. Tags may be cut in two by the chunk borders, references may not.

    Raises:
        BrokenFile: A document type, or another encoding than UTF-8.
    """
    held, is_first = b"", True
    for chunk in chunks:
        data = held + chunk if held else chunk
        if is_first:
            data, is_first = _require_utf8(data, name), False
        held = b""
        if b"\0" in data:
            raise _broken(name, "contains NUL bytes")
        if b"<!" in data or b"<?" in data:
            data, held = _take_out_markup(data, name)
            if len(held) > MAX_MARKUP_BYTES:
                raise _broken(name, "has a comment without end")
        if not held:
            data, held = _hold_back(data)
        if b"#" in data and b"&#" in data:  # one byte is found much sooner than two
            data = _ASCII_REFERENCE.sub(_resolve_plain, data)
        yield data
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


def _require_utf8(start: bytes, name: str) -> bytes:
    """Return a part's first bytes without BOM (XML 1.0, appendix F)."""
    bare = start.removeprefix(codecs.BOM_UTF8)
    declared = _DECLARED.match(bare[:1024])
    encoding = b"utf-8" if declared is None else declared[1].lower()
    if b"\0" in bare[:4] or encoding not in (b"utf-8", b"utf8", b"us-ascii", b"ascii"):
        raise _broken(name, "is in an encoding that is not read")
    return bare


def _take_out_markup(data: bytes, name: str) -> tuple[bytes, bytes]:
    """Return XML with only tags and text, and the unfinished markup at its end.

    In one pass from left to right: a search for each end from each beginning takes quadratic time.
    """
    kept: list[bytes] = []
    done, opened = 0, _find_declaration(data, 0)
    while opened >= 0:
        found = _ODD_MARKUP.match(data, opened)
        if found is None:
            if data.startswith(b"<!D", opened):
                raise _broken(name, "declares a document type, which is refused")
            break
        end = data.find(_ENDS[found[0]], found.end())
        if end < 0:
            break
        kept.append(data[done:opened])
        if found[0] == b"<![CDATA[":
            section = data[found.end() : end]
            escaped = section.replace(b"&", b"&amp;").replace(b"<", b"&lt;")
            kept.append(escaped.replace(b">", b"&gt;"))
        done = end + len(_ENDS[found[0]])
        opened = _find_declaration(data, done)
    if opened < 0:
        return b"".join((*kept, data[done:])), b""
    return b"".join((*kept, data[done:opened])), data[opened:]


def _hold_back(data: bytes) -> tuple[bytes, bytes]:
    """Return XML up to a ``<`` or a reference that its end may have cut in two, and the rest."""
    if data.endswith(b"<"):
        return data[:-1], b"<"
    place = data.rfind(b"&", -_MAX_REFERENCE_BYTES)
    return (data, b"") if place < 0 or b";" in data[place:] else (data[:place], data[place:])


def _find_declaration(data: bytes, start: int) -> int:
    """Return where the next ``<!`` or ``<?`` is, -1 for none."""
    found = _DECLARATION.search(data, start)
    return found.start() if found is not None else -1


def _resolve(match: re.Match[str]) -> str:
    if match[3]:
        return _NAMED[match[3]]
    return chr(int(match[1], 16) if match[1] else int(match[2]))


def _resolve_plain(match: re.Match[bytes]) -> bytes:
    code = int(match[1], 16) if match[1] else int(match[2])
    return bytes((code,)) if code in _PLAIN else match[0]


def _broken(name: str, what: str) -> BrokenFile:
    shown = name.rpartition("/")[2][:60]
    return BrokenFile(
        "The workbook's part {shown} {problem}.",
        shown=shown,
        problem=mark(what),
        hint="Open it in a spreadsheet program and save it again as .xlsx.",
    )
