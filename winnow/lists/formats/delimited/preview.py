"""A CSV or TSV list for the preview: all its rows where it is small, else windows across it."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from winnow.core.tasks.task import InputPlan
from winnow.lists.engine.address_column import AddressBlock, AddressColumn
from winnow.lists.engine.both_addresses import AddressCodes
from winnow.lists.engine.domain_texts import DomainTexts
from winnow.lists.engine.row_codes import BLANK_LINE, FIRST_DOMAIN, HEADER
from winnow.lists.execution.blocks import skip_lines, work_in_order
from winnow.lists.formats.delimited.first_pass import find_addresses
from winnow.lists.formats.delimited.misread_rows import refuse_misread
from winnow.lists.formats.delimited.transcode import decode_file
from winnow.lists.formats.delimited.windows import (
    WholeRecords,
    choose_window_bytes,
    cut_records,
    read_windows,
)
from winnow.lists.preview.row_sample import RowSample, keep_rows
from winnow.lists.requests import SampleRequest
from winnow.lists.text.block_reader import Block, Marks
from winnow.lists.text.cell_text import decode_cell, find_bom, keeps_ascii
from winnow.lists.text.loose_lines import LooseLines
from winnow.lists.text.records import (
    Bytes,
    Positions,
    RecordFault,
    Records,
    drop_end_mark,
    scan_records,
)

_BLOCK_BYTES = 1 << 20  # small blocks: the server's memory counts, not the last tenth of speed
_START_BYTES = 1 << 20

_NOTHING = AddressCodes.join(())


def sample_delimited(request: SampleRequest) -> RowSample:
    """Read the email column of a list, or of parts of it.

    A list in UTF-16 is written to the scratch folder in UTF-8, in passing.

    Raises:
        BrokenFile: Where a list that is read whole cannot be read on; the line is named.
    """
    path, plan, limits, row_count = request.path, request.plan, request.limits, request.row_count
    with path.open("rb") as file:
        bom, codec = find_bom(file.read(4), plan.encoding)
    domains = DomainTexts(FIRST_DOMAIN)
    is_raw = keeps_ascii(codec)
    inner = codec if is_raw else "utf-8"
    column = AddressColumn(
        partial(decode_cell, codec=inner, escape=plan.escape),
        request.role_names,
        is_utf8=inner == "utf-8",
        has_escapes=bool(plan.escape),
    )
    size_bytes, record_bytes = path.stat().st_size, _measure_records(path)
    expected_rows = max(row_count or 0, round(size_bytes / record_bytes))  # blank lines as well
    if size_bytes > limits.text_bytes or expected_rows > limits.rows:
        window_bytes = choose_window_bytes(size_bytes, record_bytes)
        begin = len(bom)
        if is_raw:
            begin += len(skip_lines(path, begin, plan.preamble_lines))
        row_bytes = size_bytes / max(1, expected_rows)
        sample_bytes = min(limits.sample_bytes, round(limits.rows * row_bytes))
        windows = read_windows(path, begin, window_bytes, sample_bytes)
        sample, share = _sample_windows(windows, codec, plan, column, domains)
        unpacked = (size_bytes - len(bom)) * share
        return replace(sample, row_count=max(row_count or round(unpacked), len(sample)))
    if is_raw:
        return _read_whole(path, len(bom), plan, column, domains)
    decoded = request.scratch / "preview.input"
    try:
        decode_file(path, len(bom), codec, decoded, lambda rows, total, done: None)
        return _read_whole(decoded, 0, plan, column, domains)
    finally:
        decoded.unlink(missing_ok=True)


def _read_whole(
    path: Path, begin: int, plan: InputPlan, column: AddressColumn, domains: DomainTexts
) -> RowSample:
    marks = Marks.of(plan.delimiter, plan.escape, is_settled=plan.escape_is_chosen)
    begin += len(skip_lines(path, begin, plan.preamble_lines))
    loose = LooseLines.of(path, begin, plan)

    def read(block: Block) -> tuple[AddressBlock, ...] | None:
        records = scan_records(
            block.shape, marks.delimiter, plan.email_column, block.quotes, len(plan.columns)
        )
        if records is None:
            return None
        records, others = find_addresses(records, block.data, plan)
        columns = (records,) if others is None else (records, others)
        if block.added_line_end:
            for one in columns:
                drop_end_mark(one)
        loose.mark(records, block.offset)
        width = len(plan.columns)
        odd = np.flatnonzero((records.widths != width) & ~records.is_blank)
        refuse_misread(block.data, records, odd, marks, width)
        return tuple(_read_cells(column, one, block.data) for one in columns)

    blocks = work_in_order(path, begin, marks, read, block_bytes=_BLOCK_BYTES)
    first, others = _join([_number(some, domains) for some in blocks])
    if plan.has_header:
        first.codes[np.flatnonzero(first.codes != BLANK_LINE)[:1]] = HEADER
    rows = keep_rows(first.codes)
    of_one = np.zeros(len(rows), np.uint32)
    return _pick_rows(rows, first, others, of_one, domains, is_whole=True)


def _sample_windows(
    windows: Iterable[bytes],
    codec: str,
    plan: InputPlan,
    column: AddressColumn,
    domains: DomainTexts,
) -> tuple[RowSample, float]:
    """Read windows; return their rows, and how many rows a byte of the file is.

    Each window loses what stands before its first line end: the header is never seen.
    """
    pieces: list[WholeRecords] = []
    raw_bytes = text_bytes = 0
    is_raw = keeps_ascii(codec)
    for window in windows:
        raw_bytes += len(window)
        text = window if is_raw else window.decode(codec, "ignore").encode()
        text_bytes += len(text)
        piece = cut_records(text, ord(plan.delimiter), has_escapes=bool(plan.escape))
        if piece is not None:
            pieces.append(piece)
    ends = np.cumsum([len(piece.data) for piece in pieces], dtype=np.int64)
    data, shape, quotes = _join_pieces(pieces)
    addresses, starts = _read_pieces(data, shape, quotes, plan, column, domains)
    first, others = _join(addresses)
    rows = keep_rows(first.codes)
    blocks = np.searchsorted(ends, starts[rows], side="right").astype(np.uint32)
    rows_per_byte = len(rows) / max(1, len(data)) * text_bytes / max(1, raw_bytes)
    return _pick_rows(rows, first, others, blocks, domains, is_whole=False), rows_per_byte


def _measure_records(path: Path) -> float:
    """Return about how many bytes a line of the file takes."""
    with path.open("rb") as file:
        start = file.read(_START_BYTES)
    return len(start) / max(1, start.count(b"\n"), start.count(b"\r"))


def _join_pieces(pieces: Sequence[WholeRecords]) -> tuple[Bytes, Bytes, Positions]:
    data, shape, quotes = [np.empty(0, np.uint8)], [np.empty(0, np.uint8)], [np.empty(0, np.int64)]
    start = 0
    for piece in pieces:
        data.append(piece.data)
        shape.append(piece.shape)
        quotes.append(piece.quotes + start)
        start += len(piece.data)
    return np.concatenate(data), np.concatenate(shape), np.concatenate(quotes)


def _read_pieces(
    data: Bytes,
    shape: Bytes,
    quotes: Positions,
    plan: InputPlan,
    column: AddressColumn,
    domains: DomainTexts,
) -> tuple[list[tuple[AddressBlock, ...]], Positions]:
    """Read the joined records; ones that no reader could take leave nothing to tell."""
    nothing = np.empty(0, np.int64)
    if not len(data):
        return [], nothing
    try:
        records = scan_records(
            shape, ord(plan.delimiter), plan.email_column, quotes, len(plan.columns)
        )
    except RecordFault:
        records = None
    if records is None:
        return [], nothing
    records, others = find_addresses(records, data, plan)
    LooseLines(ord(plan.delimiter), len(plan.columns), plan.email_column).mark(records, 0)
    columns = (records,) if others is None else (records, others)
    read = tuple(_read_cells(column, one, data) for one in columns)
    return [_number(read, domains)], records.starts


def _read_cells(column: AddressColumn, records: Records, data: Bytes) -> AddressBlock:
    return column.read(data, records.cell_starts, records.cell_ends, records.is_blank)


def _number(blocks: Sequence[AddressBlock], domains: DomainTexts) -> tuple[AddressBlock, ...]:
    return tuple(block.number_domains(domains) for block in blocks)


def _join(blocks: Sequence[Sequence[AddressBlock]]) -> tuple[AddressCodes, AddressCodes | None]:
    """Put the addresses of both columns together; the second's are None where none is read."""
    first, *others = map(AddressCodes.join, zip(*blocks, strict=True)) if blocks else [_NOTHING]
    return first, others[0] if others else None


def _pick_rows(
    rows: NDArray[np.intp],
    first: AddressCodes,
    others: AddressCodes | None,
    blocks: NDArray[np.uint32],
    domains: DomainTexts,
    *,
    is_whole: bool,
) -> RowSample:
    picked = first.take(rows)
    return RowSample(
        picked.codes,
        picked.flags,
        picked.keys,
        blocks,
        domains,
        len(rows),
        is_whole=is_whole,
        others=None if others is None else others.take(rows),
    )
