"""What was seen, before anything is decided: facts about a local part, a domain, an address."""

from dataclasses import dataclass, field
from datetime import date, datetime
from enum import IntFlag, StrEnum

from backend.core.verdict import Category, Reason


class LocalFlag(IntFlag):
    """Signs that the local part alone carries. Small integers: the batch engine keeps one a row."""

    NONE = 0
    PLUS_TAG = 1  # a "+" after the first character: ana+news@
    MANY_DOTS = 2  # more than three dots
    ROLE = 4  # info@, sales@ … (without its plus tag, lower-cased)


@dataclass(frozen=True, slots=True)
class Listing:
    """One list that names a domain.

    ``family`` groups lists that copy one another; ``matched`` is the domain as it stands on the
    list (the domain itself or a parent); ``listed_on`` is the list's own date for it, UTC.
    """

    source: str
    family: str
    matched: str
    listed_on: date | None = None
    reviewed: bool = False  # by hand, entry by entry
    doubtful: bool = False  # sources unknown or known to hold honest domains


class MailRoute(StrEnum):
    """What DNS says of a domain's mail (RFC 5321, 5.1; RFC 7505)."""

    NOT_LOOKED_UP = "not looked up"
    UNKNOWN = "unknown"  # timeout, SERVFAIL: silence is not an answer
    MX = "mx"
    IMPLICIT_MX = "implicit mx"
    NULL_MX = "null mx"
    NO_MAIL = "no mail route"  # neither MX nor A/AAAA
    NOT_FOUND = "domain not found"  # NXDOMAIN


DEFINITE_NO: frozenset[MailRoute] = frozenset(
    {MailRoute.NULL_MX, MailRoute.NO_MAIL, MailRoute.NOT_FOUND}
)


@dataclass(frozen=True, slots=True)
class MailFacts:
    """The answer of DNS for one domain. ``mx_host`` is lower case without a final dot."""

    route: MailRoute = MailRoute.NOT_LOOKED_UP
    mx_host: str | None = None
    disposable_mx: str | None = None  # the host or address that serves disposable domains
    asked_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class MailAnswer:
    """What a resolver found out about one domain's mail, before anything is known of its hosts.

    ``hosts`` are lower case without a final dot, the most preferred first. ``ttl_seconds`` says
    how long the answer holds; 0 for one that must not be kept.
    """

    route: MailRoute
    hosts: tuple[str, ...] = ()
    ttl_seconds: int = 0


@dataclass(frozen=True, slots=True)
class HostAnswer:
    """The addresses of one mail host; None: the resolver gave no answer."""

    addresses: tuple[str, ...] | None
    ttl_seconds: int = 0


@dataclass(frozen=True, slots=True)
class OwnEntry:
    """The entry of the account's own lists that matches: ``reason`` is one of the OWN_ codes."""

    category: Category
    pattern: str
    reason: Reason
    note: str = ""
    added_on: date | None = None


@dataclass(frozen=True, slots=True)
class DomainFacts:
    """Everything known about one domain (a lower-case A-label name)."""

    domain: str
    registrable: str | None = None
    listings: tuple[Listing, ...] = ()  # disposable lists, guards already applied
    relay: Listing | None = None
    placeholder: Listing | None = None
    free: Listing | None = None
    education: Listing | None = None
    government: Listing | None = None
    business: Listing | None = None
    has_plus_tags: bool = False  # a provider known to deliver user+tag@ to user@
    misspells: str | None = None  # the known domain it is one slip away from
    imitates: str | None = None  # the known domain its other-script letters look like
    risky_tld: bool = False
    throwaway_word: str | None = None
    machine_made: bool = False
    premium: bool | None = None
    mail: MailFacts = field(default_factory=MailFacts)
    registered_on: date | None = None
    newly_registered: bool = False
    own: OwnEntry | None = None  # by domain or wildcard


@dataclass(frozen=True, slots=True)
class AddressFacts:
    """What ``decide`` is given.

    ``fault`` is set for an address that fails format validation; then nothing else counts.
    """

    fault: Reason | None = None
    flags: LocalFlag = LocalFlag.NONE
    domain: DomainFacts | None = None
    own: OwnEntry | None = None  # by whole address


@dataclass(frozen=True, slots=True)
class Evidence:
    """What stands behind one reason, in words that a reader can check."""

    reason: Reason
    rule: str
    source: str | None = None
    dated: date | None = None
    matched: str | None = None
