"""Search for the rows that own-list entries decide, when a finished project is read."""

from collections.abc import Iterator, Mapping

import numpy as np
import polars as pl
from numpy.typing import NDArray

from winnow.core.own_lists.patterns import OwnLists
from winnow.lists.result import cell_queries
from winnow.lists.result.cell_questions import CellReader
from winnow.lists.result.row_columns import RowIndex

ROWS_PER_CHUNK = 1 << 16
_CELLS_AT_ONCE = ROWS_PER_CHUNK * 64  # some 40 bytes each in a download of another form


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
    index: RowIndex, cells: CellReader, own: OwnLists
) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """Return the rows whose whole address has an entry, ascending, and the places plus 1."""
    domains = pl.Series([key.rpartition("@")[2] for key in own.addresses], dtype=pl.String)
    domains = domains.unique().implode()
    if not own.addresses or not any(names.is_in(domains).any() for names in index.read_names()):
        return np.empty(0, np.int64), np.empty(0, np.uint32)
    rows, found = cells.find(cell_queries.find_addresses, list(own.addresses))
    places = np.array(list(own.addresses.values()), np.uint32)[found] + np.uint32(1)
    is_usable = [index.domain_codes(row, 1)[0] > 0 for row in rows.tolist()]
    return rows[is_usable], places[is_usable]


def iterate_runs(row_count: int, width: int = 1) -> Iterator[tuple[int, int]]:
    """Yield start and count of stretches of rows; of very wide ones, that are taken apart, less."""
    step = max(1, min(ROWS_PER_CHUNK, _CELLS_AT_ONCE // max(1, width)))
    for start in range(0, row_count, step):
        yield start, min(step, row_count - start)
