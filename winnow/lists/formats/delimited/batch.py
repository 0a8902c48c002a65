"""CSV and TSV lists: two passes over the file's bytes, with one judgement a domain in between.

The bytes of each record pass through untouched. The first pass finds records and reads the email
column into a few numbers a row; then every distinct domain is judged once; the second pass writes
each kept record again with the added cells, and the row index next to it.
"""

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from winnow.core.errors import EmptyFile
from winnow.core.tasks.task import Phase
from winnow.lists.engine.augment import Suffixes
from winnow.lists.engine.row_ranks import RowRanks
from winnow.lists.engine.verdict_table import VerdictTable
from winnow.lists.execution.blocks import BLOCK_BYTES
from winnow.lists.execution.judged_rows import judge_rows
from winnow.lists.execution.memory import give_back_memory, keep_freed_memory
from winnow.lists.execution.progress import ProgressTeller
from winnow.lists.execution.repairs_writer import RepairsWriter
from winnow.lists.execution.result_writer import ResultWriter
from winnow.lists.execution.row_store import RowStore
from winnow.lists.formats.delimited.first_pass import RowsRead, read_rows
from winnow.lists.formats.delimited.list_repairs import ListRepairs, open_repairs
from winnow.lists.formats.delimited.notices import RemovedRaggedRows
from winnow.lists.formats.delimited.records_file import RecordsFile, open_records
from winnow.lists.formats.delimited.second_pass import Inputs, write_rows
from winnow.lists.list_format import BatchOutcome
from winnow.lists.requests import BatchRequest
from winnow.lists.result.added_columns import (
    ADDED,
    ORIGINAL,
    address_notice,
    join_tail,
    name_notice,
    usual_name,
)
from winnow.lists.result.row_index import RESULT_NAME, ROWS_TEXT_NAME, RowText
from winnow.lists.result.row_tails import word_names


def run_delimited_batch(request: BatchRequest, *, block_bytes: int = BLOCK_BYTES) -> BatchOutcome:
    """Run a CSV or TSV list; see ``batch.run_batch``. ``block_bytes`` changes speed only."""
    judge, work_dir = request.judge, request.work_dir
    keep_freed_memory()
    teller = ProgressTeller(request.report, request.path.stat().st_size)
    ranks = RowRanks(request.options.keep)
    tell_decoded = partial(teller.tell, Phase.READING)
    with (
        open_records(request.path, request.plan, work_dir, tell_decoded) as source,
        RowStore(work_dir, has_ranks=ranks.rule.has_ranks) as store,
        open_repairs(request.options.plan_addresses(request.plan), source, work_dir) as repairs,
    ):
        rows = read_rows(source, judge.local_words, store, ranks, teller, block_bytes, repairs)
        give_back_memory()
        if not rows.ragged.row_count:
            raise EmptyFile("The list has no rows.", hint="Check that it is the right file.")
        table, is_gone = judge_rows(
            store,
            rows.domains,
            rows.seen,
            judge,
            teller,
            rows.ragged.row_count,
            deduplicate=request.deduplicate,
            ranks=ranks,
        )
        second = _TextSecondPass(source, rows, store, table, is_gone, repairs, work_dir, teller)
        outcome = second.write(judge.data_version)
        return outcome.add_notices(ranks.list_notices(request.plan.columns))


@dataclass(frozen=True, slots=True)
class _TextSecondPass:
    """The second pass over a list, with the results of the first pass and the verdicts."""

    source: RecordsFile
    rows: RowsRead
    store: RowStore
    table: VerdictTable
    is_gone: NDArray[np.bool_]
    repairs: ListRepairs | None
    work_dir: Path
    teller: ProgressTeller

    def write(self, data_version: str) -> BatchOutcome:
        """Write the result, its row index and what was repaired."""
        if self.repairs is None:
            return self._write(data_version, None)
        with RepairsWriter(self.work_dir) as repaired:
            outcome = self._write(data_version, repaired)
            return replace(outcome, summary=repaired.add_counts(outcome.summary))

    def _write(self, data_version: str, repaired: RepairsWriter | None) -> BatchOutcome:
        source, rows, table, work_dir = self.source, self.rows, self.table, self.work_dir
        plan, upload, row_count = source.plan, source.decoded_from, rows.ragged.row_count
        own_names = plan.columns if plan.has_header else ()
        column, original = "", ""
        if self.repairs is not None:
            column, original = self.repairs.column, self.repairs.original
        name = column or original
        names = ADDED.name((*own_names, name) if name else own_names)
        width = rows.ragged.widest + bool(name)
        text = RowText(
            file_name=RESULT_NAME if upload is None else ROWS_TEXT_NAME,
            encoding=source.codec,
            delimiter=plan.delimiter,
            width=width,
            has_verdicts=True,
            added_count=ADDED.count,
            escapes="" if upload is None or upload.style is None else upload.style,
            repaired=column,
            original=original,
        )
        cells = [join_tail(ADDED.list_cells(one), plan.delimiter) for one in table.verdicts]
        suffixes = Suffixes(
            (*cells, word_names(names, text)),
            plan.delimiter.encode(),
            width,
        )
        removed = RemovedRaggedRows(plan)
        tell = partial(self.teller.tell, Phase.WRITING)
        inputs = Inputs(
            source,
            self.store,
            table,
            self.is_gone,
            suffixes,
            self.repairs,
            text,
        )
        above = source.count_rows_above()
        with ResultWriter(work_dir, table, text, source.above, rows_above=above) as writer:
            for done in write_rows(inputs, writer, removed, repaired):
                tell(done, row_count)
            self.teller.tell(Phase.INDEXING, row_count, row_count)
            writer.finish()
        if upload is not None:
            tell_encoded = partial(tell, row_count, row_count)
            text_path, result_path = work_dir / ROWS_TEXT_NAME, work_dir / RESULT_NAME
            source.restore(text_path, result_path, tell_encoded)
        notices = (
            *rows.ragged.notices(source.path),
            *rows.loose.notices(source.path),
            *name_notice(ADDED, names, name, ORIGINAL if original else usual_name(plan)),
            *address_notice(plan, column),
            *removed.notices(source.path),
        )
        summary = writer.row_counter.summarise(row_count, table.names, data_version)
        return BatchOutcome(summary, notices)
