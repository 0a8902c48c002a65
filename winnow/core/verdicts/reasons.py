"""The reasons: one record each, the one place to change a reason's wording or to add one."""

from dataclasses import KW_ONLY, dataclass
from enum import Enum, StrEnum, auto
from functools import partial

from winnow.core.verdicts.grounds import Ground


class Origin(Enum):
    """Where a reason comes from, and with it what is cited as its evidence."""

    FORMAT = auto()  # the address cannot be used (RFC 5321, RFC 5322, RFC 6531, RFC 5891)
    OWN_LISTS = auto()  # the account's own
    KNOWLEDGE = auto()  # the domain data and the look of the name
    DISPOSABLE_LISTS = auto()  # all that name the domain are cited
    DNS = auto()  # the answer about the domain's mail
    SERVERS = auto()  # what is known of those that DNS names
    REGISTRY = auto()  # RDAP
    LOCAL_PART = auto()  # says nothing of the domain, which may be the best known of all
    SANDBOX = auto()


@dataclass(frozen=True, slots=True)
class _Record:
    origin: Origin
    code: str  # never changes
    words: str
    rule: str
    _: KW_ONLY
    fact: str | None = None
    sign: str = ""
    ground: Ground | None = None


_format = partial(_Record, Origin.FORMAT)
_own = partial(_Record, Origin.OWN_LISTS)
_known = partial(_Record, Origin.KNOWLEDGE)
_listed = partial(_Record, Origin.DISPOSABLE_LISTS)
_asked = partial(_Record, Origin.DNS, fact="mail.mx_host")
_served = partial(_Record, Origin.SERVERS)
_local = partial(_Record, Origin.LOCAL_PART)


