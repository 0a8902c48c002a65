"""The words of verdicts for people, the same on every page and in every file handed on."""

from collections.abc import Mapping

from winnow.core.lists.cleaning import Ground
from winnow.core.verdicts.verdict import RECOMMENDED_ACTIONS, Category, DomainType, Reason

SHAPES: Mapping[Category, str] = {
    Category.WHITE: "○",
    Category.GREY: "◐",
    Category.BLACK: "●",
}
"""The categories are named after colours, so a shape always stands beside the word."""

CATEGORY_MEANINGS: Mapping[Category, str] = {
    Category.WHITE: "no known problem",
    Category.GREY: "worth a second look",
    Category.BLACK: "throw-away or out of reach",
}

DOMAIN_TYPE_MEANINGS: Mapping[DomainType, str] = {
    DomainType.INVALID: "not an address that mail can be sent to",
    DomainType.DISPOSABLE: "a throw-away mail service",
    DomainType.NO_WEBSITE: "a domain that does not exist or takes no mail",
    DomainType.MULTI_ALIAS: "a relay or alias service with real people behind it",
    DomainType.MASKED: "imitates a well-known domain",
    DomainType.SUSPICIOUS: "signs that deserve a second look",
    DomainType.FREE: "a public mailbox provider",
    DomainType.EDUCATION: "an academic body",
    DomainType.GOVERNMENT: "a public body",
    DomainType.BUSINESS: "a company or popular site",
    DomainType.UNLISTED: "nothing known for or against it",
    DomainType.WHITE: "on your own white list",
    DomainType.GREY: "on your own grey list",
    DomainType.BLACK: "on your own black list",
    DomainType.UNKNOWN: "not judged: a sandbox answer",
}

REASON_WORDS: Mapping[Reason, str] = {
    Reason.EMPTY: "empty cell",
    Reason.NO_AT_SIGN: "no at-sign",
    Reason.NO_LOCAL_PART: "nothing before the at-sign",
    Reason.NO_DOMAIN: "nothing after the at-sign",
    Reason.NO_TLD: "no top-level domain",
    Reason.LOCAL_PART_SYNTAX: "characters before the at-sign that are not allowed",
    Reason.LOCAL_PART_TOO_LONG: "too long before the at-sign",
    Reason.DOMAIN_SYNTAX: "the domain is not a host name",
    Reason.DOMAIN_TOO_LONG: "the domain is too long",
    Reason.ADDRESS_TOO_LONG: "the address is too long",
    Reason.TLD_NOT_USABLE: "a top-level domain that cannot be",
    Reason.SPECIAL_USE_DOMAIN: "a domain reserved for special use",
    Reason.DOMAIN_LITERAL: "an IP number instead of a domain",
    Reason.DISPLAY_NAME: "a name or more beside the address",
    Reason.NOT_TEXT: "characters that are not text",
    Reason.UNSEEN_CHARACTERS: "characters that nobody sees",
    Reason.OWN_ADDRESS: "address on your own list",
    Reason.OWN_DOMAIN: "domain on your own list",
    Reason.OWN_WILDCARD: "matches a wildcard of your own list",
    Reason.RELAY: "relay or alias service",
    Reason.MEDIATED_MAIL: "address of one deal on a market or platform",
    Reason.CLOSE_MISSPELLING: "one slip away from a well-known domain",
    Reason.CONFUSABLE_SCRIPT: "look-alike letters or figures",
    Reason.PLACEHOLDER: "placeholder domain",
    Reason.DISPOSABLE_REVIEWED: "throw-away service, reviewed by hand",
    Reason.DISPOSABLE_LISTED: "throw-away service on independent lists",
    Reason.DISPOSABLE_MX: "mail goes to a throw-away service's host",
    Reason.DISPOSABLE_NEIGHBOURS: "stands among throw-away domains",
    Reason.DISPOSABLE_SIGN: "on one throw-away list, with a sign in its name",
    Reason.DOUBTFUL_LIST: "on one throw-away list only",
    Reason.RISKY_TLD: "top-level domain that throw-away services favour",
    Reason.UNKNOWN_TLD: "no such top-level domain is known",
    Reason.SUBDOMAIN_HOST: "below a host of free subdomains",
    Reason.THROWAWAY_WORD: "throw-away word in the name",
    Reason.MACHINE_MADE_NAME: "name looks made by a machine",
    Reason.GOVERNMENT: "public body",
    Reason.EDUCATION: "academic body",
    Reason.FREE_PROVIDER: "public mailbox provider",
    Reason.BUSINESS: "known company or popular site",
    Reason.UNLISTED: "nothing known for or against",
    Reason.DOMAIN_NOT_FOUND: "the domain does not exist",
    Reason.NULL_MX: "the domain says that it takes no mail",
    Reason.NO_MAIL_ROUTE: "the domain has no mail route",
    Reason.MAIL_UNKNOWN: "DNS gave no answer",
    Reason.PARKED: "parked: for sale or given up",
    Reason.WORKING_MAIL: "the domain has working mail",
    Reason.NEWLY_REGISTERED: "registered recently",
    Reason.PLUS_TAG: "plus tag",
    Reason.MANY_DOTS: "more than three dots before the at-sign",
    Reason.ROLE_ACCOUNT: "names a function, not a person",
    Reason.SANDBOX: "sandbox answer",
}
"""One phrase a reason, for a table cell; complete, which a test proves."""


_GROUND_NAMES: Mapping[Ground, str] = {
    Ground.BLACK: "● black",
    Ground.SUSPICIOUS: "◐ suspicious signs",
    Ground.MASKED: "◐ masked legitimate",
    Ground.MULTI_ALIAS: "◐ multi-alias services",
    Ground.OWN_GREY: "◐ your own grey list",
    Ground.ROLE_ACCOUNT: "role accounts",
    Ground.FREE_PROVIDER: "free providers",
}


def name_ground(ground: Ground) -> str:
    """Return how a ground to go is called: category before type."""
    return _GROUND_NAMES[ground]


def name_category(category: Category) -> str:
    """Return shape and word: ``"◐ grey"``."""
    return f"{SHAPES[category]} {category.value}"


def name_action(category: Category) -> str:
    """Return shape and recommended action: ``"◐ review"``."""
    return f"{SHAPES[category]} {RECOMMENDED_ACTIONS[category].value}"


def phrase_reasons(reasons: tuple[Reason, ...]) -> str:
    """Return the deciding reason first, the others behind it, for one table cell."""
    return "; ".join(REASON_WORDS[reason] for reason in reasons)
