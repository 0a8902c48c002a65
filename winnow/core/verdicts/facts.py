"""Facts about a local part, a domain and an address, before any decision."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from enum import IntEnum, IntFlag, StrEnum
from typing import NamedTuple

from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Category
from winnow.words import Sentence


class LocalFlag(IntFlag):
    """Signs in the local part. Small integers: the batch engine keeps one per row."""

    NONE = 0
    PLUS_TAG = 1  # a "+" after the first character: ana+news@
    MANY_DOTS = 2  # more than three dots, and not between names
    ROLE = 4  # info@, sales@ … (without its plus tag, lower-cased)
    FILLER = 8  # test@, abc@ …: fills in a form where the domain does as well
    PROVIDER_FILLER = 16  # 12345@, mail@ …: fills in a form at gmail.com and mail.com as well
    NO_MAILBOX = FILLER | PROVIDER_FILLER  # noemail@, asdf@ …: no one's mailbox, at any domain
    LONE_PARTS = 32  # more than five parts that are digits or lone letters


LocalWords = Mapping[str, LocalFlag]
"""Flags of whole local parts in lower case, without a plus tag."""


class Weight(IntEnum):
    """Weight of a disposable listing."""

    HINT = 0  # of lists that copied firms from one another: counts beside a sign or a family
    DOUBT = 1  # grey by itself, black beside a sign or another family
    CURRENT = 2  # of a crawl, and not copied from old lists: decides alone
    REVIEWED = 3  # entry by entry, by hand: decides alone


@dataclass(frozen=True, slots=True)
class Listing:
    """One list that names a domain.

    ``family`` groups lists that copy one another; ``matched`` is the domain as the list has it (the
    domain itself or a parent); ``listed_on`` is the list's own date for it, UTC. ``weight`` is that
    of a disposable list.
    """

    source: str
    family: str
    matched: str
    listed_on: date | None = None
    weight: Weight = Weight.DOUBT
    doubtful: bool = False  # sources unknown or known to hold honest domains


class Guard(StrEnum):
    """Why lists that name a domain were set aside or weakened."""

    PUBLIC_SUFFIX = "public suffix"
    RELAY = "relay"
    KNOWN_CONFLICT = "known conflict"
    KNOWN_PROVIDER_OR_COMPANY = "known provider or company"
    PUBLIC_BODY_OR_ACADEMIC = "public body or academic"
    RESTRICTED_SUFFIX = "restricted suffix"
    OPEN_SCHOOL_SUFFIX = "open education or government suffix"
    REMOVED_AFTER_REVIEW = "removed after review"
    LISTED_FREE_PROVIDER = "listed free provider"


@dataclass(frozen=True, slots=True)
class Protection:
    """The guard of a domain, and the listings that it set aside or weakened.

    ``set_aside`` is empty where no list names the domain: the guard would apply if one did.
    ``note`` is the reviewed line of reason, ``dated`` the day of the removal, where there is one.
    """

    guard: Guard
    set_aside: tuple[Listing, ...] = ()
    note: str = ""
    dated: date | None = None


@dataclass(frozen=True, slots=True)
class ListReach:
    """The lists of disposable services that a look-up searches."""

    names: tuple[str, ...] = ()
    family_count: int = 0
    newest_on: date | None = None


class MailRoute(StrEnum):
    """Mail route of a domain by DNS (RFC 5321, 5.1; RFC 7505)."""

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
    parking: str | None = None  # the mail host or name server of a parking service


MAIL_NOT_ASKED = MailFacts()


@dataclass(frozen=True, slots=True)
class DnsAnswer:
    """A resolver's answer about one name.

    ``route`` is a ``MailRoute``; of addresses and name servers that were found the question.
    ``targets`` are hosts or addresses, lower case without a final dot, the most preferred first.
    ``ttl_seconds`` says how long the answer holds; 0 for one that must not be kept.
    """

    route: str
    targets: tuple[str, ...] = ()
    ttl_seconds: int = 0


class AgeState(StrEnum):
    """Outcome of a question for a domain's age (RDAP, RFC 9083)."""

    KNOWN = "known"
    NOT_SAID = "not said"  # the registry answers, and gives no registration date
    UNKNOWN = "unknown"  # asked, and no usable answer came
    NOT_ASKED = "not asked"  # no registry known, the time was up, or it asked for a pause


