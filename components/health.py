"""What a list is likely to come out as: the bar, the ranges, the duplicates, and any doubt."""

from collections.abc import Iterable
from html import escape
from math import ceil, floor

import streamlit as st

from components.html import BAR_ORDER, render_chip, render_share_bar
from winnow.core.addresses.repairs import find_repair
from winnow.core.figures import show_share
from winnow.core.lists.previews import Health, Preview, Share
from winnow.core.verdicts.words import CATEGORY_MEANINGS, say_action
from winnow.words import format_decimal, format_number, say, say_many

TOO_MANY = 0.5  # decisions.md, "Batch": more than half of the rows
HEALTH_PX = 204  # as high as the preview comes out on a wide page
_BAR_PARTS = 10_000


def draw_health(
    preview: Preview, *, deduplicate: bool, column: str, asks_dns: bool, can_be_repaired: bool
) -> None:
    """Draw the preview.

    Args:
        preview: What was found.
        deduplicate: Whether duplicates are to go.
        column: The email column's name, for the doubts.
        asks_dns: Whether the run will ask DNS, which the preview never does.
        can_be_repaired: Whether most cells of the column seem to be only written wrongly.
    """
    if not preview.judged:
        st.caption(say("There is no preview of this list: its rows show once it is cleaned."))
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
        f'<p class="w-understood w-bar-title">{escape(say("What to expect"))}</p>'
        + render_share_bar(counts, label=say("Expected: {shares}", shares=word_health(health)))
        + _render_ranges(health, rows)
        + "".join(f'<p class="w-health-line">{escape(line)}</p>' for line in lines)
    )
    doubts = find_doubts(
        preview, health, column, deduplicate=deduplicate, can_be_repaired=can_be_repaired
    )
    for doubt in doubts:
        st.warning(doubt)


def word_health(health: Health) -> str:
    """Return the shares in words: ``"keep 79-83 %, review 2-4 %, remove 15-18 %"``."""
    return ", ".join(
        f"{say_action(category)} {show_range(health.categories[category])}"
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
        return say("unknown")
    if low <= 0:
        return say("under {share} %", share=_show_percent(high))
    if high >= 100:
        return say("over {share} %", share=_show_percent(low))
    return f"{_show_percent(low)}\N{EN DASH}{_show_percent(high)} %"


def _show_percent(percent: float) -> str:
    return format_decimal(percent, 0 if percent.is_integer() else 1)


def word_duplicates(preview: Preview, *, deduplicate: bool) -> str:
    """Return what duplicates there are and what becomes of them."""
    gone = preview.duplicates
    if preview.kept is None:
        return _word_some_duplicates(preview, deduplicate=deduplicate)
    if not gone:
        return say("No duplicates.")
    if not deduplicate:
        return say_many(
            gone,
            "{count} duplicate. It stays, because removing duplicates is switched off.",
            "{count} duplicates. They stay, because removing duplicates is switched off.",
        )
    goes = say_many(
        gone,
        "{count} duplicate will be removed.",
        "{count} duplicates will be removed.",
    )
    left = say_many(preview.rows - gone, "{count} row is left.", "{count} rows are left.")
    return f"{goes} {left}"


def _word_some_duplicates(preview: Preview, *, deduplicate: bool) -> str:
    """Return what is known of duplicates where only a part of the list was read."""
    rows = format_number(preview.read)
    if not preview.duplicates:
        return say("No duplicates among the {rows} rows looked at.", rows=rows)
    found = say_many(
        preview.duplicates,
        "{count} duplicate among the {rows} rows looked at; there may be more.",
        "{count} duplicates among the {rows} rows looked at; there may be more.",
        rows=rows,
    )
    if deduplicate:
        return f"{found} {say('The shares above still count duplicates.')}"
    return f"{found} {say('Duplicates stay, because removing them is switched off.')}"


def word_basis(preview: Preview, *, asks_dns: bool) -> str:
    """Return how much was looked at, and how far it can be trusted."""
    count = preview.judged
    if preview.is_exact:
        text = say("Every row was checked.")
    elif preview.is_head_only:
        text = say_many(
            count,
            "Estimated from {count} row at the start of the sheet. The true shares lie in these "
            "ranges 99 times in 100.",
            "Estimated from {count} rows at the start of the sheet. The true shares lie in these "
            "ranges 99 times in 100.",
        )
    else:
        text = say_many(
            count,
            "Estimated from {count} row of the list. The true shares lie in these ranges 99 times "
            "in 100.",
            "Estimated from {count} rows taken from all over the list. The true shares lie in "
            "these ranges 99 times in 100.",
        )
    if not asks_dns:
        return text
    return f"{text} {say('DNS is on: cleaning may find more domains that take no mail.')}"


def loses_most(preview: Preview) -> bool:
    """Whether removing duplicates takes more than half of the rows that were read."""
    return preview.duplicates > TOO_MANY * preview.read


def is_only_miswritten(cells: Iterable[str]) -> bool:
    """Tell whether most cells of a column hold an address that is only written wrongly."""
    filled = [cell for cell in cells if cell.strip()]
    return 2 * sum(find_repair(cell) is not None for cell in filled) > len(filled)


def find_doubts(
    preview: Preview, health: Health, column: str, *, deduplicate: bool, can_be_repaired: bool
) -> list[str]:
    """Return what looks as if the wrong column had been chosen.

    Where duplicates are to go and are most of the rows, step three asks.
    """
    doubts = []
    if loses_most(preview) and not deduplicate:
        share = show_share(preview.duplicates, preview.read)
        doubts.append(
            say(
                "{share} of the rows are duplicates. Is {column} the right column?",
                share=share,
                column=column,
            )
        )
    if health.invalid.likely > TOO_MANY and can_be_repaired:
        doubts.append(
            say(
                "As they are, {share} of the rows hold no valid address, but most are only written "
                "wrongly. Repair them below, or after cleaning.",
                share=show_range(health.invalid),
            )
        )
    elif health.invalid.likely > TOO_MANY:
        doubts.append(
            say(
                "No valid address in {share} of the rows. Is {column} the right column?",
                share=show_range(health.invalid),
                column=column,
            )
        )
    return doubts


def _render_ranges(health: Health, rows: int) -> str:
    items = "".join(
        f"<li>{render_chip(category)}"
        + _render_share(health.categories[category], rows)
        + f'<span class="w-meaning w-quiet">{escape(say(CATEGORY_MEANINGS[category]))}</span></li>'
        for category in BAR_ORDER
    )
    return f'<ul class="w-legend">{items}</ul>'


def _render_share(share: Share, rows: int) -> str:
    figure, rest = show_range(share), ""
    if share.is_exact:
        figure, rest = format_number(round(share.likely * rows)), figure
    return f'<span class="w-count">{figure}</span><span class="w-quiet">{rest}</span>'
