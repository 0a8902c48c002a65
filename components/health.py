"""What a list is likely to come out as: the bar, the ranges, the duplicates, and any doubt."""

from html import escape
from math import ceil, floor

import streamlit as st

from components.html import BAR_ORDER, render_chip, render_share_bar
from winnow.core.figures import count_doing, count_things, show_count, show_share
from winnow.core.lists.previews import Health, Preview, Share
from winnow.core.verdicts.verdict import RECOMMENDED_ACTIONS, Category
from winnow.core.verdicts.words import CATEGORY_MEANINGS

TOO_MANY = 0.5  # decisions.md, "Batch": more than half of the rows
HEALTH_PX = 204  # as high as the preview comes out on a wide page
_BAR_PARTS = 10_000


def draw_health(preview: Preview, *, deduplicate: bool, column: str, asks_dns: bool) -> None:
    """Draw the preview.

    Args:
        preview: What was found.
        deduplicate: Whether duplicates are to go.
        column: The email column's name, for the doubts.
        asks_dns: Whether the run will ask DNS, which the preview never does.
    """
    if not preview.judged:
        st.caption("The rows of this file cannot be told apart before the whole list is read.")
        return
    health, rows = preview.as_it_is, preview.rows
    if deduplicate and preview.kept is not None:
        health, rows = preview.kept, rows - preview.duplicates
    counts = [
        (category, round(health.categories[category].likely * _BAR_PARTS)) for category in BAR_ORDER
    ]
    lines = [
        word_duplicates(preview, deduplicate=deduplicate),
        word_basis(preview, asks_dns=asks_dns),
    ]
    st.html(
        '<p class="w-understood w-bar-title">What to expect</p>'
        + render_share_bar(counts, label=f"Expected: {word_health(health)}")
        + _render_ranges(health, rows)
        + "".join(f'<p class="w-health-line">{escape(line)}</p>' for line in lines)
    )
    for doubt in find_doubts(preview, health, column, deduplicate=deduplicate):
        st.warning(doubt)


def word_health(health: Health) -> str:
    """Return the shares in words: ``"keep 79-83 %, review 2-4 %, remove 15-18 %"``."""
    return ", ".join(
        f"{RECOMMENDED_ACTIONS[category].value} {show_range(health.categories[category])}"
        for category in BAR_ORDER
    )


def show_range(share: Share) -> str:
    """Return a share in percent as far as it is known: ``"79-83 %"``, ``"under 1 %"``."""
    if share.is_exact:
        return show_share(round(share.likely * 10**9), 10**9)
    parts = 10 if share.high < 0.1 or share.low > 0.9 else 1
    low = floor(100 * share.low * parts) / parts
    high = ceil(100 * share.high * parts) / parts
    if low <= 0 and high >= 100:
        return "not to be told"
    if low <= 0:
        return f"under {high:g} %"
    if high >= 100:
        return f"over {low:g} %"
    return f"{low:g}\N{EN DASH}{high:g} %"


def word_duplicates(preview: Preview, *, deduplicate: bool) -> str:
    """Return what duplicates there are and what becomes of them."""
    gone = preview.duplicates
    if preview.kept is None:
        part = "the first part of the sheet" if preview.is_head_only else "the sampled part"
        found = f"At least {count_things(gone, 'duplicate')}" if gone else "No duplicates"
        text = f"{found} in {part}, {count_things(preview.read, 'row')}."
        if deduplicate:
            return f"{text} The shares above are of all rows, duplicates among them."
        return f"{text} They stay, because duplicates are not removed." if gone else text
    if not gone:
        return "No address stands more than once."
    repeats = count_doing(gone, "row", "repeats", "repeat")
    text = f"{repeats} an address that stands again further down."
    if not deduplicate:
        return f"{text} They stay, because duplicates are not removed."
    stay = count_doing(preview.rows - gone, "row", "stays", "stay")
    return f"{text} Of each address the last row is kept: {stay}."


def word_basis(preview: Preview, *, asks_dns: bool) -> str:
    """Return how much was looked at, and how far it can be trusted."""
    dns = " DNS is on: the run may find domains that take no mail." if asks_dns else ""
    if preview.is_exact:
        return f"Every row was judged; nothing is charged before you clean the list.{dns}"
    where = "from the first part of the sheet" if preview.is_head_only else "from all over the list"
    return (
        f"Told from {count_things(preview.judged, 'row')} {where}: the true share lies in the "
        f"range 99 times in 100. Nothing is charged before you clean the list.{dns}"
    )


def loses_most(preview: Preview) -> bool:
    """Whether removing duplicates takes more than half of the rows that were read."""
    return preview.duplicates > TOO_MANY * preview.read


def find_doubts(preview: Preview, health: Health, column: str, *, deduplicate: bool) -> list[str]:
    """Return what looks as if the wrong column had been chosen.

    Where duplicates are to go and are most of the rows, step three asks.
    """
    doubts = []
    if loses_most(preview) and not deduplicate:
        share = show_share(preview.duplicates, preview.read)
        rows = "the rows" if preview.kept is not None else "the rows read"
        doubts.append(f"{share} of {rows} repeat another. Is {column} the right column?")
    if health.invalid.likely > TOO_MANY:
        share = show_range(health.invalid)
        share = share[0].upper() + share[1:]
        doubts.append(f"{share} of the rows hold no valid address. Is {column} the right column?")
    return doubts


def _render_ranges(health: Health, rows: int) -> str:
    items = "".join(
        f"<li>{render_chip(category, word=RECOMMENDED_ACTIONS[category].value)}"
        + _render_share(category, health.categories[category], rows)
        + f'<span class="w-meaning w-quiet">{CATEGORY_MEANINGS[category]}</span></li>'
        for category in BAR_ORDER
    )
    return f'<ul class="w-legend">{items}</ul>'


def _render_share(category: Category, share: Share, rows: int) -> str:
    figure, rest = show_range(share), category.value
    if share.is_exact:
        figure, rest = show_count(round(share.likely * rows)), f"{category.value}, {figure}"
    return f'<span class="w-count">{figure}</span><span class="w-quiet">{rest}</span>'
