"""One run of a list, whatever its format: two passes, one judgement a domain in between.

The first pass reads each address into a few numbers; then every distinct domain is judged once,
and duplicates are searched; the second pass writes the kept rows with the added cells, and the
row index next to them.
"""

from contextlib import closing
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from winnow.core.errors import EmptyFile, OutOfMemory
from winnow.core.tasks.repair_choice import RepairChoice, RepairPlace
from winnow.core.tasks.task import Phase, Summary
from winnow.lists.engine.row_codes import FIRST_FAULT
from winnow.lists.engine.row_counts import RowCounter
from winnow.lists.engine.row_ranks import RowRanks
from winnow.lists.engine.verdict_table import VerdictTable, begin_seen, judge_domains, mark_seen
from winnow.lists.execution.blocks import BLOCK_BYTES
from winnow.lists.execution.ordered import take_short_turns
from winnow.lists.execution.row_store import RowStore, find_gone
from winnow.lists.format_registry import find_format
from winnow.lists.list_format import BatchOutcome
from winnow.lists.list_source import (
    ListSource,
    ProgressReporter,
    ReadOptions,
    ResultPlan,
    StoredRows,
)
from winnow.lists.requests import BatchRequest, RowsRequest
from winnow.lists.result.added_columns import (
    ADDED,
    ORIGINAL,
    REPAIRED,
    USED,
    address_notice,
    beside_notice,
    mailbox_notice,
    name_columns,
    name_notice,
)
from winnow.lists.result.cell_table import CellReader
from winnow.lists.result.former import write_former
from winnow.lists.result.noes import Noes, count_people
from winnow.lists.result.noes_writer import write_noes
from winnow.lists.result.row_index_writer import RowIndexWriter


def run_batch(request: BatchRequest, *, block_bytes: int = BLOCK_BYTES) -> BatchOutcome:
    """Judge every row of a list and write the result and its row index.

    ``block_bytes`` changes speed only.

    Raises:
        InputError: The input cannot be processed; the line is named.
        OutOfMemory: It needs more memory than there is.
        OSError: The disk is full or fails.
    """
    plan, folder = request.plan, request.work_dir
    reporter = ProgressReporter(request.report, request.path.stat().st_size)
    report = partial(reporter.report, Phase.READING)
    opened = RowsRequest(request.path, plan, folder, block_bytes, report=report)
    try:
        with take_short_turns():
            outcome, late = None, frozenset[int]()
            while outcome is None:
                with find_format(plan.file_format).open_source(opened) as source:
                    reporter.bytes_total = source.size_bytes
                    outcome, late = _run(source, request, reporter, late), source.late
            return outcome
    except MemoryError as error:
        raise OutOfMemory from error


def _run(
    source: ListSource, request: BatchRequest, reporter: ProgressReporter, late: frozenset[int]
) -> BatchOutcome | None:
    """Process an open list; None where its later rows show columns that are to be read as well."""
    asked, knowledge = request.asked, request.judge.knowledge
    ranks, choice = RowRanks(asked.keep), asked.plan_addresses(source.plan)
    words, tag_domains = knowledge.local_words, knowledge.tag_domains
    reading = ReadOptions(words, ranks, choice, tag_domains, asked.mail, late)
    with RowStore(request.work_dir) as store:
        row_count, seen = _read(source, reading, store, reporter)
        if source.late:
            return None
        table, is_gone = _judge(source, store, seen, row_count, request, ranks, reporter)
        usual = _name_addresses(source, choice)
        own, kind = source.own_names, source.plan.file_format
        extra = name_columns((usual,) if usual else (), own, kind)
        names = name_columns(ADDED, (*own, *extra), kind)
        result = ResultPlan(
            *(request.work_dir, table, is_gone, "".join(extra), usual, names, reporter, row_count)
        )
        summary = _write(source, result, store, request)
        cells = CellReader(request.work_dir, source.plan)
        canonical = table.spellings.join_mailboxes()
        write_former(request.work_dir, store, canonical, is_gone)
        if source.said is not None:
            write_noes(
                *(cells, source.said, store, canonical, is_gone, ranks, source.number_rows),
                *(asked.mail, tag_domains),
            )
        noes = Noes.open(cells, asked.mail)
        return BatchOutcome(
            replace(summary, do_not_mail=count_people({} if noes is None else noes.find_rows())),
            (
                *source.list_notices(result),
                *name_notice(result.names, result.extra, result.usual),
                *address_notice(source.plan, result.extra),
                *beside_notice(choice, result.repaired),
                *mailbox_notice(ranks.rule),
                *ranks.list_notices(source.plan.columns),
            ),
            noes,
        )


