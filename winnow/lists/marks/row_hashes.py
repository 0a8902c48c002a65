"""The rows of a finished project as keyed hashes of their addresses, a stretch at a time."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from winnow.core.tasks.task import InputPlan
from winnow.lists.marks.keyed_hash import AddressHash, Hashes
from winnow.lists.result.row_cells import read_row_cells
from winnow.lists.result.row_columns import RowIndex

_BLOCK_BYTES = 1 << 22  # beside a server's other work


@dataclass(frozen=True, slots=True)
class RowHashes:
    """Some rows that have a usable domain: numbers from 0, domain codes, address hashes."""

    rows: NDArray[np.int64]
    codes: NDArray[np.uint32]
    addresses: Hashes


def read_row_hashes(index: RowIndex, plan: InputPlan, hashes: AddressHash) -> Iterator[RowHashes]:
    """Read a project's rows once more; memory does not grow with them, but with its domains."""
    names = [hashes.hash_domains(some) for some in index.read_names()]
    by_code = np.concatenate([np.zeros(1, np.uint64), *names])
    for cells in read_row_cells(index, plan, hashes.local, block_bytes=_BLOCK_BYTES):
        codes = index.domain_codes(cells.start, len(cells.places))
        usable = np.flatnonzero(codes)
        local_parts = cells.addresses.keys[cells.places[usable]]
        addresses = hashes.hash_addresses(local_parts, by_code[codes[usable]])
        yield RowHashes(usable + cells.start, codes[usable], addresses)
