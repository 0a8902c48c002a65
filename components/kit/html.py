"""HTML that Streamlit has no element for: chips, share bars, lines of facts; escaping.

Everything from outside is escaped here. The classes are those of ``desk.css``.
"""

from collections.abc import Iterable, Sequence
from html import escape

from winnow.core.figures import show_count, show_share
from winnow.core.tasks.task import Summary
from winnow.core.verdicts.verdict import (
    CATEGORY_MEANINGS,
    SHAPES,
    Category,
    name_action,
    say_action,
)
from winnow.words import say, say_many

BAR_ORDER = (Category.WHITE, Category.GREY, Category.BLACK)
_SIGNS = str.maketrans({sign: f"\\{sign}" for sign in "\\`*_{}[]<>#+-.!|$~:"})

_WORD_JOINER = "\u2060"  # keeps what looks like an address from becoming a link


def render_chip(category: Category) -> str:
    """Return a verdict's chip: its shape and action."""
    return (
        f'<span class="w-chip w-{category.value}"><span class="w-shape" aria-hidden="true">'
        f"{SHAPES[category]}</span>{escape(say_action(category))}</span>"
    )


def render_share_bar(
    counts: Sequence[tuple[Category, int]], *, label: str, slim: bool = False
) -> str:
    """Return one stacked bar across the width. ``label`` is its finding in words."""
    whole = sum(count for _, count in counts)
    parts = "".join(
        f'<span class="w-part w-{category.value}" style="flex-grow:{count}"></span>'
        for category, count in counts
        if count
    )
    kind = "w-bar w-slim" if slim else "w-bar"
    rest = '<span class="w-part w-none" style="flex-grow:1"></span>' if not whole else ""
    return f'<div class="{kind}" role="img" aria-label="{escape(label)}">{parts}{rest}</div>'


def render_legend(counts: Sequence[tuple[Category, int]]) -> str:
    """Return the legend of a share bar: shape, action, count, share, meaning, code."""
    whole = sum(count for _, count in counts)
    items = "".join(
        f"<li>{render_chip(category)}"
        f'<span class="w-count">{show_count(count)}</span>'
        f'<span class="w-quiet">{show_share(count, whole)}</span>'
        f'<span class="w-meaning w-quiet">{escape(_word_meaning(category))}</span></li>'
        for category, count in counts
    )
    return f'<ul class="w-legend">{items}</ul>'


def _word_meaning(category: Category) -> str:
    """Return a verdict's meaning and its code, which files have."""
    meaning = say(CATEGORY_MEANINGS[category])
    return say("{meaning} ({code} in files)", meaning=meaning, code=category.value)


def render_facts(facts: Iterable[str]) -> str:
    """Return short facts on one line."""
    return '<p class="w-facts">' + "".join(f"<span>{escape(f)}</span>" for f in facts if f) + "</p>"


def render_meter(used: int, whole: int, *, label: str) -> str:
    """Return a meter; above 90 % it has the warning colour."""
    percent = min(100.0, 100 * used / whole) if whole else 100.0
    full = " w-nearly-full" if percent > 90 else ""
    bar = f'<span style="width:{percent:.2f}%"></span>' if percent else ""
    return f'<div class="w-meter{full}" role="img" aria-label="{escape(label)}">{bar}</div>'


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


def escape_markdown(text: str) -> str:
    """Return the text escaped for Markdown, math and Streamlit's directives.

    For display only: invisible joiners keep addresses from becoming links.
    """
    plain = " ".join(text.split()).translate(_SIGNS)
    return plain.replace("@", f"@{_WORD_JOINER}").replace("www", f"www{_WORD_JOINER}")
