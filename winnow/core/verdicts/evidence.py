"""What stands behind each reason of a verdict: the rule, and the list or answer with its date."""

from collections.abc import Iterator, Mapping
from datetime import date, datetime

from winnow.core.addresses.address import parse_address
from winnow.core.addresses.repairs import FindFacts, suggest_repair, suggest_spelling
from winnow.core.errors import AddressSyntaxError
from winnow.core.verdicts.facts import DomainFacts, Evidence, Listing, MailFacts, OwnEntry
from winnow.core.verdicts.verdict import Reason, Verdict

OWN_LISTS = "your own lists"

RULES: Mapping[Reason, str] = {
    Reason.EMPTY: "The value is empty.",
    Reason.NO_AT_SIGN: "An address has an at-sign (RFC 5322, 3.4.1).",
    Reason.NO_LOCAL_PART: "Something must stand before the at-sign (RFC 5321, 4.1.2).",
    Reason.NO_DOMAIN: "A domain must stand after the at-sign (RFC 5321, 4.1.2).",
    Reason.NO_TLD: "The domain has no top-level domain (RFC 5321, 2.3.5).",
    Reason.LOCAL_PART_SYNTAX: "The part before the at-sign has characters or dots in places that "
    "are not allowed (RFC 5322, 3.2.3; RFC 6531).",
    Reason.LOCAL_PART_TOO_LONG: "The part before the at-sign is over 64 octets "
    "(RFC 5321, 4.5.3.1.1).",
    Reason.DOMAIN_SYNTAX: "The domain is no host name: letters, digits and inner hyphens "
    "(RFC 5321, 2.3.5; RFC 5891).",
    Reason.DOMAIN_TOO_LONG: "The domain is over 253 octets or a label over 63 (RFC 1035, 2.3.4).",
    Reason.ADDRESS_TOO_LONG: "The address is over 254 octets (RFC 5321, 4.5.3.1.3).",
    Reason.TLD_NOT_USABLE: "A top-level domain has at least two letters, and letters only.",
    Reason.SPECIAL_USE_DOMAIN: "The name is reserved for special use (RFC 6761).",
    Reason.DOMAIN_LITERAL: "An address at an IP number is not accepted.",
    Reason.DISPLAY_NAME: "The value holds more than the bare address.",
    Reason.NOT_TEXT: "The value holds control or unassigned characters.",
    Reason.UNSEEN_CHARACTERS: "The value holds characters that nobody sees, such as a zero-width "
    "space: mail to it does not arrive.",
    Reason.OWN_ADDRESS: "Your own list names this address.",
    Reason.OWN_DOMAIN: "Your own list names this domain.",
    Reason.OWN_WILDCARD: "A wildcard of your own list matches this domain.",
    Reason.RELAY: "A relay that forwards to a real person's mailbox.",
    Reason.MEDIATED_MAIL: "A market or platform hands this mail on for one deal; nobody reads it "
    "for long.",
    Reason.CLOSE_MISSPELLING: "The domain is one slip away from a well-known one.",
    Reason.CONFUSABLE_SCRIPT: "Letters or figures that look alike imitate a well-known domain.",
    Reason.PLACEHOLDER: "A placeholder domain: nobody's mailbox.",
    Reason.DISPOSABLE_REVIEWED: "On a list of throw-away mail services that is reviewed by hand.",
    Reason.DISPOSABLE_LISTED: "On lists of throw-away mail services of two or more independent "
    "families.",
    Reason.DISPOSABLE_MX: "Its mail goes to a host that serves known throw-away domains.",
    Reason.DISPOSABLE_NEIGHBOURS: "It stands among known throw-away domains on a server where no "
    "honest one is known; that is a doubt, not a proof.",
    Reason.DISPOSABLE_SIGN: "On one list of throw-away mail services, with an independent sign in "
    "the name.",
    Reason.DOUBTFUL_LIST: "On one list of throw-away mail services only.",
    Reason.RISKY_TLD: "A top-level domain that throw-away services favour.",
    Reason.UNKNOWN_TLD: "No registry is known to run this top-level domain (Public Suffix List).",
    Reason.SUBDOMAIN_HOST: "Anybody makes names below this host in a minute, for nothing.",
    Reason.THROWAWAY_WORD: "A word in the name that throw-away services use.",
    Reason.MACHINE_MADE_NAME: "A name that looks made by a machine.",
    Reason.GOVERNMENT: "A public body.",
    Reason.EDUCATION: "An academic body.",
    Reason.FREE_PROVIDER: "A public mailbox provider.",
    Reason.BUSINESS: "A known company or popular site.",
    Reason.UNLISTED: "Nothing known for or against the domain.",
    Reason.DOMAIN_NOT_FOUND: "DNS says that the domain does not exist (NXDOMAIN).",
    Reason.NULL_MX: "DNS says that the domain takes no mail (null MX, RFC 7505).",
    Reason.NO_MAIL_ROUTE: "DNS shows neither MX nor address records (RFC 5321, 5.1).",
    Reason.MAIL_UNKNOWN: "DNS gave no answer; that says nothing about the domain.",
    Reason.PARKED: "The domain is parked: it is for sale or was given up, and a parking service "
    "holds it. Nobody is known to read its mail.",
    Reason.WORKING_MAIL: "DNS shows a mail exchanger (RFC 5321, 5.1).",
    Reason.NEWLY_REGISTERED: "The domain was registered recently (RDAP, RFC 9083).",
    Reason.PLUS_TAG: "A plus tag at a provider that delivers tagged mail to one mailbox.",
    Reason.MANY_DOTS: "More than three dots before the at-sign, and not between names.",
    Reason.ROLE_ACCOUNT: "The name of a function, not of a person.",
    Reason.SANDBOX: "A sandbox key: only three test addresses get real answers.",
}
"""One plain sentence a reason: complete, which a test proves."""

