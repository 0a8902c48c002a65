"""Streaming reader for small parts of a workbook: elements without a tree, all with limits."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple
from xml.parsers import expat

from winnow.core.errors import BrokenFile
from winnow.lists.formats.xlsx.archive import SAVE_AGAIN, XlsxArchive
from winnow.lists.formats.xlsx.xml import clean_chunks

MAX_PART_BYTES = 256 << 20
MAX_ELEMENTS = 1_200_000  # a hyperlink in each of a sheet's 1,048,576 rows is a relation each
MAX_DEPTH = 256
MAX_TAG_BYTES = 256 << 10
MAX_TAG_ATTRIBUTES = 256  # the widest element of SpreadsheetML has about 30
MAX_NAMES = 100_000  # the parser remembers each name of an element or an attribute
MAX_NAME_CHARACTERS = 1_000  # a namespace's name is repeated in the name of each of its elements
_STEP_BYTES = 64 << 10


class StartTag(NamedTuple):
    """An element when its tag opens; names are without their namespaces, attributes keep theirs.

    ``path`` are the names from the root down to the element itself. An attribute of a namespace
    is called ``namespace}name``.
    """

    path: tuple[str, ...]
    attributes: Mapping[str, str]

    @property
    def name(self) -> str:
        """The last of the path."""
        return self.path[-1]


def stream_elements(archive: XlsxArchive, part: str) -> Iterator[StartTag]:
    """Yield a part's elements in their order; text between them is passed over.

    Only a part that is read to its end is known to be well-formed.

    Raises:
        BrokenFile: Missing, not well-formed, with a document type, or beyond a limit.
    """
    reader = _Reader(part)
    for chunk in clean_chunks(archive.stream(part), part):
        for start in range(0, len(chunk), _STEP_BYTES):
            yield from reader.feed(chunk[start : start + _STEP_BYTES])
    yield from reader.feed(b"", is_last=True)


def check_well_formed(chunks: Iterable[bytes], part: str) -> Iterator[bytes]:
    """Yield XML as it comes, of any size, while it is proved to be well-formed.

    Only a part that is read to its end is known to be well-formed.

    Raises:
        BrokenFile: Not well-formed, or a tag that is too long.
    """
    reader = _Reader(part, is_small=False)
    for chunk in chunks:
        for start in range(0, len(chunk), _STEP_BYTES):
            reader.feed(chunk[start : start + _STEP_BYTES])
        yield chunk
    reader.feed(b"", is_last=True)


class _Reader:
    def __init__(self, part: str, *, is_small: bool = True) -> None:
        self._is_small = is_small
        self._shown = part.rpartition("/")[2][:60]
        self._path: tuple[str, ...] = ()
        self._found: list[StartTag] = []
        self._names: dict[str, tuple[str]] = {}
        self._fed_bytes = self._element_count = 0
        self._parser = expat.ParserCreate("utf-8", "}", intern=None)
        if is_small:
            self._parser.StartElementHandler = self._open
            self._parser.EndElementHandler = self._close
        self._parser.StartDoctypeDeclHandler = self._refuse_document_type

    def feed(self, data: bytes, *, is_last: bool = False) -> list[StartTag]:
        """Return the elements whose tags end in these bytes."""
        self._fed_bytes += len(data)
        try:
            self._parser.Parse(data, is_last)
        except (expat.ExpatError, ValueError) as error:
            raise BrokenFile(
                "The workbook's part {part} is not well-formed XML.",
                part=self._shown,
                hint=SAVE_AGAIN,
            ) from error
        if self._fed_bytes - max(0, self._parser.CurrentByteIndex) > MAX_TAG_BYTES:
            raise self._too_large()
        if self._is_small and self._fed_bytes > MAX_PART_BYTES:
            raise self._too_large()
        found, self._found = self._found, []
        return found

    def _open(self, name: str, attributes: dict[str, str]) -> None:
        self._element_count += 1
        path = self._path = self._path + self._shorten(name)
        if (
            self._element_count > MAX_ELEMENTS
            or len(attributes) > MAX_TAG_ATTRIBUTES
            or len(path) > MAX_DEPTH
        ):
            raise self._too_large()
        if attributes and not self._names.keys() >= attributes.keys():
            for attribute in attributes:
                self._shorten(attribute)
        self._found.append(StartTag(path, attributes))

    def _close(self, name: str) -> None:
        self._path = self._path[:-1]

    def _shorten(self, name: str) -> tuple[str]:
        """Return a name without its namespace, as the end of a path."""
        known = self._names.get(name)
        if known is None:
            if len(self._names) >= MAX_NAMES or len(name) > MAX_NAME_CHARACTERS:
                raise self._too_large()
            known = self._names[name] = (name.rpartition("}")[2],)
        return known

    def _refuse_document_type(self, *declared: object) -> None:
        raise BrokenFile(
            "The workbook's part {part} declares a document type.",
            part=self._shown,
            hint=SAVE_AGAIN,
        )

    def _too_large(self) -> BrokenFile:
        return BrokenFile(
            "The workbook's part {part} holds more than any spreadsheet program writes.",
            part=self._shown,
            hint="Export the sheet as CSV and use that.",
        )
