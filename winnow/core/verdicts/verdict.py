"""The closed vocabulary of a verdict: category, domain type, reasons, recommended action."""

from dataclasses import dataclass
from enum import StrEnum


class Category(StrEnum):
    """What to do with an address (service contract, section 1)."""

    WHITE = "white"
    GREY = "grey"
    BLACK = "black"


class DomainType(StrEnum):
    """The kind of domain behind an address, as it stands in ``domain_type`` and ``type``."""

    INVALID = "invalid"
    DISPOSABLE = "disposable"
    NO_WEBSITE = "no website"
    MULTI_ALIAS = "multi-alias services"
    MASKED = "masked legitimate"
    SUSPICIOUS = "suspicious signs"
    FREE = "free"
    EDUCATION = "education"
    GOVERNMENT = "government"
    BUSINESS = "business"
    UNLISTED = "unlisted"
    WHITE = "white"
    GREY = "grey"
    BLACK = "black"
    UNKNOWN = "unknown"


class Reason(StrEnum):
    """Stable codes of what led to a verdict; the deciding one stands first in a verdict."""

    # Format: the address cannot be used (RFC 5321, RFC 5322, RFC 6531, RFC 5891).
    EMPTY = "invalid_empty"
    NO_AT_SIGN = "invalid_no_at_sign"
    NO_LOCAL_PART = "invalid_no_local_part"
    NO_DOMAIN = "invalid_no_domain"
    NO_TLD = "invalid_no_tld"
    LOCAL_PART_SYNTAX = "invalid_local_part"
    LOCAL_PART_TOO_LONG = "invalid_local_part_too_long"
    DOMAIN_SYNTAX = "invalid_domain"
    DOMAIN_TOO_LONG = "invalid_domain_too_long"
    ADDRESS_TOO_LONG = "invalid_address_too_long"
    TLD_NOT_USABLE = "invalid_tld"
    SPECIAL_USE_DOMAIN = "invalid_special_use_domain"
    DOMAIN_LITERAL = "invalid_domain_literal"
    DISPLAY_NAME = "invalid_display_name"
    NOT_TEXT = "invalid_characters"
    UNSEEN_CHARACTERS = "invalid_unseen_characters"
    # The account's own lists.
    OWN_ADDRESS = "own_list_address"
    OWN_DOMAIN = "own_list_domain"
    OWN_WILDCARD = "own_list_wildcard"
    # Domain knowledge.
    RELAY = "relay"
    MEDIATED_MAIL = "mediated_mail"
    CLOSE_MISSPELLING = "close_misspelling"
    CONFUSABLE_SCRIPT = "confusable_script"
    PLACEHOLDER = "placeholder"
    DISPOSABLE_REVIEWED = "disposable_reviewed"
    DISPOSABLE_LISTED = "disposable_listed"
    DISPOSABLE_MX = "disposable_mx"
    DISPOSABLE_NEIGHBOURS = "disposable_neighbours"
    DISPOSABLE_SIGN = "disposable_listed_with_sign"
    DOUBTFUL_LIST = "doubtful_list"
    RISKY_TLD = "risky_tld"
    UNKNOWN_TLD = "unknown_tld"
    SUBDOMAIN_HOST = "free_subdomain_host"
    THROWAWAY_WORD = "throwaway_word"
    MACHINE_MADE_NAME = "machine_made_name"
    GOVERNMENT = "government"
    EDUCATION = "education"
    FREE_PROVIDER = "free_provider"
    BUSINESS = "business"
    UNLISTED = "unlisted"
    # DNS and RDAP.
    DOMAIN_NOT_FOUND = "domain_not_found"
    NULL_MX = "null_mx"
    NO_MAIL_ROUTE = "no_mail_route"
    MAIL_UNKNOWN = "mail_unknown"
    PARKED = "parked_domain"
    WORKING_MAIL = "working_mail"
    NEWLY_REGISTERED = "newly_registered"
    # The local part.
    PLUS_TAG = "plus_tag"
    MANY_DOTS = "many_dots"
    ROLE_ACCOUNT = "role_account"
    # Sandbox keys.
    SANDBOX = "sandbox"


class Action(StrEnum):
    """What the interface recommends for a category."""

    KEEP = "keep"
    REVIEW = "review"
    REMOVE = "remove"


RECOMMENDED_ACTIONS: dict[Category, Action] = {
    Category.WHITE: Action.KEEP,
    Category.GREY: Action.REVIEW,
    Category.BLACK: Action.REMOVE,
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """The decision about one address. ``reasons[0]`` decided; the others are facts beside it.

    ``overruled`` is set where the account's own lists decided: the verdict without them.
    """

    category: Category
    domain_type: DomainType
    reasons: tuple[Reason, ...]
    overruled: "Verdict | None" = None

    @property
    def is_charged(self) -> bool:
        """Whether a row with this verdict counts toward usage (contract, section 1)."""
        return self.domain_type is not DomainType.INVALID
