"""Days of a column's dates by row, and for how many months each row's person has been silent."""

from collections.abc import Iterable
from datetime import date
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from winnow.core.lists.silence import (
    SILENT_MONTHS,
    DayOrder,
    SilenceChoice,
    SilenceColumn,
    find_activity,
)
from winnow.lists.engine.date_cells import count_days, read_column, settle_dates
from winnow.lists.result.cell_table import CellReader, CellTable, name_column

_DAY_BYTES = 10  # without a clock
_CLOCK = r"^\s*(\d{4}-\d{2}-\d{2}|\d{1,2}[./-]\d{1,2}[./-]\d{4})[T ].*$"


class Silence(NamedTuple):
    """A list's column of activity, and each row's months: one of SILENT_MONTHS, or 0."""

    column: SilenceColumn
    months: NDArray[np.uint8]


def read_silence(cells: CellReader, choice: SilenceChoice, today: date) -> Silence | None:
    """Return for how long people were silent on a day; None where no column says it."""
    known = find_activity(cells.plan.columns)
    place = choice.place if choice.place is not None else next(iter(known), None)
    if place is None:
        return None
    days, is_open = cells.find(read_days, place, choice.order)
    months = np.zeros(len(days), np.uint8)
    for count in SILENT_MONTHS if not is_open else ():
        last = pl.select(pl.lit(today).dt.offset_by(f"-{count}mo").to_physical()).item()
        months[(days > 0) & (days <= last)] = count
    others = tuple(one for one in known if one != place)
    return Silence(SilenceColumn(place, others, int(np.count_nonzero(days)), is_open), months)


def read_days(
    table: CellTable, column: int, order: DayOrder | None = None
) -> tuple[NDArray[np.int32], bool]:
    """Return each row's day from 1970 on, 0 without one, and whether the order is open.

    A day is the one that is written, whatever the clock and the zone behind it.
    """
    return read_cells_days(table.stream_texts(cut_clock(column)), order)


def cut_clock(column: int) -> str:
    """Return a column's texts in SQL, usual dates without their clock: many rows share a day."""
    text = name_column(column)
    cut = f"regexp_replace({text}, '{_CLOCK}', '\\1')"
    return f"CASE WHEN strlen({text}) > {_DAY_BYTES} THEN {cut} ELSE {text} END"


def read_cells_days(
    cells: Iterable[pl.Series], order: DayOrder | None = None
) -> tuple[NDArray[np.int32], bool]:
    """Return the days of cells as ``read_days`` does."""
    ranks, counts = read_column(cells)
    is_torn = bool(counts.only_day_first) == bool(counts.only_month_first)
    takes_day_first = counts.takes_day_first if order is None else order is DayOrder.DAY
    days = count_days(settle_dates(ranks, takes_day_first=takes_day_first))
    return days, counts.is_open and is_torn and order is None
