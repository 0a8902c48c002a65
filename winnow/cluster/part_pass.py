"""The second pass: kept records of a range written again, as a part of the result."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from winnow.cluster.bucket_pass import GONE
from winnow.cluster.cluster_job import ClusterJob
from winnow.cluster.locations import Location
from winnow.cluster.object_store import PartPlace, open_store
from winnow.cluster.packed_arrays import pack, unpack
from winnow.cluster.range_pass import ROWS, RangeRows
from winnow.lists.engine.augment import Suffixes, augment_block, make_room, measure_augmented
from winnow.lists.engine.row_codes import FIRST_FAULT
from winnow.lists.engine.verdict_table import FLAG_SPACE, find_places_of_kinds, put_exact

CODES, TABLE, KEPT = "codes", "table", "kept"  # pieces: of a range, of the list, of a range
_BYTES_AT_ONCE = 16 << 20


@dataclass(frozen=True, slots=True)
class SharedTable:
    """What verdicts mean for the result, as workers need it; see ``VerdictTable``."""

    kinds: NDArray[np.uint16]
    exact: dict[tuple[int, int], int]
    suffixes: Suffixes

    def pack(self) -> bytes:
        """Return it as a piece."""
        pairs = list(self.exact)
        arrays: dict[str, NDArray[Any]] = {
            "kinds": self.kinds.reshape(-1),
            "exact_keys": np.array([key for key, _ in pairs], np.uint64),
            "exact_codes": np.array([code for _, code in pairs], np.uint32),
            "exact_places": np.array(list(self.exact.values()), np.uint16),
        }
        cells = [cells.decode() for cells in self.suffixes.cells]
        delimiter = self.suffixes.delimiter.decode()
        return pack(arrays, {"cells": cells, "delimiter": delimiter, "width": self.suffixes.width})

    @classmethod
    def unpack(cls, data: bytes) -> "SharedTable":
        """Read a piece."""
        arrays, values = unpack(data)
        pairs = zip(arrays["exact_keys"].tolist(), arrays["exact_codes"].tolist(), strict=True)
        suffixes = Suffixes(
            tuple(cells.encode() for cells in values["cells"]),
            values["delimiter"].encode(),
            values["width"],
        )
        exact = dict(zip(pairs, arrays["exact_places"].tolist(), strict=True))
        return cls(arrays["kinds"].reshape(-1, FLAG_SPACE), exact, suffixes)


@dataclass(frozen=True, slots=True)
class Settled:
    """What is known of a range's part of the result before it is written.

    ``by_verdict`` counts its rows by their verdict's place; ``ragged_removed`` are duplicates of an
    odd width.
    """

    size_bytes: int
    by_verdict: list[int]
    invalid_count: int
    ragged_removed: int


def settle_range(job: ClusterJob, number: int, gone: list[tuple[int, int, int]]) -> Settled:
    """Find what of a range goes into the result.

    Args:
        job: The list.
        number: The range.
        gone: Buckets that have rows of it that go: each with where they begin and end there.
    """
    job.begin()
    rows, table = RangeRows.unpack(job.read_piece(ROWS, number)), _read_table(job)
    is_gone = rows.is_gone.copy()
    size = np.dtype(job.place).itemsize
    for bucket, start, end in gone:
        name = job.name_piece(GONE, bucket)
        data = job.store.read(name, start * size, (end - start) * size)
        is_gone[np.frombuffer(data, job.place)] = True
    is_kept = ~is_gone
    job.put_piece(KEPT, number, np.packbits(is_kept).tobytes())
    places, faults = _judge(job, number, rows, table)
    is_row = is_kept & (rows.codes >= FIRST_FAULT)
    is_odd = (rows.widths != len(job.plan.columns)) & (rows.codes >= FIRST_FAULT) & is_gone
    counts = np.bincount(places[is_row], minlength=len(table.suffixes.cells) - 1)
    size_bytes = measure_augmented(
        rows.sizes, rows.codes, rows.widths, is_kept, places, table.suffixes
    )
    return Settled(
        size_bytes,
        [int(count) for count in counts],
        int(np.count_nonzero(faults.take(rows.codes[is_row]))),
        int(np.count_nonzero(is_odd)),
    )


@dataclass(frozen=True, slots=True)
class PlannedPart:
    """A part of the result: its place, its bytes, and its ranges, each with where it begins."""

    place: PartPlace
    size_bytes: int
    ranges: tuple[tuple[int, int], ...]


def plan_parts(
    starts: list[int], sizes: list[int], above_bytes: int, least_bytes: int, most: int
) -> list[PlannedPart]:
    """Put ranges together to parts that a bucket takes: none but the last is too small.

    Args:
        starts: Where each range begins in the list.
        sizes: What each makes of the result.
        above_bytes: What stands before the first.
        least_bytes: Of a part.
        most: Parts there may be.
    """
    least_bytes = max(least_bytes, -(-(above_bytes + sum(sizes)) // (most - 1)))
    parts: list[PlannedPart] = []
    ranges: list[tuple[int, int]] = []
    offset, size_bytes = 0, above_bytes
    for number, (start, range_bytes) in enumerate(zip(starts, sizes, strict=True)):
        ranges.append((number, start))
        size_bytes += range_bytes
        if size_bytes >= least_bytes or number + 1 == len(sizes):
            place = PartPlace(len(parts) + 1, offset)
            parts.append(PlannedPart(place, size_bytes, tuple(ranges)))
            offset, size_bytes, ranges = offset + size_bytes, 0, []
    return parts


def write_part(job: ClusterJob, part: PlannedPart, target: Location, upload: str) -> str:
    """Write a part of the result and return its receipt."""
    job.begin()
    table = _read_table(job)
    pieces: list[bytes | pa.Buffer] = [job.above] if part.place.offset == 0 else []
    for number, start in part.ranges:
        rows = RangeRows.unpack(job.read_piece(ROWS, number))
        kept = np.frombuffer(job.read_piece(KEPT, number), np.uint8)
        is_kept = np.unpackbits(kept, count=len(rows.sizes)).view(np.bool_)
        places, _ = _judge(job, number, rows, table)
        pieces += _augment(job, start, rows, is_kept, places, table.suffixes)
    data = b"".join(pieces)
    if len(data) != part.size_bytes:
        msg = f"part {part.place.number}: {len(data)} written, {part.size_bytes} planned"
        raise AssertionError(msg)
    store = open_store(target.bucket)
    return store.put_part(target.name, upload, part.place, data)


def _augment(
    job: ClusterJob,
    offset: int,
    rows: RangeRows,
    is_kept: NDArray[np.bool_],
    places: NDArray[np.uint16],
    suffixes: Suffixes,
) -> list[bytes | pa.Buffer]:
    ends = np.cumsum(rows.sizes, dtype=np.int64)
    pieces: list[bytes | pa.Buffer] = []
    first = 0
    while first < len(ends):
        begin = int(ends[first - 1]) if first else 0
        last = max(first + 1, int(np.searchsorted(ends, begin + _BYTES_AT_ONCE, "right")))
        some = slice(first, last)
        size_bytes = int(ends[last - 1]) - begin
        data = make_room(size_bytes)
        raw = job.read_source(offset + begin, offset + begin + size_bytes)
        data[:size_bytes] = np.frombuffer(raw, np.uint8)
        block = augment_block(
            data,
            rows.sizes[some],
            rows.codes[some],
            rows.widths[some],
            is_kept[some],
            places[some],
            suffixes,
        )
        pieces.append(block.data)
        first = last
    return pieces


def _judge(
    job: ClusterJob, number: int, rows: RangeRows, table: SharedTable
) -> tuple[NDArray[np.uint16], NDArray[np.uint8]]:
    """Return the place of each row's verdict, and by code what is malformed."""
    arrays, _ = unpack(job.read_piece(CODES, number))
    places = find_places_of_kinds(table.kinds, arrays["kinds"], rows.codes, rows.flags)
    if table.exact:
        wanted = pl.Series(sorted({key for key, _ in table.exact}), dtype=pl.UInt64)
        put_exact(places, rows.codes, rows.keys, arrays["canonical"], table.exact, wanted)
    return places, arrays["faults"]


def _read_table(job: ClusterJob) -> SharedTable:
    return SharedTable.unpack(job.read_piece(TABLE, 0))
