"""Evidence for each reason of a verdict: the rule, and the list or answer with its date."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime
from operator import attrgetter

from winnow.core.verdicts.facts import DomainFacts, Evidence, Listing, OwnEntry
from winnow.core.verdicts.reasons import Origin, Reason
from winnow.core.verdicts.verdict import Verdict
from winnow.words import Sentence, mark

OWN_LISTS = mark("your lists")


def collect_evidence(
    verdict: Verdict, facts: DomainFacts | None, own: OwnEntry | None = None
) -> tuple[Evidence, ...]:
    """Return the evidence for each reason, in the verdict's order; several for several lists.

    ``own`` is the entry of the own lists that decided, where one did.
    """
    return tuple(
        evidence
        for reason in verdict.reasons
        for evidence in (
            [_cite_own(own)]
            if own is not None and reason is own.reason
            else _explain_reason(reason, facts)
        )
    )


def _cite_own(own: OwnEntry) -> Evidence:
    return Evidence(
        own.reason,
        Sentence(own.reason.rule),
        source=OWN_LISTS,
        dated=own.added_on,
        matched=own.pattern,
        note=own.note,
    )


def _explain_reason(reason: Reason, facts: DomainFacts | None) -> Iterator[Evidence]:
    if facts is None:
        yield Evidence(reason, Sentence(reason.rule), detail=reason.detail)
        return
    seen = None if reason.fact is None else attrgetter(reason.fact)(facts)
    matched = None if seen is None else str(seen)
    match reason.origin:
        case Origin.DISPOSABLE_LISTS if facts.listings:
            for found in facts.listings:
                if reason is not Reason.DISPOSABLE_REVIEWED or found.reviewed:
                    yield _cite(reason, found)
        case Origin.DNS | Origin.SERVERS:
            yield _cite_rule(reason, "DNS", matched, facts.mail.asked_at)
        case Origin.REGISTRY if facts.registry is not None:
            source = f"RDAP at {facts.registry}"
            yield _cite_rule(reason, source, matched, facts.age_asked_at)
        case _ if isinstance(seen, Listing):
            yield _cite(reason, seen)
        case _:
            yield Evidence(reason, Sentence(reason.rule), matched=matched, detail=reason.detail)


def _cite(reason: Reason, listing: Listing) -> Evidence:
    return Evidence(
        reason,
        Sentence(reason.rule),
        listing.source,
        dated=listing.listed_on,
        matched=listing.matched,
        detail=reason.detail,
    )


def _cite_rule(
    reason: Reason, source: str, matched: str | None, asked_at: datetime | None
) -> Evidence:
    found = cite_answer(reason, Sentence(reason.rule), source, matched, asked_at)
    return replace(found, detail=reason.detail)


def cite_answer(
    reason: Reason,
    sentence: Sentence,
    source: str | None,
    matched: str | None,
    asked_at: datetime | None,
) -> Evidence:
    """Return the network's answer and its time as evidence."""
    asked_on = None if asked_at is None else asked_at.date()
    return Evidence(reason, sentence, source, dated=asked_on, matched=matched, asked_at=asked_at)


def find_first_listed(facts: DomainFacts) -> date | None:
    """Return the earliest known date of a list that names the domain as disposable or relay."""
    dates = [listing.listed_on for listing in facts.listings if listing.listed_on is not None]
    dates += [
        listing.listed_on
        for listing in (facts.relay, facts.placeholder)
        if listing is not None and listing.listed_on is not None
    ]
    return min(dates, default=None)
