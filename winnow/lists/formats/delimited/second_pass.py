"""The second pass over a text list: kept records written again with the added cells behind."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
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
    """What is written, and how: rows, verdicts, who goes, the added cells, repairs.

    ``form`` is how the text file is written; ``own_suffixes`` are for the bytes of the upload.
    """

    source: RecordsFile
    store: RowStore
    table: VerdictTable
    is_gone: NDArray[np.bool_]
    suffixes: Suffixes
    own_suffixes: Suffixes
    repairs: ListRepairs | None
    form: RowText


@dataclass(frozen=True, slots=True)
class _PlacedBlock:
    """Rows of the first pass, and where their bytes are in the file."""

    offset: int
    rows: RowColumns
    is_kept: NDArray[np.bool_]
    own: tuple[int, NDArray[np.uint32]] | None = None  # offset and sizes in the upload
    repairs: BlockRepairs | None = None


@dataclass(frozen=True, slots=True)
class _JudgedBlock:
    """A block of the result; arrays have an entry a row.

    ``row_count`` counts duplicates too, ``record_count`` blank lines and the header as well.
    """

    text: AugmentedBlock
    own: AugmentedBlock | None
    places: NDArray[np.uint16]
    names: NDArray[np.uint32]
    invalid_count: int
    row_count: int
    record_count: int
    repairs: BlockRepairs | None


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
            judged.own,
            judged.places,
            judged.names,
            judged.invalid_count,
            judged.record_count,
        )
        if repaired is not None and judged.repairs is not None:
            repaired.append(judged.repairs.repaired, judged.text.rows)
        done += judged.row_count
        yield done


def _locate(inputs: Inputs, removed: RemovedRaggedRows) -> Iterator[_PlacedBlock]:
    source, repairs = inputs.source, inputs.repairs
    first, offset = 0, len(source.above)
    lines = source.decoded_from.lines if source.decoded_from is not None else None
    stored = inputs.store.blocks(with_keys=False)
    edits = repeat(None) if repairs is None else repairs.blocks(stored)
    for rows, edit in zip(
        inputs.store.blocks(with_keys=bool(inputs.table.exact)), edits, strict=False
    ):
        size_bytes = int(rows.sizes.sum(dtype=np.int64))
        is_kept = ~inputs.is_gone[first : first + len(rows.sizes)]
        removed.add(offset, rows, is_kept)
        own = None
        if lines is not None:
            own = lines.take(_read_bytes(source.path, offset, size_bytes), rows.sizes)
        yield _PlacedBlock(offset, rows, is_kept, own, edit)
        first += len(rows.sizes)
        offset += size_bytes


def _augment(inputs: Inputs, item: _PlacedBlock) -> _JudgedBlock:
    source, table, rows = inputs.source, inputs.table, item.rows
    places = table.find_places(rows.codes, rows.flags, rows.keys)

    def augment(records: RecordBytes, suffixes: Suffixes) -> AugmentedBlock:
        return augment_block(
            records.data,
            records.sizes,
            rows.codes,
            records.widths,
            item.is_kept,
            places,
            suffixes,
        )

    read = _read_records(source.path, item.offset, rows.sizes, rows.widths)
    edited = read
    if inputs.repairs is not None and item.repairs is not None:
        edited = inputs.repairs.edit(read, rows.codes, item.repairs, inputs.form)
    own = None
    if item.own is not None and source.decoded_from is not None:
        upload = source.decoded_from
        original = _read_records(upload.path, *item.own, rows.widths)
        if inputs.repairs is not None and item.repairs is not None:
            form = replace(inputs.form, encoding=upload.codec)
            original = inputs.repairs.edit_original(original, read, rows.codes, item.repairs, form)
        own = augment(original, inputs.own_suffixes)
    text = augment(edited, inputs.suffixes)
    codes = rows.codes.take(text.rows)
    return _JudgedBlock(
        text,
        own,
        places.take(text.rows),
        table.name_codes.take(codes),
        int(np.count_nonzero(table.spellings.faults.take(codes))),
        int(np.count_nonzero(rows.codes >= FIRST_FAULT)),
        len(rows.codes),
        item.repairs,
    )


def _read_records(
    path: Path, offset: int, sizes: NDArray[np.uint32], widths: NDArray[np.uint16]
) -> RecordBytes:
    return RecordBytes(_read_bytes(path, offset, int(sizes.sum(dtype=np.int64))), sizes, widths)


def _read_bytes(path: Path, offset: int, size_bytes: int) -> Bytes:
    """Return bytes of a file, with room behind them."""
    data = make_room(size_bytes)
    with path.open("rb", buffering=0) as file:
        file.seek(offset)
        fill_from(file, data[:size_bytes])
    return data
