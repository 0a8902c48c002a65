"""The address of each row of a finished project as one number, for telling two projects apart."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
import polars as pl
from numpy.typing import NDArray

from winnow.core.addresses.address import normalise
from winnow.core.tasks.task import InputPlan
from winnow.core.verdicts.reasons import Reason
from winnow.lists.engine.address_column import AddressBlock, AddressColumn
from winnow.lists.engine.domain_texts import DomainTexts
from winnow.lists.engine.row_codes import FAULT_CODES, FIRST_DOMAIN
from winnow.lists.execution.blocks import work_in_order
from winnow.lists.execution.ordered import map_in_order
from winnow.lists.result.empty_runs import expand_runs
from winnow.lists.result.own_rows import iterate_runs
from winnow.lists.result.row_columns import RowIndex
from winnow.lists.result.row_search import read_bytes
from winnow.lists.text.block_reader import Block, Marks
from winnow.lists.text.cell_text import decode_cell
from winnow.lists.text.records import scan_records

_MIX = np.uint64(0x9E3779B97F4A7C15)  # 2**64 by the golden ratio: Knuth, volume 3, 6.4


@dataclass(frozen=True, slots=True)
class RowKeys:
    """One entry a row. Equal addresses (decisions on ``deduplicate``) have equal keys.

    Different ones share a key by chance only: about one pair in 370,000 lists of ten million.
    ``is_blank`` marks empty email cells, which equal nothing. Keys are comparable within one
    process only.
    """

    keys: NDArray[np.uint64]
    is_blank: NDArray[np.bool_]


def read_keys(index: RowIndex, plan: InputPlan) -> RowKeys:
    """Read a finished project's rows once more; 9 bytes a row stay in memory."""
    texts = DomainTexts(FIRST_DOMAIN)
    decode = partial(decode_cell, codec=index.text.encoding, escape=index.text.escape)
    is_utf8 = index.text.encoding == "utf-8"
    has_escapes = bool(index.text.escape)
    column = AddressColumn(decode, frozenset(), is_utf8=is_utf8, has_escapes=has_escapes)
    marks = Marks.of(index.text.delimiter, index.text.escape, is_settled=True)
    width = index.text.width or len(plan.columns)
    width += index.text.added_count if index.text.has_verdicts else 0

    def work(block: Block) -> AddressBlock | None:
        records = scan_records(block.shape, marks.delimiter, plan.email_column, block.quotes, width)
        if records is None:
            return None
        is_row = ~records.is_blank
        return column.read(block.data, records.cell_starts[is_row], records.cell_ends[is_row])

    names = [name.hash() for name in index.read_names()]
    by_name = np.concatenate([np.zeros(1, np.uint64), *(hashes.to_numpy() for hashes in names)])
    keys = np.empty(index.row_count, np.uint64)
    is_blank = np.empty(index.row_count, np.bool_)
    done = 0
    blocks: Iterable[AddressBlock | None]
    if index.text.has_runs:
        blocks = map_in_order(work, _read_expanded(index))
    else:
        blocks = work_in_order(index.text_path, index.text.head_bytes, marks, work)
    for block in blocks:
        if block is None:
            msg = "rows that we wrote have no stray quotes"
            raise RuntimeError(msg)
        block.number_domains(texts)
        count = len(block.codes)
        place = slice(done, done + count)
        by_domain = by_name[index.domain_codes(done, count)]
        _hash_unusable(by_domain, block, texts)
        keys[place] = (block.keys * _MIX) ^ by_domain
        is_blank[place] = block.codes == FAULT_CODES[Reason.EMPTY]
        done += count
    return RowKeys(keys, is_blank)


def _read_expanded(index: RowIndex) -> Iterator[Block]:
    """Yield the rows with all their delimiters, a stretch at a time."""
    delimiter = index.text.delimiter.encode()
    for start, count in iterate_runs(index.row_count, index.text.width):
        bounds = index.bounds(start, count)
        stored = read_bytes(index, int(bounds[0]), int(bounds[-1])).tobytes()
        data = np.frombuffer(expand_runs(stored, delimiter), np.uint8)
        yield Block(int(bounds[0]), data, data, None)


def _hash_unusable(by_domain: NDArray[np.uint64], block: AddressBlock, texts: DomainTexts) -> None:
    """Put the hash of the text after the at-sign where it is no usable domain."""
    rows = np.flatnonzero((by_domain == 0) & (block.codes >= FIRST_DOMAIN))
    if len(rows):
        codes, places = np.unique(block.codes[rows], return_inverse=True)
        names = [normalise(text).lower() for text in texts.read(codes).to_list()]
        hashes = pl.Series(names, dtype=pl.String).hash().to_numpy()
        by_domain[rows] = hashes[places]