class Reason(StrEnum):
    """Stable codes of what led to a verdict; the deciding one stands first in a verdict.

    ``words`` is a phrase for a table cell, ``rule`` a sentence that a reader can check. ``fact`` is
    the attribute of ``DomainFacts`` that was seen, None where nothing of the domain was. ``sign``
    names the reason among signs in a domain's name. Rows with the reason, unless black, go by
    ``ground`` when a list is cleaned.
    """

    origin: Origin
    words: str
    rule: str
    fact: str | None
    sign: str
    ground: Ground | None
    _value_: str

    def __new__(cls, record: _Record | str) -> "Reason":
        """Make the member of its record; ``Reason(code)`` finds one and never comes here."""
        if isinstance(record, str):
            raise TypeError(record)
        member = str.__new__(cls, record.code)
        member._value_ = record.code
        member.origin = record.origin
        member.words = record.words
        member.rule = record.rule
        member.fact = record.fact
        member.sign = record.sign
        member.ground = record.ground
        return member

    @property
    def label(self) -> str:
        """The words with a capital letter."""
        return self.words[:1].upper() + self.words[1:]

    EMPTY = _format("invalid_empty", "empty cell", "The value is empty.")
    NO_AT_SIGN = _format(
        "invalid_no_at_sign", "no at-sign", "An address has an at-sign (RFC 5322, 3.4.1)."
    )
    NO_LOCAL_PART = _format(
        "invalid_no_local_part",
        "nothing before the at-sign",
        "Something must stand before the at-sign (RFC 5321, 4.1.2).",
    )
    NO_DOMAIN = _format(
        "invalid_no_domain",
        "nothing after the at-sign",
        "A domain must stand after the at-sign (RFC 5321, 4.1.2).",
    )
    NO_TLD = _format(
        "invalid_no_tld",
        "no top-level domain",
        "The domain has no top-level domain (RFC 5321, 2.3.5).",
    )
    LOCAL_PART_SYNTAX = _format(
        "invalid_local_part",
        "characters before the at-sign that are not allowed",
        "The part before the at-sign has characters or dots in places that are not allowed (RFC"
        " 5322, 3.2.3; RFC 6531).",
    )
    LOCAL_PART_TOO_LONG = _format(
        "invalid_local_part_too_long",
        "too long before the at-sign",
        "The part before the at-sign is over 64 octets (RFC 5321, 4.5.3.1.1).",
    )
    DOMAIN_SYNTAX = _format(
        "invalid_domain",
        "the domain is not a host name",
        "The domain is no host name: letters, digits and inner hyphens (RFC 5321, 2.3.5; RFC "
        "5891).",
    )
    DOMAIN_TOO_LONG = _format(
        "invalid_domain_too_long",
        "the domain is too long",
        "The domain is over 253 octets or a label over 63 (RFC 1035, 2.3.4).",
    )
    ADDRESS_TOO_LONG = _format(
        "invalid_address_too_long",
        "the address is too long",
        "The address is over 254 octets (RFC 5321, 4.5.3.1.3).",
    )
    TLD_NOT_USABLE = _format(
        "invalid_tld",
        "a top-level domain that cannot be",
        "A top-level domain has at least two letters, and letters only.",
    )
    SPECIAL_USE_DOMAIN = _format(
        "invalid_special_use_domain",
        "a domain reserved for special use",
        "The name is reserved for special use (RFC 6761).",
    )
    DOMAIN_LITERAL = _format(
        "invalid_domain_literal",
        "an IP number instead of a domain",
        "An address at an IP number is not accepted.",
    )
    DISPLAY_NAME = _format(
        "invalid_display_name",
        "a name or more beside the address",
        "The value holds more than the bare address.",
    )
    NOT_TEXT = _format(
        "invalid_characters",
        "characters that are not text",
        "The value holds control or unassigned characters.",
    )
    UNSEEN_CHARACTERS = _format(
        "invalid_unseen_characters",
        "characters that nobody sees",
        "The value holds characters that nobody sees, such as a zero-width space: mail to it "
        "does not arrive.",
    )
    OWN_ADDRESS = _own(
        "own_list_address", "address on your own list", "Your own list names this address."
    )
    OWN_DOMAIN = _own(
        "own_list_domain", "domain on your own list", "Your own list names this domain."
    )
    OWN_WILDCARD = _own(
        "own_list_wildcard",
        "matches a wildcard of your own list",
        "A wildcard of your own list matches this domain.",
    )
    RELAY = _known(
        "relay",
        "relay or alias service",
        "A relay that forwards to a real person's mailbox.",
        fact="relay",
    )
    MEDIATED_MAIL = _known(
        "mediated_mail",
        "address of one deal on a market or platform",
        "A market or platform hands this mail on for one deal; nobody reads it for long.",
        fact="mediated",
    )
    CLOSE_MISSPELLING = _known(
        "close_misspelling",
        "one slip away from a well-known domain",
        "The domain is one slip away from a well-known one.",
        fact="misspells",
    )
    CONFUSABLE_SCRIPT = _known(
        "confusable_script",
        "look-alike letters or figures",
        "Letters or figures that look alike imitate a well-known domain.",
        fact="imitates",
    )
    PLACEHOLDER = _known(
        "placeholder",
        "placeholder domain",
        "A placeholder domain: nobody's mailbox.",
        fact="placeholder",
    )
    DISPOSABLE_REVIEWED = _listed(
        "disposable_reviewed",
        "disposable service, reviewed by hand",
        "On a list of disposable mail services that is reviewed by hand.",
    )
    DISPOSABLE_LISTED = _listed(
        "disposable_listed",
        "disposable service on independent lists",
        "On lists of disposable mail services of two or more independent families.",
    )
    DISPOSABLE_MX = _served(
        "disposable_mx",
        "mail goes to a disposable service's host",
        "Its mail goes to a host that serves known disposable domains.",
        fact="mail.disposable_mx",
    )
    DISPOSABLE_NEIGHBOURS = _served(
        "disposable_neighbours",
        "stands among disposable domains",
        "It stands among known disposable domains on a server where no honest one is known; "
        "that is a doubt, not a proof.",
        fact="mail.neighbours",
    )
    DISPOSABLE_SIGN = _listed(
        "disposable_listed_with_sign",
        "on one list of disposable services, with a sign in its name",
        "On one list of disposable mail services, with an independent sign in the name.",
    )
    DOUBTFUL_LIST = _listed(
        "doubtful_list",
        "on one list of disposable services only",
        "On one list of disposable mail services only.",
    )
    RISKY_TLD = _known(
        "risky_tld",
        "top-level domain that disposable services favour",
        "A top-level domain that disposable services favour.",
        fact="tld",
        sign="its top-level domain",
    )
    UNKNOWN_TLD = _known(
        "unknown_tld",
        "no such top-level domain is known",
        "No registry is known to run this top-level domain (Public Suffix List).",
        fact="tld",
    )
    SUBDOMAIN_HOST = _known(
        "free_subdomain_host",
        "below a host of free subdomains",
        "Anybody makes names below this host in a minute, for nothing.",
        fact="subdomain_host",
        sign="a host of free subdomains above it",
    )
    DISPOSABLE_WORD = _known(
        "throwaway_word",
        "disposable word in the name",
        "A word in the name that disposable services use.",
        fact="disposable_word",
        sign="a word in its name",
    )
    MACHINE_MADE_NAME = _known(
        "machine_made_name",
        "name looks made by a machine",
        "A name that looks made by a machine.",
        sign="a name that looks made by a machine",
    )
    GOVERNMENT = _known("government", "public body", "A public body.", fact="government")
    EDUCATION = _known("education", "academic body", "An academic body.", fact="education")
    FREE_PROVIDER = _known(
        "free_provider",
        "public mailbox provider",
        "A public mailbox provider.",
        fact="free",
        ground=Ground.FREE_PROVIDER,
    )
    BUSINESS = _known(
        "business",
        "known company or popular site",
        "A known company or popular site.",
        fact="business",
    )
    UNLISTED = _known(
        "unlisted", "nothing known for or against", "Nothing known for or against the domain."
    )
    DOMAIN_NOT_FOUND = _asked(
        "domain_not_found",
        "the domain does not exist",
        "DNS says that the domain does not exist (NXDOMAIN).",
    )
    NULL_MX = _asked(
        "null_mx",
        "the domain says that it takes no mail",
        "DNS says that the domain takes no mail (null MX, RFC 7505).",
    )
    NO_MAIL_ROUTE = _asked(
        "no_mail_route",
        "the domain has no mail route",
        "DNS shows neither MX nor address records (RFC 5321, 5.1).",
    )
    MAIL_UNKNOWN = _asked(
        "mail_unknown",
        "DNS gave no answer",
        "DNS gave no answer; that says nothing about the domain.",
    )
    PARKED = _served(
        "parked_domain",
        "parked: for sale or given up",
        "The domain is parked: it is for sale or was given up, and a parking service holds it. "
        "Nobody is known to read its mail.",
        fact="mail.parking",
    )
    WORKING_MAIL = _asked(
        "working_mail", "the domain has working mail", "DNS shows a mail exchanger (RFC 5321, 5.1)."
    )
    NEWLY_REGISTERED = _Record(
        Origin.REGISTRY,
        "newly_registered",
        "registered recently",
        "The domain was registered recently (RDAP, RFC 9083).",
        fact="registered_on",
    )
    PLUS_TAG = _local(
        "plus_tag", "plus tag", "A plus tag at a provider that delivers tagged mail to one mailbox."
    )
    MANY_DOTS = _local(
        "many_dots",
        "more than three dots before the at-sign",
        "More than three dots before the at-sign, and not between names.",
    )
    ROLE_ACCOUNT = _local(
        "role_account",
        "role account: names a function, not a person",
        "The name of a function, not of a person.",
        ground=Ground.ROLE_ACCOUNT,
    )
    SANDBOX = _Record(
        Origin.SANDBOX,
        "sandbox",
        "sandbox answer",
        "A sandbox key: only three test addresses get real answers.",
    )


OWN_REASONS = frozenset(reason for reason in Reason if reason.origin is Origin.OWN_LISTS)
