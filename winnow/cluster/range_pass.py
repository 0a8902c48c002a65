"""The first pass over a range: its records found, their email cells read into a few numbers."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from winnow.cluster.cluster_job import ClusterJob
from winnow.cluster.list_ranges import OddList, RangeFile, find_record
from winnow.cluster.packed_arrays import pack, unpack
from winnow.cluster.stable_hash import StableHash
from winnow.core.tasks.keep_rule import Keep
from winnow.core.verdicts.reasons import Reason
from winnow.lists.engine.address_column import AddressColumn
from winnow.lists.engine.date_cells import DateCounts
from winnow.lists.engine.domain_spellings import parse_spellings
from winnow.lists.engine.domain_texts import DomainTexts
from winnow.lists.engine.duplicates import find_gone_rows
from winnow.lists.engine.row_codes import BLANK_LINE, FAULT_CODES, FIRST_DOMAIN, FIRST_FAULT
from winnow.lists.engine.row_ranks import RowRanks
from winnow.lists.engine.verdict_table import mark_seen
from winnow.lists.formats.delimited.first_pass import ReadBlock, mark_header, read_block
from winnow.lists.formats.delimited.records_file import RecordsFile
from winnow.lists.formats.delimited.scan import is_utf8
from winnow.lists.text.block_reader import Block, BlockReader
from winnow.lists.text.records import RecordFault

BLOCK_BYTES = 8 << 20
ROWS, TEXTS, SHUFFLE, READ = "rows", "texts", "shuffle", "read"  # pieces of a range
_BUCKET_SHIFT = np.uint64(32)
_CROWD = 1.5  # times a bucket's share of the rows


@dataclass(frozen=True, slots=True)
class RangeRead:
    """What the driver is told of a range that was read.

    ``bucket_ends`` are the places in the range's shuffle piece where each bucket's rows end;
    ``seen`` is from ``mark_seen``, of codes that are no domain's.
    """

    start: int
    end: int
    line_count: int
    row_count: int
    widest: int
    odd_count: int
    loose_count: int
    seen: list[int]
    bucket_ends: list[int]
    dates: dict[str, int] = field(default_factory=dict)

    def to_json(self) -> bytes:
        """Return it as text."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def from_json(cls, data: bytes) -> "RangeRead":
        """Read what ``to_json`` wrote."""
        return cls(**json.loads(data))


@dataclass(frozen=True, slots=True)
class RangeRows:
    """The rows of a range, in order; ``is_gone`` says for which an equal one in it stays."""

    sizes: NDArray[np.uint32]
    codes: NDArray[np.uint32]
    flags: NDArray[np.uint8]
    widths: NDArray[np.uint16]
    keys: NDArray[np.uint64]
    is_gone: NDArray[np.bool_]

    def pack(self, *, with_keys: bool) -> bytes:
        """Return it as a piece."""
        arrays: dict[str, NDArray[Any]] = {
            "sizes": self.sizes,
            "codes": self.codes,
            "flags": self.flags,
            "widths": self.widths,
            "keys": self.keys if with_keys else self.keys[:0],
            "is_gone": np.packbits(self.is_gone),
        }
        return pack(arrays)

    @classmethod
    def unpack(cls, data: bytes) -> "RangeRows":
        """Read a piece."""
        arrays, _ = unpack(data)
        gone = np.unpackbits(arrays.pop("is_gone"), count=len(arrays["sizes"])).view(np.bool_)
        return cls(**arrays, is_gone=gone)


def read_range(job: ClusterJob, number: int, is_inside: bool, is_next_inside: bool) -> RangeRead:
    """Read a range into pieces: its rows, its domains, what duplicates are told by.

    Args:
        job: The list.
        number: The range, from 0.
        is_inside: Whether quotes are open at its bound.
        is_next_inside: And at the next one's.

    Raises:
        OddList: The list must be read in one go.
    """
    job.begin()
    start = find_record(job, number, is_inside=is_inside)
    end = job.source.size_bytes
    if number + 1 < job.range_count:
        end = find_record(job, number + 1, is_inside=is_next_inside)
    reading = _RangeReader(job)
    for block in _read_blocks(job, start, end):
        reading.add(block, may_be_header=number == 0)
    if reading.awaits_header and number == 0:
        raise OddList("nothing stands in its first lines.")
    found = reading.write_pieces(number, start, end)
    job.put_piece(READ, number, found.to_json())
    return found


