"""Refresh of the lists: their ages, and the outcome of a round."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum

NEW_NAMES_FOUND = 35
"""Of a hundred names that are new to the list reviewed by hand, those that lists made before call
black or grey; the median of seven spans. docs/accuracy.md, "New names"; a test holds
these figures and the page together."""

NAMES_FOUND_BY_AGE = {21: 99, 52: 92, 82: 87, 113: 84, 144: 82, 174: 76, 205: 75}
"""Of a hundred names of that list today, those that lists so many days old call black or grey."""


@dataclass(frozen=True, slots=True)
class ListAge:
    """One list that can be refreshed, as it counts now.

    ``dated_on`` is the day of the last good copy or of the package's release; None where neither
    is known. ``is_counted`` is False for a list that counts only once it was refreshed.
    """

    host: str
    dated_on: date | None
    is_refreshed: bool
    is_counted: bool = True


def find_age_days(lists: Iterable[ListAge], today: date) -> int | None:
    """Return how old the newest list that counts is, in days; None where no date is known."""
    days = [age.dated_on for age in lists if age.is_counted and age.dated_on is not None]
    return max((today - max(days)).days, 0) if days else None


def find_reach(age_days: int) -> tuple[int, int]:
    """Return the next greater measured age, or the greatest, and what lists that old find."""
    age = min(
        (age for age in NAMES_FOUND_BY_AGE if age >= age_days), default=max(NAMES_FOUND_BY_AGE)
    )
    return age, NAMES_FOUND_BY_AGE[age]


def offer_refresh(age_days: int) -> str:
    """Return the sentence that offers the refresh, with what lists of this age find."""
    _, found = find_reach(age_days)
    return (
        f"The lists of disposable services are {age_days} days old: they find {found} of 100 "
        f"services of today, but only {NEW_NAMES_FOUND} of 100 new ones. Settings refreshes them."
    )


class RefreshState(StrEnum):
    """Outcome for one list."""

    UNCHANGED = "unchanged"
    CHANGED = "changed"
    REFUSED = "refused"
    UNREACHABLE = "unreachable"


@dataclass(frozen=True, slots=True)
class RefreshOutcome:
    """One list after a refresh; ``reason`` says why it was refused or could not be fetched."""

    name: str
    state: RefreshState
    added: int = 0
    removed: int = 0
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class RefreshRound:
    """A round over all lists: when it ended (UTC), whether by the schedule, the outcomes."""

    ended_at: datetime
    is_scheduled: bool
    outcomes: tuple[RefreshOutcome, ...]

    @property
    def is_good(self) -> bool:
        """Whether every list was fetched and passed."""
        failed = {RefreshState.REFUSED, RefreshState.UNREACHABLE}
        return not any(outcome.state in failed for outcome in self.outcomes)
