"""Parquet lists: two passes over the row groups, with one judgement a domain in between.

The first pass reads the email column's buffers into a few numbers a row; the second writes the kept
rows again as Arrow tables, two columns wider, and once more as lines of CSV for the pages.
"""

from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from winnow.core.tasks.task import Phase
from winnow.lists.engine.address_column import AddressBlock
from winnow.lists.engine.repairer import NO_REPAIRS, RepairedCells
from winnow.lists.engine.row_counts import RowCounter
from winnow.lists.engine.row_ranks import RowRanks
from winnow.lists.engine.verdict_table import VerdictTable
from winnow.lists.execution.durable_file import DurableFile
from winnow.lists.execution.judged_rows import judge_rows
from winnow.lists.execution.ordered import hand_on, map_in_order
from winnow.lists.execution.progress import ProgressTeller
from winnow.lists.execution.repair_store import RepairStore
from winnow.lists.execution.repairs_writer import RepairsWriter
from winnow.lists.execution.row_index_writer import RowIndexWriter, RowNumbersWriter
from winnow.lists.execution.row_store import RowColumns, RowStore
from winnow.lists.formats.parquet.addresses import (
    AddressSteps,
    list_places,
    rank_steps,
    read_columns,
)
from winnow.lists.formats.parquet.cell_texts import word_lines
from winnow.lists.formats.parquet.column_repairs import ColumnRepairs
from winnow.lists.formats.parquet.result_file import ResultFile
from winnow.lists.formats.parquet.source import ParquetSource, open_parquet, take_rows
from winnow.lists.list_format import BatchOutcome
from winnow.lists.requests import BatchRequest
from winnow.lists.result.added_columns import (
    ADDED,
    ORIGINAL,
    address_notice,
    beside_notice,
    name_notice,
    usual_name,
)
from winnow.lists.result.row_index import RESULT_NAME, ROWS_TEXT_NAME, RowText


@dataclass(frozen=True, slots=True)
class _Step:
    """Rows of one row group, with what the first pass learnt of them."""

    rows: pa.Table
    read: RowColumns
    is_kept: NDArray[np.bool_]
    ends_group: bool
    repaired: RepairedCells


@dataclass(frozen=True, slots=True)
class _JudgedStep:
    """The rows that stay; arrays have an entry each. ``row_count`` counts duplicates too."""

    rows: pa.Table
    added: list[pa.Array]
    ends_group: bool
    lines: NDArray[np.uint8]
    sizes: NDArray[np.uint32]
    places: NDArray[np.uint16]
    names: NDArray[np.uint32]
    invalid_count: int
    row_count: int
    repaired: RepairedCells
    kept: NDArray[np.int64]
    duplicates_invalid: int


def run_parquet_batch(request: BatchRequest) -> BatchOutcome:
    """Run a Parquet list; see ``batch.run_batch``."""
    judge, work_dir, plan = request.judge, request.work_dir, request.plan
    places = list_places(plan)
    teller = ProgressTeller(request.report, request.path.stat().st_size)
    ranks = RowRanks(request.options.keep)
    with (
        open_parquet(request.path) as source,
        RowStore(work_dir, has_ranks=ranks.rule.has_ranks) as store,
        ExitStack() as stack,
    ):
        repairs = ColumnRepairs.plan(
            request.options.plan_addresses(plan), source, places, usual_name(plan)
        )
        found = None if repairs is None else stack.enter_context(RepairStore(work_dir))
        read = AddressSteps(
            read_columns(source.read_column, places),
            places,
            judge.local_words,
            None if repairs is None else repairs.repairer,
        )
        ranked = rank_steps(source, ranks.rule)
        for block, rank_block in zip(read, ranked, strict=False):
            store.append(_take_columns(block), ranks.take(rank_block))
            if found is not None:
                found.append(block.repaired, len(block.codes))
            teller.tell(Phase.READING, store.row_count, source.row_count)
        store.finish()
        if found is not None:
            found.finish()
        table, is_gone = judge_rows(
            store,
            read.domains,
            read.seen,
            judge,
            teller,
            source.row_count,
            deduplicate=request.deduplicate,
            ranks=ranks,
        )
        steps = _locate(source, store, is_gone, found)
        writer = None if repairs is None else stack.enter_context(RepairsWriter(work_dir))
        usual = ORIGINAL if repairs is not None and repairs.original else usual_name(plan)
        second = _TableSecondPass(source, table, repairs, writer, usual, work_dir, teller)
        outcome = second.write(steps, judge.data_version)
        if repairs is not None:
            beside = beside_notice(request.options.repair, repairs.column)
            outcome = outcome.add_notices((*beside, *address_notice(plan, repairs.column)))
        return outcome.add_notices(ranks.list_notices(source.names))


