"""Look-up of a project's domain names by code and by name, without reading the whole file."""

import mmap
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from winnow.lists.result.row_columns import RowIndex
from winnow.lists.result.row_index import NAMES

_NAMES_PER_MARK = 1024
_CHUNK_BYTES = 1 << 22


@dataclass(frozen=True, slots=True)
class DomainNames:
    """Names by code; ``marks`` are where every 1024th line of the file begins."""

    path: Path
    marks: tuple[int, ...]

    @classmethod
    def open(cls, index: RowIndex) -> "DomainNames":
        """Find the marks of a project's file."""
        path = index.folder / NAMES
        marks = [0]
        line = position = 0
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK_BYTES):
                ends = np.flatnonzero(np.frombuffer(chunk, np.uint8) == ord("\n"))
                first = -(line + 1) % _NAMES_PER_MARK
                marks += (ends[first::_NAMES_PER_MARK] + position + 1).tolist()
                line += len(ends)
                position += len(chunk)
        return cls(path, tuple(marks))

    def read(self, codes: Iterable[int]) -> list[str]:
        """Return the names of codes, in their order."""
        names = []
        with self.path.open("rb") as file:
            for code in codes:
                mark, lines = divmod(code, _NAMES_PER_MARK)
                file.seek(self.marks[mark])
                for _ in range(lines):
                    file.readline()
                names.append(file.readline().rstrip(b"\n").decode())
        return names

    def find(self, name: str) -> int | None:
        """Return the code of a whole name, a lower-case A-label; None where no row has it."""
        line = b"\n" + name.encode("ascii", "replace") + b"\n"
        if not name or line.count(b"\n") > 2:
            return None
        with (
            self.path.open("rb") as file,
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as m,
        ):
            place = m.find(line)
            if place < 0:
                return None
            mark = bisect_right(self.marks, place + 1) - 1
            return mark * _NAMES_PER_MARK + m[self.marks[mark] : place + 1].count(b"\n")
