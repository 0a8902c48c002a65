"""Which row of a duplicate stays: the last (the contract's), the first, the newest, the fullest."""

from dataclasses import dataclass
from enum import StrEnum

from winnow.core.errors import BadField
from winnow.words import translatable

MAILBOX_HINT = "Leave it out. Aliases of a mailbox can be removed as duplicates instead."
"""What to do where the column ``mailbox`` of releases up to 0.3 is asked for."""


@dataclass(frozen=True, slots=True)
class KeepTraits:
    """What people read of a rule: its name, which of equals stays, the title of its ranks.

    Without a title only the position of rows decides. ``has_dates``: a column of dates is needed.
    """

    words: str
    of_equals: str = ""
    rank_title: str = ""
    has_dates: bool = False


class Keep(StrEnum):
    """Which of the rows with one address stays; among equals always the last."""

    LAST = "last"
    FIRST = "first"
    NEWEST = "newest"  # by the dates of a column; no date, or none that can be read, is the oldest
    COMPLETE = "complete"  # the most cells that are not blank

    @property
    def traits(self) -> KeepTraits:
        """What people read of it."""
        return _TRAITS[self]


_TRAITS = {
    Keep.LAST: KeepTraits(translatable("The last row")),
    Keep.FIRST: KeepTraits(translatable("The first row")),
    Keep.NEWEST: KeepTraits(
        translatable("The newest row, by a date column"),
        translatable(
            "If several rows have the newest date, the last of them is kept; rows without a date "
            "count as the oldest."
        ),
        translatable("Date as read"),
        has_dates=True,
    ),
    Keep.COMPLETE: KeepTraits(
        translatable("The row with the most filled cells"),
        translatable("If several rows have as many filled cells, the last of them is kept."),
        translatable("Filled cells"),
    ),
}


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
        has_dates = self.keep.traits.has_dates
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
        return bool(self.keep.traits.rank_title)


KEEP_LAST = KeepRule()
