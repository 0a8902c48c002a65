"""Imported bounces: what mail services reported of mail to an address."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Any

from winnow.core.lists.side_files import FileNote, NoteKind
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Category


class MailOutcome(StrEnum):
    """Outcome of mail to an address, the worst first."""

    HARD = "hard"  # for good: no such mailbox
    SOFT = "soft"  # for a time: mailbox full, server down, blocked
    DELIVERED = "delivered"


class BounceSource(StrEnum):
    """Mail service that wrote a file; ``words`` is its usual name."""

    words: str
    _value_: str

    def __new__(cls, code: str, words: str = "") -> "BounceSource":
        """Make the member of a code, which is kept, and a name."""
        member = str.__new__(cls, code)
        member._value_ = code
        member.words = words
        return member

    MAILCHIMP = "mailchimp", "Mailchimp"
    KLAVIYO = "klaviyo", "Klaviyo"
    HUBSPOT = "hubspot", "HubSpot"
    SES = "ses", "Amazon SES"
    SENDGRID = "sendgrid", "SendGrid"
    POSTMARK = "postmark", "Postmark"
    OTHER = "other", ""


@dataclass(frozen=True, slots=True)
class Judged:
    """How many addresses with one outcome have one verdict, by its deciding reason."""

    outcome: MailOutcome
    category: Category
    reason: Reason
    count: int


@dataclass(frozen=True, slots=True)
class BounceCounts:
    """Counts of a bounce file, each address once, by its newest event.

    ``first_day`` and ``last_day`` are of the events that have one. ``left_out`` are lines without
    an address or an outcome that counts. ``judged`` has Winnow's verdicts on the addresses at the
    import, by its own data of ``data_version`` alone: without own lists and without the network.
    """

    source: BounceSource
    by_outcome: Mapping[MailOutcome, int]
    first_day: date | None
    last_day: date | None
    left_out: int
    judged: tuple[Judged, ...]
    data_version: str
    notes: tuple[FileNote, ...] = ()

    @property
    def total(self) -> int:
        """How many addresses there are."""
        return sum(self.by_outcome.values())

    def to_json(self) -> dict[str, Any]:
        """Return the counts as plain values."""
        return {
            "source": self.source.value,
            "by_outcome": {one.value: count for one, count in self.by_outcome.items()},
            "first_day": self.first_day and self.first_day.isoformat(),
            "last_day": self.last_day and self.last_day.isoformat(),
            "left_out": self.left_out,
            "judged": [
                [one.outcome.value, one.category.value, one.reason.value, one.count]
                for one in self.judged
            ],
            "data_version": self.data_version,
            "notes": [note.to_json() for note in self.notes],
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> "BounceCounts":
        """Read what ``to_json`` wrote."""
        return cls(
            BounceSource(values["source"]),
            {MailOutcome(one): count for one, count in values["by_outcome"].items()},
            date.fromisoformat(values["first_day"]) if values["first_day"] else None,
            date.fromisoformat(values["last_day"]) if values["last_day"] else None,
            values["left_out"],
            tuple(
                Judged(MailOutcome(outcome), Category(category), Reason(reason), count)
                for outcome, category, reason, count in values["judged"]
            ),
            values["data_version"],
            tuple(FileNote(NoteKind(kind), name) for kind, name in values["notes"]),
        )


@dataclass(frozen=True, slots=True)
class BounceImport:
    """One import."""

    file_id: str
    file_name: str
    imported_at: datetime
    counts: BounceCounts


@dataclass(frozen=True, slots=True)
class BounceRecord:
    """Winnow's verdicts on all imports together: addresses by outcome and category.

    An address in several files counts in each. ``by_reason`` are the deciding reasons
    of one outcome and category, the largest first.
    """

    by_category: Mapping[MailOutcome, Mapping[Category, int]]
    by_reason: Mapping[tuple[MailOutcome, Category], tuple[tuple[Reason, int], ...]]

    def count(self, outcome: MailOutcome, category: Category | None = None) -> int:
        """Return how many addresses had an outcome, of one category or of all."""
        of_outcome = self.by_category.get(outcome, {})
        return sum(of_outcome.values()) if category is None else of_outcome.get(category, 0)


def add_up(imports: Iterable[BounceCounts]) -> BounceRecord:
    """Add up Winnow's verdicts on all imports."""
    by_category: dict[MailOutcome, dict[Category, int]] = {}
    reasons: dict[tuple[MailOutcome, Category], dict[Reason, int]] = {}
    for counts in imports:
        for one in counts.judged:
            of_outcome = by_category.setdefault(one.outcome, {})
            of_outcome[one.category] = of_outcome.get(one.category, 0) + one.count
            of_reason = reasons.setdefault((one.outcome, one.category), {})
            of_reason[one.reason] = of_reason.get(one.reason, 0) + one.count
    return BounceRecord(
        by_category,
        {
            key: tuple(sorted(found.items(), key=lambda pair: (-pair[1], pair[0].value)))
            for key, found in reasons.items()
        },
    )
