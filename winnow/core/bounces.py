"""Imported bounces: what mail services reported of mail to an address."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum

from winnow.core.lists.side_files import FileNote


class MailOutcome(StrEnum):
    """Outcome of mail to an address, the worst first."""

    HARD = "hard"  # for good: no such mailbox
    SOFT = "soft"  # for a time: mailbox full, server down, blocked
    DELIVERED = "delivered"


@dataclass(frozen=True, slots=True)
class BounceCounts:
    """Counts of a bounce file, each address once, by its newest event.

    ``first_day`` and ``last_day`` are of the events that have one. ``left_out`` are lines without
    an address or an outcome that counts.
    """

    by_outcome: Mapping[MailOutcome, int]
    first_day: date | None
    last_day: date | None
    left_out: int
    notes: tuple[FileNote, ...] = ()


@dataclass(frozen=True, slots=True)
class BounceImport:
    """One import."""

    file_id: str
    file_name: str
    imported_at: datetime
    counts: BounceCounts
