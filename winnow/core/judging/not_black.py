"""Explanation of verdicts other than black: what was checked, and why it was not enough."""

from collections.abc import Iterable, Iterator, Mapping

from winnow.core.judging.evidence import cite_answer, word
from winnow.core.verdicts.domain_types import DomainType
from winnow.core.verdicts.facts import (
    DomainFacts,
    Evidence,
    Guard,
    Listing,
    ListReach,
    MailRoute,
    Weight,
)
from winnow.core.verdicts.policy import MEDIATED, has_known_kind, list_offline_signs
from winnow.core.verdicts.reasons import OWN_REASONS, Origin, Reason
from winnow.core.verdicts.verdict import Category, Verdict
from winnow.words import Sentence, translatable, translatable_many

GUARD_SENTENCES: Mapping[Guard, str] = {
    Guard.PUBLIC_SUFFIX: translatable(
        "Anyone can register names under {matched}, so a list entry for it says nothing about "
        "those names."
    ),
    Guard.RELAY: translatable("Relays and services that forward mail are not disposable services."),
    Guard.KNOWN_CONFLICT: translatable(
        "It is on a reviewed table of names that lists call disposable by mistake."
    ),
    Guard.KNOWN_PROVIDER_OR_COMPANY: translatable(
        "It is on a reviewed list of providers and companies, which counts more than any other "
        "list."
    ),
    Guard.PUBLIC_BODY_OR_ACADEMIC: translatable(
        "It is known as a school or public body, which counts more than any list."
    ),
    Guard.RESTRICTED_SUFFIX: translatable(
        "The registry of its ending checks who registers, which counts more than any list."
    ),
    Guard.OPEN_SCHOOL_SUFFIX: translatable(
        "Its ending is one for schools or public bodies, so a list alone is a doubt and no verdict."
    ),
    Guard.REMOVED_AFTER_REVIEW: translatable(
        "A list that is reviewed by hand removed it or allows it, so copies of lists do not count."
    ),
    Guard.LISTED_FREE_PROVIDER: translatable(
        "A published list has it as a mailbox provider, so lists against it are a doubt at most."
    ),
}
"""One plain sentence per guard; a test proves that none is missing."""

_TYPE_SENTENCES: Mapping[DomainType, str] = {
    DomainType.MULTI_ALIAS: translatable("Relays are not removed: real people use them."),
    DomainType.MASKED: translatable(
        "A look-alike or a typing mistake is only removed where DNS shows that it takes no mail."
    ),
}
_MAIL_SENTENCES: Mapping[MailRoute, str] = {
    MailRoute.NOT_LOOKED_UP: translatable("DNS was not asked whether it exists and takes mail."),
    MailRoute.UNKNOWN: translatable(
        "DNS gave no answer, which does not count against the address."
    ),
    MailRoute.MX: translatable(
        "DNS shows a mail server, and none that is known to serve disposable domains."
    ),
    MailRoute.IMPLICIT_MX: translatable(
        "DNS shows no mail server, but another server that may take its mail."
    ),
}
_SHARED_SERVER = translatable(
    "It shares a mail server with disposable domains, which does not count for a known "
    "provider, company, school or public body."
)
_AGE_NOT_GIVEN = translatable("Its age is not known: the registry did not give it.")
_AGE_NOT_ASKED = translatable("Its age is not known: no registry was asked.")
_MAIL_DETAILS: Mapping[MailRoute, str] = {MailRoute.IMPLICIT_MX: "RFC 5321, 5.1"}


def explain_not_black(
    verdict: Verdict, facts: DomainFacts | None, reach: ListReach
) -> tuple[Evidence, ...]:
    """Return what was checked, each as evidence for the deciding reason.

    ``dated`` with several lists is the newest's. Empty where there is nothing to explain: a
    black verdict, one of the own lists or the sandbox, a malformed address (``facts`` is None).
    """
    reason = verdict.reasons[0]
    if facts is None or verdict.category is Category.BLACK:
        return ()
    if reason is Reason.SANDBOX or reason in OWN_REASONS:
        return ()
    text = None if reason in MEDIATED.values() else _TYPE_SENTENCES.get(verdict.domain_type)
    return (
        *(() if text is None else (Evidence(reason, word(text)),)),
        *_explain_lists(reason, facts, reach),
        *_explain_signs(reason, facts),
        *_explain_mail(verdict, facts),
        *_explain_age(reason, facts),
    )


