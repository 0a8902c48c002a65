"""How many rows keep-last takes away: counted, or told from a sample.

Of a sample of the share q, a pair of equal rows far from each other is met whole with the chance
q², three with q³. An address that stands m times gives m(m-1)/2 pairs and m(m-1)(m-2)/6 triples, so
that P pairs and T triples in the sample tell the mean m over pairs: 2 + x, with x = 3 T / (q P).
The rows that go are then P/q² times 2/(2 + x) where all such addresses stand equally often, and
P/q² times 3/(3 + x) where most stand twice and some often (m geometric). Lists lie between, or a
little beyond the second; twos alone give the same by both. Rows that stand near each other are met
together and are worth 1/q each; so is an address met so often that its number is plain.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np
import polars as pl
from numpy.typing import NDArray

from backend.core.previews import Amount, Z
from backend.core.verdict import Reason
from backend.files.engine.address_column import FAULT_CODES
from backend.files.preview.row_sample import RowSample

MANY = 8  # met so often, an address is counted by itself
BEYOND = 0.3  # how far a list of very uneven repeats may lie beyond the geometric one
_NONE_MET = 4.6  # what may be expected where none was met, at 99 %


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
    share = len(sample) / max(1, sample.row_count)
    rows = np.flatnonzero(sample.codes != FAULT_CODES[Reason.EMPTY])
    if not len(rows):
        return Repeats(Amount(0, 0, 0), rows, np.empty(0))
    named = _name_addresses(sample, canonical, rows).with_columns(
        row=pl.Series(rows), block=pl.Series(sample.blocks[rows])
    )
    is_last_near = pl.struct("key", "code", "block").is_last_distinct()
    near = named.filter(~is_last_near)
    far = named.filter(is_last_near).group_by("key", "code", maintain_order=True).agg(
        pl.len().alias("met"), pl.col("row").last()
    )  # fmt: skip
    often = far.filter(pl.col("met") >= MANY)
    some = far.filter((pl.col("met") > 1) & (pl.col("met") < MANY))
    met = some["met"].to_numpy().astype(np.int64)
    pairs, triples = (
        int((met * (met - 1) // 2).sum()),
        int((met * (met - 1) * (met - 2) // 6).sum()),
    )
    likely, low, high = _count_by_pairs(pairs, triples, share)
    often_met = often["met"].to_numpy().astype(np.float64)
    plain = near.height / share + float((often_met / share - 1).sum())
    doubt = Z * sqrt(near.height * _cluster(near) + float(often_met.sum())) / share
    distinct = far.height
    room = sample.row_count - distinct  # each address met stands at least once
    amount = Amount(
        _fit(likely + plain, room),
        _fit(max(low + plain - doubt, len(rows) - distinct), room),
        _fit(high + plain + doubt, room),
    )
    each = likely / pairs if pairs else 0.0
    return Repeats(
        amount,
        np.concatenate([table["row"].to_numpy() for table in (near, often, some)]).astype(np.intp),
        np.concatenate(
            [
                np.full(near.height, 1 / share),
                often_met / share - 1,
                (met * (met - 1) // 2) * each,
            ]
        ),
    )


def _name_addresses(
    sample: RowSample, canonical: NDArray[np.uint32], rows: NDArray[np.intp]
) -> pl.DataFrame:
    return pl.DataFrame({"key": sample.keys[rows], "code": canonical[sample.codes[rows]]})


def _count_by_pairs(pairs: int, triples: int, share: float) -> tuple[float, float, float]:
    """Return the rows that go by addresses met a few times: the likely number, low and high."""
    if not pairs:
        return 0.0, 0.0, _NONE_MET / share**2
    swing = Z * sqrt(pairs)
    triple_swing = Z * sqrt(triples)

    def find_excess(triples: float) -> float:
        return 3 * triples / (share * pairs)

    def count_even(pairs: float, excess: float) -> float:
        return pairs / share**2 * 2 / (2 + excess)

    def count_uneven(pairs: float, excess: float) -> float:
        return pairs / share**2 * 3 / (3 + excess)

    excess = find_excess(triples)
    beyond = 1 + BEYOND * min(1.0, excess)
    high = beyond * count_uneven(pairs + swing, find_excess(max(0.0, triples - triple_swing)))
    low = count_even(max(0.0, pairs - swing), find_excess(triples + triple_swing + _NONE_MET))
    likely = (count_even(pairs, excess) + count_uneven(pairs, excess)) / 2
    return likely, low, max(high, 2 * _NONE_MET / share**2 if pairs < _NONE_MET else 0.0)


def _cluster(near: pl.DataFrame) -> float:
    """Return how many rows that go stand together, in the mean weighed by their number."""
    counts = near.group_by("block").len()["len"].to_numpy().astype(np.float64)
    return float((counts**2).sum() / counts.sum()) if len(counts) else 1.0


def _fit(count: float, room: int) -> int:
    return int(min(max(round(count), 0), max(room, 0)))
