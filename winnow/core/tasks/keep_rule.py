"""Which row of a duplicate stays: the last (the contract's), the first, the newest, the fullest."""

from dataclasses import dataclass

from winnow.core.errors import BadField
from winnow.core.record_enum import RecordEnum
from winnow.words import translatable

MAILBOX_HINT = "Leave it out. Aliases of a mailbox can be removed as duplicates instead."
"""What to do where the column ``mailbox`` of releases up to 0.3 is asked for."""


class Keep(RecordEnum):
    """Which of the rows with one address stays; among equals always the last.

    ``words`` name it, ``of_equals`` says which of equals stays, ``rank_title`` is the title of what
    is compared: without one, only the position of rows decides. ``of_dates`` says which row stayed
    by a column of dates; without it there is no such column.
    """

    words: str
    of_equals: str
    rank_title: str
    of_dates: str

    LAST = "last", translatable("The last row"), "", "", ""
    FIRST = "first", translatable("The first row"), "", "", ""
    NEWEST = (  # no date, or none that can be read, is the oldest
        "newest",
        translatable("The newest row, by a date column"),
        translatable(
            "If several rows have the newest date, the last of them is kept; rows without a date "
            "that can be read count as the oldest."
        ),
        translatable("Date as read"),
        translatable("Of each address, the row with the newest date in {column} stayed."),
    )
    COMPLETE = (
        "complete",
        translatable("The row with the most filled cells"),
        translatable("If several rows have as many filled cells, the last of them is kept."),
        translatable("Filled cells"),
        "",
    )

    @property
    def has_dates(self) -> bool:
        """Whether it goes by a column of dates."""
        return bool(self.of_dates)


DATED = tuple(one for one in Keep if one.has_dates)


@dataclass(frozen=True, slots=True)
class KeepRule:
    """Which row of a duplicate stays.

    ``keep_by`` is the column of dates, for rules by dates only: a position from 0, or, while the
    list's columns are not known, its name or its position from 1. ``joins_aliases``: addresses that
    reach one mailbox are duplicates (``addresses.mailbox``). ``adds_mailbox`` was asked of releases
    up to 0.3; it is refused but where an Idempotency-Key of theirs has its task.
    """

    keep: Keep = Keep.LAST
    keep_by: int | str | None = None
    joins_aliases: bool = False
    adds_mailbox: bool = False

    def __post_init__(self) -> None:
        has_dates = self.keep.has_dates
        if has_dates and self.keep_by is None:
            raise BadField("keep_by", "is missing", hint="Name the column of dates.")
        if not has_dates and self.keep_by is not None:
            raise BadField("keep_by", "goes with keep={names} only", names=" or ".join(DATED))

    @classmethod
    def of(cls, keep: Keep, column: int | str | None, joins_aliases: bool) -> "KeepRule | None":
        """Return a rule with the column of dates that it needs; None: there is none."""
        if keep.has_dates and column is None:
            return None
        return cls(keep, column if keep.has_dates else None, joins_aliases)

    @property
    def date_column(self) -> int | None:
        """The column of dates, from 0, once it is known."""
        return self.keep_by if isinstance(self.keep_by, int) else None

    @property
    def has_ranks(self) -> bool:
        """Whether a row's cells decide, not only its position."""
        return bool(self.keep.rank_title)


KEEP_LAST = KeepRule()
