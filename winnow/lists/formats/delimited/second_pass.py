"""The second pass over a text list: kept records written again with the added cells behind."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from winnow.lists.engine.augment import AugmentedBlock, Suffixes, augment_block, make_room
from winnow.lists.engine.row_codes import FIRST_FAULT
from winnow.lists.engine.verdict_table import VerdictTable
from winnow.lists.execution.ordered import map_in_order
from winnow.lists.execution.result_writer import ResultWriter
from winnow.lists.execution.row_store import RowColumns, RowStore
from winnow.lists.formats.delimited.notices import RemovedRaggedRows
from winnow.lists.formats.delimited.records_file import RecordsFile
from winnow.lists.text.block_reader import fill_from


@dataclass(frozen=True, slots=True)
class _PlacedBlock:
    """Rows of the first pass, and where their bytes are in the file."""

    offset: int
    rows: RowColumns
    is_kept: NDArray[np.bool_]
    own: tuple[int, NDArray[np.uint32]] | None = None  # offset and sizes in the upload


@dataclass(frozen=True, slots=True)
class _JudgedBlock:
    """A block of the result; arrays have an entry a row. ``row_count`` counts duplicates too."""

    text: AugmentedBlock
    own: AugmentedBlock | None
    places: NDArray[np.uint16]
    names: NDArray[np.uint32]
    invalid_count: int
    row_count: int


def write_rows(
    source: RecordsFile,
    store: RowStore,
    table: VerdictTable,
    is_gone: NDArray[np.bool_],
    suffixes: Suffixes,
    writer: ResultWriter,
    removed: RemovedRaggedRows,
) -> Iterator[int]:
    """Write every kept row of the store; yields the rows done, duplicates among them."""
    done = 0
    work = partial(_augment, source, table, suffixes)
    for judged in map_in_order(work, _locate(source, store, table, is_gone, removed)):
        writer.write(judged.text, judged.own, judged.places, judged.names, judged.invalid_count)
        done += judged.row_count
        yield done


def _locate(
    source: RecordsFile,
    store: RowStore,
    table: VerdictTable,
    is_gone: NDArray[np.bool_],
    removed: RemovedRaggedRows,
) -> Iterator[_PlacedBlock]:
    first, offset = 0, len(source.above)
    lines = source.decoded_from.lines if source.decoded_from is not None else None
    for rows in store.blocks(with_keys=bool(table.exact)):
        size_bytes = int(rows.sizes.sum(dtype=np.int64))
        is_kept = ~is_gone[first : first + len(rows.sizes)]
        removed.add(offset, rows, is_kept)
        own = None
        if lines is not None:
            own = lines.take(_read_bytes(source.path, offset, size_bytes), rows.sizes)
        yield _PlacedBlock(offset, rows, is_kept, own)
        first += len(rows.sizes)
        offset += size_bytes


def _augment(
    source: RecordsFile, table: VerdictTable, suffixes: Suffixes, item: _PlacedBlock
) -> _JudgedBlock:
    rows = item.rows
    places = table.find_places(rows.codes, rows.flags, rows.keys)

    def augment(path: Path, offset: int, sizes: NDArray[np.uint32]) -> AugmentedBlock:
        data = _read_bytes(path, offset, int(sizes.sum(dtype=np.int64)))
        return augment_block(data, sizes, rows.codes, rows.widths, item.is_kept, places, suffixes)

    text = augment(source.path, item.offset, rows.sizes)
    own = None
    if item.own is not None and source.decoded_from is not None:
        own = augment(source.decoded_from.path, *item.own)
    codes = rows.codes.take(text.rows)
    return _JudgedBlock(
        text,
        own,
        places.take(text.rows),
        table.name_codes.take(codes),
        int(np.count_nonzero(table.spellings.faults.take(codes))),
        int(np.count_nonzero(rows.codes >= FIRST_FAULT)),
    )


def _read_bytes(path: Path, offset: int, size_bytes: int) -> NDArray[np.uint8]:
    """Return bytes of a file, with room behind them."""
    data = make_room(size_bytes)
    with path.open("rb", buffering=0) as file:
        file.seek(offset)
        fill_from(file, data[:size_bytes])
    return data
