"""Ranks of rows: of the rows with one address the highest rank is kept, of equals the last row."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from winnow.core.lists.notices import DATES_READ, Notice
from winnow.core.tasks.keep_rule import KEEP_LAST, Keep, KeepRule
from winnow.lists.engine.date_cells import DateCounts, read_dates, settle_dates, show_rank
from winnow.lists.engine.duplicates import Ranks
from winnow.lists.text.gathered_cells import gather_cells
from winnow.lists.text.records import Records
from winnow.words import Sentence, translatable, translatable_many

_NOT_ASCII = np.uint8(ord("?"))


@dataclass(frozen=True, slots=True)
class RowRanks:
    """How rows are ranked; once all dates of the list are counted, ranks may be settled."""

    rule: KeepRule = KEEP_LAST
    dates: DateCounts = field(default_factory=DateCounts)

    @property
    def keeps_first(self) -> bool:
        """Whether of each address the first row stays."""
        return self.rule.keep is Keep.FIRST

    @property
    def compared(self) -> str:
        """The column of rows by which duplicates are found, besides the codes."""
        return "boxes" if self.rule.joins_aliases else "keys"

    def rank(self, records: Records, is_row: NDArray[np.bool_]) -> tuple[Ranks | None, DateCounts]:
        """Rank a block's records, not settled yet; only of rows dates are counted."""
        if self.rule.date_column is not None:
            starts, ends = records.find(self.rule.date_column)
            cells = gather_cells(records.data, starts, np.where(is_row, ends, starts))
            ascii_only = np.where(cells.lowered < 128, cells.lowered, _NOT_ASCII)
            texts = pa.LargeStringArray.from_buffers(
                len(starts), pa.py_buffer(cells.offsets), pa.py_buffer(ascii_only)
            )
            return read_dates(pl.Series("text", texts.cast(pa.string_view())))
        if self.rule.keep is Keep.COMPLETE:
            return records.count_filled().astype(np.uint64), DateCounts()
        return None, DateCounts()

    def weigh(self, ranks: Ranks) -> Ranks:
        """Return what is compared: the row with the most is kept."""
        return self.settle(ranks)

    def settle(self, ranks: Ranks) -> Ranks:
        """Return what was ranked: a moment, later is more, or a number of cells."""
        if not self.rule.keep.has_dates:
            return ranks
        return settle_dates(ranks, takes_day_first=self.dates.takes_day_first)

    def word(self, rank: int) -> str:
        """Return a settled rank for people; ``""`` for no date."""
        return show_rank(rank) if self.rule.keep.has_dates else str(rank)

    def list_notices(self, columns: Sequence[str]) -> tuple[Notice, ...]:
        """Return notices of how dates were read, and how many were not."""
        column = self.rule.date_column
        if column is None:
            return ()
        name = columns[column].strip() if column < len(columns) else ""
        name = f"“{name}”" if name else translatable("column {column:d}", column=column + 1)
        notices = []
        if self.dates.is_open:
            form = translatable("day/month/year")
            if not self.dates.takes_day_first:
                form = translatable("month/day/year")
            text = translatable("Dates in {name} were read as {form}.", name=name, form=form)
            if self.dates.is_guess:
                text = Sentence.join(
                    (text, translatable("Nothing in the column says which of the two it is."))
                )
            notices.append(Notice(DATES_READ, text))
        if count := self.dates.unreadable:
            said = translatable_many(
                count,
                "{count} cell holds no date that can be read, and counts as the oldest.",
                "{count} cells hold no date that can be read, and count as the oldest.",
            )
            text = translatable("Dates in {name} are not all read.", name=name)
            notices.append(Notice("dates_unread", Sentence.join((text, said)), count=count))
        return tuple(notices)
