"""Rows of a finished project that a file names, stored so that pages search only once."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from winnow.core.bounces import MailOutcome
from winnow.lists.execution.run_files import create_durably
from winnow.lists.marks.bounce_keys import OUTCOMES, BounceKeys
from winnow.lists.marks.keyed_hash import AddressHash
from winnow.lists.marks.named_keys import MemberTest, NamedKeys
from winnow.lists.marks.row_hashes import RowHashes, read_row_hashes
from winnow.lists.result.cell_questions import CellReader
from winnow.lists.result.row_columns import RowIndex

Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class MatchedRows:
    """The rows of a project, counted from 0 and rising, that a file names.

    ``places`` are those of a bounce file's entries, one a row; none for a do-not-mail file.
    """

    rows: Rows
    places: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))


def find_named_rows(
    cells: CellReader,
    files: Sequence[NamedKeys | BounceKeys],
    hashes: AddressHash,
) -> list[MatchedRows]:
    """Return for each file the rows whose address or domain it names.

    The list is read once for all of them; a row without a usable domain never matches.
    """
    index = RowIndex.open(cells.folder)
    finders = [_make_finder(index, keys, hashes) for keys in files]
    found: list[list[MatchedRows]] = [[MatchedRows(np.empty(0, np.int64))] for _ in files]
    for some in read_row_hashes(cells, hashes):
        for place, find in enumerate(finders):
            found[place].append(find(some))
    return [
        MatchedRows(
            np.concatenate([part.rows for part in parts]),
            np.concatenate([part.places for part in parts]),
        )
        for parts in found
    ]


def _make_finder(
    index: RowIndex, keys: NamedKeys | BounceKeys, hashes: AddressHash
) -> Callable[[RowHashes], MatchedRows]:
    test = MemberTest(keys.addresses)
    if isinstance(keys, BounceKeys):
        addresses = keys.addresses

        def find_bounced(some: RowHashes) -> MatchedRows:
            is_hit = test.find(some.addresses)
            places = np.searchsorted(addresses, some.addresses[is_hit])
            return MatchedRows(some.rows[is_hit], places)

        return find_bounced
    names = (keys.find_domains(some, hashes) for some in index.read_names())
    is_named = np.concatenate([np.zeros(1, np.bool_), *names])
    return lambda some: MatchedRows(some.rows[test.find(some.addresses) | is_named[some.codes]])


def write_rows(matched: MatchedRows, path: Path) -> None:
    """Write matched rows to a new file, synced."""
    with create_durably(path) as file:
        file.write(np.array([len(matched.rows)], "<u8").tobytes())
        file.write(matched.rows.astype("<u4").data)  # a list has fewer than 2**32 rows
        file.write(matched.places.astype("<u4").data)


def read_rows(path: Path) -> MatchedRows:
    """Read a file of ``write_rows``.

    Raises:
        FileNotFoundError: There is no such file, or it was cut: it is to be made again.
    """
    content = path.read_bytes()
    is_ours = len(content) >= 8 and len(content) % 4 == 0
    count = int(np.frombuffer(content, "<u8", 1)[0]) if is_ours else -1
    numbers = np.frombuffer(content[8:] if is_ours else b"", "<u4")
    if len(numbers) not in (count, 2 * count):
        raise FileNotFoundError(path.name)
    return MatchedRows(numbers[:count].astype(np.int64), numbers[count:].astype(np.int64))


def settle_rows(
    told: Sequence[tuple[BounceKeys, MatchedRows]],
) -> Mapping[MailOutcome, NDArray[np.int64]]:
    """Return the rows of each outcome, rising: of a row its newest event, on one day the worst."""
    rows = np.concatenate([np.empty(0, np.int64), *(matched.rows for _, matched in told)])
    days = np.concatenate(
        [np.empty(0, np.int32), *(keys.days[matched.places] for keys, matched in told)]
    )
    outcomes = np.concatenate(
        [np.empty(0, np.uint8), *(keys.outcomes[matched.places] for keys, matched in told)]
    )
    order = np.lexsort((-outcomes.astype(np.int16), days, rows))
    rows, outcomes = rows[order], outcomes[order]
    is_last = np.ones(len(rows), np.bool_)
    np.not_equal(rows[1:], rows[:-1], out=is_last[:-1])
    rows, outcomes = rows[is_last], outcomes[is_last]
    return {outcome: rows[outcomes == place] for place, outcome in enumerate(OUTCOMES)}
