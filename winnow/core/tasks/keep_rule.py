"""Which row of a duplicate stays: the last (the contract's), the first, the newest, the fullest."""

from dataclasses import dataclass
from enum import StrEnum

from winnow.core.errors import BadField

MAILBOX_HINT = "Leave it out. Aliases of a mailbox can be removed as duplicates instead."
"""What to do where the column ``mailbox`` of releases up to 0.3 is asked for."""


class Keep(StrEnum):
    """Which of the rows with one address stays; among equals always the last."""

    LAST = "last"
    FIRST = "first"
    NEWEST = "newest"  # by the dates of a column; no date, or none that can be read, is the oldest
    COMPLETE = "complete"  # the most cells that are not blank


@dataclass(frozen=True, slots=True)
class KeepRule:
    """Which row of a duplicate stays. ``date_column`` counts from 0 and is for NEWEST only.

    ``joins_aliases``: addresses that reach one mailbox are duplicates (``addresses.mailbox``);
    ``adds_mailbox`` was asked of releases up to 0.3, and is not done any more.
    """

    keep: Keep = Keep.LAST
    date_column: int | None = None
    joins_aliases: bool = False
    adds_mailbox: bool = False

    @property
    def has_ranks(self) -> bool:
        """Whether a row's cells decide, not only its position."""
        return self.keep in (Keep.NEWEST, Keep.COMPLETE)


KEEP_LAST = KeepRule()


@dataclass(frozen=True, slots=True)
class KeepChoice:
    """A rule as requested, before the list's columns are known.

    ``keep_by`` is the column of dates: a position from 0, or text, a name or a position from 1.
    ``adds_mailbox`` is refused but where an Idempotency-Key of an older release has its task.
    """

    keep: Keep = Keep.LAST
    keep_by: int | str | None = None
    joins_aliases: bool = False
    adds_mailbox: bool = False

    def __post_init__(self) -> None:
        if self.keep is Keep.NEWEST and self.keep_by is None:
            raise BadField("keep_by", "is missing", hint="Name the column of dates.")
        if self.keep is not Keep.NEWEST and self.keep_by is not None:
            raise BadField("keep_by", "goes with keep=newest only")


KEEP_USUAL = KeepChoice()
