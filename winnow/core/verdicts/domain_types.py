"""Domain types and grounds for removal: one record each; change words or add one here."""

from winnow.core.record_enum import RecordEnum
from winnow.words import translatable


class Ground(RecordEnum):
    """Ground for removing a row, as a switch; grounds are tried in this order.

    The values are the codes in a page's address; callers translate ``words``.
    """

    words: str

    BLACK = "black", translatable("remove")
    DO_NOT_MAIL = "do-not-mail", translatable("on your do-not-mail files or never-mail list")
    UNSUBSCRIBED = "unsubscribed", translatable("unsubscribed")
    SAID_ELSEWHERE = "said-elsewhere", translatable("unsubscribed in another row")
    SAID_BEFORE = "said-before", translatable("unsubscribed in an older row")
    BOUNCED = "bounced", translatable("bounced before")
    SUSPICIOUS = "suspicious", translatable("suspicious signs")
    MASKED = "masked", translatable("look-alikes and typing mistakes")
    MULTI_ALIAS = "alias", translatable("relay and alias services")
    OWN_GREY = "own-grey", translatable("your review list")
    ROLE_ACCOUNT = "role", translatable("role accounts")
    FREE_PROVIDER = "free", translatable("free providers")


class DomainType(RecordEnum):
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

    INVALID = (
        "invalid",
        translatable("invalid"),
        translatable("not an address that mail can be sent to"),
        translatable("Mail cannot be sent to this address: {reason}."),
    )
    DISPOSABLE = (
        "disposable",
        translatable("disposable"),
        translatable("a disposable mail service"),
        translatable("{domain} is a disposable mail service."),
    )
    NO_WEBSITE = (
        "no website",
        translatable("takes no mail"),
        translatable("a domain that does not exist or takes no mail"),
        translatable("No mail can reach {domain}: {reason}."),
    )
    MULTI_ALIAS = (
        "multi-alias services",
        translatable("relay or alias service"),
        translatable("a relay or alias service that real people use"),
        translatable("{domain} is a relay or alias service. Real people use it."),
        Ground.MULTI_ALIAS,
    )
    MASKED = (
        "masked legitimate",
        translatable("look-alike or typo"),
        translatable("looks like a well-known domain, and is another"),
        translatable(
            "{domain} looks like {matched}, and is another domain: some of its letters or digits "
            "only look the same."
        ),
        Ground.MASKED,
    )
    SUSPICIOUS = (
        "suspicious signs",
        translatable("suspicious signs"),
        translatable("signs that deserve a second look"),
        translatable("{domain} deserves a second look: {reason}."),
        Ground.SUSPICIOUS,
    )
    FREE = (
        "free",
        translatable("free provider"),
        translatable("a public mailbox provider"),
        translatable("{domain} is a public mailbox provider; no known problem."),
        Ground.FREE_PROVIDER,
    )
    EDUCATION = (
        "education",
        translatable("education"),
        translatable("a school or university"),
        translatable("{domain} belongs to a school or university; no known problem."),
    )
    GOVERNMENT = (
        "government",
        translatable("government"),
        translatable("a public body"),
        translatable("{domain} belongs to a public body; no known problem."),
    )
    BUSINESS = (
        "business",
        translatable("business"),
        translatable("a company or popular site"),
        translatable("{domain} belongs to a company or popular site; no known problem."),
    )
    UNLISTED = (
        "unlisted",
        translatable("unlisted"),
        translatable("nothing known for or against it"),
        translatable("{domain} is on no list; no known problem."),
    )
    WHITE = (
        "white",
        translatable("on your keep list"),
        translatable("on your keep list"),
        translatable("Your lists say keep: {reason}."),
    )
    GREY = (
        "grey",
        translatable("on your review list"),
        translatable("on your review list"),
        translatable("Your lists say review: {reason}."),
        Ground.OWN_GREY,
    )
    BLACK = (
        "black",
        translatable("on your remove list"),
        translatable("on your remove list"),
        translatable("Your lists say remove: {reason}."),
    )
    UNKNOWN = (
        "unknown",
        translatable("not judged"),
        translatable("not judged: a sandbox answer"),
        translatable("Not judged: this is a sandbox answer."),
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
