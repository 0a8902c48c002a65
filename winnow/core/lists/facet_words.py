"""How the dimensions and values of a project's charts are called."""

from collections.abc import Mapping
from dataclasses import dataclass

from winnow.core.addresses.countries import label_country
from winnow.core.lists.facets import AgeGroup, Dimension
from winnow.core.own_lists.patterns import show_pattern
from winnow.core.verdicts.verdict import Category, Reason
from winnow.core.verdicts.words import REASON_WORDS, name_category


@dataclass(frozen=True, slots=True)
class Words:
    """One dimension: the title of its chart, its value's name, and a note.

    The note says of rows without a value what they are; of reasons, how they count.
    """

    title: str
    one: str
    many: str
    note: str = ""


WORDS: Mapping[Dimension, Words] = {
    Dimension.CATEGORIES: Words("Categories", "category", "categories"),
    Dimension.DOMAIN_TYPES: Words("Domain types", "domain type", "domain types"),
    Dimension.REASONS: Words("Reasons", "reason", "reasons", "A row may have several reasons."),
    Dimension.DOMAINS: Words("Top domains", "domain", "domains", "without a domain"),
    Dimension.PROVIDERS: Words(
        "Mailbox providers", "provider", "providers", "with own mail or unknown"
    ),
    Dimension.COUNTRIES: Words(
        "Countries of the domains", "country", "countries", "without a domain"
    ),
    Dimension.AGES: Words("Age of the domains", "age", "ages", "without a domain"),
}
_AGE_WORDS: Mapping[AgeGroup, str] = {
    AgeGroup.UNDER_30_DAYS: "Under 30 days",
    AgeGroup.UNDER_A_YEAR: "30 days to a year",
    AgeGroup.UNDER_5_YEARS: "1 to 5 years",
    AgeGroup.UNDER_10_YEARS: "5 to 10 years",
    AgeGroup.OLDER: "Over 10 years",
    AgeGroup.UNKNOWN: "Unknown or not asked",
}


def label_value(dimension: Dimension, value: str) -> str:
    """Return a value as people read it."""
    match dimension:
        case Dimension.CATEGORIES:
            return name_category(Category(value))
        case Dimension.REASONS:
            words = REASON_WORDS[Reason(value)]
            return words[:1].upper() + words[1:]
        case Dimension.DOMAINS | Dimension.PROVIDERS:
            return show_pattern(value)
        case Dimension.COUNTRIES:
            return label_country(value)
        case Dimension.AGES:
            return _AGE_WORDS[AgeGroup(value)]
        case Dimension.DOMAIN_TYPES:
            return value
