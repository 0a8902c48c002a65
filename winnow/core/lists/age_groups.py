"""Groups of domain age on the day of the run, and their words."""

from collections.abc import Mapping
from datetime import date
from enum import StrEnum

from winnow.core.verdicts.facts import AgeFacts
from winnow.words import mark


class AgeGroup(StrEnum):
    """Age of a domain when its list was judged; the codes are part of a page's address."""

    UNDER_30_DAYS = "30-days"
    UNDER_A_YEAR = "year"
    UNDER_5_YEARS = "5-years"
    UNDER_10_YEARS = "10-years"
    OLDER = "older"
    UNKNOWN = "unknown"


AGE_WORDS: Mapping[AgeGroup, str] = {
    AgeGroup.UNDER_30_DAYS: mark("Under 30 days"),
    AgeGroup.UNDER_A_YEAR: mark("30 days to a year"),
    AgeGroup.UNDER_5_YEARS: mark("1 to 5 years"),
    AgeGroup.UNDER_10_YEARS: mark("5 to 10 years"),
    AgeGroup.OLDER: mark("Over 10 years"),
    AgeGroup.UNKNOWN: mark("Unknown or not asked"),
}

_DAYS_UNDER = (  # a year is 365.25 days
    (30, AgeGroup.UNDER_30_DAYS),
    (365, AgeGroup.UNDER_A_YEAR),
    (1826, AgeGroup.UNDER_5_YEARS),
    (3652, AgeGroup.UNDER_10_YEARS),
)


def group_age(age: AgeFacts, judged_on: date) -> AgeGroup:
    """Return the group of a domain's age on the day its list was judged.

    A domain that the judge found new is under 30 days, whichever day the run ended.
    """
    if age.registered_on is None:
        return AgeGroup.UNKNOWN
    if age.is_new:
        return AgeGroup.UNDER_30_DAYS
    days = (judged_on - age.registered_on).days
    return next((group for limit, group in _DAYS_UNDER if days < limit), AgeGroup.OLDER)
