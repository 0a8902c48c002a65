"""HTML that Streamlit has no element for: chips, share bars, facts; escaping.

Everything from outside is escaped here. The classes are those of ``desk.css``.
"""

from collections.abc import Iterable, Sequence
from html import escape

from winnow.core.figures import show_count, show_share
from winnow.core.lists.cleaning import CleaningEffect
from winnow.core.verdicts.verdict import Action, Category, name_action
from winnow.words import say, say_many

_SIGNS = str.maketrans({sign: f"\\{sign}" for sign in "\\`*_{}[]<>#+-.!|$~:"})

_WORD_JOINER = "\u2060"  # keeps what looks like an address from becoming a link


def render_chip(action: Action) -> str:
    """Return an action's chip: its shape and word."""
    return (
        f'<span class="w-chip w-{action.value}"><span class="w-shape" aria-hidden="true">'
        f"{action.shape}</span>{escape(say(action.words))}</span>"
    )


def render_share_bar(
    counts: Iterable[tuple[Action, int]], *, label: str, slim: bool = False
) -> str:
    """Return one stacked bar across the width. ``label`` is its finding in words."""
    parts = "".join(
        f'<span class="w-part w-{action.value}" style="flex-grow:{count}"></span>'
        for action, count in counts
        if count
    )
    kind = "w-bar w-slim" if slim else "w-bar"
    rest = '<span class="w-part w-none" style="flex-grow:1"></span>' if not parts else ""
    return f'<div class="{kind}" role="img" aria-label="{escape(label)}">{parts}{rest}</div>'


def render_counted_bar(effect: CleaningEffect) -> str:
    """Return the share bar of a result with its legend."""
    legend = [
        (action, show_count(count), show_share(count, effect.rows), effect.word_parts(action))
        for action, count in effect.by_action.items()
    ]
    parts = word_counts(effect.by_action.items())
    label = say_many(effect.rows, "{count} row: {parts}", "{count} rows: {parts}", parts=parts)
    return render_share_bar(effect.by_action.items(), label=label) + render_legend(legend)


def render_legend(figures: Sequence[tuple[Action, str, str, str]]) -> str:
    """Return the legend of a share bar: chip, figure, quiet figure, meaning or parts."""
    items = "".join(
        f'<li>{render_chip(action)}<span class="w-count">{figure}</span>'
        f'<span class="w-quiet">{rest}</span>'
        f'<span class="w-meaning w-quiet">{escape(meaning)}</span></li>'
        for action, figure, rest, meaning in figures
    )
    return f'<ul class="w-legend">{items}</ul>'


def render_facts(facts: Iterable[str]) -> str:
    """Return short facts on one line."""
    return '<p class="w-facts">' + "".join(f"<span>{escape(f)}</span>" for f in facts if f) + "</p>"


def word_counts(counts: Iterable[tuple[Category | Action, int]]) -> str:
    """Return counts in words: ``"7 ✓ keep, 2 ◐ review, 0 ✕ remove"``."""
    return ", ".join(f"{show_count(count)} {name_action(one)}" for one, count in counts)


def escape_markdown(text: str) -> str:
    """Return the text escaped for Markdown, math and Streamlit's directives.

    For display only: invisible joiners keep addresses from becoming links.
    """
    plain = " ".join(text.split()).translate(_SIGNS)
    return plain.replace("@", f"@{_WORD_JOINER}").replace("www", f"www{_WORD_JOINER}")
