"""Second pass over a text list: kept records written again with the added cells after them."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import repeat
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from winnow.lists.engine.augment import AugmentedBlock, Suffixes, augment_block, make_room
from winnow.lists.engine.record_edits import RecordBytes
from winnow.lists.engine.row_codes import FIRST_FAULT
from winnow.lists.engine.verdict_table import VerdictTable
from winnow.lists.execution.ordered import map_in_order
from winnow.lists.execution.repairs_writer import RepairsWriter
from winnow.lists.execution.result_writer import ResultWriter
from winnow.lists.execution.row_store import RowColumns, RowStore
from winnow.lists.formats.delimited.list_repairs import BlockRepairs, ListRepairs
from winnow.lists.formats.delimited.notices import RemovedRaggedRows
from winnow.lists.formats.delimited.records_file import RecordsFile
from winnow.lists.result.row_index import RowText
from winnow.lists.text.block_reader import fill_from
from winnow.lists.text.records import Bytes


@dataclass(frozen=True, slots=True)
class Inputs:
    """What is written, and how: rows, verdicts, removed rows, the added cells, repairs.

    ``form`` is how the text file is written.
    """

    source: RecordsFile
    store: RowStore
    table: VerdictTable
    is_gone: NDArray[np.bool_]
    suffixes: Suffixes
    repairs: ListRepairs | None
    form: RowText


@dataclass(frozen=True, slots=True)
class _PlacedBlock:
    """Rows of the first pass, and where their bytes are in the file."""

    offset: int
    rows: RowColumns
    is_kept: NDArray[np.bool_]
    repairs: BlockRepairs | None = None


@dataclass(frozen=True, slots=True)
class _JudgedBlock:
    """A block of the result; arrays have an entry a row.

    ``row_count`` counts duplicates too, ``record_count`` blank lines and the header as well.
    """

    text: AugmentedBlock
    places: NDArray[np.uint16]
    names: NDArray[np.uint32]
    invalid_count: int
    row_count: int
    record_count: int
    repairs: BlockRepairs | None
    duplicates_invalid: int


def write_rows(
    inputs: Inputs,
    writer: ResultWriter,
    removed: RemovedRaggedRows,
    repaired: RepairsWriter | None = None,
) -> Iterator[int]:
    """Write every kept row of the store; yields the rows done, duplicates among them."""
    done = 0
    work = partial(_augment, inputs)
    for judged in map_in_order(work, _locate(inputs, removed)):
        writer.write(
            judged.text,
            judged.places,
            judged.names,
            judged.invalid_count,
            judged.record_count,
        )
        writer.row_counter.duplicates_invalid += judged.duplicates_invalid
        if repaired is not None and judged.repairs is not None:
            repaired.append(judged.repairs.repaired, judged.text.rows)
        done += judged.row_count
        yield done


def _locate(inputs: Inputs, removed: RemovedRaggedRows) -> Iterator[_PlacedBlock]:
    source, repairs = inputs.source, inputs.repairs
    first, offset = 0, len(source.above)
    edits = repeat(None) if repairs is None else repairs.blocks()
    for rows, edit in zip(
        inputs.store.blocks(with_keys=bool(inputs.table.exact)), edits, strict=False
    ):
        size_bytes = int(rows.sizes.sum(dtype=np.int64))
        is_kept = ~inputs.is_gone[first : first + len(rows.sizes)]
        removed.add(offset, rows, is_kept)
        yield _PlacedBlock(offset, rows, is_kept, edit)
        first += len(rows.sizes)
        offset += size_bytes


def _augment(inputs: Inputs, item: _PlacedBlock) -> _JudgedBlock:
    source, table, rows = inputs.source, inputs.table, item.rows
    places = table.find_places(rows.codes, rows.flags, rows.keys)
    size_bytes = int(rows.sizes.sum(dtype=np.int64))
    data = _read_bytes(source.path, item.offset, size_bytes)
    records = RecordBytes(data, rows.sizes, rows.widths)
    if inputs.repairs is not None and item.repairs is not None:
        records = inputs.repairs.edit(records, rows.codes, item.repairs, inputs.form)
    text = augment_block(
        records.data,
        records.sizes,
        rows.codes,
        records.widths,
        item.is_kept,
        places,
        inputs.suffixes,
    )
    codes = rows.codes.take(text.rows)
    return _JudgedBlock(
        text,
        places.take(text.rows),
        table.name_codes.take(codes),
        int(np.count_nonzero(table.spellings.faults.take(codes))),
        int(np.count_nonzero(rows.codes >= FIRST_FAULT)),
        len(rows.codes),
        item.repairs,
        int(np.count_nonzero(table.spellings.faults.take(rows.codes[~item.is_kept]))),
    )


def _read_bytes(path: Path, offset: int, size_bytes: int) -> Bytes:
    """Return bytes of a file, with space after them."""
    data = make_room(size_bytes)
    with path.open("rb", buffering=0) as file:
        file.seek(offset)
        fill_from(file, data[:size_bytes])
    return data
