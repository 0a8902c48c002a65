"""Verdict: category, domain type, reasons; the action for each category; words on pages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from winnow.core.verdicts.domain_types import DomainType, Ground
from winnow.core.verdicts.reasons import Reason
from winnow.words import mark, say


class Category(StrEnum):
    """What to do with an address (service contract, section 1)."""

    WHITE = "white"
    GREY = "grey"
    BLACK = "black"


CATEGORIES = tuple(Category)
"""From the best to the worst; rows are counted by their places."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The decision about one address. ``reasons[0]`` decided; the others are further facts.

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

    def to_json(self) -> list[Any]:
        """Return the verdict as plain values; rare fields are last."""
        rest: list[Any] = [] if self.overruled is None else [self.overruled.to_json()]
        reasons = [reason.value for reason in self.reasons]
        return [self.category.value, self.domain_type.value, reasons, *rest]

    @classmethod
    def from_json(cls, values: Sequence[Any]) -> "Verdict":
        """Read what ``to_json`` wrote; what 0.2 wrote of a row's second address is ignored."""
        category, domain_type, reasons, *rest = values
        beneath = [cls.from_json(value) for value in rest if not isinstance(value, dict)]
        codes = tuple(Reason(code) for code in reasons)
        overruled = beneath[0] if beneath else None
        return cls(Category(category), DomainType(domain_type), codes, overruled)


SHAPES: Mapping[Category, str] = {
    Category.WHITE: "\N{CHECK MARK}",
    Category.GREY: "\N{CIRCLE WITH LEFT HALF BLACK}",
    Category.BLACK: "\N{MULTIPLICATION X}",
}
"""A shape next to each word, for readers who cannot tell colours; the same in dark mode."""

ACTION_WORDS: Mapping[Category, str] = {
    Category.WHITE: mark("keep"),
    Category.GREY: mark("review"),
    Category.BLACK: mark("remove"),
}
"""The recommended action for each category."""

CATEGORY_MEANINGS: Mapping[Category, str] = {
    Category.WHITE: mark("no known problem"),
    Category.GREY: mark("worth a second look"),
    Category.BLACK: mark("disposable, or mail cannot reach it"),
}
_GROUND_CATEGORIES: Mapping[Ground, Category] = {
    Ground.BLACK: Category.BLACK,
    Ground.SUSPICIOUS: Category.GREY,
    Ground.MASKED: Category.GREY,
    Ground.MULTI_ALIAS: Category.GREY,
    Ground.OWN_GREY: Category.GREY,
}


def say_action(category: Category) -> str:
    """Return the recommended action alone, translated: ``"review"``."""
    return say(ACTION_WORDS[category])


def name_action(category: Category) -> str:
    """Return shape and recommended action, as every page shows them first: ``"◐ review"``."""
    return f"{SHAPES[category]} {say_action(category)}"


def name_ground(ground: Ground) -> str:
    """Return a ground in words, with its verdict's shape where it has one: ``"✕ remove"``."""
    category = _GROUND_CATEGORIES.get(ground)
    words = say(ground.words)
    return words if category is None else f"{SHAPES[category]} {words}"


def phrase_reasons(reasons: tuple[Reason, ...]) -> str:
    """Return the reasons for one table cell, the deciding one first."""
    return "; ".join(say(reason.words) for reason in reasons)
