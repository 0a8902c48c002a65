"""The row index of a finished result: what the pages ask of a project, answered from flat files.

Beside the result stand, in output order and little-endian:

    rows.json      the text file the index points into, its dialect, the distinct verdicts
    rows.sizes     u32 a row: bytes of the blank lines before it, the row and its line end
    rows.starts    u64 for every 4096th row: where it starts in the text file
    rows.verdicts  u16 a row: place in the list of verdicts
    rows.domains   u32 a row: line in rows.names; 0 is "no usable domain"
    original.*     sizes and starts of the same rows in the result, where the text file is decoded
    rows.names     the domains, one a line, lower-case A-labels; the first line is empty

An engine whose result is no delimited UTF-8 text writes its rows once more as ``rows.csv``; a
workbook's have marks for long runs of empty cells.
"""

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from winnow.core.verdicts.verdict import Verdict

RESULT_NAME = "result"
ROWS_TEXT_NAME = "rows.csv"
ROWS_PER_START = 4096

META, SIZES, STARTS, VERDICTS, DOMAINS, NAMES = (
    "rows.json",
    "rows.sizes",
    "rows.starts",
    "rows.verdicts",
    "rows.domains",
    "rows.names",
)
ORIGINAL_SIZES, ORIGINAL_STARTS = "original.sizes", "original.starts"
_LINES_PER_WRITE = 8192


@dataclass(frozen=True, slots=True)
class RowText:
    """How the text file is to be read.

    ``head_bytes`` is what stands before the first row (BOM, header, blank lines). ``width`` is
    the number of the list's own cells in each row, 0 for the plan's; ``has_verdicts`` says that
    the added ones stand behind them. ``escape`` is a backslash where it escapes.
    ``has_runs``: long runs of empty cells are marks (``empty_runs.py``).
    """

    file_name: str = ROWS_TEXT_NAME
    encoding: str = "utf-8"
    delimiter: str = ","
    head_bytes: int = 0
    width: int = 0
    has_verdicts: bool = False
    escape: str = ""
    has_runs: bool = False


def write_durably(path: Path, data: bytes) -> None:
    """Write a small file whole and sync it."""
    with path.open("wb") as file:
        file.write(data)
        sync(file)


def sync(file: BinaryIO) -> None:
    """Flush a file to the disk itself."""
    file.flush()
    os.fsync(file.fileno())


class RowPlacesWriter:
    """Writes where rows stand in a file, by blocks of rows that follow one another."""

    def __init__(self, sizes: Path, starts: Path, head_bytes: int) -> None:
        self._position = head_bytes
        self.row_count = 0
        self._sizes = sizes.open("wb")
        self._starts = starts.open("wb")

    def append(self, sizes: NDArray[np.uint32]) -> None:
        """Add rows by their bytes."""
        ends = np.cumsum(sizes, dtype=np.uint64) + np.uint64(self._position)
        first = -self.row_count % ROWS_PER_START
        starts = (ends - sizes)[first::ROWS_PER_START]
        self._starts.write(starts.astype("<u8").tobytes())
        self._sizes.write(np.ascontiguousarray(sizes, "<u4").data)
        self.row_count += len(sizes)
        if len(sizes):
            self._position = int(ends[-1])

    def finish(self) -> None:
        """Sync and close."""
        sync(self._sizes)
        sync(self._starts)
        self.close()

    def close(self) -> None:
        """Close the files."""
        self._sizes.close()
        self._starts.close()


class RowIndexWriter:
    """Writes the index by blocks of rows; nothing is readable before ``finish``."""

    def __init__(self, folder: Path, head_bytes: int) -> None:
        self._folder = folder
        self._places = RowPlacesWriter(folder / SIZES, folder / STARTS, head_bytes)
        self._verdicts = (folder / VERDICTS).open("wb")
        self._domains = (folder / DOMAINS).open("wb")

    def append(
        self,
        sizes: NDArray[np.uint32],
        verdict_codes: NDArray[np.uint16],
        domain_codes: NDArray[np.uint32],
    ) -> None:
        """Add rows that follow one another in the text file without a gap."""
        self._places.append(sizes)
        self._verdicts.write(np.ascontiguousarray(verdict_codes, "<u2").data)
        self._domains.write(np.ascontiguousarray(domain_codes, "<u4").data)

    def finish(
        self,
        verdicts: Sequence[Verdict],
        names: Iterable[str],
        text: RowText,
        original: RowText | None = None,
    ) -> None:
        """Write the tables and the meta file, sync everything and close.

        ``names`` are the domains by code from 1 on. ``original`` is how the result is to be read
        where ``text`` is it decoded; its sizes and starts are somebody else's to write.
        """
        with (self._folder / NAMES).open("wb") as file:
            file.write(b"\n")
            file.writelines(name.encode() + b"\n" for name in names)
            sync(file)
        self._places.finish()
        sync(self._verdicts)
        sync(self._domains)
        self.close()
        meta = {
            "format": 1,
            "rows": self._places.row_count,
            "text": asdict(text),
            "original": None if original is None else asdict(original),
            "verdicts": [verdict.to_json() for verdict in verdicts],
        }
        write_durably(self._folder / META, json.dumps(meta).encode())

    def close(self) -> None:
        """Close the files; what was not finished stays unreadable."""
        self._places.close()
        self._verdicts.close()
        self._domains.close()


class TextRowsWriter:
    """Writes ``rows.csv`` and its index row by row, for results that are not delimited text.

    Each line is one CSV record in UTF-8 with its line end, without the added cells.
    """

    def __init__(self, folder: Path) -> None:
        self._text = (folder / ROWS_TEXT_NAME).open("wb")
        self._index = RowIndexWriter(folder, 0)
        self._verdicts: dict[Verdict, int] = {}
        self._names: dict[str, int] = {"": 0}
        self._lines: list[bytes] = []
        self._verdict_codes: list[int] = []
        self._domain_codes: list[int] = []

    def add(self, line: bytes, verdict: Verdict, domain: str) -> None:
        """Add one output row; ``domain`` is ``""`` where the address has no usable one."""
        self._lines.append(line)
        self._verdict_codes.append(self._verdicts.setdefault(verdict, len(self._verdicts)))
        self._domain_codes.append(self._names.setdefault(domain, len(self._names)))
        if len(self._lines) >= _LINES_PER_WRITE:
            self._flush()

    def finish(self) -> None:
        """Write what is left, sync and close."""
        self._flush()
        sync(self._text)
        self._text.close()
        self._index.finish(list(self._verdicts), list(self._names)[1:], RowText())

    def close(self) -> None:
        """Close without finishing: the index stays unreadable."""
        self._text.close()
        self._index.close()

    def _flush(self) -> None:
        self._text.write(b"".join(self._lines))
        self._index.append(
            np.array([len(line) for line in self._lines], np.uint32),
            np.array(self._verdict_codes, np.uint16),
            np.array(self._domain_codes, np.uint32),
        )
        for pending in (self._lines, self._verdict_codes, self._domain_codes):
            pending.clear()


def measure_result(folder: Path) -> int:
    """Return the bytes that a result folder takes: the result and its row index."""
    return sum(path.stat().st_size for path in folder.iterdir() if path.is_file())