def _read(
    source: ListSource, reading: ReadOptions, store: RowStore, reporter: ProgressReporter
) -> tuple[int, NDArray[np.uint64]]:
    """Read every row into the store; return how many there are, and what ``mark_seen`` says."""
    row_count, seen = 0, begin_seen()
    for rows in source.read(reading):
        seen = mark_seen(seen, rows.codes, rows.flags)
        store.append(rows)
        row_count += int(np.count_nonzero(rows.codes >= FIRST_FAULT))
        reporter.report(Phase.READING, row_count, source.row_total, source.bytes_done)
    store.finish()
    if not row_count:
        raise EmptyFile("The list has no rows.", hint="Check that it is the right file.")
    return row_count, seen


def _judge(
    source: ListSource,
    store: RowStore,
    seen: NDArray[np.uint64],
    row_count: int,
    request: BatchRequest,
    ranks: RowRanks,
    reporter: ProgressReporter,
) -> tuple[VerdictTable, NDArray[np.bool_]]:
    """Judge every domain; return which rows of the store are removed as well."""

    def report(share: float) -> None:
        """Report how much of the look-ups is done, 0 to 1, as rows of the list."""
        reporter.report(Phase.LOOKING_UP, int(share * row_count), row_count)

    table = judge_domains(
        source.domains, seen, request.judge, report, count_codes=store.count_codes
    )
    if not request.asked.deduplicate:
        return table, np.zeros(store.row_count, np.bool_)
    spellings, joins = table.spellings, ranks.rule.joins_aliases
    canonical = spellings.join_mailboxes() if joins else spellings.canonical
    return table, find_gone(store, canonical, ranks, lambda: report(1))


def _name_addresses(source: ListSource, choice: RepairChoice | None) -> str:
    """Return the usual name of the added column of addresses; ``""``: none is added."""
    if choice is None:
        return ""
    if choice.place is RepairPlace.REPLACE and source.replaces_addresses:
        return ORIGINAL
    return REPAIRED if source.plan.second_email_column is None else USED


def _write(
    source: ListSource, result: ResultPlan, store: RowStore, request: BatchRequest
) -> Summary:
    """Write the result and its row index; return the counts."""
    table, done = result.table, 0
    counter = RowCounter(table.verdicts, len(table.names))
    blocks = (
        StoredRows(rows, ~result.is_gone[start : start + len(rows.codes)])
        for start, rows in store.blocks()
    )
    with (
        closing(RowIndexWriter(result.folder)) as index,
        closing(source.write(result, blocks)) as written,
    ):
        index.append_numbers(source.rows_above)
        for rows in written:
            index.append_numbers(rows.record_count, rows.numbers)
            if len(rows.sizes):
                index.append(rows.sizes, rows.verdict_indices, rows.names, rows.head_bytes)
                counter.add(rows.verdict_indices, rows.names, rows.invalid_count)
            counter.duplicates_invalid += rows.duplicates_invalid
            if len(rows.repaired.rows):
                counter.add_repairs(rows.repaired, rows.kept)
            done += rows.row_count
            result.reporter.report(source.phase, done, result.row_count)
        result.reporter.report(Phase.INDEXING, result.row_count, result.row_count)
        index.finish(table.verdicts, table.names.in_series(), source.text_form)
    return counter.summarise(result.row_count, table.names, request.judge.knowledge.data_version)
