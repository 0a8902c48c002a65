"""The first pass over a text list: records found, their email cells read into a few numbers."""

from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from winnow.core.tasks.keep_rule import Keep, KeepRule
from winnow.core.tasks.task import InputPlan, Phase
from winnow.lists.engine.address_column import AddressBlock, AddressColumn
from winnow.lists.engine.domain_texts import DomainTexts
from winnow.lists.engine.parsed_value import HashText
from winnow.lists.engine.row_codes import BLANK_LINE, FIRST_DOMAIN, HEADER
from winnow.lists.engine.row_ranks import RankBlock, RowRanks, rank_by_count, rank_by_dates
from winnow.lists.engine.verdict_table import mark_seen
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
from winnow.lists.text.splitter import NULL


@dataclass(slots=True)
class RowsRead:
    """What the first pass learns beside the columns of the row store.

    ``seen`` is from ``mark_seen``.
    """

    ragged: RaggedRows
    loose: PassedLines = field(default_factory=PassedLines)
    domains: DomainTexts = field(default_factory=lambda: DomainTexts(FIRST_DOMAIN))
    seen: NDArray[np.uint8] = field(default_factory=lambda: np.zeros(1 << 16, np.uint8))


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
    others: "OtherCells | None"  # where two addresses a row are judged


@dataclass(frozen=True, slots=True)
class OtherCells:
    """The cells of a block's second column of addresses."""

    addresses: AddressBlock
    cell_places: NDArray[np.uint32]

    def mark_header(self, first_codes: NDArray[np.uint32]) -> None:
        """Take the line for the header that the first column's codes say is it."""
        is_header = first_codes == HEADER
        self.addresses.codes[is_header] = HEADER
        self.addresses.flags[is_header] = 0


def read_rows(
    source: RecordsFile,
    role_names: frozenset[str],
    store: RowStore,
    ranks: RowRanks,
    teller: ProgressTeller,
    block_bytes: int,
    repairs: ListRepairs | None = None,
    *,
    others: RowStore | None = None,
    hash_text: HashText | None = None,
) -> RowsRead:
    """Read every record into the store, ranks and repairs beside it.

    ``others`` takes the second address of each row, where both are judged.

    Raises:
        BrokenFile: With the line.
        InputError: The list names too many domains.
    """
    found = RowsRead(RaggedRows(source.plan))
    column = AddressColumn(
        source.decode_cell,
        role_names,
        is_utf8=source.codec == "utf-8",
        has_escapes=bool(source.plan.escape),
        repairer=None if repairs is None else repairs.repairer,
        hash_text=hash_text,
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
        if others is not None and block.others is not None:
            block.others.mark_header(codes)
            _take_others(block.others, found, others, repairs)
        found.ragged.add(rows, block.odd_positions, block.odd_count)
        found.loose.add(block.loose_positions)
        teller.tell(Phase.READING, found.ragged.row_count, None, block.bytes_end)
    for one in (store, others):
        if one is not None:
            one.finish()
    if repairs is not None:
        repairs.finish()
    return found


def _take_others(
    block: OtherCells, found: RowsRead, others: RowStore, repairs: ListRepairs | None
) -> None:
    addresses = block.addresses.number_domains(found.domains)
    found.seen = mark_seen(found.seen, addresses.codes, addresses.flags)
    alike = np.ones(len(addresses.codes), np.uint16)  # sizes and widths are those of the first
    sizes = alike.astype(np.uint32)
    others.append(RowColumns(sizes, addresses.codes, addresses.flags, addresses.keys, alike))
    if repairs is not None and repairs.others is not None:
        repairs.others.append(addresses.repaired, len(alike), block.cell_places)


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
    records = scan_records(block.shape, marks.delimiter, plan.email_column, block.quotes, width)
    if records is None:
        return None
    records, others = find_addresses(records, block.data, plan)
    if block.added_line_end:
        drop_end_mark(records)
        if others is not None:
            drop_end_mark(others)
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
        None if others is None else _read_others(column, others, block),
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


def find_addresses(
    records: Records, data: Bytes, plan: InputPlan
) -> tuple[Records, Records | None]:
    """Return records whose wanted cell is where each row's address stands.

    Where two a row are judged, the second are those of the second address.
    """
    if plan.second_email_column is None:
        return records, None
    if not plan.judges_both:
        return prefer_filled(records, data, plan.second_email_column, list_null(plan)), None
    starts, ends = records.cells.find(plan.second_email_column)
    return records, replace(records, cell_starts=starts, cell_ends=ends)


def _read_others(column: AddressColumn, records: Records, block: Block) -> OtherCells:
    starts, ends = records.cell_starts, records.cell_ends
    addresses = column.read(block.data, starts, ends, records.is_blank)
    return OtherCells(addresses, _place_cells(records))


def _place_cells(records: Records) -> NDArray[np.uint32]:
    sizes = records.cell_ends - records.cell_starts
    return np.array([records.cell_starts - records.starts, sizes], np.uint32)


def list_null(plan: InputPlan) -> bytes:
    """Return the cell that stands for an empty one, if any does."""
    return NULL.encode() if plan.escape else b""


def _rank_rows(
    records: Records, block: Block, rule: KeepRule, source: RecordsFile
) -> RankBlock | None:
    """Rank a block's rows; of the header and of lines that are no rows nothing is counted."""
    escape = source.plan.escape
    if rule.date_column is not None:
        starts, ends = records.cells.find(rule.date_column)
        is_none = records.is_blank.copy()
        if source.plan.has_header and block.offset == len(source.above):
            is_none[np.flatnonzero(~is_none)[:1]] = True
        ends = np.where(is_none, starts, ends)
        return rank_by_dates(block.data, starts, ends, escapes=bool(escape))
    if rule.keep is Keep.COMPLETE:
        return rank_by_count(records.cells.count_filled(block.data, list_null(source.plan)))
    return None
