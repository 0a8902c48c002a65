"""The beginning of a Parquet list, read as a run reads it."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import numpy as np
from numpy.typing import NDArray

from winnow.lists.engine.both_addresses import AddressCodes
from winnow.lists.engine.repairer import Repairer
from winnow.lists.engine.row_ranks import RowRanks
from winnow.lists.formats.parquet.addresses import AddressSteps, list_places, read_columns
from winnow.lists.formats.parquet.cell_texts import word_column
from winnow.lists.formats.parquet.ranked_steps import rank_steps
from winnow.lists.formats.parquet.source import ParquetSource, open_parquet, take_rows
from winnow.lists.preview.list_part import MOST_ROWS, NO_ROLES, ListPart, PartRequest


@contextmanager
def open_parquet_part(request: PartRequest, ranks: RowRanks) -> Iterator[ListPart]:
    """Read a list's beginning; ``ranks`` learns how its dates are read.

    Raises:
        BrokenFile: What is read is damaged.
    """
    with open_parquet(request.path) as source:
        yield _read(source, request, ranks)


def _read(source: ParquetSource, request: PartRequest, ranks: RowRanks) -> ListPart:
    places = list_places(request.plan)
    repair = request.options.repair
    repairer = None if repair is None else Repairer(repair)
    read = AddressSteps(
        read_columns(source.read_column, places),
        places,
        NO_ROLES,
        repairer,
        judges_both=request.plan.judges_both,
    )
    ranked = rank_steps(source, ranks.rule)
    steps, found = [], [np.empty(0, np.uint64)]
    row_count = read_bytes = 0
    row_bytes = max(1, source.size_bytes // max(1, source.row_count))
    for blocks, rank_block in zip(read, ranked, strict=False):
        steps.append(blocks)
        if (taken := ranks.take(rank_block)) is not None:
            found.append(taken)
        row_count += len(blocks[0].codes)
        read_bytes += row_bytes * len(blocks[0].codes)
        if row_count > MOST_ROWS or read_bytes > request.most_bytes:
            break
    first, *others = map(AddressCodes.join, zip(*steps, strict=True))
    return ListPart(
        first,
        ranks.settle(np.concatenate(found)) if ranks.rule.has_ranks else None,
        read.domains,
        row_count == source.row_count,
        partial(_read_rows, source),
        others[0] if others else None,
    )


def _read_rows(
    source: ParquetSource, places: NDArray[np.int64]
) -> list[tuple[int, tuple[str, ...]]]:
    found: list[tuple[int, tuple[str, ...]]] = []
    first = 0
    for step, _ in source.read_whole():
        if len(found) == len(places):
            break
        here = places[(places >= first) & (places < first + step.num_rows)]
        if len(here):
            rows = take_rows(step, here - first)
            columns = [
                [text.decode("utf-8", "replace") for text in word_column(one, place).to_pylist()]
                for place, one in enumerate(rows.columns)
            ]
            found += zip((here + 1).tolist(), zip(*columns, strict=True), strict=True)
        first += step.num_rows
    return found
