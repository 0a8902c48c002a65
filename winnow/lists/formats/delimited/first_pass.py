"""First pass over a text list: finds records and reads email cells into a few numbers."""

from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from winnow.core.tasks.keep_rule import Keep, KeepRule
from winnow.core.tasks.task import InputPlan, Phase
from winnow.core.verdicts.facts import LocalWords
from winnow.lists.engine.address_column import AddressBlock, AddressColumn
from winnow.lists.engine.domain_texts import DomainTexts
from winnow.lists.engine.row_codes import BLANK_LINE, FIRST_DOMAIN, HEADER
from winnow.lists.engine.row_ranks import RankBlock, RowRanks, rank_by_count, rank_by_dates
from winnow.lists.engine.verdict_table import begin_seen, mark_seen
from winnow.lists.execution.blocks import work_in_order
from winnow.lists.execution.progress import ProgressTeller
from winnow.lists.execution.row_store import RowColumns, RowStore
from winnow.lists.formats.delimited.list_repairs import ListRepairs
from winnow.lists.formats.delimited.misread_rows import refuse_misread
from winnow.lists.formats.delimited.notices import PassedLines, RaggedRows
from winnow.lists.formats.delimited.records_file import RecordsFile
from winnow.lists.text.block_reader import Block
from winnow.lists.text.loose_lines import LooseLines
from winnow.lists.text.records import Bytes, Records, drop_end_mark, prefer_filled, scan_records


@dataclass(slots=True)
class RowsRead:
    """Results of the first pass that are not columns of the row store.

    ``seen`` is from ``mark_seen``.
    """

    ragged: RaggedRows
    loose: PassedLines = field(default_factory=PassedLines)
    domains: DomainTexts = field(default_factory=lambda: DomainTexts(FIRST_DOMAIN))
    seen: NDArray[np.uint32] = field(default_factory=begin_seen)


@dataclass(frozen=True, slots=True)
class ReadBlock:
    """A block's rows, an entry each; domains are not numbered yet."""

    sizes: NDArray[np.uint32]
    widths: NDArray[np.uint16]
    addresses: AddressBlock
    ranks: RankBlock | None
    odd_positions: NDArray[np.int64]  # in the file; at most as many as a notice shows
    odd_count: int
    loose_positions: NDArray[np.int64]
    bytes_end: int
    cell_places: NDArray[np.uint32] | None  # from each record on: where cells start, their sizes


def read_rows(
    source: RecordsFile,
    local_words: LocalWords,
    store: RowStore,
    ranks: RowRanks,
    teller: ProgressTeller,
    block_bytes: int,
    repairs: ListRepairs | None = None,
) -> RowsRead:
    """Read every record into the store, with ranks and repairs.

    Raises:
        BrokenFile: With the line.
        InputError: The list names too many domains.
    """
    found = RowsRead(RaggedRows(source.plan))
    column = AddressColumn(
        source.decode_cell,
        local_words,
        is_utf8=source.codec == "utf-8",
        repairer=None if repairs is None else repairs.repairer,
    )
    begin = len(source.above)
    loose = LooseLines.of(source.path, begin, source.plan)
    keeps_places = repairs is not None
    work = partial(read_block, source, column, loose, ranks.rule, keeps_places)
    awaits_header = source.plan.has_header
    for block in work_in_order(source.path, begin, source.marks, work, block_bytes=block_bytes):
        addresses = block.addresses.number_domains(found.domains)
        if awaits_header and (marked := mark_header(addresses)) is not None:
            addresses, awaits_header = marked, False
        codes, flags = addresses.codes, addresses.flags
        found.seen = mark_seen(found.seen, codes, flags)
        rows = RowColumns(block.sizes, codes, flags, addresses.keys, block.widths)
        store.append(rows, ranks.take(block.ranks))
        if repairs is not None:
            repairs.store.append(addresses.repaired, len(codes), block.cell_places)
        found.ragged.add(rows, block.odd_positions, block.odd_count)
        found.loose.add(block.loose_positions)
        teller.tell(Phase.READING, found.ragged.row_count, None, block.bytes_end)
    store.finish()
    if repairs is not None:
        repairs.finish()
    return found


def read_block(
    source: RecordsFile,
    column: AddressColumn,
    loose: LooseLines,
    rule: KeepRule,
    keeps_places: bool,
    block: Block,
) -> ReadBlock | None:
    """Read one block; None where its quotes must be found first."""
    plan, marks = source.plan, source.marks
    width = len(plan.columns)
    records = scan_records(block.data, marks.delimiter, plan.email_column, block.quotes, width)
    if records is None:
        return None
    records = find_addresses(records, block.data, plan)
    if block.added_line_end:
        drop_end_mark(records)
    if plan.nameless_columns and block.offset == len(source.above):  # it begins with the header
        records.widths[:1] += plan.nameless_columns
    loose_positions = loose.mark(records, block.offset) + block.offset
    addresses = column.read(block.data, records.cell_starts, records.cell_ends, records.is_blank)
    sizes = (records.ends - records.starts).astype(np.uint32)
    if len(sizes):
        sizes[-1] -= block.added_line_end
    odd = np.flatnonzero((records.widths != width) & ~records.is_blank)
    refuse_misread(block.data, records, odd, marks, width)
    return ReadBlock(
        sizes,
        records.widths.astype(np.uint16),
        addresses,
        _rank_rows(records, block, rule, source),
        records.starts[odd[: RaggedRows.SHOWN]] + block.offset,
        len(odd),
        loose_positions,
        block.offset + len(block.data),
        _place_cells(records) if keeps_places else None,
    )


def mark_header(addresses: AddressBlock) -> AddressBlock | None:
    """Return a block whose first line with anything in it is the header; None: there is none."""
    is_filled = addresses.codes != BLANK_LINE
    if not is_filled.any():
        return None
    header = int(is_filled.argmax())
    addresses.codes[header], addresses.flags[header] = HEADER, 0
    others = np.arange(len(is_filled)) != header
    return replace(addresses, repaired=addresses.repaired.pick(others))


def find_addresses(records: Records, data: Bytes, plan: InputPlan) -> Records:
    """Return records whose wanted cell is the one with each row's address."""
    if plan.second_email_column is None:
        return records
    return prefer_filled(records, data, plan.second_email_column)


def _place_cells(records: Records) -> NDArray[np.uint32]:
    sizes = records.cell_ends - records.cell_starts
    return np.array([records.cell_starts - records.starts, sizes], np.uint32)


def _rank_rows(
    records: Records, block: Block, rule: KeepRule, source: RecordsFile
) -> RankBlock | None:
    """Rank a block's rows; of the header and of lines that are no rows nothing is counted."""
    if rule.date_column is not None:
        starts, ends = records.cells.find(rule.date_column)
        is_none = records.is_blank.copy()
        if source.plan.has_header and block.offset == len(source.above):
            is_none[np.flatnonzero(~is_none)[:1]] = True
        ends = np.where(is_none, starts, ends)
        return rank_by_dates(block.data, starts, ends)
    if rule.keep is Keep.COMPLETE:
        return rank_by_count(records.cells.count_filled(block.data))
    return None
