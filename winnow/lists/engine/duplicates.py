"""Search for duplicates: which rows are removed when one of each address is kept.

Two rows are duplicates when both the 64-bit key of the local part and the domain's canonical code
are equal: 96 bits, of which the code is exact. Blank cells and lines always stay. The one that
stays is the last, the first, or the one of the highest rank (``row_ranks``), of equals the last.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from winnow.core.verdicts.reasons import Reason
from winnow.lists.engine.row_codes import FAULT_CODES, FIRST_FAULT

ROWS_PER_GROUP = 4_500_000  # 16 bytes each while one is worked on
MAX_ROWS_PER_GROUP = 18_000_000  # of lists so long that reading them once a group takes the time
_USUAL_GROUPS = 8
_FEWEST_GROUPS = 2  # a thread each; every group reads all keys again
_CROWD = 1.5  # times a group's share of the rows that are read: many of them must be equal
_PARTITION_BITS = 4  # a group's partitions: so small that what is looked up stays in the cache
_PARTITION_SHIFT = np.uint64(40)
_MIX = 0x9E3779B97F4A7C15  # 2**64 by the golden ratio: Knuth, volume 3, 6.4

Ranks = NDArray[np.uint64]


def number_mailboxes(
    local_parts: NDArray[np.uint64], domains: NDArray[np.uint32]
) -> NDArray[np.uint64]:
    """Return what rows of one mailbox share, of the hash of its local part and its domain."""
    return local_parts * np.uint64(_MIX) ^ domains


class RowsToCompare(NamedTuple):
    """Rows of a stretch, an entry each. ``ranks`` are None where the place alone decides."""

    codes: NDArray[np.uint32]
    keys: NDArray[np.uint64]
    ranks: Ranks | None = None


@dataclass(frozen=True, slots=True)
class DuplicateGroups:
    """A list's rows in groups by their keys, so that equal rows are in one group.

    ``canonical`` gives a code to each code. ``keeps_first``: of rows without ranks the first stays,
    not the last. Different groups may be marked at the same time.
    """

    canonical: NDArray[np.uint32]
    bits: int
    keeps_first: bool = False

    @classmethod
    def plan(
        cls, canonical: NDArray[np.uint32], row_count: int, *, keeps_first: bool = False
    ) -> "DuplicateGroups":
        """Choose groups that fit into memory."""
        rows_per_group = max(ROWS_PER_GROUP, row_count // _USUAL_GROUPS)
        count = max(_FEWEST_GROUPS, -(-row_count // min(rows_per_group, MAX_ROWS_PER_GROUP)))
        return cls(canonical, (count - 1).bit_length(), keeps_first)

    def __len__(self) -> int:
        return 1 << self.bits

    def mark(self, is_gone: NDArray[np.bool_], blocks: Iterable[RowsToCompare], group: int) -> None:
        """Mark a group's rows that an equal one stays for.

        Args:
            is_gone: For every row of the list.
            blocks: All rows of the list in order.
            group: From 0.
        """
        pieces: list[tuple[_Rows, list[int]]] = []
        start = 0
        for block in blocks:
            pieces.append(self._pick(is_gone, start, block, group))
            start += len(block.codes)
        for number in range(1 << _PARTITION_BITS):
            parts = [rows.pick(slice(*bounds[number : number + 2])) for rows, bounds in pieces]
            self._mark(is_gone, _Rows.join(parts))

    def _mark(self, is_gone: NDArray[np.bool_], part: "_Rows") -> None:
        """Mark rows of one group, in the order in which each is better than those before it."""
        if part.ranks is not None:
            part = part.pick(np.argsort(part.ranks, kind="stable"))
        elif self.keeps_first:
            part = part.pick(slice(None, None, -1))
        _mark_duplicates(is_gone, part)

    def _pick(
        self, is_gone: NDArray[np.bool_], start: int, block: RowsToCompare, group: int
    ) -> tuple["_Rows", list[int]]:
        """Return a group's rows among those of a block, and where each partition of them begins.

        Equal rows are in the same partition, in which indices rise.
        """
        codes, keys = block.codes, block.keys
        mask = np.uint64((1 << self.bits + _PARTITION_BITS) - 1)
        numbers = (keys >> _PARTITION_SHIFT & mask).astype(np.uint16)
        is_wanted = numbers >> _PARTITION_BITS == group
        is_wanted &= (codes >= FIRST_FAULT) & (codes != FAULT_CODES[Reason.EMPTY])
        indices = np.flatnonzero(is_wanted)
        if len(indices) * len(self) > _CROWD * len(codes):
            # Different rows spread evenly over the groups; the same one, a million times, does
            # not, and would take a group's memory many times over.
            self._mark(is_gone, self._take(indices, start, block))
            indices = indices[~is_gone[indices + start]]
        numbers = numbers.take(indices) & np.uint16((1 << _PARTITION_BITS) - 1)
        indices = indices.take(np.argsort(numbers.astype(np.uint8), kind="stable"))
        counts = np.bincount(numbers, minlength=1 << _PARTITION_BITS)
        return self._take(indices, start, block), [0, *np.cumsum(counts).tolist()]

    def _take(self, indices: NDArray[np.int64], start: int, block: RowsToCompare) -> "_Rows":
        return _Rows(
            (indices + start).astype(np.uint32),
            block.keys.take(indices),
            self.canonical.take(block.codes.take(indices)),
            None if block.ranks is None else block.ranks.take(indices),
        )


@dataclass(frozen=True, slots=True)
class _Rows:
    """Some of the rows, by their indices, which rise."""

    rows: NDArray[np.uint32]
    keys: NDArray[np.uint64]
    codes: NDArray[np.uint32] | NDArray[np.uint64]
    ranks: Ranks | None

    @classmethod
    def join(cls, pieces: list["_Rows"]) -> "_Rows":
        ranks = [piece.ranks for piece in pieces if piece.ranks is not None]
        return cls(
            np.concatenate([piece.rows for piece in pieces]),
            np.concatenate([piece.keys for piece in pieces]),
            np.concatenate([piece.codes for piece in pieces]),
            np.concatenate(ranks) if ranks else None,
        )

    def pick(self, places: "slice | NDArray[np.int64]") -> "_Rows":
        ranks = None if self.ranks is None else self.ranks[places]
        return _Rows(self.rows[places], self.keys[places], self.codes[places], ranks)


def _mark_duplicates(is_gone: NDArray[np.bool_], part: _Rows) -> None:
    """Mark every row that has an equal one after it, in whatever order they are given.

    Each row writes its place into the slot that its key and code give, so that a slot holds the
    last of its rows: that one stays. A row equal to its slot's is removed. What is left shares
    a slot by chance only, equal rows always, and is tried again in other slots. Each round settles
    a row a slot at least.
    """
    rows, keys, codes = part.rows, part.keys, part.codes
    factor = _MIX
    while len(rows):
        slot_bits = (2 * len(rows)).bit_length()
        slots = (keys * np.uint64(factor) + codes * np.uint64(_MIX)) * np.uint64(_MIX)
        slots >>= np.uint64(64 - slot_bits)
        indices = np.arange(len(rows), dtype=np.uint32)
        last = np.empty(1 << slot_bits, np.uint32)
        last[slots.view(np.int64)] = indices
        others = last.take(slots.view(np.int64))
        beaten = np.flatnonzero(others != indices)
        others = others[beaten]
        is_equal = (keys[beaten] == keys[others]) & (codes[beaten] == codes[others])
        is_gone[rows[beaten[is_equal]]] = True
        beaten = beaten[~is_equal]
        rows, keys, codes = rows[beaten], keys[beaten], codes[beaten]
        factor = (factor + 2) % (1 << 64)
