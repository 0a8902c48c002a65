"""The beginning of a text list, read as a run reads it."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import numpy as np
from numpy.typing import NDArray

from winnow.lists.engine.address_column import AddressColumn
from winnow.lists.engine.both_addresses import AddressCodes
from winnow.lists.engine.domain_texts import DomainTexts
from winnow.lists.engine.repairer import Repairer
from winnow.lists.engine.row_codes import BLANK_LINE, FIRST_DOMAIN, HEADER
from winnow.lists.engine.row_ranks import RowRanks
from winnow.lists.execution.blocks import work_in_order
from winnow.lists.formats.delimited.first_pass import read_block
from winnow.lists.formats.delimited.records_file import RecordsFile, open_records
from winnow.lists.preview.list_part import MOST_ROWS, NO_ROLES, ListPart, PartRequest
from winnow.lists.text.cell_text import decode_whole
from winnow.lists.text.loose_lines import LooseLines
from winnow.lists.text.splitter import split_records

_BLOCK_BYTES = 1 << 20


@contextmanager
def open_delimited_part(request: PartRequest, ranks: RowRanks) -> Iterator[ListPart]:
    """Read a list's beginning; ``ranks`` learns how its dates are read.

    Raises:
        BrokenFile: It cannot be read on; the line is named.
    """
    with open_records(request.path, request.plan, request.scratch, _ignore) as source:
        yield _read(source, request, ranks)


def _read(source: RecordsFile, request: PartRequest, ranks: RowRanks) -> ListPart:
    plan, repair = source.plan, request.options.repair
    column = AddressColumn(
        source.decode_cell,
        NO_ROLES,
        is_utf8=source.codec == "utf-8",
        has_escapes=bool(plan.escape),
        repairer=None if repair is None else Repairer(repair, plan.encoding),
    )
    begin = len(source.above)
    work = partial(
        read_block, source, column, LooseLines.of(source.path, begin, plan), ranks.rule, False
    )
    domains = DomainTexts(FIRST_DOMAIN)
    blocks, others, sizes = [], [], [np.empty(0, np.int64)]
    found = [np.empty(0, np.uint64)]
    row_count, is_whole = 0, True
    for block in work_in_order(source.path, begin, source.marks, work, block_bytes=_BLOCK_BYTES):
        if block.bytes_end - begin > request.most_bytes or row_count > MOST_ROWS:
            is_whole = False
            break
        blocks.append(block.addresses.number_domains(domains))
        if block.others is not None:
            others.append(block.others.addresses.number_domains(domains))
        sizes.append(block.sizes.astype(np.int64))
        row_count += len(block.sizes)
        if (taken := ranks.take(block.ranks)) is not None:
            found.append(taken)
    first = AddressCodes.join(blocks)
    if plan.has_header:
        first.codes[np.flatnonzero(first.codes != BLANK_LINE)[:1]] = HEADER
    return ListPart(
        first,
        ranks.settle(np.concatenate(found)) if ranks.rule.has_ranks else None,
        domains,
        is_whole,
        partial(_read_rows, source, begin + np.cumsum(np.concatenate(sizes)), begin),
        AddressCodes.join(others) if plan.judges_both else None,
    )


def _read_rows(
    source: RecordsFile, ends: NDArray[np.int64], begin: int, places: NDArray[np.int64]
) -> list[tuple[int, tuple[str, ...]]]:
    first = source.count_rows_above() + 1
    found: list[tuple[int, tuple[str, ...]]] = []
    with source.path.open("rb") as file:
        for place in places.tolist():
            start, end = int(ends[place - 1]) if place else begin, int(ends[place])
            file.seek(start)
            found.append((first + place, _read_cells(file.read(end - start), source)))
    return found


def _read_cells(raw: bytes, source: RecordsFile) -> tuple[str, ...]:
    plan = source.plan
    text = decode_whole(raw, source.codec)
    records = split_records(text, plan.delimiter, is_whole=True, escape=plan.escape)
    return next((record.cells for record in records), ())


def _ignore(rows: int, total: None, done: int) -> None:
    """Tell nobody how far it is."""
