"""The shared strings of a workbook (ISO/IEC 29500-1, 18.4)."""

import re
from array import array
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from winnow.core.errors import BrokenFile
from winnow.lists.execution.run_files import create_file
from winnow.lists.formats.xlsx.archive import SAVE_AGAIN, XlsxArchive
from winnow.lists.formats.xlsx.book import Book
from winnow.lists.formats.xlsx.cells import join_runs
from winnow.lists.formats.xlsx.elements import check_well_formed
from winnow.lists.formats.xlsx.xml import ATTRIBUTES, NAME, clean_chunks, unescape
from winnow.lists.text.arrow_cells import read_buffers

MAX_STRINGS = 18_000_000  # 8 bytes each
MAX_FEW_BYTES = 64 << 20  # of what is looked at before a sheet is read
MAX_STRING_BYTES = 1 << 20  # a cell ends at 32,767 characters; formatting takes the rest

_ITEM = re.compile(
    rb"<" + NAME + rb"si(?=[\s/>])" + ATTRIBUTES + rb"(?:/>|>"
    rb"(?:<" + NAME + rb't(?: xml:space="preserve")?>([^<]*+)</' + NAME + rb"t>(?=</))?+"
    rb"((?:[^<]++|<(?!/?" + NAME + rb"si[\s/>]))*+)</" + NAME + rb"si\s*+>)"
)


class SharedStrings:
    """The texts of shared strings in UTF-8, found by their indices.

    Args:
        texts: Large binaries.
        known: Which indices they have, rising; None: all from 0 on.
    """

    def __init__(self, texts: pa.Array, known: NDArray[np.int64] | None = None) -> None:
        self._texts = texts
        self._known = known
        _, self._starts, self._ends = read_buffers(texts)
        self.longest_bytes = int((self._ends - self._starts).max(initial=0))

    def has(self, indices: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which indices are those of a string."""
        if self._known is not None:
            return np.isin(indices, self._known)
        return (indices >= 0) & (indices < len(self._texts))

    def take(self, indices: NDArray[np.int64]) -> pa.Array:
        """Return the texts by their indices, null for those that are not there."""
        return self._texts.take(pa.array(self._locate(indices), mask=~self.has(indices)))

    def measure(self, indices: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the bytes of texts by their indices, 0 for those that are not there."""
        places = self._locate(indices)
        sizes = self._ends.take(places, mode="clip") - self._starts.take(places, mode="clip")
        return np.where(self.has(indices), sizes, 0)

    def _locate(self, indices: NDArray[np.int64]) -> NDArray[np.int64]:
        return indices if self._known is None else np.searchsorted(self._known, indices)


def read_strings(archive: XlsxArchive, part: str | None) -> Iterator[list[str]]:
    """Yield the texts of the shared strings, many at a time.

    Raises:
        BrokenFile: The part is no XML, or a string is too long.
    """
    if part is None:
        return
    rest = b""
    for chunk in check_well_formed(clean_chunks(archive.stream(part), part), part):
        pieces = _ITEM.split(rest + chunk)  # what is between, attributes, plain text, the rest
        rest = pieces[-1]
        if len(rest) > MAX_STRING_BYTES:
            raise BrokenFile(
                "A cell of the workbook holds more than 1 MiB of text.",
                hint="No spreadsheet program keeps more than 32,767 characters in a cell.",
            )
        try:
            yield [
                unescape(join_runs(runs or b"") if plain is None else plain)
                for plain, runs in zip(pieces[2::4], pieces[3::4], strict=True)
            ]
        except ValueError as error:
            raise BrokenFile("The workbook's texts cannot be read.", hint=SAVE_AGAIN) from error


def load_shared_strings(archive: XlsxArchive, book: Book, store: Path) -> SharedStrings:
    """Unpack the shared strings into the file ``store``, which must live as long as the result."""
    ends = array("q")
    position = 0
    with create_file(store) as file:
        for texts in read_strings(archive, book.shared_strings):
            encoded = [text.encode("utf-8", "replace") for text in texts]
            file.write(b"".join(encoded))
            sizes = np.fromiter(map(len, encoded), np.int64, len(encoded))
            ends.frombytes((np.cumsum(sizes) + position).tobytes())
            position += int(sizes.sum())
            if len(ends) > MAX_STRINGS:
                raise BrokenFile(
                    f"The workbook has more than {MAX_STRINGS:,} different texts.",
                    hint="Export the sheet as CSV and use that.",
                )
    bounds = np.concatenate((np.zeros(1, np.int64), np.frombuffer(ends, np.int64)))
    data = pa.memory_map(str(store)).read_buffer() if position else pa.py_buffer(b"")
    return SharedStrings(
        pa.LargeBinaryArray.from_buffers(
            pa.large_binary(), len(ends), [None, pa.py_buffer(bounds), data]
        )
    )


def find_shared_strings(
    archive: XlsxArchive, book: Book, wanted: NDArray[np.int64]
) -> SharedStrings:
    """Return a few shared strings, reading the part no further than the last one.

    Raises:
        BrokenFile: Together they are too large to be kept.
    """
    found: dict[int, bytes] = {}
    waiting = np.unique(wanted)[::-1].tolist()
    index = kept_bytes = 0
    for texts in read_strings(archive, book.shared_strings) if waiting else ():
        while waiting and waiting[-1] < index + len(texts):
            text = texts[waiting[-1] - index].encode("utf-8", "replace")
            kept_bytes += len(text)
            if kept_bytes > MAX_FEW_BYTES:
                raise BrokenFile(
                    "The first rows of the workbook's sheets are too large to look into.",
                    hint="Save the sheet with the list as a workbook of its own.",
                )
            found[waiting.pop()] = text
        index += len(texts)
        if not waiting:
            break
    known = np.array(list(found), np.int64)
    return SharedStrings(pa.array(list(found.values()), pa.large_binary()), known)
