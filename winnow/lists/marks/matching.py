"""Rows of a finished project that a file names, stored so that pages search only once."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from winnow.core.lists.side_files import MailOutcome
from winnow.lists.execution.run_files import create_durably
from winnow.lists.marks.key_files import (
    OUTCOMES,
    Events,
    OwnKeys,
    find_members,
    settle_events,
    split_events,
)
from winnow.lists.marks.keyed_hash import AddressHash, Hashes, KeyedHash
from winnow.lists.result.cell_questions import CellReader
from winnow.lists.result.row_index import RowIndex

if TYPE_CHECKING:
    from winnow.lists.result.cell_table import CellTable

Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class MatchedRows:
    """The rows of a project, counted from 0 and rising, that a file names.

    ``events`` are those of a bounce file, one a row; a do-not-mail file has none.
    """

    rows: Rows
    events: Events = field(default_factory=lambda: np.empty(0, np.int64))


def find_named_rows(
    cells: CellReader, files: Sequence[OwnKeys], hashes: AddressHash
) -> list[MatchedRows]:
    """Return for each file the rows whose address or domain it names.

    The list is read once for all of them; a row without a usable domain never matches.
    """
    index = RowIndex.open(cells.folder)
    named = [  # by domain code
        np.concatenate([[False], *(keys.find_domains(some, hashes) for some in index.read_names())])
        for keys in files
    ]
    found: list[list[MatchedRows]] = [[MatchedRows(np.empty(0, np.int64))] for _ in files]
    for rows, codes, addresses in read_row_hashes(cells, hashes):
        for parts, keys, is_named in zip(found, files, named, strict=True):
            is_hit = find_members(keys.addresses, addresses)
            events = keys.find_events(addresses[is_hit])
            parts.append(MatchedRows(rows[is_hit | is_named[codes]], events))
    return list(map(_join, found))


def _join(parts: Sequence[MatchedRows]) -> MatchedRows:
    rows, events = [part.rows for part in parts], [part.events for part in parts]
    return MatchedRows(np.concatenate(rows), np.concatenate(events))


def read_row_hashes(
    cells: CellReader, hashes: AddressHash
) -> Iterator[tuple[Rows, NDArray[np.uint32], Hashes]]:
    """Yield rows with a usable domain: numbers from 0, domain codes, address hashes.

    Eight bytes a row stay in memory.
    """
    index = RowIndex.open(cells.folder)
    names = [hashes.hash_domains(some) for some in index.read_names()]
    by_code = np.concatenate([np.zeros(1, np.uint64), *names])
    local_parts = cells.find(hash_local_parts, hashes.local)
    for start, count in index.iterate_runs():
        codes = index.domain_codes(start, count)
        usable = np.flatnonzero(codes > 0)
        rows, codes = usable + start, codes[usable]
        yield rows, codes, hashes.hash_addresses(local_parts[rows], by_code[codes])


def hash_local_parts(table: "CellTable", local: KeyedHash) -> Hashes:
    """Return the hash of each row's local part, as duplicates share it."""
    found = np.empty(table.index.row_count, np.uint64)
    start = 0
    for texts in table.stream_texts(table.address):
        local_parts = texts.str.replace("@[^@]*$", "")
        found[start : start + len(texts)] = local.hash_texts(local_parts)
        start += len(texts)
    return found


def write_rows(matched: MatchedRows, path: Path) -> None:
    """Write matched rows to a new file, synced."""
    with create_durably(path) as file:
        file.write(np.array([len(matched.rows)], "<u8").tobytes())
        file.write(matched.rows.astype("<u4").data)  # a list has fewer than 2**32 rows
        file.write(matched.events.astype("<i8").data)


def read_rows(path: Path) -> MatchedRows:
    """Read a file of ``write_rows``.

    Raises:
        FileNotFoundError: There is no such file, or it was cut, or is a bounce file's of an
            earlier release: it is to be made again.
    """
    content = path.read_bytes()
    count = int.from_bytes(content[:8], "little")
    if len(content) not in (8 + 4 * count, 8 + 12 * count):
        raise FileNotFoundError(path.name)
    rows = np.frombuffer(content, "<u4", count, 8)
    events = np.frombuffer(content, "<i8", offset=8 + 4 * count)
    return MatchedRows(rows.astype(np.int64), events.astype(np.int64))


def settle_rows(files: Sequence[MatchedRows]) -> Mapping[MailOutcome, Rows]:
    """Return the rows of each outcome, rising, by the bounce files that name them."""
    every = _join([MatchedRows(np.empty(0, np.int64)), *files])
    rows, events = settle_events(every.rows, every.events)
    outcomes, _ = split_events(events)
    return {outcome: rows[outcomes == place] for place, outcome in enumerate(OUTCOMES)}
