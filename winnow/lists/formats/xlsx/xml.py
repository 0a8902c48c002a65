"""XML of a workbook's parts: UTF-8, well-formed, no document type, comment or CDATA section."""

import re
from collections.abc import Iterable, Iterator
from random import randrange
from xml.parsers import expat

from winnow.core.errors import BrokenFile
from winnow.core.file_faults import FileFault
from winnow.lists.formats.xlsx.archive import SAVE_AGAIN, XlsxArchive
from winnow.words import translatable

DECLARATION = b'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
MAX_TAG_BYTES = 256 << 10
MAX_ELEMENTS = 1_200_000  # of a small part; some 400,000 links are its 64 MiB
MAX_NAMES = 100_000  # of elements and attributes: the parser remembers each
STEPS_A_SAMPLE = 16  # of a large part; names are counted in one of so many, at random
NAME = rb"(?:[\w.-]+:)?"  # the namespace prefix of a tag, if it has one
ATTRIBUTES = rb"""((?>(?:[^<>"'/]++|"[^"<]*+"|'[^'<]*+'|/(?!>))*))"""

_STEP_BYTES = 64 << 10
_START = re.compile(
    rb"""(?:\xef\xbb\xbf)?\s*(?:<\?xml\s(?:[^>]*?\sencoding\s*=\s*["']([^"'>]*)["'])?[^>]*\?>)?"""
)
_ENCODINGS = (b"utf-8", b"utf8", b"us-ascii", b"ascii")
_ESCAPED_UNIT = re.compile(r"_x([0-9A-Fa-f]{4})_")  # ST_Xstring, ISO/IEC 29500-1, 22.9.2.19
_ATTRIBUTE = re.compile(rb"""(?:(?<=[\s"'])|^)([^\s=/"']++)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_REFERENCE = re.compile(r"&(?:#x0*([0-9A-Fa-f]{1,6})|#0*([0-9]{1,7})|(lt|gt|amp|quot|apos));")
_ODD = translatable("has a document type, comments or marks that no spreadsheet program writes")
_TOO_MUCH = translatable("holds more than any spreadsheet program writes")
_BLANKS = bytes.maketrans(b"\t\n\r", b"   ")  # of a value as it is written (XML 1.0, 3.3.3)
_NAMED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}


def read_xml(archive: XlsxArchive, part: str) -> bytes:
    """Read one small part whole; see ``check_xml``. VML may leave tags of HTML open."""
    content = archive.read(part)
    if not part.lower().endswith(".vml"):
        return b"".join(check_xml([content], part, is_small=True))
    try:
        is_text = bool(resolve_references(content).encode())
    except ValueError:
        is_text = False
    if b"<!" in content or not is_text:
        raise _broken(part, _ODD)
    return _drop_declaration(content, part)


def check_xml(chunks: Iterable[bytes], part: str, *, is_small: bool = False) -> Iterator[bytes]:
    """Yield XML without byte order mark and declaration, while it is proved to be well-formed.

    Every ``<`` begins a tag. Only a part that is read to its end is known to be well-formed.

    Raises:
        BrokenFile: In another encoding, not well-formed, with a document type, a comment, a CDATA
            section, a tag that is too long, too many names; a small part: too many elements.
    """
    element_count = 0

    def count(name: str, attributes: list[str]) -> None:
        nonlocal element_count
        element_count += 1

    def refuse(*found: object) -> None:
        raise _broken(part, _ODD)

    parser = expat.ParserCreate("utf-8")
    parser.StartDoctypeDeclHandler = parser.CommentHandler = refuse
    parser.ProcessingInstructionHandler = parser.StartCdataSectionHandler = refuse
    parser.ordered_attributes = True
    most_names = MAX_NAMES if is_small else MAX_NAMES // STEPS_A_SAMPLE
    fed_bytes = 0
    try:
        for chunk in chunks:
            data = chunk if fed_bytes else _drop_declaration(chunk, part)
            for start in range(0, len(data), _STEP_BYTES):
                step = data[start : start + _STEP_BYTES]
                fed_bytes += len(step)
                is_counted = is_small or randrange(STEPS_A_SAMPLE) == 0  # noqa: S311 - no secret
                parser.StartElementHandler = count if is_counted else None
                parser.Parse(step, False)
                if (
                    fed_bytes - max(0, parser.CurrentByteIndex) > MAX_TAG_BYTES
                    or len(parser.intern) > most_names
                    or (is_small and element_count > MAX_ELEMENTS)
                ):
                    raise _broken(part, _TOO_MUCH, FileFault.TOO_LARGE)
            yield data
        parser.Parse(b"", True)
    except (expat.ExpatError, ValueError) as error:
        raise _broken(part, "is not well-formed XML") from error


def read_attributes(text: bytes) -> dict[str, str]:
    """Return a tag's attributes as a spreadsheet program reads them."""
    return {
        name.decode(): resolve_references((double or single).translate(_BLANKS))
        for name, double, single in _ATTRIBUTE.findall(text)
    }


def unescape(content: bytes) -> str:
    """Return the text between two tags, as a spreadsheet program shows it.

    Raises:
        ValueError: Bytes that are not UTF-8 or references that name no character.
    """
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
    if b"\r" in content:
        content = content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")  # XML 1.0, 2.11
    text = content.decode("utf-8")
    return _REFERENCE.sub(_resolve, text) if "&" in text else text


def _drop_declaration(start: bytes, part: str) -> bytes:
    """Return a part's first bytes without byte order mark and declaration (XML 1.0, appendix F)."""
    found = _START.match(start)
    if found is None or b"\0" in start[:4] or (found[1] or b"utf-8").lower() not in _ENCODINGS:
        raise _broken(part, "is in an encoding that is not read")
    return start[found.end() :]


def _resolve(match: re.Match[str]) -> str:
    if match[3]:
        return _NAMED[match[3]]
    return chr(int(match[1], 16) if match[1] else int(match[2]))


def _broken(part: str, what: str, fault: FileFault | None = None) -> BrokenFile:
    shown = part.rpartition("/")[2][:60]
    return BrokenFile(
        "The workbook's part {shown} {problem}.",
        shown=shown,
        problem=translatable(what),
        hint=SAVE_AGAIN,
        fault=fault,
    )
