"""Verdict: category, domain type, reasons; and the recommended action for each category."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from winnow.core.verdicts.domain_types import DomainType
from winnow.core.verdicts.reasons import Reason


class Category(StrEnum):
    """What to do with an address (service contract, section 1)."""

    WHITE = "white"
    GREY = "grey"
    BLACK = "black"


class Action(StrEnum):
    """Recommended action for a category."""

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
