"""Refresh of the lists: their ages, the outcome of a round, and what newer lists change."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from enum import StrEnum

from winnow.core.verdicts.facts import AddressFacts, DomainFacts, LocalFlag, MailFacts, MailRoute
from winnow.core.verdicts.policy import decide
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Category, Verdict

NEW_NAMES_FOUND = 16
"""Of a hundred names that are new to the list reviewed by hand, those that lists made before call
black or grey; the median of seven months. docs/accuracy.md, "New names"; a test holds
these figures and the page together."""

NAMES_FOUND_BY_AGE = {21: 99, 52: 92, 82: 87, 113: 84, 144: 82, 174: 70, 205: 69}
"""Of a hundred names of that list today, those that lists so many days old call black or grey."""


@dataclass(frozen=True, slots=True)
class ListAge:
    """One list that can be refreshed, as it counts now.

    ``dated_on`` is the day of the last good copy or of the package's release; None where neither
    is known. ``is_counted`` is False for a list that counts only once it was refreshed.
    """

    name: str
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


class Rhythm(StrEnum):
    """How often the lists are refreshed automatically."""

    NEVER = "never"
    DAILY = "daily"
    WEEKLY = "weekly"


PERIODS: Mapping[Rhythm, timedelta] = {
    Rhythm.DAILY: timedelta(days=1),
    Rhythm.WEEKLY: timedelta(days=7),
}


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


_FLAGS: Mapping[Reason, LocalFlag] = {
    Reason.PLUS_TAG: LocalFlag.PLUS_TAG,
    Reason.MANY_DOTS: LocalFlag.MANY_DOTS,
    Reason.ROLE_ACCOUNT: LocalFlag.ROLE,
    Reason.FILLER_ADDRESS: LocalFlag.FILLER | LocalFlag.NO_MAILBOX,
}
_ROUTES: Mapping[Reason, MailRoute] = {
    Reason.DOMAIN_NOT_FOUND: MailRoute.NOT_FOUND,
    Reason.NULL_MX: MailRoute.NULL_MX,
    Reason.NO_MAIL_ROUTE: MailRoute.NO_MAIL,
    Reason.WORKING_MAIL: MailRoute.MX,
    Reason.DISPOSABLE_MX: MailRoute.MX,
    Reason.MAIL_UNKNOWN: MailRoute.UNKNOWN,
}
_SOME_HOST = "?"


@dataclass(frozen=True, slots=True)
class DataDrift:
    """Difference between the data that a project was judged with and today's.

    ``rows_moved`` counts rows by their category and the one that they would have now; None where
    they were not counted, because the project is large.
    """

    judged_with: str
    now: str
    rows_moved: Mapping[tuple[Category, Category], int] | None

    @property
    def rows_changed(self) -> int | None:
        """How many rows would change their category."""
        return None if self.rows_moved is None else sum(self.rows_moved.values())


def judge_again(verdict: Verdict, facts: DomainFacts) -> Verdict:
    """Judge an address again by other facts about its domain.

    The verdict's reasons give the facts of the local part and the network, unless ``facts`` has an
    answer of DNS. A malformed value stays what it is.
    """
    if not verdict.is_charged:
        return verdict
    flags = LocalFlag.NONE
    for reason in verdict.reasons:
        flags |= _FLAGS.get(reason, LocalFlag.NONE)
    if facts.mail.route is MailRoute.NOT_LOOKED_UP:
        facts = replace(facts, mail=_recall_mail(verdict))
    if Reason.NEWLY_REGISTERED in verdict.reasons:
        facts = replace(facts, newly_registered=True)
    return decide(AddressFacts(flags=flags, domain=facts))


def _recall_mail(verdict: Verdict) -> MailFacts:
    routes = [_ROUTES[reason] for reason in verdict.reasons if reason in _ROUTES]

    def recall(reason: Reason) -> str | None:
        return _SOME_HOST if reason in verdict.reasons else None

    return MailFacts(
        routes[0] if routes else MailRoute.NOT_LOOKED_UP,
        disposable_mx=recall(Reason.DISPOSABLE_MX),
        neighbours=recall(Reason.DISPOSABLE_NEIGHBOURS),
        parking=recall(Reason.PARKED),
    )