def _read_blocks(job: ClusterJob, start: int, end: int) -> Iterator[Block]:
    plan = job.plan
    marks = RecordsFile(Path(), plan.encoding, job.above, plan).marks
    file = cast(BinaryIO, RangeFile(job, end))
    reader = BlockReader(file, start, marks, BLOCK_BYTES)
    while True:
        try:
            block = reader.read() if start < end else None
        except RecordFault as fault:
            raise OddList(fault.words) from fault
        if block is None:
            return
        if not is_utf8(block.data):
            raise OddList("not all of it is in UTF-8.")
        yield block


class _RangeReader:
    """Gathers a range's rows block by block."""

    def __init__(self, job: ClusterJob) -> None:
        self._job = job
        self._file = RecordsFile(Path(), job.plan.encoding, job.above, job.plan)
        self._column = AddressColumn(
            self._file.decode_cell, job.role_names, is_utf8=True, hash_text=StableHash()
        )
        self._domains = DomainTexts(FIRST_DOMAIN)
        self._seen = np.zeros(1, np.uint8)
        self._ranks = RowRanks(job.keep, DateCounts())
        self._rows: list[RangeRows] = []
        self._taken: list[NDArray[np.uint64]] = []
        self._odd_count = self._loose_count = 0
        self.awaits_header = job.plan.has_header

    def add(self, block: Block, *, may_be_header: bool) -> None:
        """Read a block."""
        read = self._read(block)
        addresses = read.addresses.number_domains(self._domains)
        if may_be_header and self.awaits_header:
            marked = mark_header(addresses)
            if marked is not None:
                addresses, self.awaits_header = marked, False
        codes, flags = addresses.codes, addresses.flags
        self._seen = mark_seen(self._seen, codes, flags)
        keys, is_gone = addresses.keys, np.zeros(len(codes), np.bool_)
        self._rows.append(RangeRows(read.sizes, codes, flags, read.widths, keys, is_gone))
        if (taken := self._ranks.take(read.ranks)) is not None:
            self._taken.append(taken)
        self._odd_count += read.odd_count
        self._loose_count += len(read.loose_positions)

    def _read(self, block: Block) -> ReadBlock:
        job = self._job
        try:
            read = read_block(self._file, self._column, job.loose, job.keep, False, block)
        except RecordFault as fault:
            raise OddList(fault.words) from fault
        if read is None:
            raise OddList("quotes stand in the middle of cells.")
        return read

    def write_pieces(self, number: int, start: int, end: int) -> RangeRead:
        """Write the pieces of the range, and say what is in them."""
        job = self._job
        rows = self._join()
        count = len(self._domains)  # before canonical spellings are added to them
        ends = self._write_shuffle(number, rows)
        job.put_piece(ROWS, number, rows.pack(with_keys=job.keeps_keys))
        job.put_piece(TEXTS, number, self._write_texts(rows, count))
        widths = rows.widths[rows.codes != BLANK_LINE]
        return RangeRead(
            start,
            end,
            len(rows.codes),
            int(np.count_nonzero(rows.codes >= FIRST_FAULT)),
            int(widths.max(initial=0)),
            self._odd_count,
            self._loose_count,
            self._seen[:FIRST_DOMAIN].tolist(),
            ends,
            asdict(self._ranks.dates),
        )

    def _join(self) -> RangeRows:
        none = np.zeros(0, np.uint32)
        small, wide = none.astype(np.uint8), none.astype(np.uint16)
        empty = RangeRows(none, none, small, wide, none.astype(np.uint64), small.view(np.bool_))
        parts = [empty, *self._rows]
        self._rows.clear()
        return RangeRows(
            np.concatenate([one.sizes for one in parts]),
            np.concatenate([one.codes for one in parts]),
            np.concatenate([one.flags for one in parts]),
            np.concatenate([one.widths for one in parts]),
            np.concatenate([one.keys for one in parts]),
            np.concatenate([one.is_gone for one in parts]),
        )

    def _write_shuffle(self, number: int, rows: RangeRows) -> list[int]:
        """Write what is compared, bucket by bucket.

        Where one bucket has far more rows than another, many of them must be equal: of these each
        range keeps one.
        """
        job = self._job
        compared = np.zeros(0, np.int64)
        if job.deduplicate:
            is_row = (rows.codes >= FIRST_FAULT) & (rows.codes != FAULT_CODES[Reason.EMPTY])
            compared = np.flatnonzero(is_row)
        ranks = np.concatenate(self._taken)[compared] if self._taken else None
        keys = rows.keys[compared]
        domains = self._hash_domains().take(rows.codes[compared])
        buckets, counts = self._share_out(keys)
        is_crowded = counts.max() * job.bucket_count > _CROWD * len(keys)
        if is_crowded and job.keep.keep is not Keep.NEWEST:  # ranks of dates wait for all of them
            is_gone = find_gone_rows(
                keys, domains, ranks=ranks, keeps_first=job.keep.keep is Keep.FIRST
            )
            rows.is_gone[compared[is_gone]] = True
            compared, keys, domains = compared[~is_gone], keys[~is_gone], domains[~is_gone]
            ranks = None if ranks is None else ranks[~is_gone]
            buckets, counts = self._share_out(keys)
        order = np.argsort(buckets, kind="stable")
        entries = np.empty(len(compared), job.shuffle_type)
        entries["row"], entries["key"], entries["domain"] = (
            compared[order],
            keys[order],
            domains[order],
        )
        if ranks is not None:
            entries["rank"] = ranks[order]
        job.put_piece(SHUFFLE, number, entries.tobytes())
        return [int(end) for end in np.cumsum(counts)]

    def _share_out(self, keys: NDArray[np.uint64]) -> tuple[NDArray[np.uint16], NDArray[np.int64]]:
        """Return each row's bucket, and how many rows each bucket has."""
        count = self._job.bucket_count
        buckets = ((keys >> _BUCKET_SHIFT) % np.uint64(count)).astype(np.uint16)
        return buckets, np.bincount(buckets, minlength=count)

    def _hash_domains(self) -> NDArray[np.uint64]:
        """Return by code a hash that all spellings of one domain share, and of one fault."""
        spellings = parse_spellings(self._domains, lambda share: None)
        codes = np.arange(FIRST_DOMAIN, len(spellings.canonical), dtype=np.uint32)
        hashes = np.arange(len(spellings.canonical), dtype=np.uint64)
        hashes[FIRST_DOMAIN:] = StableHash().hash_texts(self._domains.read(codes))
        return hashes.take(spellings.canonical)

    def _write_texts(self, rows: RangeRows, count: int) -> bytes:
        """Return the domains' texts, with which flags rows have each, and how many rows do."""
        codes = np.arange(FIRST_DOMAIN, FIRST_DOMAIN + count, dtype=np.uint32)
        seen = np.zeros(FIRST_DOMAIN + count, np.uint8)
        seen[: len(self._seen)] = self._seen[: len(seen)]
        counts = np.bincount(rows.codes, minlength=len(seen))
        table = pa.table(
            {
                "text": self._domains.read(codes).to_arrow(),
                "seen": seen[FIRST_DOMAIN:],
                "count": counts[FIRST_DOMAIN:],
            }
        )
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
        return bytes(sink.getvalue())


@dataclass(frozen=True, slots=True)
class RangeTexts:
    """The distinct domains of a range by code, each with its at-sign, and what rows have them."""

    texts: pl.Series
    seen: NDArray[np.uint8]
    counts: NDArray[np.int64]

    @classmethod
    def read(cls, job: ClusterJob, number: int) -> "RangeTexts":
        """Read a range's piece."""
        table = pa.ipc.open_stream(job.read_piece(TEXTS, number)).read_all()
        texts = pl.Series(table["text"].combine_chunks())
        seen, counts = (table[name].to_numpy() for name in ("seen", "count"))
        return cls(texts, seen, counts)
