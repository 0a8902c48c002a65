"""The shared strings of a workbook (ISO/IEC 29500-1, 18.4)."""

import io
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
    """The texts of shared strings in UTF-8, a large binary each, by their indices."""

    def __init__(self, texts: pa.Array) -> None:
        self._texts = texts
        _, self._starts, self._ends = read_buffers(texts)
        self.longest_bytes = int((self._ends - self._starts).max(initial=0))

    def has(self, indices: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which indices are those of a string."""
        return (indices >= 0) & (indices < len(self._texts))

    def take(self, indices: NDArray[np.int64]) -> pa.Array:
        """Return the texts by their indices, null for those that are not there."""
        return self._texts.take(pa.array(indices, mask=~self.has(indices)))

    def measure(self, indices: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the bytes of texts by their indices, 0 for those that are not there."""
        if not len(self._texts):
            return np.zeros(len(indices), np.int64)
        sizes = self._ends - self._starts
        return np.where(self.has(indices), sizes.take(indices, mode="clip"), 0)


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


def load_shared_strings(
    archive: XlsxArchive,
    book: Book,
    store: Path | None,
    wanted: NDArray[np.int64] | None = None,
) -> SharedStrings:
    """Unpack the shared strings.

    Args:
        archive: The workbook.
        book: Its parts.
        store: A temporary file, which must live as long as the result; None: memory.
        wanted: The only indices that are needed: reading ends after the last, the others are empty.

    Raises:
        BrokenFile: The part cannot be read, or is too large to be kept.
    """
    ends = array("q", (0,))
    last = MAX_STRINGS if wanted is None else int(wanted.max(initial=-1))
    with create_file(store) if store is not None else io.BytesIO() as file:
        for texts in read_strings(archive, book.shared_strings) if last >= 0 else ():
            encoded = [text.encode("utf-8", "replace") for text in texts]
            if wanted is not None:
                places = np.arange(len(ends) - 1, len(ends) - 1 + len(encoded))
                is_wanted = np.isin(places, wanted).tolist()
                encoded = [t if wants else b"" for t, wants in zip(encoded, is_wanted, strict=True)]
            file.write(b"".join(encoded))
            sizes = np.fromiter(map(len, encoded), np.int64, len(encoded))
            ends.frombytes((np.cumsum(sizes) + ends[-1]).tobytes())
            if wanted is not None and ends[-1] > MAX_FEW_BYTES:
                raise BrokenFile(
                    "The first rows of the workbook's sheets are too large to look into.",
                    hint="Save the sheet with the list as a workbook of its own.",
                )
            if len(ends) > MAX_STRINGS:
                raise BrokenFile(
                    f"The workbook has more than {MAX_STRINGS:,} different texts.",
                    hint="Export the sheet as CSV and use that.",
                )
            if len(ends) > last + 1:
                break
        data = pa.py_buffer(file.getvalue() if isinstance(file, io.BytesIO) else b"")
    if store is not None and ends[-1]:
        data = pa.memory_map(str(store)).read_buffer()
    bounds = pa.py_buffer(np.frombuffer(ends, np.int64))
    return SharedStrings(
        pa.LargeBinaryArray.from_buffers(pa.large_binary(), len(ends) - 1, [None, bounds, data])
    )
