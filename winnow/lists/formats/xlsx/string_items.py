"""The items of a workbook's shared strings: cut apart where they stand in the one spelling."""

import re
from collections.abc import Iterator
from xml.parsers import expat

from winnow.core.errors import BrokenFile
from winnow.lists.formats.xlsx.archive import SAVE_AGAIN, XlsxArchive
from winnow.lists.formats.xlsx.elements import MAX_DEPTH
from winnow.lists.formats.xlsx.spelling import word_text
from winnow.lists.formats.xlsx.xml import clean_chunks

MAX_STRING_BYTES = 1 << 20  # a cell ends at 32,767 characters; formatting takes the rest
MAX_OPENING_BYTES = 1 << 10  # of a tag's name and prefix, which two chunks may share

_ITEM = re.compile(rb"<((?:[^\s<>/:=\"']+:)?)si[\s/>]")
_BETWEEN = "\n"  # expat puts it between namespace and name


def split_items(archive: XlsxArchive, part: str | None) -> Iterator[tuple[bytes, list[bytes]]]:
    """Yield the prefix and blocks of items, each as what follows ``<si``, its closing tag too.

    Rich text in another spelling comes as plain text.

    Raises:
        BrokenFile: The part is no XML, or an item is too long.
    """
    if part is None:
        return
    rest, prefix, opening = b"", None, b""
    count = 0
    for chunk in clean_chunks(archive.stream(part), part):
        data = rest + chunk
        if prefix is None:
            first = _ITEM.search(data)
            if first is None:
                rest = data[-MAX_OPENING_BYTES:]
                continue
            prefix = first[1]
            opening = b"<" + prefix + b"si"
            data = data[first.start() + len(opening) :]
        *items, rest = data.split(opening)
        if len(rest) > MAX_STRING_BYTES:
            raise _tell_too_long()
        if not _are_plain(items, prefix):
            yield from _parse_items(archive, part, prefix, count)
            return
        count += len(items)
        yield prefix, items
    if prefix is not None:
        last = rest.rpartition(b"</" + prefix + b"sst")[0] or rest
        if _are_plain([last], prefix):
            yield prefix, [last]
        else:
            yield from _parse_items(archive, part, prefix, count)


def _are_plain(items: list[bytes], prefix: bytes) -> bool:
    """Whether items stand in the one spelling and have no prefix but this: tags are counted."""
    block = b"".join(items)
    count = block.count(b"<")
    if block.count(b">") != count + len(items):  # each lacks the "<si" of its first tag
        return False
    if not prefix and count == 3 * block.count(b"</t></si>"):
        plain = block.count(b"><t>") + block.count(b'><t xml:space="preserve">')
        if 3 * plain == count == 3 * len(items):
            return True
    p = re.escape(prefix)
    tag = re.compile(
        rb"(?:<(?:/?" + p + rb'[A-Za-z]++(?: (?!xmlns)[\w:.-]++="[^"<>&\t\r\n]*+")*+/?)>)'
    )
    return count == sum(1 for _ in tag.finditer(block)) and all(
        item.startswith((b">", b"/>")) for item in items
    )


def _parse_items(
    archive: XlsxArchive, part: str, prefix: bytes, skipped: int
) -> Iterator[tuple[bytes, list[bytes]]]:
    """Yield the items after the first few, parsed, each as a plain text."""
    reader = _ItemReader(prefix.decode("utf-8"), part)
    for chunk in clean_chunks(archive.stream(part), part):
        reader.feed(chunk)
        items = reader.take()
        yield prefix, items[skipped:]
        skipped = max(0, skipped - len(items))
    reader.feed(b"", is_last=True)


class _ItemReader:
    def __init__(self, prefix: str, part: str) -> None:
        self._shown = part.rpartition("/")[2][:60]
        self._fed_bytes = 0
        self._items: list[bytes] = []
        self._frame = f"><{prefix}t>", f"</{prefix}t></{prefix}si>"
        self._names: list[str] = []
        self._texts: list[str] = []
        self._size = 0
        self._main = ""
        self._parser = expat.ParserCreate("UTF-8", _BETWEEN)
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._read_text

    def feed(self, chunk: bytes, *, is_last: bool = False) -> None:
        self._fed_bytes += len(chunk)
        try:
            self._parser.Parse(chunk, is_last)
        except expat.ExpatError as error:
            raise self._tell("is not well-formed XML") from error
        if self._fed_bytes - max(0, self._parser.CurrentByteIndex) > MAX_STRING_BYTES:
            raise self._tell("holds a tag that is too long")

    def take(self) -> list[bytes]:
        taken, self._items = self._items, []
        return taken

    def _start(self, name: str, _attributes: dict[str, str]) -> None:
        if not self._names:
            self._main = name.rpartition(_BETWEEN)[0]
        space, _, local = name.rpartition(_BETWEEN)
        self._names.append(local if space == self._main else name)
        if len(self._names) > MAX_DEPTH:
            raise self._tell("is nested too deeply")

    def _end(self, _name: str) -> None:
        name = self._names.pop()
        if name == "si" and len(self._names) == 1:
            opening, closing = self._frame
            item = opening + word_text("".join(self._texts)) + closing
            self._items.append(item.encode("utf-8"))
            self._texts.clear()
            self._size = 0

    def _read_text(self, text: str) -> None:
        if self._names[-1] != "t" or "rPh" in self._names or self._names[1:2] != ["si"]:
            return
        self._texts.append(text)
        self._size += len(text)
        if self._size > MAX_STRING_BYTES:
            raise _tell_too_long()

    def _tell(self, what: str) -> BrokenFile:
        return BrokenFile(f"The workbook's part {self._shown} {what}.", hint=SAVE_AGAIN)


def _tell_too_long() -> BrokenFile:
    return BrokenFile(
        "A cell of the workbook holds more than 1 MiB of text.",
        hint="No spreadsheet program keeps more than 32,767 characters in a cell.",
    )
