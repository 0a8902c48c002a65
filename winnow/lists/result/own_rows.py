"""Which rows of a finished project an own-list entry decides, found when the project is read."""

from collections.abc import Callable, Iterator, Mapping

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from winnow.core.addresses.address import duplicate_key
from winnow.core.own_lists.patterns import OwnLists
from winnow.lists.result.row_columns import RowIndex
from winnow.lists.result.row_search import read_bytes
from winnow.lists.text.escapes import BACKSLASH, blot_escaped

ROWS_PER_CHUNK = 1 << 16
_CELLS_AT_ONCE = ROWS_PER_CHUNK * 64  # some 40 bytes each in a download of another form

_AT, _QUOTE, _FIRST_BEYOND_ASCII = 64, 34, 128
_ATOM_MARKS = b"!#$%&'*+-/=?^_`{|}~."  # RFC 5322, 3.2.3, and the dot between atoms

ReadEmail = Callable[[int], str]
"""Returns the email cell of a row, counted from 0."""


def number_domains(index: RowIndex, own: OwnLists) -> NDArray[np.uint32]:
    """Return, by domain code, the entry that decides for the domain: its place plus 1, 0 for none.

    The same as ``OwnLists.match_domain`` for every name, by array operations.
    """
    found = [np.zeros(1, np.uint32)]
    by_depth: dict[int, dict[str, int]] = {}
    for parent, place in own.wildcards.items():
        by_depth.setdefault(parent.count("."), {})[parent] = place + 1
    domains = {domain: place + 1 for domain, place in own.domains.items()}
    for names in index.read_names():
        numbers = np.zeros(len(names), np.uint32)
        for dots in sorted(by_depth):  # the longer wildcard has the last word
            parents = names.str.extract(rf"\.((?:[^.]+\.){{{dots}}}[^.]+)$")
            _put(numbers, parents, by_depth[dots])
        if domains:
            _put(numbers, names, domains)
        found.append(numbers)
    return np.concatenate(found)


def _put(numbers: NDArray[np.uint32], names: pl.Series, wanted: Mapping[str, int]) -> None:
    values = pl.Series(list(wanted.values()), dtype=pl.UInt32)
    given = names.replace_strict(list(wanted), values, default=0, return_dtype=pl.UInt32)
    hits = given.fill_null(0).to_numpy()
    np.copyto(numbers, hits, where=hits > 0)


def find_addresses(
    index: RowIndex, own: OwnLists, read_email: ReadEmail
) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """Return the rows whose whole address has an entry, ascending, and the places plus 1.

    Only rows of the entries' domains are looked at, and there only what stands before an
    at-sign; a row is taken apart only where that leaves a doubt.
    """
    wanted = _AddressTable.build(index, own)
    rows: list[NDArray[np.int64]] = [np.empty(0, np.int64)]
    numbers: list[NDArray[np.uint32]] = [np.empty(0, np.uint32)]
    if wanted is None:
        return rows[0], numbers[0]
    for start in range(0, index.row_count, ROWS_PER_CHUNK):
        count = min(ROWS_PER_CHUNK, index.row_count - start)
        codes = index.domain_codes(start, count)
        if not wanted.is_wanted[codes].any():
            continue
        found = wanted.match(index, start, codes)
        for row in found.doubtful.tolist():
            place = own.addresses.get(duplicate_key(read_email(start + row)))
            found.numbers[row] = 0 if place is None else place + 1
        places = np.flatnonzero(found.numbers)
        rows.append(places + start)
        numbers.append(found.numbers[places])
    return np.concatenate(rows), np.concatenate(numbers)


class _Found:
    """Entries by row of a chunk, and the rows that must be taken apart to be sure."""

    def __init__(self, count: int) -> None:
        self.numbers = np.zeros(count, np.uint32)
        self.doubtful: NDArray[np.int64] = np.empty(0, np.int64)