_LIST_REASONS = frozenset(
    {
        Reason.DISPOSABLE_REVIEWED,
        Reason.DISPOSABLE_LISTED,
        Reason.DISPOSABLE_SIGN,
        Reason.DOUBTFUL_LIST,
    }
)
DNS_REASONS = frozenset(
    {
        Reason.DOMAIN_NOT_FOUND,
        Reason.NULL_MX,
        Reason.NO_MAIL_ROUTE,
        Reason.WORKING_MAIL,
        Reason.MAIL_UNKNOWN,
    }
)
_SERVER_REASONS = frozenset({Reason.DISPOSABLE_MX, Reason.DISPOSABLE_NEIGHBOURS, Reason.PARKED})


def collect_evidence(
    verdict: Verdict, facts: DomainFacts | None, own: OwnEntry | None = None
) -> tuple[Evidence, ...]:
    """Return what stands behind each reason, in the verdict's order; several for several lists.

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
    rule = RULES[own.reason]
    if own.note:
        rule = f"{rule} Note: {own.note}"
    return Evidence(own.reason, rule, source=OWN_LISTS, dated=own.added_on, matched=own.pattern)


def _explain_reason(reason: Reason, facts: DomainFacts | None) -> Iterator[Evidence]:
    rule = RULES[reason]
    if facts is None:
        yield Evidence(reason, rule)
        return
    if reason in _LIST_REASONS and facts.listings:
        for found in facts.listings:
            if reason is not Reason.DISPOSABLE_REVIEWED or found.reviewed:
                yield _cite(reason, found)
        return
    listing = {
        Reason.RELAY: facts.relay,
        Reason.MEDIATED_MAIL: facts.mediated,
        Reason.PLACEHOLDER: facts.placeholder,
        Reason.FREE_PROVIDER: facts.free,
        Reason.EDUCATION: facts.education,
        Reason.GOVERNMENT: facts.government,
        Reason.BUSINESS: facts.business,
        Reason.SUBDOMAIN_HOST: facts.subdomain_host,
    }.get(reason)
    if listing is not None:
        yield _cite(reason, listing)
    elif reason in DNS_REASONS:
        yield _cite_answer(reason, "DNS", facts.mail.mx_host, facts.mail.asked_at)
    elif reason in _SERVER_REASONS:
        yield _cite_answer(reason, "DNS", _name_server(reason, facts.mail), facts.mail.asked_at)
    elif reason is Reason.NEWLY_REGISTERED and facts.registry is not None:
        source = f"RDAP at {facts.registry}"
        yield _cite_answer(reason, source, _name_match(reason, facts), facts.age_asked_at)
    else:
        yield Evidence(reason, rule, matched=_name_match(reason, facts))


def _cite(reason: Reason, listing: Listing) -> Evidence:
    return Evidence(
        reason, RULES[reason], listing.source, dated=listing.listed_on, matched=listing.matched
    )


def _cite_answer(
    reason: Reason, source: str, matched: str | None, asked_at: datetime | None
) -> Evidence:
    asked_on = None if asked_at is None else asked_at.date()
    return Evidence(
        reason, RULES[reason], source, dated=asked_on, matched=matched, asked_at=asked_at
    )


def _name_server(reason: Reason, mail: MailFacts) -> str | None:
    match reason:
        case Reason.DISPOSABLE_MX:
            return mail.disposable_mx
        case Reason.DISPOSABLE_NEIGHBOURS:
            return mail.neighbours
        case _:
            return mail.parking


def _name_match(reason: Reason, facts: DomainFacts) -> str | None:
    match reason:
        case Reason.CLOSE_MISSPELLING:
            return facts.misspells
        case Reason.CONFUSABLE_SCRIPT:
            return facts.imitates
        case Reason.THROWAWAY_WORD:
            return facts.throwaway_word
        case Reason.RISKY_TLD | Reason.UNKNOWN_TLD:
            return facts.domain.rpartition(".")[2]
        case Reason.OWN_DOMAIN | Reason.OWN_WILDCARD:
            return facts.own.pattern if facts.own is not None else None
        case Reason.NEWLY_REGISTERED:
            return facts.registered_on.isoformat() if facts.registered_on is not None else None
        case _:
            return None


def find_first_listed(facts: DomainFacts) -> date | None:
    """Return the earliest list date known that names the domain as disposable, relay or so."""
    dates = [listing.listed_on for listing in facts.listings if listing.listed_on is not None]
    dates += [
        listing.listed_on
        for listing in (facts.relay, facts.placeholder)
        if listing is not None and listing.listed_on is not None
    ]
    return min(dates, default=None)


def suggest_address(text: str, find_facts: FindFacts) -> str | None:
    """Return a corrected address to offer, never to apply: the mended or rightly spelt one."""
    try:
        address = parse_address(text)
    except AddressSyntaxError:
        return suggest_repair(text, find_facts)
    return suggest_spelling(address, find_facts(address.domain))
