"""HTML that Streamlit has no element for: chips, share bars, facts, own elements; escaping.

Everything from outside is escaped here. The classes are those of ``desk.css``.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import streamlit as st

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


@cache
def load_element(folder: Path, name: str) -> Callable[..., Any]:
    """Return the element that a folder's files of this name make: ``.html``, ``.css``, ``.js``."""
    return st.components.v2.component(
        f"winnow_{name}",
        html=(folder / f"{name}.html").read_text(encoding="utf-8"),
        css=(folder / f"{name}.css").read_text(encoding="utf-8"),
        js=(folder / f"{name}.js").read_text(encoding="utf-8"),
    )


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


def render_counted_bar(summary: Summary) -> str:
    """Return the share bar of a result with its legend."""
    counts, whole = count_categories(summary), summary.rows_out
    legend = [(one, show_count(count), show_share(count, whole)) for one, count in counts]
    return render_share_bar(counts, label=write_headline(summary)) + render_legend(legend)


def render_legend(figures: Sequence[tuple[Category, str, str]]) -> str:
    """Return the legend of a share bar: chip, figure, quiet figure, meaning, code in files."""
    items = "".join(
        f'<li>{render_chip(category)}<span class="w-count">{figure}</span>'
        f'<span class="w-quiet">{rest}</span><span class="w-meaning w-quiet">'
        + escape(
            say(
                "{meaning} ({code} in files)",
                meaning=say(CATEGORY_MEANINGS[category]),
                code=category.value,
            )
        )
        + "</span></li>"
        for category, figure, rest in figures
    )
    return f'<ul class="w-legend">{items}</ul>'


def render_facts(facts: Iterable[str]) -> str:
    """Return short facts on one line."""
    return '<p class="w-facts">' + "".join(f"<span>{escape(f)}</span>" for f in facts if f) + "</p>"


def count_categories(summary: Summary) -> list[tuple[Category, int]]:
    """Return the rows of each category, in the order of every bar."""
    return [(category, summary.by_category.get(category.value, 0)) for category in BAR_ORDER]


def write_headline(summary: Summary) -> str:
    """Return the finding in words."""
    parts = word_counts(count_categories(summary))
    return say_many(summary.rows_out, "{count} row: {parts}", "{count} rows: {parts}", parts=parts)


def word_counts(counts: Sequence[tuple[Category, int]]) -> str:
    """Return counts of verdicts in words: ``"7 ✓ keep, 2 ◐ review, 0 ✕ remove"``."""
    return ", ".join(f"{show_count(count)} {name_action(category)}" for category, count in counts)


def escape_markdown(text: str) -> str:
    """Return the text escaped for Markdown, math and Streamlit's directives.

    For display only: invisible joiners keep addresses from becoming links.
    """
    plain = " ".join(text.split()).translate(_SIGNS)
    return plain.replace("@", f"@{_WORD_JOINER}").replace("www", f"www{_WORD_JOINER}")