class _AddressTable:
    """The address entries whose domain is in a project, by local part and domain code."""

    def __init__(
        self, table: pl.DataFrame, is_wanted: NDArray[np.bool_], is_atom: NDArray[np.bool_]
    ) -> None:
        self._table = table
        self.is_wanted = is_wanted
        self._is_atom = is_atom

    @classmethod
    def build(cls, index: RowIndex, own: OwnLists) -> "_AddressTable | None":
        keys = list(own.addresses)
        entries = pl.DataFrame(
            {
                "local": [key.rpartition("@")[0] for key in keys],
                "domain": [key.rpartition("@")[2] for key in keys],
                "number": pl.Series(
                    [place + 1 for place in own.addresses.values()], dtype=pl.UInt32
                ),
            },
            schema_overrides={"local": pl.String, "domain": pl.String},
        )
        codes: list[pl.DataFrame] = []
        count = 1
        domains = entries["domain"].unique()
        for names in index.read_names():
            known = pl.DataFrame(
                {"domain": names, "code": pl.arange(count, count + len(names), eager=True)}
            )
            codes.append(known.filter(pl.col("domain").is_in(domains.implode())))
            count += len(names)
        is_wanted = np.zeros(count, np.bool_)
        if not keys or not codes:
            return None
        present = entries.join(pl.concat(codes), on="domain")
        is_wanted[present["code"].to_numpy()] = True
        delimiter = index.text.delimiter
        # A local part with the delimiter in it is found by what stands behind that, and checked.
        has_delimiter = pl.col("local").str.contains(delimiter, literal=True)
        table = present.select(
            pl.col("local").str.split(delimiter).list.last().cast(pl.Binary),
            pl.col("code").cast(pl.UInt32),
            pl.col("number"),
            has_delimiter.alias("is_doubtful"),
        ).unique(["local", "code"], keep="any")
        is_atom = np.zeros(256, np.bool_)
        is_atom[list(b"abcdefghijklmnopqrstuvwxyz0123456789" + _ATOM_MARKS)] = True
        is_atom[_FIRST_BEYOND_ASCII:] = True
        is_atom[ord(delimiter)] = False
        return cls(table, is_wanted, is_atom)

    def match(self, index: RowIndex, start: int, codes: NDArray[np.uint32]) -> _Found:
        """Match the rows of one chunk by what stands before their at-signs."""
        found = _Found(len(codes))
        bounds = index.bounds(start, len(codes))
        data = read_bytes(index, int(bounds[0]), int(bounds[-1]))
        bounds = bounds - bounds[0]
        is_upper = (data - np.uint8(65)) < np.uint8(26)
        lowered = data | (is_upper.view(np.uint8) << np.uint8(5))
        at_signs = np.flatnonzero(lowered == _AT)
        rows = np.searchsorted(bounds, at_signs, side="right") - 1
        is_candidate = self.is_wanted[codes[rows]]
        at_signs, rows = at_signs[is_candidate], rows[is_candidate]
        if not len(at_signs):
            return found
        shape = blot_escaped(lowered) if index.text.escape else lowered
        breaks = np.flatnonzero(~self._is_atom[shape])
        before = np.searchsorted(breaks, at_signs) - 1
        starts = np.where(before >= 0, breaks[np.maximum(before, 0)] + 1, 0)
        pairs = pl.DataFrame(
            {"local": _slice(lowered, starts, at_signs), "code": codes[rows].astype(np.uint32)}
        ).join(self._table, on=["local", "code"], how="left", maintain_order="left")
        numbers = pairs["number"].fill_null(0).to_numpy()
        is_hit = numbers > 0
        is_alone = np.bincount(rows, minlength=len(codes))[rows] == 1
        beyond_ascii = np.flatnonzero(lowered >= _FIRST_BEYOND_ASCII)
        is_odd = np.searchsorted(beyond_ascii, at_signs) > np.searchsorted(beyond_ascii, starts)
        is_odd |= lowered[np.maximum(at_signs - 1, 0)] == _QUOTE
        if index.text.escape:
            is_odd |= lowered[np.maximum(starts - 1, 0)] == BACKSLASH
        is_odd |= is_hit & (~is_alone | pairs["is_doubtful"].fill_null(value=False).to_numpy())
        found.numbers[rows[is_hit]] = numbers[is_hit]
        found.doubtful = np.unique(rows[is_odd])
        return found


def _slice(
    data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> pl.Series:
    offsets = np.empty(2 * len(starts) + 1, np.int64)
    offsets[0:-1:2] = starts
    offsets[1::2] = ends
    offsets[-1] = ends[-1]
    pieces = pa.LargeBinaryArray.from_buffers(
        pa.large_binary(), 2 * len(starts), [None, pa.py_buffer(offsets), pa.py_buffer(data)]
    )
    return pl.Series("local", pl.from_arrow(pieces)).gather_every(2)


def iterate_runs(row_count: int, width: int = 1) -> Iterator[tuple[int, int]]:
    """Yield start and count of stretches of rows; of very wide ones, that are taken apart, less."""
    step = max(1, min(ROWS_PER_CHUNK, _CELLS_AT_ONCE // max(1, width)))
    for start in range(0, row_count, step):
        yield start, min(step, row_count - start)
