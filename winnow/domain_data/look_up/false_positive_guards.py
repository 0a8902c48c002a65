"""Guards against false positives: which disposable listings of a domain count.

Lists hold honest names: whole universities, newspapers, mailbox providers. A guard removes a
listing, or leaves it as a doubt. Public suffixes need no guard: a look-up never matches at or above
one.
"""

from dataclasses import dataclass
from enum import StrEnum

from winnow.core.verdicts.facts import Guard


class Outcome(StrEnum):
    """Outcome of a guard: what remains of the listings."""

    STAND = "stand"
    DOUBT = "doubt"  # one of them is left, and it no longer decides alone
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True)
class ListingFacts:
    """Facts in favour of a listed domain, and how many families and which natures list it."""

    family_count: int
    is_reviewed: bool
    relay: bool = False
    conflict: bool = False
    removed: bool = False  # a reviewed list had and removed it, or allows it
    known: bool = False  # reviewed free provider, paid mail service, company
    institution: bool = False  # reviewed or published list of schools and public bodies
    restricted_suffix: bool = False
    open_suffix: bool = False
    listed_free: bool = False  # a published list of free providers, itself reviewed
    gathered_free: bool = False  # a published list of free providers that holds disposables


def guard_listings(facts: ListingFacts) -> tuple[Outcome, Guard | None]:
    """Decide what remains of a domain's listings, and by which guard."""
    for applies, guard in (
        (facts.relay, Guard.RELAY),
        (facts.conflict, Guard.KNOWN_CONFLICT),
        (facts.known, Guard.KNOWN_PROVIDER_OR_COMPANY),
        (facts.restricted_suffix, Guard.RESTRICTED_SUFFIX),
        (facts.institution, Guard.PUBLIC_BODY_OR_ACADEMIC),
    ):
        if applies:
            return Outcome.DROPPED, guard
    if facts.open_suffix:
        return Outcome.DOUBT, Guard.OPEN_SCHOOL_SUFFIX
    if facts.removed:  # copies keep what their source has removed
        outcome = Outcome.DROPPED if facts.family_count <= 1 else Outcome.DOUBT
        return outcome, Guard.REMOVED_AFTER_REVIEW
    if facts.is_reviewed and facts.family_count > 1:
        return Outcome.STAND, None
    if facts.listed_free and not facts.is_reviewed and facts.family_count == 1:
        return Outcome.DROPPED, Guard.LISTED_FREE_PROVIDER
    if facts.listed_free or facts.gathered_free:
        return Outcome.DOUBT, Guard.LISTED_FREE_PROVIDER
    return Outcome.STAND, None
