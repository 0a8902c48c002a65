"""Ranks of a Parquet list's rows, step by step as the email column is read."""

from collections.abc import Iterator
from functools import partial
from itertools import repeat

import numpy as np
import pyarrow as pa

from winnow.core.tasks.keep_rule import Keep, KeepRule
from winnow.lists.engine.row_ranks import RankBlock, rank_by_count, rank_by_date_texts
from winnow.lists.execution.ordered import map_in_order
from winnow.lists.formats.parquet.cell_texts import is_blank, word_column
from winnow.lists.formats.parquet.source import ParquetSource


def rank_steps(source: ParquetSource, rule: KeepRule) -> Iterator[RankBlock | None]:
    """Yield the ranks of each step of ``ParquetSource.read_column``; None without end for none."""
    if rule.date_column is not None:
        steps = source.read_column(rule.date_column)
        return map_in_order(partial(_rank_by_dates, rule.date_column), steps)
    if rule.keep is Keep.COMPLETE:
        return map_in_order(_rank_by_count, (step for step, _ in source.read_whole()))
    return repeat(None)


def _rank_by_dates(place: int, step: pa.Table) -> RankBlock:
    return rank_by_date_texts(word_column(step.column(0), place))


def _rank_by_count(step: pa.Table) -> RankBlock:
    counts = np.zeros(step.num_rows, np.int64)
    for place, column in enumerate(step.columns):
        counts += ~is_blank(word_column(column, place)).to_numpy(zero_copy_only=False)
    return rank_by_count(counts)
