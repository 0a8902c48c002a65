"""Domain types and grounds for removal: one record each; change words or add one here."""

from enum import StrEnum

from winnow.words import mark


class Ground(StrEnum):
    """Ground for removing a row, as a switch; grounds are tried in this order.

    The values are the codes in a page's address; callers translate ``words``.
    """

    words: str
    _value_: str

    def __new__(cls, code: str, words: str = "") -> "Ground":
        """Make the member of a code and its words."""
        member = str.__new__(cls, code)
        member._value_ = code
        member.words = words
        return member

    BLACK = "black", mark("remove")
    DO_NOT_MAIL = "do-not-mail", mark("on your do-not-mail files or never-mail list")
    UNSUBSCRIBED = "unsubscribed", mark("unsubscribed")
    SAID_ELSEWHERE = "said-elsewhere", mark("unsubscribed in another row")
    SAID_BEFORE = "said-before", mark("unsubscribed in an older row")
    BOUNCED = "bounced", mark("bounced before")
    SUSPICIOUS = "suspicious", mark("suspicious signs")
    MASKED = "masked", mark("look-alikes and typing mistakes")
    MULTI_ALIAS = "alias", mark("relay and alias services")
    OWN_GREY = "own-grey", mark("your review list")
    ROLE_ACCOUNT = "role", mark("role accounts")
    FREE_PROVIDER = "free", mark("free providers")


class DomainType(StrEnum):
    """The kind of domain behind an address, as it stands in ``domain_type`` and ``type``.

    ``words`` name it on pages, ``meaning`` is a phrase. ``sentence`` answers a single check; it may
    name ``{domain}``, the deciding ``{reason}`` and the well-known domain ``{matched}``. All are
    English, and said by whoever shows them. Rows of the type, unless black, go by ``ground`` when a
    list is cleaned; None: the type is no ground.
    """

    words: str
    meaning: str
    sentence: str
    ground: Ground | None
    _value_: str

    def __new__(
        cls,
        code: str,
        words: str = "",
        meaning: str = "",
        sentence: str = "",
        ground: Ground | None = None,
    ) -> "DomainType":
        """Make the member of a code, which never changes, with its attributes."""
        member = str.__new__(cls, code)
        member._value_ = code
        member.words = words
        member.meaning = meaning
        member.sentence = sentence
        member.ground = ground
        return member

    INVALID = (
        "invalid",
        mark("invalid"),
        mark("not an address that mail can be sent to"),
        mark("Mail cannot be sent to this address: {reason}."),
    )
    DISPOSABLE = (
        "disposable",
        mark("disposable"),
        mark("a disposable mail service"),
        mark("{domain} is a disposable mail service."),
    )
    NO_WEBSITE = (
        "no website",
        mark("takes no mail"),
        mark("a domain that does not exist or takes no mail"),
        mark("No mail can reach {domain}: {reason}."),
    )
    MULTI_ALIAS = (
        "multi-alias services",
        mark("relay or alias service"),
        mark("a relay or alias service that real people use"),
        mark("{domain} is a relay or alias service. Real people use it."),
        Ground.MULTI_ALIAS,
    )
    MASKED = (
        "masked legitimate",
        mark("look-alike or typo"),
        mark("looks like a well-known domain, and is another"),
        mark(
            "{domain} looks like {matched}, and is another domain: some of its letters or digits "
            "only look the same."
        ),
        Ground.MASKED,
    )
    SUSPICIOUS = (
        "suspicious signs",
        mark("suspicious signs"),
        mark("signs that deserve a second look"),
        mark("{domain} deserves a second look: {reason}."),
        Ground.SUSPICIOUS,
    )
    FREE = (
        "free",
        mark("free provider"),
        mark("a public mailbox provider"),
        mark("{domain} is a public mailbox provider; no known problem."),
        Ground.FREE_PROVIDER,
    )
    EDUCATION = (
        "education",
        mark("education"),
        mark("a school or university"),
        mark("{domain} belongs to a school or university; no known problem."),
    )
    GOVERNMENT = (
        "government",
        mark("government"),
        mark("a public body"),
        mark("{domain} belongs to a public body; no known problem."),
    )
    BUSINESS = (
        "business",
        mark("business"),
        mark("a company or popular site"),
        mark("{domain} belongs to a company or popular site; no known problem."),
    )
    UNLISTED = (
        "unlisted",
        mark("unlisted"),
        mark("nothing known for or against it"),
        mark("{domain} is on no list; no known problem."),
    )
    WHITE = (
        "white",
        mark("on your keep list"),
        mark("on your keep list"),
        mark("Your lists say keep: {reason}."),
    )
    GREY = (
        "grey",
        mark("on your review list"),
        mark("on your review list"),
        mark("Your lists say review: {reason}."),
        Ground.OWN_GREY,
    )
    BLACK = (
        "black",
        mark("on your remove list"),
        mark("on your remove list"),
        mark("Your lists say remove: {reason}."),
    )
    UNKNOWN = (
        "unknown",
        mark("not judged"),
        mark("not judged: a sandbox answer"),
        mark("Not judged: this is a sandbox answer."),
    )


EXPORTED = (
    DomainType.DISPOSABLE,
    DomainType.MULTI_ALIAS,
    DomainType.FREE,
    DomainType.BUSINESS,
    DomainType.EDUCATION,
    DomainType.GOVERNMENT,
)
"""Types that lists of domains have, for ``winnow export``."""
