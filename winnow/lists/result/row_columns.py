"""Reader of the row index, by runs of rows: never whole columns of a large project at once."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from winnow.core.verdicts.verdict import Verdict
from winnow.lists.result.row_index import (
    DOMAINS,
    META,
    NAMES,
    ROWS_PER_START,
    SIZES,
    STARTS,
    VERDICTS,
    RowText,
)
from winnow.lists.result.row_numbers import RowNumbers

_NAMES_CHUNK_BYTES = 1 << 22

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class RowIndex:
    """One finished project's index. Rows count from 0 here."""

    folder: Path
    text: RowText
    row_count: int
    verdicts: tuple[Verdict, ...]

    @classmethod
    def open(cls, folder: Path) -> "RowIndex":
        """Read the meta file.

        Raises:
            FileNotFoundError: There is no finished index in the folder.
        """
        meta = json.loads((folder / META).read_bytes())
        verdicts = tuple(Verdict.from_json(values) for values in meta["verdicts"])
        text = RowText.from_json(meta["text"])
        return cls(folder, text, meta["rows"], verdicts)

    @property
    def text_path(self) -> Path:
        """The file that holds the rows' bytes."""
        return self.folder / self.text.file_name

    def verdict_places(self, start: int, count: int) -> NDArray[np.uint16]:
        """Return the rows' places in ``verdicts``."""
        return np.fromfile(self.folder / VERDICTS, "<u2", count, offset=2 * start)

    def domain_codes(self, start: int, count: int) -> NDArray[np.uint32]:
        """Return the rows' lines in the file of names."""
        return np.fromfile(self.folder / DOMAINS, "<u4", count, offset=4 * start)

    def sizes(self, start: int, count: int) -> NDArray[np.uint32]:
        """Return the rows' bytes, blank lines before them and line ends included."""
        return np.fromfile(self.folder / SIZES, "<u4", count, offset=4 * start)

    def bounds(self, start: int, count: int) -> NDArray[np.int64]:
        """Return where each row starts in the text file, and where the last one ends."""
        block = start // ROWS_PER_START
        first = block * ROWS_PER_START
        base = np.fromfile(self.folder / STARTS, "<u8", 1, offset=8 * block)
        sizes = self.sizes(first, start - first + count)
        ends = np.cumsum(sizes, dtype=np.int64) + int(base[0])
        return np.concatenate(([int(base[0])], ends))[start - first :]

    def read_numbers(self) -> RowNumbers | None:
        """Read the rows' numbers in the list's file; None for an old result, which has none."""
        return RowNumbers.open(self.folder, self.row_count)

    def find_names(self, part: str) -> Mask:
        """Return, by domain code, which domains contain a text.

        Args:
            part: In A-label or Unicode form, any case.
        """
        part = part.strip().lower()
        found = [np.zeros(1, np.bool_)]
        for names in self.read_names():
            if not part.isascii():
                names = name_in_unicode(names)
            found.append(names.str.contains(part, literal=True).to_numpy())
        return np.concatenate(found)

    def read_names(self) -> Iterator[pl.Series]:
        """Yield the domains by code, from 1 on, a stretch at a time."""
        with (self.folder / NAMES).open("rb") as file:
            file.readline()
            while chunk := file.read(_NAMES_CHUNK_BYTES):
                chunk += file.readline()
                data = np.frombuffer(chunk, np.uint8)
                ends = np.flatnonzero(data == ord("\n"))
                offsets = np.concatenate(([0], ends + 1))
                names = pa.LargeStringArray.from_buffers(
                    len(ends), pa.py_buffer(offsets), pa.py_buffer(chunk)
                )
                yield pl.Series("name", pl.from_arrow(names)).str.strip_chars_end("\n")


def name_in_unicode(names: pl.Series) -> pl.Series:
    """Return domains with their A-labels decoded to letters."""
    if not names.str.contains("xn--", literal=True).any():
        return names
    return names.map_elements(_to_unicode, return_dtype=pl.String)


def _to_unicode(name: str) -> str:
    if "xn--" not in name:
        return name
    labels = []
    for label in name.split("."):
        try:
            is_encoded = label.startswith("xn--")
            labels.append(label[4:].encode().decode("punycode") if is_encoded else label)
        except UnicodeError:
            labels.append(label)
    return ".".join(labels)
