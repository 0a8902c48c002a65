"""Reasons: one record each; change a reason's wording or add one here."""

from enum import Enum, auto
from functools import partial
from typing import NamedTuple

from winnow.core.figures import capitalise
from winnow.core.record_enum import RecordEnum
from winnow.core.verdicts.domain_types import Ground
from winnow.words import say, translatable


class Origin(Enum):
    """Origin of a reason, which decides what is cited as its evidence."""

    FORMAT = auto()  # the address cannot be used (RFC 5321, RFC 5322, RFC 6531, RFC 5891)
    OWN_LISTS = auto()  # the account's own
    KNOWLEDGE = auto()  # the domain data and the look of the name
    DISPOSABLE_LISTS = auto()  # all lists that name the domain are cited
    DNS = auto()  # the answer about the domain's mail, and what is known of its servers
    REGISTRY = auto()  # RDAP
    LOCAL_PART = auto()  # not about the domain, which may be well known
    SANDBOX = auto()
    OWN_FILES = auto()  # added to verdicts by own files and the list's own columns; decides none


class _Record(NamedTuple):
    code: str
    words: str
    rule: str
    origin: Origin
    detail: str = ""
    sentence: str = ""
    fact: str | None = None
    sign: str = ""
    ground: Ground | None = None


_format = partial(_Record, origin=Origin.FORMAT)
_own = partial(_Record, origin=Origin.OWN_LISTS)
_known = partial(_Record, origin=Origin.KNOWLEDGE)
_listed = partial(_Record, origin=Origin.DISPOSABLE_LISTS)
_asked = partial(_Record, origin=Origin.DNS, fact="mail.mx_host")
_served = partial(_Record, origin=Origin.DNS)
_local = partial(_Record, origin=Origin.LOCAL_PART)
_registered = partial(_Record, origin=Origin.REGISTRY)
_tried = partial(_Record, origin=Origin.SANDBOX)
_filed = partial(_Record, origin=Origin.OWN_FILES)


