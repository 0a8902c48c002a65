"""The one policy, from facts to a verdict. Rules are in the order in which they apply."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from winnow.core.verdicts.domain_types import DomainType
from winnow.core.verdicts.facts import (
    DEFINITE_NO,
    AddressFacts,
    DomainFacts,
    LocalFlag,
    MailRoute,
    Weight,
)
from winnow.core.verdicts.reasons import OWN_REASONS, Origin, Reason
from winnow.core.verdicts.verdict import Category, Verdict

INDEPENDENT_FAMILIES_NEEDED = 2  # lists that copy one another are one family

SANDBOX_DEFAULT = Verdict(Category.WHITE, DomainType.UNKNOWN, (Reason.SANDBOX,))
SANDBOX_VERDICTS: Mapping[str, Verdict] = {
    "test@disposable.com": Verdict(Category.BLACK, DomainType.DISPOSABLE, (Reason.SANDBOX,)),
    "test@multi-alias.com": Verdict(Category.GREY, DomainType.MULTI_ALIAS, (Reason.SANDBOX,)),
    "test@gmail.com": Verdict(Category.WHITE, DomainType.FREE, (Reason.SANDBOX,)),
}
"""The three test addresses of a sandbox key, by duplicate key."""

_NO_MAIL_REASONS = {
    MailRoute.NOT_FOUND: Reason.DOMAIN_NOT_FOUND,
    MailRoute.NULL_MX: Reason.NULL_MX,
    MailRoute.NO_MAIL: Reason.NO_MAIL_ROUTE,
}

MEDIATED: Mapping[str, Reason] = {
    "mediated_mail": Reason.MEDIATED_MAIL,
    "owner_privacy": Reason.OWNER_PRIVACY,
    "code_hosts": Reason.CODE_HOST,
    "support_desks": Reason.SUPPORT_DESK,
}
"""Reasons of names at which mail is forwarded for one purpose, by the list that has them."""

Rule = Callable[[LocalFlag, DomainFacts], Verdict | None]


def decide(facts: AddressFacts) -> Verdict:
    """Give the verdict for one address: the first rule that applies decides.

    The order: invalid, the account's own lists (address, domain, wildcard, local part), relay,
    look-alike, placeholder, disposable, no website, other suspicious signs, government, education,
    free, business, unlisted. Further true facts follow the deciding reason.

    Raises:
        ValueError: A well-formed address without the facts of its domain, which is a bug.
    """
    if facts.fault is not None:
        return Verdict(Category.BLACK, DomainType.INVALID, (facts.fault,))
    own = facts.own or (facts.domain.own if facts.domain is not None else None)
    if own is not None:
        return Verdict(own.category, DomainType(own.category.value), (own.reason,))
    if facts.domain is None:
        msg = "a well-formed address needs the facts of its domain"
        raise ValueError(msg)
    found = (rule(facts.flags, facts.domain) for rule in RULES)
    verdict = next(one for one in found if one is not None)  # the last rule always decides
    return _add_facts_beside(verdict, facts.flags, facts.domain)


def overrule(exact: Verdict, verdict: Verdict) -> Verdict:
    """Return the verdict of an entry of the own lists, with the verdict without them.

    A verdict that is not the own lists' (the sandbox's) comes back as it is.
    """
    if exact.reasons[0] not in OWN_REASONS:
        return exact
    return replace(exact, overruled=verdict.overruled or verdict)


def overrule_last(entry: Verdict, verdict: Verdict) -> Verdict:
    """Return the same for an entry after which no other decides; a malformed address stays so."""
    is_decided = verdict.domain_type is DomainType.INVALID or verdict.reasons[0] in OWN_REASONS
    return verdict if is_decided else overrule(entry, verdict)


def _has(flags: int, flag: LocalFlag) -> bool:
    """Test a flag without making a member of it, which takes longer than the rest of a rule."""
    return bool(int.__and__(flags, flag))


def _judge_relay(_: LocalFlag, domain: DomainFacts) -> Verdict | None:
    if domain.mediated is not None:
        return Verdict(Category.GREY, DomainType.MULTI_ALIAS, (MEDIATED[domain.mediated.family],))
    if domain.relay is None:
        return None
    return Verdict(Category.GREY, DomainType.MULTI_ALIAS, (Reason.RELAY,))


def _judge_look_alike(_: LocalFlag, domain: DomainFacts) -> Verdict | None:
    if domain.imitates is not None:
        reason = Reason.CONFUSABLE_SCRIPT
    elif domain.misspells is not None:
        reason = Reason.CLOSE_MISSPELLING
    else:
        return None
    no_mail = _NO_MAIL_REASONS.get(domain.mail.route)
    if no_mail is not None:
        return Verdict(Category.BLACK, DomainType.MASKED, (reason, no_mail))
    return Verdict(Category.GREY, DomainType.MASKED, (reason,))


def _judge_placeholder(_: LocalFlag, domain: DomainFacts) -> Verdict | None:
    if domain.placeholder is None:
        return None
    return Verdict(Category.GREY, DomainType.SUSPICIOUS, (Reason.PLACEHOLDER,))


def _judge_disposable(_: LocalFlag, domain: DomainFacts) -> Verdict | None:
    reasons: list[Reason] = []
    families = {listing.family for listing in domain.listings}
    weights = {listing.weight for listing in domain.listings if not listing.doubtful}
    if Weight.REVIEWED in weights:
        reasons.append(Reason.DISPOSABLE_REVIEWED)
    if len(families) >= INDEPENDENT_FAMILIES_NEEDED:
        reasons.append(Reason.DISPOSABLE_LISTED)
    elif Weight.CURRENT in weights:
        reasons.append(Reason.DISPOSABLE_CRAWLED)
    is_served = domain.mail.disposable_mx is not None and not _has_honest_kind(domain)
    if is_served and (families or domain.age.is_new or _has_witness(domain)):
        reasons.append(Reason.DISPOSABLE_MX)
    if not reasons and families and _has_witness(domain) and not _is_weak(domain):
        is_reviewed = any(one.weight is Weight.REVIEWED for one in domain.listings)
        reasons.append(Reason.DISPOSABLE_REVIEWED if is_reviewed else Reason.DISPOSABLE_SIGN)
    if not reasons:
        return None
    return Verdict(Category.BLACK, DomainType.DISPOSABLE, tuple(reasons))


def _has_witness(domain: DomainFacts) -> bool:
    """Return whether a sign is independent of a family that lists the domain, or its mail host.

    Such lists are full of names with "mail" in them, honest ones too. For such a name neither the
    word nor the shape adds evidence; only its suffix or host does.
    """
    if domain.disposable_word is not None and domain.is_word_common:
        return bool(domain.risky_suffix) or domain.subdomain_host is not None
    return bool(list_offline_signs(domain))


def _is_weak(domain: DomainFacts) -> bool:
    """Return whether the one sign beside a family is too weak for it: grey.

    Families have domains of their own under any ending, and short ones since the nineties.
    """
    signs = list_offline_signs(domain)
    if signs == [Reason.RISKY_TLD]:
        return domain.long_listed is not None
    return signs == [Reason.MACHINE_MADE_NAME] and all(one.doubtful for one in domain.listings)


def _judge_no_website(_: LocalFlag, domain: DomainFacts) -> Verdict | None:
    if domain.mail.route not in DEFINITE_NO:
        return None
    reason = _NO_MAIL_REASONS[domain.mail.route]
    return Verdict(Category.BLACK, DomainType.NO_WEBSITE, (reason,))


def _judge_suspicious(flags: LocalFlag, domain: DomainFacts) -> Verdict | None:
    reasons: list[Reason] = []
    is_doubted = any(listing.weight > Weight.HINT for listing in domain.listings)
    if is_doubted or (domain.listings and _is_weak(domain)):
        reasons.append(Reason.DOUBTFUL_LIST)
    here = int.__and__(flags, domain.local_signs)
    both = LocalFlag.NO_MAILBOX
    if _has(here, both) or int.__and__(flags, both) == both:
        reasons.append(Reason.FILLER_ADDRESS)
    if _has(flags, LocalFlag.PLUS_TAG) and domain.has_plus_tags:
        reasons.append(Reason.PLUS_TAG)
    if _has(here, LocalFlag.MANY_DOTS) or _has(flags, LocalFlag.LONE_PARTS):
        reasons.append(Reason.MANY_DOTS)
    if domain.mail.route is not MailRoute.MX:
        if domain.is_reserved:
            reasons.append(Reason.RESERVED_NAME)
        elif domain.unknown_tld:
            reasons.append(Reason.UNKNOWN_TLD)
    if not _has_honest_kind(domain):
        signs = list_offline_signs(domain)
        is_telling = domain.subdomain_host is not None or domain.is_compound
        if is_telling or (domain.risky_suffix and len(signs) > 1):
            reasons.extend(signs)
        if domain.age.is_new:
            reasons.append(Reason.NEWLY_REGISTERED)
        if domain.mail.disposable_mx is not None:
            reasons.append(Reason.DISPOSABLE_NEIGHBOURS)
        if domain.mail.parking is not None:
            reasons.append(Reason.PARKED)
    if not reasons:
        return None
    return Verdict(Category.GREY, DomainType.SUSPICIOUS, tuple(reasons))


def _judge_kind(_: LocalFlag, domain: DomainFacts) -> Verdict | None:
    kinds = (
        (domain.government, DomainType.GOVERNMENT, Reason.GOVERNMENT),
        (domain.education, DomainType.EDUCATION, Reason.EDUCATION),
        (domain.free, DomainType.FREE, Reason.FREE_PROVIDER),
        (domain.business, DomainType.BUSINESS, Reason.BUSINESS),
    )
    for listing, domain_type, reason in kinds:
        if listing is not None:
            return Verdict(Category.WHITE, domain_type, (reason,))
    if domain.mail.route is MailRoute.MX:
        return Verdict(Category.WHITE, DomainType.BUSINESS, (Reason.WORKING_MAIL,))
    return Verdict(Category.WHITE, DomainType.UNLISTED, (Reason.UNLISTED,))


RULES: tuple[Rule, ...] = (
    _judge_relay,
    _judge_look_alike,
    _judge_placeholder,
    _judge_disposable,
    _judge_no_website,
    _judge_suspicious,
    _judge_kind,
)


def view_domain(domain: DomainFacts) -> tuple[object, ...]:
    """Return all that the rules read of a domain but own lists: equal views, equal verdicts."""
    mail = domain.mail
    return (
        domain.listings
        and tuple((found.family, found.weight, found.doubtful) for found in domain.listings),
        domain.long_listed is None,
        domain.relay is None,
        domain.mediated and domain.mediated.family,
        domain.imitates is None,
        domain.misspells is None,
        domain.placeholder is None,
        domain.government is None,
        domain.education is None,
        domain.free is None,
        domain.business is None,
        domain.has_plus_tags,
        not domain.risky_suffix,
        domain.unknown_tld,
        domain.is_reserved,
        domain.subdomain_host is None,
        domain.disposable_word is None,
        domain.is_word_common,
        domain.is_compound,
        int(domain.local_signs),
        domain.machine_made,
        domain.age.is_new,
        mail.route,
        mail.disposable_mx is None,
        mail.parking is None,
    )


def list_offline_signs(domain: DomainFacts) -> list[Reason]:
    """Return the signs in a name: none makes black, a host or a compound makes grey."""
    signs: list[Reason] = []
    if domain.subdomain_host is not None:
        signs.append(Reason.SUBDOMAIN_HOST)
    if domain.risky_suffix:
        signs.append(Reason.RISKY_TLD)
    if domain.disposable_word is not None:
        signs.append(Reason.DISPOSABLE_WORD)
    if domain.machine_made:
        signs.append(Reason.MACHINE_MADE_NAME)
    return signs


def has_known_kind(domain: DomainFacts) -> bool:
    """Return whether a domain's kind is known: a provider, a relay, a public body."""
    kinds = (domain.relay, domain.mediated, domain.placeholder)
    return _has_honest_kind(domain) or any(kinds)


def _has_honest_kind(domain: DomainFacts) -> bool:
    return any((domain.government, domain.education, domain.free, domain.business))


def _add_facts_beside(verdict: Verdict, flags: LocalFlag, domain: DomainFacts) -> Verdict:
    beside: list[Reason] = []
    is_doubted = verdict.category is not Category.WHITE
    if is_doubted and verdict.reasons[0].origin is not Origin.LOCAL_PART:
        beside += list_offline_signs(domain)
    if domain.free is not None:
        beside.append(Reason.FREE_PROVIDER)
    if _has(flags, LocalFlag.ROLE):
        beside.append(Reason.ROLE_ACCOUNT)
    if domain.mail.route is MailRoute.UNKNOWN:
        beside.append(Reason.MAIL_UNKNOWN)
    if not beside:
        return verdict
    reasons = verdict.reasons + tuple(code for code in beside if code not in verdict.reasons)
    return Verdict(verdict.category, verdict.domain_type, reasons)
