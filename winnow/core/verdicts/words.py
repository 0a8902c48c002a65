"""Words of verdicts on pages; files and the API have the codes."""

from collections.abc import Mapping

from winnow.core.verdicts.grounds import Ground
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import RECOMMENDED_ACTIONS, Action, Category
from winnow.words import mark, say

SHAPES: Mapping[Category, str] = {
    Category.WHITE: "\N{CHECK MARK}",
    Category.GREY: "\N{CIRCLE WITH LEFT HALF BLACK}",
    Category.BLACK: "\N{MULTIPLICATION X}",
}
"""A shape next to each word, for readers who cannot tell colours; the same in dark mode."""

ACTION_WORDS: Mapping[Action, str] = {
    Action.KEEP: mark("keep"),
    Action.REVIEW: mark("review"),
    Action.REMOVE: mark("remove"),
}
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
    return say(ACTION_WORDS[RECOMMENDED_ACTIONS[category]])


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
