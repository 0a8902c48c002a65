"""CSV and TSV lists: two passes over the file's bytes, with one judgement a domain in between.

The bytes of each record pass through untouched. The first pass finds records and reads the email
column into a few numbers a row; then every distinct domain is judged once; the second pass writes
each kept record again with two cells more, and the row index beside it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from winnow.core.errors import EmptyFile
from winnow.core.tasks.task import InputPlan, Phase, Progress
from winnow.core.verdicts.judge import Judge
from winnow.lists.batch import BatchOutcome
from winnow.lists.engine.address_column import AddressColumn
from winnow.lists.engine.augment import AugmentedBlock, Suffixes, augment_block, make_room
from winnow.lists.engine.domain_spellings import parse_spellings
from winnow.lists.engine.domain_texts import DomainTexts
from winnow.lists.engine.duplicates import KeptRows
from winnow.lists.engine.row_codes import BLANK_LINE, FIRST_DOMAIN, FIRST_FAULT, HEADER
from winnow.lists.engine.verdict_table import (
    VerdictTable,
    judge_domains,
    mark_seen,
    number_exact,
)
from winnow.lists.execution.blocks import BLOCK_BYTES, skip_lines, work_in_order
from winnow.lists.execution.memory import give_back_memory, keep_freed_memory
from winnow.lists.execution.ordered import map_in_order
from winnow.lists.execution.progress import ProgressTeller
from winnow.lists.execution.result_writer import OriginalWriter, ResultWriter
from winnow.lists.execution.row_store import RowColumns, RowStore
from winnow.lists.formats.delimited.misread_rows import refuse_misread
from winnow.lists.formats.delimited.notices import (
    PassedLines,
    RaggedRows,
    RemovedRaggedRows,
    name_notice,
)
from winnow.lists.formats.delimited.original_lines import LineSizes, OriginalLines
from winnow.lists.formats.delimited.transcode import decode_file, encode_file
from winnow.lists.result.row_index import RESULT_NAME, ROWS_TEXT_NAME, RowText
from winnow.lists.text.block_reader import Block, Marks, fill_from
from winnow.lists.text.cell_text import decode_cell, find_bom, keeps_ascii, name_added_columns
from winnow.lists.text.loose_lines import LooseLines
from winnow.lists.text.records import drop_end_mark, scan_records

_INPUT_AS_UTF8, _LINE_SIZES = "pass.input", "pass.lines"


@dataclass(frozen=True, slots=True)
class _Original:
    """The file that a decoded one was made of, whose own bytes are written again."""

    path: Path
    lines: OriginalLines


@dataclass(frozen=True, slots=True)
class _Source:
    """The file to read: where its records start, and how its bytes are to be understood."""

    path: Path
    offset: int
    codec: str
    plan: InputPlan
    block_bytes: int
    original: _Original | None = None

    @property
    def marks(self) -> Marks:
        plan = self.plan
        return Marks.of(plan.delimiter, plan.escape, is_settled=plan.escape_is_chosen)


@dataclass(frozen=True, slots=True)
class _ReadBlock:
    rows: RowColumns
    odd_positions: NDArray[np.int64]  # in the file; at most as many as a notice shows
    odd_count: int
    loose_positions: NDArray[np.int64]
    bytes_end: int


@dataclass(frozen=True, slots=True)
class _StoredBlock:
    """Rows of the first pass, and where their bytes are in the file."""

    offset: int
    size_bytes: int
    rows: RowColumns
    is_kept: NDArray[np.bool_]
    original: tuple[int, NDArray[np.uint32]] | None = None  # the same in the original


@dataclass(frozen=True, slots=True)
class _JudgedBlock:
    """A block of the result; arrays have an entry a row. ``row_count`` counts duplicates too."""

    block: AugmentedBlock
    original: AugmentedBlock | None
    places: NDArray[np.uint16]
    names: NDArray[np.uint32]
    invalid_count: int
    row_count: int


def run_delimited_batch(
    input_path: Path,
    plan: InputPlan,
    judge: Judge,
    work_dir: Path,
    *,
    deduplicate: bool,
    report: Callable[[Progress], None],
    block_bytes: int = BLOCK_BYTES,
) -> BatchOutcome:
    """Run a CSV or TSV list; see ``batch.run_batch``. ``block_bytes`` changes speed only."""
    keep_freed_memory()
    with input_path.open("rb") as file:
        bom, codec = find_bom(file.read(4), plan.encoding)
    teller = ProgressTeller(report, input_path.stat().st_size)
    store = RowStore(work_dir)
    is_raw = keeps_ascii(codec)
    original: OriginalWriter | None = None
    try:
        if is_raw:
            above = skip_lines(input_path, len(bom), plan.preamble_lines)
            source = _Source(input_path, len(bom) + len(above), codec, plan, block_bytes)
            target = work_dir / RESULT_NAME
        else:
            decoded = work_dir / _INPUT_AS_UTF8
            sizes = work_dir / _LINE_SIZES
            lines = None if codec.startswith("utf-") else LineSizes(sizes)
            told = partial(teller.tell, Phase.READING)
            decode_file(input_path, len(bom), codec, decoded, told, lines)
            above = skip_lines(decoded, 0, plan.preamble_lines)
            came_from = None
            if lines is not None:
                own_above = skip_lines(input_path, 0, plan.preamble_lines)
                came_from = _Original(input_path, OriginalLines(sizes, 0, above))
                original = OriginalWriter(work_dir / RESULT_NAME, own_above, work_dir)
            source = _Source(decoded, len(above), "utf-8", plan, block_bytes, came_from)
            target = work_dir / ROWS_TEXT_NAME
        domains = DomainTexts(FIRST_DOMAIN)
        ragged, loose = RaggedRows(plan), PassedLines()
        seen = _read_rows(source, domains, judge.role_names, store, ragged, loose, teller)
        give_back_memory()
        rows_in = ragged.row_count
        if not rows_in:
            raise EmptyFile("The list has no rows.", hint="Check that it is the right file.")
        exact_codes = number_exact(domains, judge)
        spellings = parse_spellings(
            domains,
            lambda share: teller.tell(Phase.LOOKING_UP, int(share * rows_in / 4), rows_in),
        )
        with KeptRows(store, spellings.canonical, deduplicate=deduplicate) as kept_rows:
            table = judge_domains(
                spellings,
                exact_codes,
                seen,
                judge,
                lambda share: teller.tell(
                    Phase.LOOKING_UP, int((1 + 3 * share) * rows_in / 4), rows_in
                ),
                count_codes=store.count_codes,
            )
            is_gone = kept_rows.wait(lambda: teller.tell(Phase.LOOKING_UP, rows_in, rows_in))
        names = name_added_columns(plan.columns if plan.has_header else ())
        suffixes = Suffixes.build(table.verdicts, names, plan.delimiter, ragged.widest)
        removed = RemovedRaggedRows(plan) if ragged.is_met else None
        writer = ResultWriter(target, (bom if is_raw else b"") + above, work_dir, table)
        try:
            writers = writer, original, removed
            _write_rows(source, store, table, is_gone, suffixes, writers, teller, rows_in)
            text = RowText(
                file_name=target.name,
                encoding=source.codec,
                delimiter=plan.delimiter,
                head_bytes=writer.head_bytes,
                width=ragged.widest,
                has_verdicts=True,
                escape=plan.escape,
            )
            teller.tell(Phase.INDEXING, rows_in, rows_in)
            own_text = None
            if original is not None:
                original.finish()
                head_bytes = original.head_bytes
                own_text = replace(
                    text, file_name=RESULT_NAME, encoding=codec, head_bytes=head_bytes
                )
            writer.finish(text, own_text)
        finally:
            writer.close()
        notices = (
            *ragged.notices(source.path),
            *loose.notices(source.path),
            *name_notice(names),
        )
        if removed is not None:
            notices += removed.notices(source.path)
        if not is_raw and original is None:
            encode_file(
                target,
                work_dir / RESULT_NAME,
                bom,
                codec,
                partial(teller.tell, Phase.WRITING, rows_in, rows_in),
            )
    finally:
        store.delete()
        if original is not None:
            original.close()
        for name in (_INPUT_AS_UTF8, _LINE_SIZES):
            (work_dir / name).unlink(missing_ok=True)
    summary = writer.tally.summarise(rows_in, table.names, judge.data_version)
    return BatchOutcome(summary, notices)


def _read_rows(
    source: _Source,
    domains: DomainTexts,
    role_names: frozenset[str],
    store: RowStore,
    ragged: RaggedRows,
    loose: PassedLines,
    teller: ProgressTeller,
) -> NDArray[np.uint8]:
    """Run the first pass; return by code with which flags it was seen, a bit for each."""
    column = AddressColumn(
        domains,
        partial(decode_cell, codec=source.codec, escape=source.plan.escape),
        role_names,
        is_utf8=source.codec == "utf-8",
        has_escapes=bool(source.plan.escape),
    )
    seen = np.zeros(1 << 16, np.uint8)
    awaits_header = source.plan.has_header
    for block in work_in_order(
        source.path,
        source.offset,
        source.marks,
        partial(
            _read_block, source, column, LooseLines.of(source.path, source.offset, source.plan)
        ),
        block_bytes=source.block_bytes,
    ):
        rows = block.rows
        if awaits_header:
            filled = np.flatnonzero(rows.codes != BLANK_LINE)
            if len(filled):
                rows.codes[filled[0]] = HEADER
                rows.flags[filled[0]] = 0
                awaits_header = False
        seen = mark_seen(seen, rows.codes, rows.flags)
        store.append(rows)
        ragged.add(rows, block.odd_positions, block.odd_count)
        loose.add(block.loose_positions)
        teller.tell(Phase.READING, ragged.row_count, None, block.bytes_end)
    store.finish()
    return seen


def _read_block(
    source: _Source, column: AddressColumn, loose: LooseLines, block: Block
) -> _ReadBlock | None:
    plan, marks = source.plan, source.marks
    width = len(plan.columns)
    records = scan_records(block.shape, marks.delimiter, plan.email_column, block.quotes, width)
    if records is None:
        return None
    if block.added_line_end:
        drop_end_mark(records)
    if plan.nameless_columns and block.offset == source.offset:  # it begins with the header
        records.widths[:1] += plan.nameless_columns
    loose_positions = loose.mark(records, block.offset) + block.offset
    addresses = column.read(block.data, records.cell_starts, records.cell_ends)
    addresses.codes[records.is_blank] = BLANK_LINE
    addresses.flags[records.is_blank] = 0
    sizes = (records.ends - records.starts).astype(np.uint32)
    if len(sizes):
        sizes[-1] -= block.added_line_end
    odd = np.flatnonzero((records.widths != width) & ~records.is_blank)
    if len(odd) and not marks.is_settled:
        bounds = zip(records.starts[odd].tolist(), records.ends[odd].tolist(), strict=True)
        refuse_misread(block.data, bounds, marks, width)
    return _ReadBlock(
        RowColumns(
            sizes,
            addresses.codes,
            addresses.flags,
            addresses.keys,
            records.widths.astype(np.uint16),
        ),
        records.starts[odd[: RaggedRows.SHOWN]] + block.offset,
        len(odd),
        loose_positions,
        block.offset + len(block.data),
    )


def _write_rows(
    source: _Source,
    store: RowStore,
    table: VerdictTable,
    is_gone: NDArray[np.bool_],
    suffixes: Suffixes,
    writers: tuple[ResultWriter, OriginalWriter | None, RemovedRaggedRows | None],
    teller: ProgressTeller,
    rows_in: int,
) -> None:
    """Run the second pass."""
    writer, original, removed = writers

    def locate() -> Iterator[_StoredBlock]:
        first, offset = 0, source.offset
        for rows in store.blocks(with_keys=bool(table.exact)):
            size_bytes = int(rows.sizes.sum(dtype=np.int64))
            stays = ~is_gone[first : first + len(rows.sizes)]
            if removed is not None:
                removed.add(offset, rows, stays)
            own = None
            if source.original is not None:
                data = _read_bytes(source.path, offset, size_bytes)
                own = source.original.lines.take(data, rows.sizes)
            yield _StoredBlock(offset, size_bytes, rows, stays, own)
            first += len(rows.sizes)
            offset += size_bytes

    def work(item: _StoredBlock) -> _JudgedBlock:
        data, rows = _read_bytes(source.path, item.offset, item.size_bytes), item.rows
        places = table.find_places(rows.codes, rows.flags, rows.keys)
        block = augment_block(
            data, rows.sizes, rows.codes, rows.widths, item.is_kept, places, suffixes
        )
        own_block = None
        if item.original is not None and source.original is not None:
            own_offset, own_sizes = item.original
            own = _read_bytes(source.original.path, own_offset, int(own_sizes.sum(dtype=np.int64)))
            own_block = augment_block(
                own, own_sizes, rows.codes, rows.widths, item.is_kept, places, suffixes
            )
        codes = rows.codes.take(block.rows)
        return _JudgedBlock(
            block,
            own_block,
            places.take(block.rows),
            table.name_codes.take(codes),
            int(np.count_nonzero(table.spellings.faults.take(codes))),
            int(np.count_nonzero(rows.codes >= FIRST_FAULT)),
        )

    done = 0
    for judged in map_in_order(work, locate()):
        writer.write(judged.block, judged.places, judged.names, judged.invalid_count)
        if original is not None and judged.original is not None:
            original.write(judged.original)
        done += judged.row_count
        teller.tell(Phase.WRITING, done, rows_in)


def _read_bytes(path: Path, offset: int, size_bytes: int) -> NDArray[np.uint8]:
    """Return bytes of a file, with room behind them."""
    data = make_room(size_bytes)
    with path.open("rb", buffering=0) as file:
        file.seek(offset)
        fill_from(file, data[:size_bytes])
    return data
