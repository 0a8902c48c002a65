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
    is compared: without one, only the position of rows decides. ``has_dates``: it goes by a column
    of dates.
    """

    words: str
    of_equals: str
    rank_title: str
    has_dates: bool

    LAST = "last", translatable("The last row"), "", "", False
    FIRST = "first", translatable("The first row"), "", "", False
    NEWEST = (  # no date, or none that can be read, is the oldest
        "newest",
        translatable("The newest row, by a date column"),
        translatable(
            "If several rows have the newest date, the last of them is kept; rows without a date "
            "count as the oldest."
        ),
        translatable("Date as read"),
        True,
    )
    COMPLETE = (
        "complete",
        translatable("The row with the most filled cells"),
        translatable("If several rows have as many filled cells, the last of them is kept."),
        translatable("Filled cells"),
        False,
    )


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
            raise BadField("keep_by", "goes with keep=newest only")

    @property
    def date_column(self) -> int | None:
        """The column of dates, from 0, once it is known."""
        return self.keep_by if isinstance(self.keep_by, int) else None

    @property
    def has_ranks(self) -> bool:
        """Whether a row's cells decide, not only its position."""
        return bool(self.keep.rank_title)


KEEP_LAST = KeepRule()