def _explain_lists(reason: Reason, facts: DomainFacts, reach: ListReach) -> Iterator[Evidence]:
    protection = facts.protection
    set_aside = protection.set_aside if protection is not None else ()
    if facts.listings and protection is None:  # a guard says itself why it is a doubt
        hints = [found for found in facts.listings if found.weight is Weight.HINT]
        aged = () if facts.long_listed is None else (facts.long_listed,)
        yield Evidence(reason, _weigh_doubt(facts.listings), _join((*hints, *aged)) or None)
    elif facts.listings:
        yield Evidence(reason, _word_set_aside(set_aside), _join(set_aside))
    elif set_aside:
        days = [found.listed_on for found in set_aside if found.listed_on is not None]
        yield Evidence(
            reason, _word_set_aside(set_aside), _join(set_aside), dated=max(days, default=None)
        )
    elif reach.names:
        text = translatable(
            "It is on none of the lists of disposable services. There are {lists}, from {families}"
            " independent sources."
        )
        sentence = word(text, lists=len(reach.names), families=reach.family_count)
        yield Evidence(reason, sentence, source=", ".join(reach.names), dated=reach.newest_on)
    if protection is not None:
        matched = set_aside[0].matched if set_aside else facts.domain
        sentence = Sentence(GUARD_SENTENCES[protection.guard], matched=matched)
        yield Evidence(reason, sentence, dated=protection.dated, note=protection.note)


def _word_set_aside(set_aside: tuple[Listing, ...]) -> Sentence:
    return translatable_many(
        len(set_aside),
        "{count} list names {matched}. It does not count here.",
        "{count} lists name {matched}. They do not count here.",
        matched=set_aside[0].matched,
    )


def _weigh_doubt(listings: tuple[Listing, ...]) -> Sentence:
    if all(found.weight is Weight.HINT for found in listings):
        return translatable_many(
            len(listings),
            "{count} list names it, one of those that copied many firms from an old list. Removal "
            "takes a sign in the name as well.",
            "{count} lists name it, all of those that copied many firms from an old list. Removal "
            "takes a sign in the name as well.",
        )
    if len(listings) == 1:
        return Sentence(
            translatable(
                "Only one list names it. Removal takes a list reviewed by hand, two independent"
                " sources, or a sign in the name."
            )
        )
    text = translatable(
        "{count} lists name it, but they copy one another and count as one. Removal takes a list"
        " reviewed by hand, two independent sources, or a sign in the name."
    )
    return Sentence(text, count=len(listings))


def _join(listings: Iterable[Listing]) -> str:
    return ", ".join(found.source for found in listings)


def _explain_signs(reason: Reason, facts: DomainFacts) -> Iterator[Evidence]:
    signs = list_offline_signs(facts)
    if signs:
        text = translatable("Signs in the name alone ({signs}) are never enough to remove it.")
        yield Evidence(reason, word(text, signs=tuple(sign.sign for sign in signs)))
    elif reason in (Reason.UNLISTED, Reason.WORKING_MAIL):
        text = translatable(
            "There is no sign in its name: no ending that disposable services often use, no"
            " disposable word, and not the form of many disposable domains."
        )
        yield Evidence(reason, word(text))


def _explain_mail(verdict: Verdict, facts: DomainFacts) -> Iterator[Evidence]:
    route, reason = facts.mail.route, verdict.reasons[0]
    text, detail = _MAIL_SENTENCES.get(route), _MAIL_DETAILS.get(route, "")
    if text is None or reason.origin is Origin.DNS:
        return
    if facts.mail.disposable_mx is not None:
        if not has_known_kind(facts):  # it is a reason then
            return
        text, detail = _SHARED_SERVER, ""
    source = None if route is MailRoute.NOT_LOOKED_UP else "DNS"
    mail = facts.mail
    yield cite_answer(reason, word(text), source, mail.mx_host, mail.asked_at, detail)


def _explain_age(reason: Reason, facts: DomainFacts) -> Iterator[Evidence]:
    age = facts.age
    source = None if age.registry is None else f"RDAP at {age.registry}"
    if age.registered_on is None:
        text = _AGE_NOT_ASKED if age.asked_at is None else _AGE_NOT_GIVEN
        yield cite_answer(reason, word(text), source, None, age.asked_at)
    elif not age.is_new:
        text = translatable("It was not registered recently.")
        since = f"registered on {age.registered_on.isoformat()}"
        yield cite_answer(reason, word(text), source, since, age.asked_at)
