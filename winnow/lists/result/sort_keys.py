"""Numbers by which the cells of a column are sorted: the smaller the earlier.

Texts without case and accents; amounts and dates, where a column holds them, by what they say. A
text's number says its first bytes, so that ten million are made in one pass; which of those that
begin alike comes first is found out for the rows of a page alone (``row_sorter.py``).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from winnow.lists.engine.date_cells import NO_DATE, DateCounts, read_dates, settle_dates
from winnow.lists.execution.ordered import map_in_order
from winnow.lists.result.amounts import AmountSums, read_amounts, tell_amounts
from winnow.lists.result.own_cells import Cells

EMPTY, UNREAD = np.uint64(2**64 - 1), np.uint64(2**64 - 2)
IS_CUT = np.uint64(1)
RANKED_MOST = 1 << 18  # distinct texts; more are told by their first bytes
_SAMPLE = 2_000
_WORD = 8
_SIGN = np.uint64(1 << 63)
_LEADING = np.array([~((1 << (64 - 8 * size)) - 1) % (1 << 64) for size in range(8)], np.uint64)
_SIX_BYTES = np.uint64(0x00FF_FFFF_FFFF_FF00)

Keys = NDArray[np.uint64]
Run = tuple[int, int]
ReadCells = Callable[[Run], Cells]


@dataclass(frozen=True, slots=True)
class SortKeys:
    """A key a row. EMPTY is no cell, or an empty one, UNREAD one that is no amount or date.

    ``is_exact``: equal keys are equal cells. Else those with IS_CUT may differ behind what the key
    says.
    """

    keys: Keys
    is_exact: bool = True


def read_sort_keys(read: ReadCells, runs: Sequence[Run], *, semicolons: bool) -> SortKeys:
    """Read a column through.

    Args:
        read: Gives the cells of a stretch of rows; in several threads.
        runs: All stretches in order.
        semicolons: The list's delimiter: what amounts are read by where no cell tells.
    """
    if not runs:
        return SortKeys(np.empty(0, np.uint64))
    start = _DistinctTexts.of(read(runs[0]))
    sample = start.texts.head(_SAMPLE)
    if tell_amounts(sample):
        return SortKeys(_read_amounts(read, runs, start, semicolons=semicolons))
    if _tell_dates(sample):
        return SortKeys(_read_dates(read, runs))
    row_count = runs[-1][0] + runs[-1][1]
    if len(start.texts) * row_count // runs[0][1] <= RANKED_MOST:
        return SortKeys(_rank(read, runs))
    folded = fold(start.texts)
    prefix = _find_prefix(folded.filter(folded != ""))

    def work(run: Run) -> Keys:
        return pack_start(fold(unquote(read(run))), prefix)

    return SortKeys(np.concatenate(list(map_in_order(work, runs))), is_exact=False)


@dataclass(frozen=True, slots=True)
class _DistinctTexts:
    """A stretch's distinct texts, and for each row which it has."""

    texts: pl.Series
    numbers: NDArray[np.int32]

    @classmethod
    def of(cls, cells: Cells) -> "_DistinctTexts":
        encoded = unquote(cells).to_arrow().dictionary_encode()
        return cls(pl.Series("text", encoded.dictionary), encoded.indices.to_numpy())


def unquote(cells: Cells) -> pl.Series:
    """Return the texts of cells without white space around them."""
    texts = cells.list_texts()
    is_doubled = texts.str.contains('""', literal=True).arg_true()
    if len(is_doubled) and cells.form is not None and not cells.form.escape:
        single = texts.gather(is_doubled).str.replace_all('""', '"', literal=True)
        texts = texts.scatter(is_doubled, single)
    return texts.str.strip_chars()


def fold(texts: pl.Series) -> pl.Series:
    """Return texts as they are compared: in lower case, without accents."""
    foreign = (texts.str.len_bytes() != texts.str.len_chars()).arg_true()
    if len(foreign):
        plain = texts.gather(foreign).str.normalize("NFKD").str.replace_all(r"\p{Mn}", "")
        texts = texts.clone().scatter(foreign, plain)
    return texts.str.to_lowercase()


