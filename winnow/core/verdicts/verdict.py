"""Verdict: category, domain type, reasons; the action for each category; words on pages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from winnow.core.record_enum import RecordEnum
from winnow.core.verdicts.domain_types import DomainType, Ground
from winnow.core.verdicts.reasons import Reason
from winnow.words import say, translatable


class Action(RecordEnum):
    """What to do with a row, as pages show it: three follow from the category, two do not.

    In the order of every bar. ``shape`` is for readers who cannot tell colours, the same in dark
    mode; callers translate ``words`` and ``meaning``.
    """

    shape: str
    words: str
    meaning: str

    KEEP = "keep", "\N{CHECK MARK}", translatable("keep"), translatable("no known problem")
    REVIEW = (
        "review",
        "\N{CIRCLE WITH LEFT HALF BLACK}",
        translatable("review"),
        translatable("worth a second look"),
    )
    DO_NOT_MAIL = (
        "do-not-mail",
        "\N{CIRCLED DIVISION SLASH}",
        translatable("do not mail"),
        translatable("a person said no, or mail came back"),
    )
    REMOVE = (
        "remove",
        "\N{MULTIPLICATION X}",
        translatable("remove"),
        translatable("disposable, or mail cannot reach it"),
    )
    LATER = (
        "later",
        "\N{WHITE DIAMOND}",
        translatable("not this time"),
        translatable("stays on your list, gets no mail now"),
    )


ALWAYS_SHOWN = tuple(action for action in Action if action is not Action.LATER)
"""Actions of every sum; of the other, which is seldom chosen, none is shown without rows."""


class Category(RecordEnum):
    """What to do with an address (service contract, section 1): the recommended ``action``."""

    action: Action

    WHITE = "white", Action.KEEP
    GREY = "grey", Action.REVIEW
    BLACK = "black", Action.REMOVE


CATEGORIES = tuple(Category)
"""From the best to the worst; rows are counted by their places."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The decision about one address. ``reasons[0]`` decided; the others are further facts.

    ``overruled`` is set where the account's own lists decided: the verdict without them.
    ``silent_months`` is how long a row's person has been silent, one of SILENT_MONTHS; 0: for less
    time, or not known.
    """

    category: Category
    domain_type: DomainType
    reasons: tuple[Reason, ...]
    overruled: "Verdict | None" = None
    silent_months: int = 0

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


_GROUND_ACTIONS: Mapping[Ground, Action] = {
    Ground.BLACK: Action.REMOVE,
    Ground.SUSPICIOUS: Action.REVIEW,
    Ground.MASKED: Action.REVIEW,
    Ground.MULTI_ALIAS: Action.REVIEW,
    Ground.OWN_GREY: Action.REVIEW,
}


def say_action(one: Category | Action) -> str:
    """Return the action alone, translated: ``"review"``."""
    return say(_read_action(one).words)


def name_action(one: Category | Action) -> str:
    """Return shape and action, as every page shows them first: ``"◐ review"``."""
    action = _read_action(one)
    return f"{action.shape} {say(action.words)}"


def word_meaning(action: Action) -> str:
    """Return what an action means, with the category that files have for it, if any."""
    code = next((one.value for one in Category if one.action is action), None)
    meaning = say(action.meaning)
    return say("{meaning} ({code} in files)", meaning=meaning, code=code) if code else meaning


def _read_action(one: Category | Action) -> Action:
    return one.action if isinstance(one, Category) else one


def name_ground(ground: Ground) -> str:
    """Return a ground in words, with its action's shape where it has one: ``"✕ remove"``."""
    action = _GROUND_ACTIONS.get(ground)
    words = say(ground.words)
    return words if action is None else f"{action.shape} {words}"


def phrase_reasons(reasons: tuple[Reason, ...]) -> str:
    """Return the reasons for one table cell, the deciding one first."""
    return "; ".join(say(reason.words) for reason in reasons)
