"""Imported bounces: what mail services reported of mail to an address."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Any

from winnow.core.lists.side_files import FileNote, NoteKind


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

    def to_json(self) -> dict[str, Any]:
        """Return the counts as plain values."""
        return {
            "by_outcome": {one.value: count for one, count in self.by_outcome.items()},
            "first_day": self.first_day and self.first_day.isoformat(),
            "last_day": self.last_day and self.last_day.isoformat(),
            "left_out": self.left_out,
            "notes": [note.to_json() for note in self.notes],
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> "BounceCounts":
        """Read what ``to_json`` wrote."""
        return cls(
            {MailOutcome(one): count for one, count in values["by_outcome"].items()},
            date.fromisoformat(values["first_day"]) if values["first_day"] else None,
            date.fromisoformat(values["last_day"]) if values["last_day"] else None,
            values["left_out"],
            tuple(FileNote(NoteKind(kind), name) for kind, name in values["notes"]),
        )


@dataclass(frozen=True, slots=True)
class BounceImport:
    """One import."""

    file_id: str
    file_name: str
    imported_at: datetime
    counts: BounceCounts
