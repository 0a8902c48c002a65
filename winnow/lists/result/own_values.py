"""Values of a list's own columns: their rows by outcome, and the rows of groups left out."""

import time
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from operator import attrgetter

import numpy as np
import polars as pl
from cachetools import LRUCache, cachedmethod
from numpy.typing import NDArray

from winnow.core.lists.cleaning import CleaningPolicy, list_grounds
from winnow.core.lists.own_columns import (
    VALUES_SHOWN,
    ColumnSplit,
    LeftOut,
    ValueShare,
    name_own_column,
)
from winnow.core.verdicts.verdict import Verdict
from winnow.lists.result.cell_queries import LONGEST_VALUE_BYTES, VALUES_MAX, holds_dates
from winnow.lists.result.cell_table import CellReader, CellTable
from winnow.lists.result.row_view import RowView
from winnow.lists.result.silence import cut_clock, read_cells_days, read_days

SECONDS_MAX = 1.0  # of counting a column
_ADDRESS = r"\S@\S"
_GROUPS_MAX = 400_000  # that are put together within the time
_YEAR = 4  # letters; a month has more
_TABLES_KEPT = 8  # some megabytes at most

Counts = NDArray[np.int64]
Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class ValueTable:
    """One column's values and their rows by outcome: the largest first, dates the newest first.

    ``whole`` are all rows by outcome that were counted until the time was up.
    """

    texts: tuple[str, ...]
    counts: Counts
    whole: Counts


def count_values(
    table: CellTable,
    column: int,
    outcomes: NDArray[np.unsignedinteger],
    outcome_count: int,
    wanted: str,
    seconds: float = SECONDS_MAX,
) -> ValueTable:
    """Count a column's values by their rows' outcomes until the time is up, VALUES_MAX at most.

    Dates are counted by month, by year where there are many. Left out are values that look like
    addresses, long ones, and without ``wanted`` in them; a date begins with it.
    """
    end, counted, groups = time.monotonic() + seconds, 0, 0
    has_dates = holds_dates(table, column)
    value = pl.col("value")
    is_group = (value.str.len_bytes() <= LONGEST_VALUE_BYTES) & ~value.str.contains(_ADDRESS)
    is_group &= value.str.to_lowercase().str.contains(wanted.lower(), literal=True)
    frames = [pl.DataFrame(schema={"value": pl.String, "outcome": pl.UInt16, "len": pl.UInt32})]
    for texts in table.stream_texts(cut_clock(column) if has_dates else table.trim(column)):
        some = pl.DataFrame({"value": texts, "outcome": outcomes[counted : counted + len(texts)]})
        if not has_dates:
            some = some.filter(is_group)
        frames.append(some.group_by("value", "outcome").len())
        counted, groups = counted + len(texts), groups + len(frames[-1])
        if time.monotonic() > end or groups > _GROUPS_MAX:
            break
    found = pl.concat(frames).group_by("value", "outcome").agg(pl.col("len").sum())
    if has_dates:
        found = _group_dates(found, wanted)
    sizes = found.group_by("value").agg(pl.col("len").sum())
    sizes = sizes.sort("len", "value", descending=[True, False])
    sizes = (sizes.sort("value", descending=True) if has_dates else sizes).head(VALUES_MAX)
    found = found.join(sizes.select("value").with_row_index("number"), on="value")
    counts = np.zeros((len(sizes), outcome_count), np.int64)
    indices = found["number"].to_numpy(), found["outcome"].to_numpy()
    counts[indices] = found["len"].to_numpy()
    whole = np.bincount(outcomes[:counted], minlength=outcome_count)
    return ValueTable(tuple(sizes["value"]), counts, whole)


def _group_dates(found: pl.DataFrame, wanted: str) -> pl.DataFrame:
    """Return counts of texts as those of their months, or years; empty without a date."""
    days, _ = read_cells_days([found["value"]])
    months = np.where(days > 0, days.astype("M8[D]").astype("M8[M]").astype(str), "")
    found = found.with_columns(pl.Series("value", months))
    found = found.filter(pl.col("value").str.starts_with(wanted))
    if found["value"].n_unique() > VALUES_SHOWN and not wanted:
        found = found.with_columns(pl.col("value").str.slice(0, 4))
    return found.group_by("value", "outcome").agg(pl.col("len").sum())


def find_groups(table: CellTable, groups: Sequence[LeftOut]) -> Rows:
    """Return the rows of groups, rising: of values, or of months and years of dates."""
    found = np.zeros(table.index.row_count, np.bool_)
    for place in {place for place, _ in groups}:
        values = [value for one, value in groups if one == place]
        if holds_dates(table, place):
            days, _ = read_days(table, place)
            for value in values:
                unit = "M8[Y]" if len(value) == _YEAR else "M8[M]"
                is_then = days.astype("M8[D]").astype(unit) == np.datetime64(value or "NaT")
                found |= is_then & (days > 0) if value else days == 0
        else:
            found |= table.match(f"list_contains($values, {table.trim(place)})", values=values)
    return np.flatnonzero(found)


class ColumnReader:
    """Counts a column when it is first asked for.

    Verdicts that are removed on the same grounds are one outcome: ``verdicts`` has one of each.
    """

    def __init__(self, view: RowView, cells: CellReader, names: Sequence[str]) -> None:
        self._view = view
        self._cells = cells
        self._names = names
        found: dict[object, tuple[int, Verdict]] = {}
        numbers = [
            found.setdefault(list_grounds(verdict), (len(found), verdict))[0]
            for verdict in view.verdicts
        ]
        self._outcome_of = np.array(numbers, np.uint16)
        self.verdicts = tuple(verdict for _, verdict in found.values())
        self._tables: LRUCache[Hashable, ValueTable] = LRUCache(_TABLES_KEPT)

    def split(self, place: int, policy: CleaningPolicy, wanted: str = "") -> ColumnSplit:
        """Return what a policy removes by a column's values with a text in them."""
        table = self.count(place, wanted)
        is_removed = np.array([policy.removes(one) for one in self.verdicts], np.int64)
        rows, removed = table.counts.sum(axis=1), table.counts @ is_removed
        shares = map(ValueShare, table.texts, rows.tolist(), removed.tolist())
        rest = int((table.whole - table.counts.sum(axis=0)).sum())
        bad = int(table.whole @ is_removed - removed.sum())
        return ColumnSplit(
            name_own_column(self._names[place], place),
            tuple(shares),
            ValueShare("", rest, bad),
            is_whole=int(table.whole.sum()) == self._view.index.row_count,
        )

    @cachedmethod(attrgetter("_tables"))
    def count(self, place: int, wanted: str = "") -> ValueTable:
        """Return the values of a column, as ``count_values`` does."""
        outcomes = self._outcome_of[self._view.indices(0, self._view.index.row_count)]
        return self._cells.find(count_values, place, outcomes, len(self.verdicts), wanted)