def pack_start(texts: pl.Series, prefix: str = "") -> Keys:
    """Return keys that say how folded texts begin, behind what most of them begin with.

    Seven bytes, or six behind one that says where a text stands by the prefix, and IS_CUT where
    there are more.
    """
    place = None
    if prefix:
        begins = texts.str.starts_with(prefix)
        place = np.where(begins.to_numpy(), 1, np.where((texts > prefix).to_numpy(), 2, 0))
        behind = texts.str.slice(len(prefix))
        texts = behind.zip_with(begins, texts)
    arrow = texts.to_arrow().cast(pa.large_string())
    _, offsets, data = arrow.buffers()
    bounds = np.frombuffer(offsets, np.int64, len(arrow) + 1, 8 * arrow.offset)
    padded = np.zeros(int(bounds[-1]) + _WORD, np.uint8)
    if data is not None:
        padded[:-_WORD] = np.frombuffer(data, np.uint8, int(bounds[-1]))
    words = np.ndarray((len(padded) - _WORD + 1,), np.dtype(">u8"), padded, strides=(1,))
    sizes = np.diff(bounds)
    keys: Keys = words[bounds[:-1]].astype(np.uint64)
    keys &= _LEADING[np.minimum(sizes, 7)]
    most = 7
    if place is not None:
        keys = keys >> np.uint64(8) & _SIX_BYTES | place.astype(np.uint64) << np.uint64(56)
        most = 6
    keys[sizes > most] |= IS_CUT
    keys[(sizes == 0) & (place is None or place == 0)] = EMPTY
    return keys


def _find_prefix(texts: pl.Series) -> str:
    """Return what all texts begin with."""
    ends = texts.sort()
    if not len(ends):
        return ""
    first, last = ends[0], ends[-1]
    pairs = enumerate(zip(first, last, strict=False))
    same = next((place for place, (one, other) in pairs if one != other), len(first))
    return str(first[:same])


def _rank(read: ReadCells, runs: Sequence[Run]) -> Keys:
    stretches = list(map_in_order(lambda run: _DistinctTexts.of(read(run)), runs))
    folded = fold(pl.concat([one.texts for one in stretches]))
    ranks = folded.rank("dense").to_numpy().astype(np.uint64)
    ranks[(folded == "").to_numpy()] = EMPTY
    found, first = [], 0
    for one in stretches:
        found.append(ranks[first : first + len(one.texts)][one.numbers])
        first += len(one.texts)
    return np.concatenate(found)


def _read_amounts(
    read: ReadCells, runs: Sequence[Run], start: _DistinctTexts, *, semicolons: bool
) -> Keys:
    sums = AmountSums(1, semicolons)
    sums.add(read_amounts(start.texts), np.zeros(len(start.texts), np.int64))
    decimal = "," if sums.has_decimal_comma else "."

    def work(run: Run) -> Keys:
        stretch = _DistinctTexts.of(read(run))
        frame = read_amounts(stretch.texts)
        amounts = frame["amount"].fill_null(0.0).to_numpy() + 0.0  # no zero is below another
        is_thousandth = (frame["doubtful"] == decimal).to_numpy()
        bits = np.where(is_thousandth, amounts / 1000, amounts).view(np.uint64)
        keys = np.where(bits & _SIGN, ~bits, bits | _SIGN)
        keys[frame["amount"].is_null().to_numpy()] = UNREAD
        keys[~frame["is_filled"].to_numpy()] = EMPTY
        return keys[stretch.numbers]

    return np.concatenate(list(map_in_order(work, runs)))


def _tell_dates(texts: pl.Series) -> bool:
    filled = texts.filter(texts != "")
    ranks, _ = read_dates(_word_dates(filled))
    return 2 * int(np.count_nonzero(ranks != NO_DATE)) > len(filled)


def _read_dates(read: ReadCells, runs: Sequence[Run]) -> Keys:
    def work(run: Run) -> tuple[Keys, DateCounts]:
        stretch = _DistinctTexts.of(read(run))
        ranks, counts = read_dates(_word_dates(stretch.texts))
        ranks[(stretch.texts == "").to_numpy()] = EMPTY
        return ranks[stretch.numbers], counts

    found, counts = [], DateCounts()
    for keys, some in map_in_order(work, runs):
        found.append(keys)
        counts.add(some)
    keys = np.concatenate(found)
    is_filled = keys != EMPTY
    settled = settle_dates(keys[is_filled], takes_day_first=counts.takes_day_first)
    settled[settled == NO_DATE] = UNREAD
    keys[is_filled] = settled
    return keys


def _word_dates(texts: pl.Series) -> pl.Series:
    return texts.str.replace_all(r"[^\x00-\x7F]", "?").str.to_lowercase()
