"""The shared strings of a workbook: plain ones gathered in bulk, rich ones run by run."""

import mmap
from array import array
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from winnow.core.errors import BrokenFile
from winnow.lists.execution.run_files import create_file
from winnow.lists.formats.xlsx.archive import XlsxArchive
from winnow.lists.formats.xlsx.book import Book
from winnow.lists.formats.xlsx.cells import CellGrammar
from winnow.lists.formats.xlsx.string_items import split_items
from winnow.lists.formats.xlsx.xml import unescape

MAX_STRINGS = 18_000_000  # 16 bytes each while they are found, as much again afterwards
MAX_FEW_BYTES = 64 << 20  # of what is looked at before a sheet is read
_PRESERVED = b'><t xml:space="preserve">'


class SharedStrings:
    """The shared strings of a workbook, kept on disk as they stand and decoded when asked for.

    Args:
        grammar: Expressions for the part's own prefix.
        blob: The items' XML, one after another.
        ends: Where each item ends in ``blob``.
        text_starts: Where a plain item's text starts in the item; an odd one's is empty here.
        text_ends: Where it ends.
        blank_marks: A byte an item: 1 for one that shows nothing.
    """

    def __init__(
        self,
        grammar: CellGrammar,
        blob: bytes | mmap.mmap,
        ends: "array[int]",
        text_starts: "array[int]",
        text_ends: "array[int]",
        blank_marks: bytearray,
    ) -> None:
        self._blank_marks = np.frombuffer(blank_marks or b"\0", np.bool_)
        self.has_blanks = bool(self._blank_marks.any())
        self._grammar = grammar
        self._blob = blob
        self._ends = ends
        bounds = np.zeros(2 * len(ends) + 1, np.int64)
        if ends:
            bounds[2:-1:2] = np.frombuffer(ends, np.int64)[:-1]  # where each item begins
            bounds[1::2] = bounds[0:-1:2]
            bounds[0:-1:2] += np.frombuffer(text_starts, np.uint32)
            bounds[1::2] += np.frombuffer(text_ends, np.uint32)
            bounds[-1] = bounds[-2]
        self._bounds = bounds
        self._pieces = pa.LargeBinaryArray.from_buffers(
            pa.large_binary(), 2 * len(ends), [None, pa.py_buffer(bounds), pa.py_buffer(blob)]
        )

    def __len__(self) -> int:
        return len(self._ends)

    def find_blank(self, places: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which of these strings show nothing; one that is not there is none of them."""
        is_there = (places >= 0) & (places < len(self._ends))
        is_blank = np.zeros(len(places), np.bool_)
        is_blank[is_there] = self._blank_marks[places[is_there]]
        return is_blank

    def is_blank(self, place: int) -> bool:
        """Tell whether a string is there and shows nothing."""
        return 0 <= place < len(self._ends) and bool(self._blank_marks[place])

    def __getitem__(self, index: int) -> str:
        if not 0 <= index < len(self._ends):
            raise ValueError("no such shared string")
        start = self._ends[index - 1] if index else 0
        return read_text(self._grammar, self._blob[start : self._ends[index]])

    def gather(self, places: NDArray[np.int64]) -> pa.Array:
        """Return the texts of many strings as UTF-8.

        Raises:
            ValueError: There is no such string.
        """
        if not len(places):
            return pa.array([], pa.large_binary())
        if int(places.min()) < 0 or int(places.max()) >= len(self._ends):
            raise ValueError("no such shared string")
        texts = self._pieces.take(pa.array(places * 2))
        odd = np.flatnonzero(self._bounds[places * 2] == self._bounds[places * 2 + 1])
        if not len(odd):
            return texts
        distinct, which = np.unique(places[odd], return_inverse=True)
        decoded = [self[index].encode("utf-8", "surrogatepass") for index in distinct.tolist()]
        both = pa.concat_arrays([texts, pa.array(decoded, pa.large_binary())])
        chosen = np.arange(len(places))
        chosen[odd] = len(places) + which
        return both.take(pa.array(chosen))


def load_shared_strings(archive: XlsxArchive, book: Book, store: Path) -> SharedStrings:
    """Unpack the shared strings into the file ``store``, which must live as long as the result."""
    ends, text_starts, text_ends = array("q"), array("I"), array("I")
    blank_marks = bytearray()
    prefix = b""
    position = 0
    with create_file(store) as file:
        for found, items in split_items(archive, book.shared_strings):
            prefix = found
            file.write(b"".join(items))
            odd: list[int] = []
            first = len(ends)
            for item in items:
                start, end = _bound_text(item)
                if start == end or item[start:end].isspace():
                    odd.append(len(ends))
                text_starts.append(start)
                text_ends.append(end)
                position += len(item)
                ends.append(position)
            if len(ends) > MAX_STRINGS:
                raise BrokenFile(
                    f"The workbook has more than {MAX_STRINGS:,} different texts.",
                    hint="Export the sheet as CSV and use that.",
                )
            blank_marks.extend(bytes(len(items)))
            for place in _find_blank(CellGrammar(prefix), items, odd, first):
                blank_marks[place] = 1
    blob: bytes | mmap.mmap = b""
    if position:
        with store.open("rb") as file:
            blob = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    return SharedStrings(CellGrammar(prefix), blob, ends, text_starts, text_ends, blank_marks)


def _find_blank(
    grammar: CellGrammar, items: list[bytes], odd: list[int], first: int
) -> Iterator[int]:
    """Yield which of the odd items show nothing; ``first`` is the place of the first item."""
    try:
        for place in odd:
            if not read_text(grammar, items[place - first]).strip(" \t\r\n"):
                yield place
    except ValueError as error:
        raise BrokenFile(
            "The workbook's texts cannot be read.",
            hint="Open it in a spreadsheet program and save it again as .xlsx.",
        ) from error


def _bound_text(item: bytes) -> tuple[int, int]:
    """Return where the text of a plain item stands that is its text byte for byte; else 0, 0."""
    if item.count(b"<") != 3 or b"&" in item or b"_x" in item or b"\r" in item:
        return 0, 0
    start = 4 if item.startswith(b"><t>") else len(_PRESERVED)
    if start != 4 and not item.startswith(_PRESERVED):
        return 0, 0
    end = item.index(b"<", start)
    return (start, end) if item.startswith(b"</t></si>", end) else (0, 0)


def find_shared_strings(archive: XlsxArchive, book: Book, wanted: set[int]) -> dict[int, str]:
    """Return the texts of a few shared strings, reading the part no further than the last one.

    Raises:
        BrokenFile: Together they are too large to be kept.
    """
    found: dict[int, str] = {}
    waiting = sorted(wanted, reverse=True)
    index = kept_bytes = 0
    for prefix, items in split_items(archive, book.shared_strings) if waiting else ():
        grammar = CellGrammar(prefix)
        while waiting and waiting[-1] < index + len(items):
            item = items[waiting[-1] - index]
            kept_bytes += len(item)
            if kept_bytes > MAX_FEW_BYTES:
                raise BrokenFile(
                    "The first rows of the workbook's sheets are too large to look into.",
                    hint="Save the sheet with the list as a workbook of its own.",
                )
            found[waiting.pop()] = read_text(grammar, item)
        index += len(items)
        if not waiting:
            break
    return found


def read_text(grammar: CellGrammar, content: bytes) -> str:
    """Return the text of a string item: its runs joined, reading aids left out.

    Raises:
        ValueError: Bytes that are not text.
    """
    if content.startswith(b"><t>") and content.count(b"<") == 3:  # the plain shared string
        return unescape(content[4 : content.index(b"<", 4)])
    if b"rPh" in content:
        content = grammar.phonetic.sub(b"", content)
    return "".join(unescape(match[1]) for match in grammar.text.finditer(content))