class Reason(RecordEnum):
    """Stable codes of what led to a verdict; the deciding one stands first in a verdict.

    ``words`` is a phrase for a table cell, ``rule`` a sentence that a reader can check, ``detail``
    the standard it comes from, for those who want to know. ``sentence`` answers a single check in
    the place of its domain type's. ``fact`` is the attribute of ``DomainFacts`` that was seen, None
    where nothing of the domain was. ``sign`` names the reason among signs in a domain's name. Rows
    with the reason, unless black, go by ``ground`` when a list is cleaned.

    All texts are English, and said by whoever shows them.
    """

    words: str
    rule: str
    origin: Origin
    detail: str
    sentence: str
    fact: str | None
    sign: str
    ground: Ground | None

    @property
    def label(self) -> str:
        """The words with a capital letter, translated."""
        return capitalise(say(self.words))

    EMPTY = _format(
        "invalid_empty",
        translatable("empty cell"),
        translatable("The address is empty."),
    )
    NO_AT_SIGN = _format(
        "invalid_no_at_sign",
        translatable("no at-sign"),
        translatable("An address needs an at-sign (@)."),
        detail="RFC 5322, 3.4.1",
    )
    NO_LOCAL_PART = _format(
        "invalid_no_local_part",
        translatable("nothing before the at-sign"),
        translatable("The part before the at-sign is missing."),
        detail="RFC 5321, 4.1.2",
    )
    NO_DOMAIN = _format(
        "invalid_no_domain",
        translatable("nothing after the at-sign"),
        translatable("A domain must follow the at-sign."),
        detail="RFC 5321, 4.1.2",
    )
    NO_TLD = _format(
        "invalid_no_tld",
        translatable("the domain has no ending such as .com"),
        translatable("The domain must have an ending, such as .com or .de."),
        detail="RFC 5321, 2.3.5",
    )
    LOCAL_PART_SYNTAX = _format(
        "invalid_local_part",
        translatable("characters before the at-sign that are not allowed"),
        translatable(
            "The part before the at-sign has characters, or dots in places, that are not allowed."
        ),
        detail="RFC 5322, 3.2.3; RFC 6531",
    )
    LOCAL_PART_TOO_LONG = _format(
        "invalid_local_part_too_long",
        translatable("too long before the at-sign"),
        translatable("The part before the at-sign has more than 64 characters (bytes)."),
        detail="RFC 5321, 4.5.3.1.1",
    )
    TWO_AT_SIGNS = _format(
        "invalid_two_at_signs",
        translatable("more than one at-sign"),
        translatable("An address has one at-sign (@); this one has more."),
        detail="RFC 5322, 3.4.1",
    )
    DOMAIN_SYNTAX = _format(
        "invalid_domain",
        translatable("the domain has characters that are not allowed"),
        translatable(
            "A domain has letters, digits and hyphens between them; this one has something else."
        ),
        detail="RFC 5321, 2.3.5; RFC 5891",
    )
    DOMAIN_TOO_LONG = _format(
        "invalid_domain_too_long",
        translatable("the domain is too long"),
        translatable("The domain has more than 253 characters, or more than 63 between two dots."),
        detail="RFC 1035, 2.3.4",
    )
    ADDRESS_TOO_LONG = _format(
        "invalid_address_too_long",
        translatable("the address is too long"),
        translatable("The address has more than 254 characters (bytes)."),
        detail="RFC 5321, 4.5.3.1.3",
    )
    TLD_NOT_USABLE = _format(
        "invalid_tld",
        translatable("the domain's ending does not exist"),
        translatable(
            "The ending of a domain, such as .com, has at least two letters and nothing but "
            "letters."
        ),
    )
    SPECIAL_USE_DOMAIN = _format(
        "invalid_special_use_domain",
        translatable("a domain that is reserved and never receives mail"),
        translatable(
            "The name is reserved, for tests or for local networks: no mail can reach it."
        ),
        detail="RFC 6761",
    )
    DOMAIN_LITERAL = _format(
        "invalid_domain_literal",
        translatable("an IP address in place of a domain"),
        translatable("An address with an IP address in place of a domain is not accepted."),
    )
    DISPLAY_NAME = _format(
        "invalid_display_name",
        translatable("more than an address"),
        translatable("There is more than the address, such as a name."),
    )
    NOT_TEXT = _format(
        "invalid_characters",
        translatable("characters that are not text"),
        translatable("The address has control characters, or characters that do not exist."),
    )
    UNSEEN_CHARACTERS = _format(
        "invalid_unseen_characters",
        translatable("invisible characters"),
        translatable(
            "The address has invisible characters, such as a zero-width space: mail to it does not "
            "arrive."
        ),
    )
    OWN_ADDRESS = _own(
        "own_list_address",
        translatable("the address is on your list"),
        translatable("This address is on your list."),
    )
    OWN_DOMAIN = _own(
        "own_list_domain",
        translatable("the domain is on your list"),
        translatable("This domain is on your list."),
    )
    OWN_WILDCARD = _own(
        "own_list_wildcard",
        translatable("the domain matches a wildcard on your list"),
        translatable("A wildcard on your list matches this domain."),
    )
    OWN_LOCAL_PART = _own(
        "own_list_local_part",
        translatable("the part before the @ is on your list"),
        translatable("The part before the @ is on your list, for every domain."),
    )
    RELAY = _known(
        "relay",
        translatable("relay or alias service"),
        translatable("A relay that forwards to a real person's mailbox."),
        fact="relay",
    )
    MEDIATED_MAIL = _known(
        "mediated_mail",
        translatable("address for one deal on a marketplace"),
        translatable(
            "A marketplace forwards mail to this address for one deal only; later mail is not read."
        ),
        sentence=translatable(
            "{domain} forwards mail for one deal or stay; later mail is not read."
        ),
        fact="mediated",
    )
    OWNER_PRIVACY = _known(
        "owner_privacy",
        translatable("privacy service for domain owners"),
        translatable(
            "A registrar hides a domain's owner behind this address; mail may be forwarded."
        ),
        sentence=translatable(
            "{domain} hides the owner of a domain; mail may be forwarded or dropped."
        ),
        fact="mediated",
    )
    CODE_HOST = _known(
        "code_host",
        translatable("notices of a code host"),
        translatable("A code host takes answers to its notices here, or no mail at all."),
        sentence=translatable("{domain} is for notices of a code host; other mail is not read."),
        fact="mediated",
    )
    SUPPORT_DESK = _known(
        "support_desk",
        translatable("address of a support desk"),
        translatable("Mail to this name becomes a case of a support desk, and no person's mail."),
        sentence=translatable("{domain} takes mail for a support desk; other mail is not read."),
        fact="mediated",
    )
    CLOSE_MISSPELLING = _known(
        "close_misspelling",
        translatable("looks like a typing mistake"),
        translatable("The domain differs from a well-known one by one typing mistake."),
        sentence=translatable("{domain} looks like a typing mistake for {matched}."),
        fact="misspells",
    )
    CONFUSABLE_SCRIPT = _known(
        "confusable_script",
        translatable("letters or digits that look like a well-known domain"),
        translatable("It looks like a well-known domain, by letters or digits that look alike."),
        fact="imitates",
    )
    PLACEHOLDER = _known(
        "placeholder",
        translatable("placeholder domain"),
        translatable("A placeholder domain, as used in examples; it has no real mailboxes."),
        fact="placeholder",
    )
    DISPOSABLE_REVIEWED = _listed(
        "disposable_reviewed",
        translatable("disposable service, reviewed by hand"),
        translatable("On a list of disposable mail services that is reviewed by hand."),
    )
    DISPOSABLE_LISTED = _listed(
        "disposable_listed",
        translatable("disposable service on independent lists"),
        translatable("On lists of disposable mail services from two or more independent sources."),
    )
    DISPOSABLE_CRAWLED = _listed(
        "disposable_crawled",
        translatable("disposable service on current lists"),
        translatable(
            "On lists of disposable mail services that are kept current, and not on the old list "
            "from which many copied firms as well."
        ),
    )
    DISPOSABLE_MX = _served(
        "disposable_mx",
        translatable("its mail goes to a disposable service"),
        translatable(
            "Its mail server also serves known disposable domains, and there is another sign."
        ),
        fact="mail.disposable_mx",
    )
    DISPOSABLE_NEIGHBOURS = _served(
        "disposable_neighbours",
        translatable("on a server with disposable domains"),
        translatable(
            "It is on a server with known disposable domains and no known honest ones: a "
            "doubt, not a proof."
        ),
        fact="mail.disposable_mx",
    )
    DISPOSABLE_SIGN = _listed(
        "disposable_listed_with_sign",
        translatable("listed as disposable by one source, with a sign in its name"),
        translatable("Lists from one source call it disposable, and its name has a sign of that."),
    )
    DOUBTFUL_LIST = _listed(
        "doubtful_list",
        translatable("listed as disposable by one source only"),
        translatable("Lists call it disposable, but all from one source."),
    )
    RISKY_TLD = _known(
        "risky_tld",
        translatable("domain ending that disposable services often use"),
        translatable("Disposable services often use this domain ending."),
        fact="risky_suffix",
        sign=translatable("its ending"),
    )
    UNKNOWN_TLD = _known(
        "unknown_tld",
        translatable("no such domain ending is known"),
        translatable("No registry is known to run this domain ending."),
        detail="Public Suffix List",
        fact="tld",
    )
    RESERVED_NAME = _known(
        "reserved_name",
        translatable("a name that cannot exist"),
        translatable("The ending .example is reserved for examples: no such domain can exist."),
        detail="RFC 2606, 2",
        sentence=translatable("{domain} cannot exist: its ending is reserved for examples."),
    )
    SUBDOMAIN_HOST = _known(
        "free_subdomain_host",
        translatable("name under a host of free subdomains"),
        translatable("Anyone can create a free name under this host."),
        fact="subdomain_host",
        sign=translatable("a host of free subdomains"),
    )
    DISPOSABLE_WORD = _known(
        "throwaway_word",
        translatable("disposable word in the name"),
        translatable("A word in the name that disposable services use."),
        fact="disposable_word",
        sign=translatable("a word in its name"),
    )
    MACHINE_MADE_NAME = _known(
        "machine_made_name",
        translatable("name in the form of many disposable domains"),
        translatable("The name has the form of many disposable domains."),
        sign=translatable("the form of its name"),
    )
    GOVERNMENT = _known(
        "government",
        translatable("public body"),
        translatable("A public body."),
        fact="government",
    )
    EDUCATION = _known(
        "education",
        translatable("school or university"),
        translatable("A school or university."),
        fact="education",
    )
    FREE_PROVIDER = _known(
        "free_provider",
        translatable("public mailbox provider"),
        translatable("A public mailbox provider."),
        fact="free",
        ground=Ground.FREE_PROVIDER,
    )
    BUSINESS = _known(
        "business",
        translatable("known company or popular site"),
        translatable("A known company or popular site."),
        fact="business",
    )
    UNLISTED = _known(
        "unlisted",
        translatable("nothing known for or against"),
        translatable("Nothing is known for or against the domain."),
    )
    DOMAIN_NOT_FOUND = _asked(
        "domain_not_found",
        translatable("the domain does not exist"),
        translatable("DNS says that the domain does not exist."),
        detail="NXDOMAIN",
    )
    NULL_MX = _asked(
        "null_mx",
        translatable("the domain says that it takes no mail"),
        translatable("DNS says that the domain takes no mail."),
        detail="null MX, RFC 7505",
    )
    NO_MAIL_ROUTE = _asked(
        "no_mail_route",
        translatable("the domain has no mail server"),
        translatable(
            "DNS shows no mail server for the domain, and no other server that could take its mail."
        ),
        detail="neither MX nor address records; RFC 5321, 5.1",
    )
    MAIL_UNKNOWN = _asked(
        "mail_unknown",
        translatable("DNS gave no answer"),
        translatable("DNS gave no answer; that says nothing about the domain."),
    )
    PARKED = _served(
        "parked_domain",
        translatable("parked: for sale or given up"),
        translatable(
            "The domain is parked: it is for sale or was given up, and probably no one reads "
            "its mail."
        ),
        fact="mail.parking",
    )
    WORKING_MAIL = _asked(
        "working_mail",
        translatable("the domain has a mail server"),
        translatable("DNS shows a mail server for the domain."),
        detail="MX; RFC 5321, 5.1",
    )
    NEWLY_REGISTERED = _registered(
        "newly_registered",
        translatable("registered recently"),
        translatable("The domain was registered recently."),
        detail="RDAP, RFC 9083",
        fact="age.registered_on",
    )
    PLUS_TAG = _local(
        "plus_tag",
        translatable("tag after a plus sign"),
        translatable(
            "There is a tag after a plus sign, and the provider delivers such mail to the mailbox "
            "without the tag."
        ),
    )
    MANY_DOTS = _local(
        "many_dots",
        translatable("many dots before the at-sign"),
        translatable(
            "There are more than three dots before the at-sign, not between names, where the "
            "provider ignores them; or more than five parts are digits or single letters."
        ),
    )
    FILLER_ADDRESS = _local(
        "filler_address",
        translatable("typed only to fill in a form"),
        translatable("The address is a filler, such as none, qwerty or sample words."),
    )
    ROLE_ACCOUNT = _local(
        "role_account",
        translatable("role account: names a function, not a person"),
        translatable("The name of a function, such as info or sales, not of a person."),
        ground=Ground.ROLE_ACCOUNT,
    )
    SANDBOX = _tried(
        "sandbox",
        translatable("sandbox answer"),
        translatable("A sandbox key: only three test addresses get real answers."),
    )
    DO_NOT_MAIL = _filed(
        "do_not_mail",
        translatable("on a do-not-mail file or the never-mail list"),
        translatable("A do-not-mail file has this address or its domain."),
        ground=Ground.DO_NOT_MAIL,
    )
    UNSUBSCRIBED = _filed(
        "unsubscribed",
        translatable("unsubscribed"),
        translatable("A column of the list says: unsubscribed, opted out or suppressed."),
        ground=Ground.UNSUBSCRIBED,
    )
    UNSUBSCRIBED_ELSEWHERE = _filed(
        "unsubscribed_elsewhere",
        translatable("unsubscribed in another row"),
        translatable("Another row of the list says that this mailbox is not to be mailed."),
        ground=Ground.SAID_ELSEWHERE,
    )
    UNSUBSCRIBED_BEFORE = _filed(
        "unsubscribed_before",
        translatable("unsubscribed in an older row"),
        translatable(
            "An older row says that this mailbox is not to be mailed; a newer one says yes."
        ),
        ground=Ground.SAID_BEFORE,
    )
    BOUNCED_HARD = _filed(
        "bounced_hard",
        translatable("hard bounce"),
        translatable(
            "Mail to this address had a hard bounce, by a bounce file or a list of yours."
        ),
        ground=Ground.BOUNCED,
    )
    BOUNCED_SOFT = _filed(
        "bounced_soft",
        translatable("soft bounce"),
        translatable(
            "Mail to this address had a soft bounce, by a bounce file or a list of yours."
        ),
    )
    DOUBTED = _filed(
        "doubted_by_service",
        translatable("doubted by another service"),
        translatable("A column of the list says that another service was not sure of the address."),
    )
    SILENT = _filed(
        "silent",
        translatable("silent for a long time"),
        translatable("The date in a column of the list is older than you chose."),
    )
    LEFT_OUT = _filed(
        "left_out",
        translatable("in a group that you left out"),
        translatable("You left out the rows with this value of a column this time."),
    )


OWN_REASONS = frozenset(reason for reason in Reason if reason.origin is Origin.OWN_LISTS)
OWN_FILES = frozenset(reason for reason in Reason if reason.origin is Origin.OWN_FILES)
