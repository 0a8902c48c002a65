"""The words of categories for people, the same on every page and in every file handed on."""

from collections.abc import Mapping

from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import RECOMMENDED_ACTIONS, Category

SHAPES: Mapping[Category, str] = {
    Category.WHITE: "○",
    Category.GREY: "◐",
    Category.BLACK: "●",
}
"""The categories are named after colours, so a shape always stands beside the word."""

CATEGORY_MEANINGS: Mapping[Category, str] = {
    Category.WHITE: "no known problem",
    Category.GREY: "worth a second look",
    Category.BLACK: "disposable or out of reach",
}


def name_category(category: Category) -> str:
    """Return shape and word: ``"◐ grey"``."""
    return f"{SHAPES[category]} {category.value}"


def name_action(category: Category) -> str:
    """Return shape and recommended action: ``"◐ review"``."""
    return f"{SHAPES[category]} {RECOMMENDED_ACTIONS[category].value}"


def phrase_reasons(reasons: tuple[Reason, ...]) -> str:
    """Return the deciding reason first, the others behind it, for one table cell."""
    return "; ".join(reason.words for reason in reasons)
