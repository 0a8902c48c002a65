"""Keyed hashes of the addresses of a finished project's rows, a stretch at a time."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from winnow.lists.marks.keyed_hash import AddressHash, Hashes, KeyedHash
from winnow.lists.result.cell_questions import CellReader
from winnow.lists.result.row_columns import RowIndex

if TYPE_CHECKING:
    from winnow.lists.result.cell_table import CellTable


@dataclass(frozen=True, slots=True)
class RowHashes:
    """Some rows that have a usable domain: numbers from 0, domain codes, address hashes."""

    rows: NDArray[np.int64]
    codes: NDArray[np.uint32]
    addresses: Hashes


def read_row_hashes(cells: CellReader, hashes: AddressHash) -> Iterator[RowHashes]:
    """Hash a project's addresses; eight bytes a row stay in memory."""
    index = RowIndex.open(cells.folder)
    names = [hashes.hash_domains(some) for some in index.read_names()]
    by_code = np.concatenate([np.zeros(1, np.uint64), *names])
    local_parts = cells.find(hash_local_parts, hashes.local)
    for start, count in index.iterate_runs():
        codes = index.domain_codes(start, count)
        usable = np.flatnonzero(codes > 0)
        rows, codes = usable + start, codes[usable]
        yield RowHashes(rows, codes, hashes.hash_addresses(local_parts[rows], by_code[codes]))


def hash_local_parts(table: "CellTable", local: KeyedHash) -> Hashes:
    """Return the hash of each row's local part, as duplicates share it."""
    found = np.empty(table.index.row_count, np.uint64)
    start = 0
    for texts in table.stream_texts(table.address):
        local_parts = texts.str.replace("@[^@]*$", "")
        found[start : start + len(texts)] = local.hash_texts(local_parts)
        start += len(texts)
    return found