@dataclass(frozen=True, slots=True)
class AgeAnswer:
    """A registry's answer about one registrable domain; ``registered_at`` is UTC."""

    state: AgeState
    registered_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class AgeFacts:
    """The age of one registrable domain; ``registry`` is the host that was asked."""

    registered_on: date | None = None  # UTC
    is_new: bool = False  # when it was judged
    registry: str | None = None
    asked_at: datetime | None = None


AGE_NOT_ASKED = AgeFacts()


@dataclass(frozen=True, slots=True)
class OwnEntry:
    """The entry of the account's own lists that matches: ``reason`` is one of the OWN_ codes."""

    category: Category
    pattern: str
    reason: Reason
    note: str = ""
    added_on: date | None = None


class DomainFacts(NamedTuple):  # a dataclass is made in six times the time
    """Everything known about one domain (a lower-case A-label name)."""

    domain: str
    registrable: str | None = None
    listings: tuple[Listing, ...] = ()  # disposable lists, guards already applied
    protection: Protection | None = None  # effect of those guards; decides nothing
    long_listed: Listing | None = None  # an old list that honest names were never taken off
    relay: Listing | None = None
    mediated: Listing | None = None  # forwarded by a market or platform for one deal
    placeholder: Listing | None = None
    free: Listing | None = None
    education: Listing | None = None
    government: Listing | None = None
    business: Listing | None = None
    has_plus_tags: bool = False  # a provider known to deliver user+tag@ to user@
    misspells: str | None = None  # the known domain it is one slip away from
    imitates: str | None = None  # the known domain that its letters or figures look like
    risky_suffix: str = ""  # an ending above it that disposable services often use
    unknown_tld: bool = False  # no registry is known to run its top-level domain
    is_reserved: bool = False  # under .example, which no registry may run (RFC 2606, 2)
    subdomain_host: Listing | None = None  # a host above it where anyone gets names for free
    disposable_word: str | None = None
    is_compound: bool = False  # that word says by itself that a mailbox is for a moment
    is_word_common: bool = False  # honest mail services have that word in their names as well
    local_signs: LocalFlag = LocalFlag.NONE  # signs here, and at most domains not
    machine_made: bool = False
    premium: bool | None = None
    mail: MailFacts = MAIL_NOT_ASKED
    age: AgeFacts = AGE_NOT_ASKED
    own: OwnEntry | None = None  # by domain or wildcard

    @property
    def tld(self) -> str:
        """The top-level domain."""
        return self.domain.rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class AddressFacts:
    """Input of ``decide``.

    ``fault`` is set for an address that fails format validation; then nothing else counts.
    """

    fault: Reason | None = None
    flags: LocalFlag = LocalFlag.NONE
    domain: DomainFacts | None = None
    own: OwnEntry | None = None  # by whole address


@dataclass(frozen=True, slots=True)
class Evidence:
    """Evidence for one reason, in words that a reader can check.

    ``detail`` is the standard that the sentence comes from, ``note`` a reviewer's or the user's
    comment.
    """

    reason: Reason
    sentence: Sentence
    source: str | None = None
    dated: date | None = None
    matched: str | None = None
    asked_at: datetime | None = None  # of an answer from the network, UTC
    detail: str = ""
    note: str = ""

    @property
    def rule(self) -> str:
        """The sentence with its detail and note, in English, as programs read it."""
        rule = str(self.sentence)
        if self.detail:
            rule = f"{rule.removesuffix('.')} ({self.detail})."
        return f"{rule} Note: {self.note}" if self.note else rule
