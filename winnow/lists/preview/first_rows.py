"""Beginning of a list as its reader of rows gives it: addresses, ranks and the rows themselves."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from winnow.core.tasks.keep_rule import Keep, KeepRule
from winnow.core.tasks.task import InputPlan
from winnow.lists.engine.address_codes import AddressCodes
from winnow.lists.engine.address_column import AddressBlock, AddressColumn
from winnow.lists.engine.domain_texts import DomainTexts
from winnow.lists.engine.repairer import Repairer
from winnow.lists.engine.row_codes import FIRST_DOMAIN
from winnow.lists.engine.row_ranks import RankBlock, RowRanks, rank_by_count, rank_by_dates
from winnow.lists.preview.list_part import MOST_ROWS, ListPart, PartRequest
from winnow.lists.requests import RowsRequest
from winnow.lists.text.cell_text import decode_cell
from winnow.lists.text.records import Bytes, Positions, prefer_filled
from winnow.lists.text.row_block import RowBlock, split_cells

_BLOCK_BYTES = 1 << 20
_BEHIND_BYTES = 8 << 20  # so that no block that is read ends where decoding did

ReadBlocks = Callable[[RowsRequest, Callable[[RowBlock], "_ReadRows"]], Iterator["_ReadRows"]]


@dataclass(frozen=True, slots=True)
class _RowTexts:
    """The rows of a block as text: what is kept of it, for those that are shown."""

    data: Bytes
    starts: Positions
    ends: Positions
    places: Positions  # among the block's records
    record_count: int
    delimiter: str

    @classmethod
    def of(cls, block: RowBlock) -> "_RowTexts":
        starts, ends = block.records.starts[block.rows], block.records.body_ends[block.rows]
        count = len(block.records.starts)
        return cls(block.data, starts, ends, block.rows, count, chr(block.delimiter))

    def read(self, row: int) -> tuple[str, ...]:
        """Return the cells of a row."""
        raw = self.data[self.starts[row] : self.ends[row]]
        return split_cells(raw, self.delimiter)


@dataclass(frozen=True, slots=True)
class _ReadRows:
    texts: _RowTexts
    addresses: AddressBlock
    ranks: RankBlock | None


def read_first_rows(read: ReadBlocks, request: PartRequest, ranks: RowRanks) -> ListPart:
    """Read a list's beginning; ``ranks`` learns how its dates are read.

    Raises:
        BrokenFile: It cannot be read on; the line is named.
    """
    plan, repair = request.plan, request.options.repair
    column = AddressColumn(
        partial(decode_cell, codec="utf-8"),
        request.local_words,
        is_utf8=True,
        repairer=None if repair is None else Repairer(repair, plan.encoding),
    )
    rows_request = RowsRequest(
        request.path,
        plan,
        request.scratch,
        min(_BLOCK_BYTES, request.most_bytes),
        2 * request.most_bytes + _BEHIND_BYTES,  # letters take two bytes in UTF-16
    )
    domains = DomainTexts(FIRST_DOMAIN)
    blocks: list[_RowTexts] = []
    addresses: list[AddressCodes] = []
    found = [np.empty(0, np.uint64)]
    row_count = size_bytes = 0
    is_whole = True
    work = partial(_read_block, column, plan, ranks.rule)
    for step in read(rows_request, work):
        if size_bytes > request.most_bytes or row_count > MOST_ROWS:
            is_whole = False
            break
        addresses.append(AddressCodes.join([step.addresses.number_domains(domains)]))
        blocks.append(step.texts)
        row_count += len(step.texts.places)
        size_bytes += len(step.texts.data)
        if (taken := ranks.take(step.ranks)) is not None:
            found.append(taken)
    return ListPart(
        AddressCodes.join(addresses),
        ranks.settle(np.concatenate(found)) if ranks.rule.has_ranks else None,
        domains,
        is_whole,
        partial(_list_rows, blocks, plan.first_row),
    )


def _read_block(
    column: AddressColumn, plan: InputPlan, rule: KeepRule, block: RowBlock
) -> _ReadRows:
    starts, ends = block.records.cells.find(plan.email_column)
    records = replace(block.records, cell_starts=starts, cell_ends=ends)
    if plan.second_email_column is not None:
        records = prefer_filled(records, block.data, plan.second_email_column)
    rows, ranks = block.rows, None
    if rule.date_column is not None:
        dates = (bounds[rows] for bounds in records.cells.find(rule.date_column))
        ranks = rank_by_dates(block.data, *dates)
    elif rule.keep is Keep.COMPLETE:
        ranks = rank_by_count(records.cells.count_filled(block.data)[rows])
    read = column.read(block.data, records.cell_starts[rows], records.cell_ends[rows])
    return _ReadRows(_RowTexts.of(block), read, ranks)


def _list_rows(
    blocks: Sequence[_RowTexts], first_row: int, places: NDArray[np.int64]
) -> list[tuple[int, tuple[str, ...]]]:
    """Return the numbers and cells of rows by their places."""
    found: list[tuple[int, tuple[str, ...]]] = []
    done = 0
    for block in blocks:
        here = places[(places >= done) & (places < done + len(block.places))] - done
        found += ((first_row + int(block.places[row]), block.read(row)) for row in here.tolist())
        done += len(block.places)
        first_row += block.record_count
    return found
