"""Why an address is not black: what was looked at, and why none of it was enough."""

from collections.abc import Iterator, Mapping

from winnow.core.figures import count_doing, count_things
from winnow.core.verdicts.domain_types import DomainType
from winnow.core.verdicts.evidence import cite_answer
from winnow.core.verdicts.facts import DomainFacts, Evidence, Guard, Listing, ListReach, MailRoute
from winnow.core.verdicts.policy import list_offline_signs
from winnow.core.verdicts.reasons import OWN_REASONS, Origin, Reason
from winnow.core.verdicts.verdict import Category, Verdict

GUARD_SENTENCES: Mapping[Guard, str] = {
    Guard.PUBLIC_SUFFIX: "Anybody may register below {matched}: a list that names it says nothing "
    "of the names there.",
    Guard.RELAY: "Relays are set apart from disposable services: real people stand behind them.",
    Guard.KNOWN_CONFLICT: "A reviewed table of names that lists call disposable by mistake has it.",
    Guard.KNOWN_PROVIDER_OR_COMPANY: "A reviewed file has it as a provider or company; no list "
    "outranks that.",
    Guard.PUBLIC_BODY_OR_ACADEMIC: "It is known as a school or public body; no list outranks that.",
    Guard.RESTRICTED_SUFFIX: "The registry of its suffix checks who registers; no list outranks "
    "that.",
    Guard.OPEN_SCHOOL_SUFFIX: "Its suffix is one for schools or public bodies, so a list alone is "
    "a doubt and no verdict.",
    Guard.LISTED_FREE_PROVIDER: "A published list has it as a mailbox provider, so one list "
    "against it is a doubt at most.",
}
"""One plain sentence a guard: complete, which a test proves."""

_TYPE_SENTENCES: Mapping[DomainType, str] = {
    DomainType.MULTI_ALIAS: "A relay is never black: real people stand behind it.",
    DomainType.MASKED: "A look-alike is black only where DNS shows that it takes no mail.",
}
_MAIL_SENTENCES: Mapping[MailRoute, str] = {
    MailRoute.NOT_LOOKED_UP: "DNS was not asked whether it exists and takes mail.",
    MailRoute.UNKNOWN: "DNS was asked and stayed silent; silence speaks against nobody.",
    MailRoute.MX: "DNS shows a mail exchanger, and none that is known to serve disposable domains.",
    MailRoute.IMPLICIT_MX: "DNS shows no mail exchanger, but an address that may take mail "
    "(RFC 5321, 5.1).",
}


def explain_not_black(
    verdict: Verdict, facts: DomainFacts | None, reach: ListReach
) -> tuple[Evidence, ...]:
    """Return what was looked at, each as evidence for the reason that decided.

    ``dated`` beside several lists is the newest's. Empty where there is nothing to explain: a
    black verdict, one of the own lists or the sandbox, a malformed address (``facts`` is None).
    """
    reason = verdict.reasons[0]
    if facts is None or verdict.category is Category.BLACK or reason is Reason.SANDBOX:
        return ()
    if reason in OWN_REASONS:
        return ()
    return (
        *_explain_type(verdict),
        *_explain_lists(reason, facts, reach),
        *_explain_signs(reason, facts),
        *_explain_mail(verdict, facts),
        *_explain_age(reason, facts),
    )


def _explain_type(verdict: Verdict) -> Iterator[Evidence]:
    sentence = _TYPE_SENTENCES.get(verdict.domain_type)
    if sentence is not None:
        yield Evidence(verdict.reasons[0], sentence)


def _explain_lists(reason: Reason, facts: DomainFacts, reach: ListReach) -> Iterator[Evidence]:
    protection = facts.protection
    set_aside = protection.set_aside if protection is not None else ()
    if facts.listings:
        yield Evidence(reason, _weigh_doubt(facts.listings))
    elif set_aside:
        count = count_doing(len(set_aside), "list", "names", "name")
        matched = set_aside[0].matched
        days = [found.listed_on for found in set_aside if found.listed_on is not None]
        sentence = f"{count} {matched}, which was set aside."
        yield Evidence(reason, sentence, _join(set_aside), dated=max(days, default=None))
    elif reach.names:
        yield Evidence(
            reason,
            f"None of {count_things(len(reach.names), 'list')} of disposable services names it; "
            f"they make {reach.family_count} independent families.",
            source=", ".join(reach.names),
            dated=reach.newest_on,
        )
    if protection is not None:
        matched = set_aside[0].matched if set_aside else facts.domain
        sentence = GUARD_SENTENCES[protection.guard].format(matched=matched)
        if protection.note:
            sentence = f"{sentence.removesuffix('.')}: {protection.note}."
        yield Evidence(reason, sentence)


def _weigh_doubt(listings: tuple[Listing, ...]) -> str:
    needed = "Black takes a list reviewed by hand, two independent families, or a sign in the name."
    if len(listings) == 1:
        return f"Only one list names it. {needed}"
    lists = count_doing(len(listings), "list", "names", "name")
    return f"{lists} it, but they copy one another and count once. {needed}"


def _join(listings: tuple[Listing, ...]) -> str:
    return ", ".join(found.source for found in listings)


def _explain_signs(reason: Reason, facts: DomainFacts) -> Iterator[Evidence]:
    signs = list_offline_signs(facts)
    if signs:
        words = " and ".join(sign.sign for sign in signs)
        yield Evidence(reason, f"Signs in the name ({words}) never make black by themselves.")
    elif reason in (Reason.UNLISTED, Reason.WORKING_MAIL):
        yield Evidence(
            reason,
            "Its name bears no sign: no risky top-level domain, no disposable word, nothing that "
            "looks made by a machine.",
        )


def _explain_mail(verdict: Verdict, facts: DomainFacts) -> Iterator[Evidence]:
    sentence = _MAIL_SENTENCES.get(facts.mail.route)
    if sentence is None or verdict.reasons[0].origin is Origin.DNS:
        return
    if facts.mail.disposable_mx is not None:
        sentence = (
            "Its mail goes where disposable domains send theirs; for a known provider, company, "
            "school or public body that does not count."
        )
    elif facts.mail.neighbours is not None:
        sentence = (
            "Disposable domains stand on one of its servers, and others that no list knows, or "
            "the server is not that of its mail: a doubt, not a proof."
        )
    source = None if facts.mail.route is MailRoute.NOT_LOOKED_UP else "DNS"
    yield cite_answer(verdict.reasons[0], sentence, source, facts.mail.mx_host, facts.mail.asked_at)


def _explain_age(reason: Reason, facts: DomainFacts) -> Iterator[Evidence]:
    source = None if facts.registry is None else f"RDAP at {facts.registry}"
    if facts.registered_on is None:
        is_asked = facts.age_asked_at is not None
        why = "no registry gave it" if is_asked else "no registry was asked"
        sentence = f"Its age is not known: {why}."
        yield cite_answer(reason, sentence, source, None, facts.age_asked_at)
    elif not facts.newly_registered:
        sentence = "It was not registered recently."
        since = f"registered on {facts.registered_on.isoformat()}"
        yield cite_answer(reason, sentence, source, since, facts.age_asked_at)
