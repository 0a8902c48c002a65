"""Evidence for each reason of a verdict: the rule, and the list or answer with its date."""

import unicodedata
from collections.abc import Iterator
from datetime import date, datetime
from functools import lru_cache
from operator import attrgetter

from winnow.core.addresses.address import has_unseen, is_dot_atom, normalise
from winnow.core.verdicts.facts import DomainFacts, Evidence, Listing, OwnEntry, Weight
from winnow.core.verdicts.reasons import Origin, Reason
from winnow.core.verdicts.verdict import Verdict
from winnow.words import Field, Sentence, translatable

OWN_LISTS = translatable("your lists")


def collect_evidence(
    verdict: Verdict,
    facts: DomainFacts | None,
    own: OwnEntry | None = None,
    fault: Sentence | None = None,
) -> tuple[Evidence, ...]:
    """Return the evidence for each reason, in the verdict's order; several for several lists.

    ``own`` is the entry of the own lists that decided, where one did. ``fault`` is from
    ``find_fault``.
    """
    found: list[Evidence] = []
    for reason in verdict.reasons:
        if own is not None and reason is own.reason:
            found.append(_cite_own(own))
        elif fault is not None and reason.origin is Origin.FORMAT:
            found.append(Evidence(reason, fault, detail=reason.detail))
        else:
            found.extend(_explain_reason(reason, facts))
    return tuple(found)


def find_fault(text: str, reason: Reason) -> Sentence | None:
    """Return a sentence that names the offending character of a malformed address, or None."""
    text = normalise(text)
    local_part, _, domain = text.rpartition("@")
    if "@" in local_part and '"' not in local_part and reason is not Reason.DISPLAY_NAME:
        return Sentence(Reason.TWO_AT_SIGNS.rule)
    if reason in (Reason.UNSEEN_CHARACTERS, Reason.NOT_TEXT):
        hidden = translatable("The address has a character that cannot be seen: {character}.")
        return _name_character(hidden, (c for c in text if has_unseen(c) or not c.isprintable()))
    if reason is Reason.DOMAIN_SYNTAX:
        blank, other = (
            translatable("The domain has a blank."),
            translatable("The domain has {character}."),
        )
        return _name_character(other, (c for c in domain if not (c.isalnum() or c in ".-")), blank)
    if reason is not Reason.LOCAL_PART_SYNTAX or local_part.startswith('"'):
        return None
    blank = translatable("There is a blank before the at-sign.")
    other = translatable("Before the at-sign is {character}, which is not allowed there.")
    strange = (c for c in local_part if c != "." and not is_dot_atom(c))
    dots = translatable(
        "Before the at-sign, a dot is first or last, or two dots are next to each other."
    )
    return _name_character(other, strange, blank) or Sentence(dots)


def _name_character(text: str, found: Iterator[str], blank: str = "") -> Sentence | None:
    character = next(found, None)
    if character is None:
        return None
    if blank and character.isspace():
        return Sentence(blank)
    shown = f"“{character}”" if character.isprintable() and not has_unseen(character) else ""
    name = f"U+{ord(character):04X} {unicodedata.name(character, '')}".rstrip()
    return Sentence(text, character=shown or name)


@lru_cache(maxsize=256)  # addresses share most of them
def word(text: str, **fields: Field) -> Sentence:
    """Return a sentence that many answers have."""
    return Sentence(text, **fields)


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
    sentence = word(reason.rule)
    if facts is None:
        yield Evidence(reason, sentence, detail=reason.detail)
        return
    seen = None if reason.fact is None else attrgetter(reason.fact)(facts)
    matched = None if seen is None else str(seen)
    match reason.origin:
        case Origin.DISPOSABLE_LISTS if facts.listings:
            for found in facts.listings:
                if reason is not Reason.DISPOSABLE_REVIEWED or found.weight is Weight.REVIEWED:
                    yield _cite(reason, found)
        case Origin.DNS:
            asked_at = facts.mail.asked_at
            yield cite_answer(reason, sentence, "DNS", matched, asked_at, reason.detail)
        case Origin.REGISTRY if facts.age.registry is not None:
            source = f"RDAP at {facts.age.registry}"
            yield cite_answer(reason, sentence, source, matched, facts.age.asked_at, reason.detail)
        case _ if isinstance(seen, Listing):
            yield _cite(reason, seen)
        case _:
            yield Evidence(reason, sentence, matched=matched, detail=reason.detail)


def _cite(reason: Reason, listing: Listing) -> Evidence:
    return Evidence(
        reason,
        word(reason.rule),
        listing.source,
        dated=listing.listed_on,
        matched=listing.matched,
        detail=reason.detail,
    )


def cite_answer(
    reason: Reason,
    sentence: Sentence,
    source: str | None,
    matched: str | None,
    asked_at: datetime | None,
    detail: str = "",
) -> Evidence:
    """Return the network's answer and its time as evidence."""
    asked_on = None if asked_at is None else asked_at.date()
    return Evidence(reason, sentence, source, asked_on, matched, asked_at, detail)


def find_first_listed(facts: DomainFacts) -> date | None:
    """Return the earliest known date of a list that names the domain as disposable or relay."""
    dates = [listing.listed_on for listing in facts.listings if listing.listed_on is not None]
    dates += [
        listing.listed_on
        for listing in (facts.relay, facts.placeholder)
        if listing is not None and listing.listed_on is not None
    ]
    return min(dates, default=None)
