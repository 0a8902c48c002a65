"""Counts of a completed project by verdict, for its bar."""

from components.kit.html import BAR_ORDER
from winnow.core.figures import show_count
from winnow.core.tasks.task import Summary
from winnow.core.verdicts.verdict import Category
from winnow.core.verdicts.words import name_action
from winnow.words import say_many


def count_categories(summary: Summary) -> list[tuple[Category, int]]:
    """Return the rows of each category, in the order of every bar."""
    return [(category, summary.by_category.get(category.value, 0)) for category in BAR_ORDER]


def write_headline(summary: Summary) -> str:
    """Return the finding in words."""
    parts = ", ".join(
        f"{show_count(count)} {name_action(category)}"
        for category, count in count_categories(summary)
    )
    return say_many(summary.rows_out, "{count} row: {parts}", "{count} rows: {parts}", parts=parts)
