"""How many rows keep-last takes away: counted, or told from a sample of blocks.

Rows of one address that stand near each other are met together, so each is worth as many as the
list has rows for one of the sample. Addresses met in blocks far from each other are what
``repeat_counts`` tells the others from.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np
import polars as pl
from numpy.typing import NDArray

from winnow.core.lists.previews import Amount, Z
from winnow.core.verdicts.reasons import Reason
from winnow.lists.engine.row_codes import FAULT_CODES
from winnow.lists.preview.repeat_counts import MET_MAX, fit_repeats
from winnow.lists.preview.row_sample import RowSample


@dataclass(frozen=True, slots=True)
class Repeats:
    """The rows that go, and rows of the sample that stand for them, with what each is worth."""

    amount: Amount
    rows: NDArray[np.intp]
    worth: NDArray[np.float64]


def find_last(sample: RowSample, canonical: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Return for each row whether it stays when only the last of each address does."""
    is_last = np.ones(len(sample), np.bool_)
    rows = np.flatnonzero(sample.codes != FAULT_CODES[Reason.EMPTY])  # blank cells all stay
    pairs = _name_addresses(sample, canonical, rows)
    is_last[rows] = pairs.select(pl.struct("key", "code").is_last_distinct()).to_series().to_numpy()
    return is_last


def estimate_repeats(sample: RowSample, canonical: NDArray[np.uint32]) -> Repeats:
    """Tell from a sample how many rows of the whole list go."""
    rows = np.flatnonzero(sample.codes != FAULT_CODES[Reason.EMPTY])
    share = len(sample) / max(1, sample.row_count)
    if not len(rows) or share >= 1:
        return Repeats(Amount(0, 0, 0), rows[:0], np.empty(0))
    named = _name_addresses(sample, canonical, rows).with_columns(
        row=pl.Series(rows), block=pl.Series(sample.blocks[rows])
    )
    is_last_near = pl.struct("key", "code", "block").is_last_distinct()
    near = named.filter(~is_last_near)
    far = (
        named.filter(is_last_near)
        .group_by("key", "code", maintain_order=True)
        .agg(pl.len().alias("met"), pl.col("row").last())
    )
    often = far.filter(pl.col("met") > MET_MAX)
    some = far.filter(pl.col("met") <= MET_MAX)
    met = some["met"].to_numpy().astype(np.int64)
    fitted = fit_repeats(met, share)
    often_worth = often["met"].to_numpy().astype(np.float64) / share - 1
    plain = near.height / share + float(often_worth.sum())
    doubt = Z * sqrt(near.height * _find_cluster(near) + float(often["met"].sum())) / share
    room = sample.row_count - far.height  # each address met stands at least once
    amount = Amount(
        _fit(fitted.likely + plain, room),
        _fit(max(fitted.low + plain - doubt, len(rows) - far.height), room),
        _fit(fitted.high + plain + doubt, room),
    )
    return Repeats(
        amount,
        np.concatenate([table["row"].to_numpy() for table in (near, often, some)]).astype(np.intp),
        np.concatenate((np.full(near.height, 1 / share), often_worth, fitted.worth[met])),
    )


def _name_addresses(
    sample: RowSample, canonical: NDArray[np.uint32], rows: NDArray[np.intp]
) -> pl.DataFrame:
    return pl.DataFrame({"key": sample.keys[rows], "code": canonical[sample.codes[rows]]})


def _find_cluster(near: pl.DataFrame) -> float:
    """Return how many rows that go stand together, in the mean weighed by their number."""
    counts = near.group_by("block").len()["len"].to_numpy().astype(np.float64)
    return float((counts**2).sum() / counts.sum()) if len(counts) else 1.0


def _fit(count: float, room: int) -> int:
    return int(min(max(round(count), 0), max(room, 0)))
