"""The domain types: one record each, the one place to change a type's words or to add one."""

from enum import StrEnum

from winnow.core.verdicts.grounds import Ground


class DomainType(StrEnum):
    """The kind of domain behind an address, as it stands in ``domain_type`` and ``type``.

    ``meaning`` is a phrase. ``sentence`` answers a single check; it may name ``{domain}``, the
    deciding ``{reason}``, the well-known domain ``{matched}`` and the ``{lists}``. Rows of the
    type, unless black, go by ``ground`` when a list is cleaned; None: the type is no ground.
    """

    meaning: str
    sentence: str
    ground: Ground | None
    _value_: str

    def __new__(
        cls, code: str, meaning: str = "", sentence: str = "", ground: Ground | None = None
    ) -> "DomainType":
        """Make the member of a code, which never changes, and what belongs to it."""
        member = str.__new__(cls, code)
        member._value_ = code
        member.meaning = meaning
        member.sentence = sentence
        member.ground = ground
        return member

    INVALID = (
        "invalid",
        "not an address that mail can be sent to",
        "Mail cannot be sent to this: {reason}.",
    )
    DISPOSABLE = (
        "disposable",
        "a disposable mail service",
        "{domain} is a disposable mail service{lists}.",
    )
    NO_WEBSITE = (
        "no website",
        "a domain that does not exist or takes no mail",
        "No mail can reach {domain}: {reason}.",
    )
    MULTI_ALIAS = (
        "multi-alias services",
        "a relay or alias service with real people behind it",
        "{domain} is a relay or alias service; real people stand behind it.",
        Ground.MULTI_ALIAS,
    )
    MASKED = (
        "masked legitimate",
        "imitates a well-known domain",
        "{domain} imitates {matched}: {reason}.",
        Ground.MASKED,
    )
    SUSPICIOUS = (
        "suspicious signs",
        "signs that deserve a second look",
        "{domain} deserves a second look: {reason}.",
        Ground.SUSPICIOUS,
    )
    FREE = (
        "free",
        "a public mailbox provider",
        "{domain} is a public mailbox provider; no known problem.",
        Ground.FREE_PROVIDER,
    )
    EDUCATION = (
        "education",
        "an academic body",
        "{domain} belongs to an academic body; no known problem.",
    )
    GOVERNMENT = (
        "government",
        "a public body",
        "{domain} belongs to a public body; no known problem.",
    )
    BUSINESS = (
        "business",
        "a company or popular site",
        "{domain} belongs to a company or popular site; no known problem.",
    )
    UNLISTED = (
        "unlisted",
        "nothing known for or against it",
        "No known problem: {domain} is on no list, for or against it.",
    )
    WHITE = "white", "on your own white list", "Your own list says white: {reason}."
    GREY = (
        "grey",
        "on your own grey list",
        "Your own list says grey: {reason}.",
        Ground.OWN_GREY,
    )
    BLACK = "black", "on your own black list", "Your own list says black: {reason}."
    UNKNOWN = (
        "unknown",
        "not judged: a sandbox answer",
        "Not judged: this is a sandbox answer.",
    )
