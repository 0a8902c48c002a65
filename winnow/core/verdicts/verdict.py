"""A verdict: category, domain type, reasons; and the recommended action for each category."""

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
class BothAddresses:
    """What the two addresses of a row were judged to be; None: there is none in that column.

    ``used`` is the place of the one whose verdict the row has, 0 or 1.
    """

    categories: tuple[Category | None, Category | None]
    used: int

    @property
    def other(self) -> Category | None:
        """What the address is that is not used."""
        return self.categories[1 - self.used]

    def name_categories(self, today: Category) -> tuple[str, str]:
        """Return both in words, ``""`` for none; ``today`` is the row's, by the own lists."""
        first, second = (
            "" if category is None else (today if place == self.used else category).value
            for place, category in enumerate(self.categories)
        )
        return first, second


@dataclass(frozen=True, slots=True)
class Verdict:
    """The decision about one address. ``reasons[0]`` decided; the others are facts beside it.

    ``overruled`` is set where the account's own lists decided: the verdict without them. ``both``
    is set where the address is one of two that a row has and that were both judged.
    """

    category: Category
    domain_type: DomainType
    reasons: tuple[Reason, ...]
    overruled: "Verdict | None" = None
    both: BothAddresses | None = None

    @property
    def is_charged(self) -> bool:
        """Whether a row with this verdict counts toward usage (contract, section 1)."""
        return self.domain_type is not DomainType.INVALID

    def to_json(self) -> list[Any]:
        """Return the verdict as plain values; what few have stands last, and names itself."""
        rest: list[Any] = [] if self.overruled is None else [self.overruled.to_json()]
        if self.both is not None:
            rest.append({"both": self.both.categories, "used": self.both.used})
        reasons = [reason.value for reason in self.reasons]
        return [self.category.value, self.domain_type.value, reasons, *rest]

    @classmethod
    def from_json(cls, values: Sequence[Any]) -> "Verdict":
        """Read what ``to_json`` wrote."""
        category, domain_type, reasons, *rest = values
        overruled = both = None
        for value in rest:
            if isinstance(value, dict):
                first, second = (None if one is None else Category(one) for one in value["both"])
                both = BothAddresses((first, second), value["used"])
            else:
                overruled = cls.from_json(value)
        codes = tuple(Reason(code) for code in reasons)
        return cls(Category(category), DomainType(domain_type), codes, overruled, both)