@dataclass(frozen=True, slots=True)
class _TableSecondPass:
    """The second pass over a list; ``writer`` takes what was repaired.

    ``usual`` is the name that a column of addresses has.
    """

    source: ParquetSource
    table: VerdictTable
    repairs: ColumnRepairs | None
    writer: RepairsWriter | None
    usual: str
    work_dir: Path
    teller: ProgressTeller

    def write(self, steps: Iterator[_Step], data_version: str) -> BatchOutcome:
        """Write the result and its row index."""
        source, table = self.source, self.table
        column, original = "", ""
        if self.repairs is not None:
            column, original = self.repairs.column, self.repairs.original
        extra = [column or original] if column or original else []
        own_names = (*source.names, *extra)
        names = ADDED.name(own_names)
        fields = [pa.field(name, pa.string()) for name in (*extra, *names)]
        texts = [ADDED.list_cells(verdict) for verdict in table.verdicts]
        columns = [
            pa.array([word or None for word in words], pa.string())
            for words in zip(*texts, strict=True)
        ]
        work = partial(_judge_step, table, columns, self.repairs)
        row_counter = RowCounter(table.verdicts, len(table.names))

        def write_texts() -> Iterator[_JudgedStep]:
            done = 0
            for step in map_in_order(work, steps):
                lines.write(step.lines)
                index.append(step.sizes, step.places, step.names)
                numbers.append(step.row_count, step.kept)
                row_counter.add(step.places, step.names, step.invalid_count)
                row_counter.duplicates_invalid += step.duplicates_invalid
                if self.writer is not None:
                    self.writer.append(step.repaired, step.kept)
                done += step.row_count
                self.teller.tell(Phase.WRITING, done, source.row_count)
                yield step

        with (
            closing(RowIndexWriter(self.work_dir, 0)) as index,
            closing(RowNumbersWriter(self.work_dir)) as numbers,
            closing(DurableFile(self.work_dir / ROWS_TEXT_NAME)) as lines,
        ):
            out_path = self.work_dir / RESULT_NAME
            with ResultFile(out_path, source, len(source.names), fields) as result:
                hand_on(
                    write_texts(),
                    lambda step: result.write(step.rows, step.added, ends_group=step.ends_group),
                )
            self.teller.tell(Phase.INDEXING, source.row_count, source.row_count)
            lines.sync()
            numbers.finish()
            form = RowText(
                width=len(own_names),
                added_count=ADDED.count,
                repaired=column,
                original=original,
            )
            index.finish(table.verdicts, table.names.in_series(), form)
        summary = row_counter.summarise(source.row_count, table.names, data_version)
        if self.writer is not None:
            summary = self.writer.add_counts(summary)
        return BatchOutcome(
            summary,
            (
                *name_notice(ADDED, names, "".join(extra), self.usual),
                *result.list_notices(),
            ),
        )


def _locate(
    source: ParquetSource,
    store: RowStore,
    is_gone: NDArray[np.bool_],
    found: RepairStore | None,
) -> Iterator[_Step]:
    """Yield steps as the first pass read them; ``found`` has their repairs."""
    first = 0
    repairs = None if found is None else found.blocks()
    for (rows, ends_group), read in zip(source.read_whole(), store.blocks(), strict=True):
        end = first + rows.num_rows
        repaired = NO_REPAIRS if repairs is None else next(repairs)[0]
        yield _Step(rows, read, ~is_gone[first:end], ends_group, repaired)
        first = end


def _take_columns(block: AddressBlock) -> RowColumns:
    alike = np.ones(len(block.codes), np.uint16)  # of sizes and widths
    return RowColumns(alike.astype(np.uint32), block.codes, block.flags, block.keys, alike)


def _judge_step(
    table: VerdictTable, columns: list[pa.Array], repairs: ColumnRepairs | None, step: _Step
) -> _JudgedStep:
    read, kept = step.read, np.flatnonzero(step.is_kept)
    places = table.find_places(read.codes, read.flags, read.keys).take(kept)
    codes = read.codes.take(kept)
    added = [column.take(pa.array(places)) for column in columns]
    if repairs is None:
        rows = shown = take_rows(step.rows, kept)
    else:
        whole, beside = repairs.edit(step.rows, step.repaired)
        rows = take_rows(whole, kept)
        added.insert(0, beside.take(pa.array(kept)))
        shown = rows.append_column(repairs.name, added[0])
    lines, sizes = word_lines(shown)
    return _JudgedStep(
        rows,
        added,
        step.ends_group,
        lines,
        sizes,
        places,
        table.name_codes.take(codes),
        int(np.count_nonzero(table.spellings.faults.take(codes))),
        len(step.is_kept),
        step.repaired,
        kept,
        int(np.count_nonzero(table.spellings.faults.take(read.codes[~step.is_kept]))),
    )
