"""Store for rows' codes, flags and keys: temporary files between the first and second pass."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from winnow.lists.engine.duplicates import Ranks, RowsToCompare
from winnow.lists.execution.run_files import create_file

_SIZES, _CODES, _FLAGS, _KEYS, _WIDTHS, _RANKS = (
    f"pass.{name}" for name in ("sizes", "codes", "flags", "keys", "widths", "ranks")
)
_CODES_AT_ONCE = 1 << 20
KEYS_AT_ONCE = 1 << 18
_TYPES = tuple(map(np.dtype, (np.uint32, np.uint8)))  # codes, flags


@dataclass(frozen=True, slots=True)
class RowColumns:
    """A block's rows (blank lines and the header among them), one entry each.

    ``sizes`` are bytes with the line end. ``widths`` count cells.
    """

    sizes: NDArray[np.uint32]
    codes: NDArray[np.uint32]
    flags: NDArray[np.uint8]
    keys: NDArray[np.uint64]
    widths: NDArray[np.uint16]


@dataclass(frozen=True, slots=True)
class _StoredBlock:
    row_count: int
    sizes_type: np.dtype[Any]
    width: int | None


class RowStore:
    """Appends blocks of rows; afterwards gives them back block by block.

    Sizes take two bytes a row where a block has no longer ones, and widths none where a block has
    one width. ``has_ranks``: rows come with ranks, which say what stays of duplicates.
    """

    def __init__(self, folder: Path, *, has_ranks: bool = False) -> None:
        names = (_SIZES, _CODES, _FLAGS, _KEYS, _WIDTHS)
        self._paths = tuple(folder / name for name in names)
        _, self._codes_path, _, self._keys_path, _ = self._paths
        self._files = [create_file(path) for path in self._paths]
        self._blocks: list[_StoredBlock] = []
        self._ranks_path = folder / _RANKS if has_ranks else None
        self._ranks = create_file(self._ranks_path) if self._ranks_path is not None else None

    @property
    def row_count(self) -> int:
        """Rows appended so far."""
        return sum(block.row_count for block in self._blocks)

    def append(self, rows: RowColumns, ranks: Ranks | None = None) -> None:
        """Add a block's rows, with ranks where the store has them."""
        sizes: NDArray[Any] = rows.sizes
        if not len(sizes):
            return
        if sizes.max() <= np.iinfo(np.uint16).max:
            sizes = sizes.astype(np.uint16)
        width = int(rows.widths[0])
        is_even = bool((rows.widths == width).all())
        columns: tuple[NDArray[Any], ...] = (sizes, rows.codes, rows.flags, rows.keys)
        for file, column in zip(self._files, columns, strict=False):
            file.write(column.data)
        if not is_even:
            self._files[-1].write(rows.widths.data)
        if self._ranks is not None and ranks is not None:
            self._ranks.write(ranks.data)
        self._blocks.append(_StoredBlock(len(sizes), sizes.dtype, width if is_even else None))

    def finish(self) -> None:
        """Flush; nothing is appended afterwards."""
        for file in self._files:
            file.close()
        if self._ranks is not None:
            self._ranks.close()

    def blocks(self, *, with_keys: bool = True) -> Iterator[RowColumns]:
        """Yield the blocks as they were appended, or without their keys."""
        files = [path.open("rb") for path in self._paths]
        try:
            for block in self._blocks:
                count = block.row_count
                sizes, codes, flags = (
                    np.frombuffer(file.read(count * kind.itemsize), kind)
                    for file, kind in zip(files, (block.sizes_type, *_TYPES), strict=False)
                )
                keys = np.frombuffer(files[3].read(8 * count if with_keys else 0), np.uint64)
                if block.width is None:
                    widths = np.frombuffer(files[-1].read(2 * count), np.uint16)
                else:
                    widths = np.full(count, block.width, np.uint16)
                yield RowColumns(sizes.astype(np.uint32), codes, flags, keys, widths)
        finally:
            for file in files:
                file.close()

    def count_codes(self, code_count: int) -> NDArray[np.int64]:
        """Return how many rows have each code below ``code_count``."""
        counts = np.zeros(code_count, np.int64)
        for start in range(0, self.row_count, _CODES_AT_ONCE):
            codes = np.fromfile(self._codes_path, np.uint32, _CODES_AT_ONCE, offset=4 * start)
            counts += np.bincount(codes, minlength=code_count)
        return counts

    def compared_rows(self) -> Iterator[RowsToCompare]:
        """Yield duplicates' keys, a stretch at a time; in several threads, each its own.

        Ranks are as they were appended.
        """
        for start in range(0, self.row_count, KEYS_AT_ONCE):
            ranks = None
            if self._ranks_path is not None:
                ranks = np.fromfile(self._ranks_path, np.uint64, KEYS_AT_ONCE, offset=8 * start)
            yield RowsToCompare(
                np.fromfile(self._codes_path, np.uint32, KEYS_AT_ONCE, offset=4 * start),
                np.fromfile(self._keys_path, np.uint64, KEYS_AT_ONCE, offset=8 * start),
                ranks,
            )

    def __enter__(self) -> "RowStore":
        return self

    def __exit__(self, *_: object) -> None:
        """Remove the temporary files."""
        self.finish()
        for path in (*self._paths, *((self._ranks_path,) if self._ranks_path else ())):
            path.unlink(missing_ok=True)
