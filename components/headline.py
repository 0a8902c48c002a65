"""The headline of a completed project: the counts as one bar, and the figures under it."""

import streamlit as st

from components.html import BAR_ORDER, render_legend, render_share_bar
from winnow.core.figures import count_things, show_count, show_share
from winnow.core.tasks.task import Summary
from winnow.core.verdicts.verdict import Category
from winnow.core.verdicts.words import name_action

TOO_MANY_GONE_SHARE = 0.5  # decisions.md, "Batch": more than half of the rows


def count_categories(summary: Summary) -> list[tuple[Category, int]]:
    """Return the rows of each category, in the order of every bar."""
    return [(category, summary.by_category.get(category.value, 0)) for category in BAR_ORDER]


def write_headline(summary: Summary) -> str:
    """Return the finding in words."""
    counts = ", ".join(
        f"{show_count(count)} {name_action(category)}"
        for category, count in count_categories(summary)
    )
    return f"{count_things(summary.rows_out, 'row')}: {counts}"


def draw_headline(summary: Summary) -> None:
    """Draw the bar across the page, its parts in words, and the figures."""
    counts = count_categories(summary)
    st.html(render_share_bar(counts, label=write_headline(summary)) + render_legend(counts))
    with st.grid(4, min_column_width=150):
        st.metric("Rows in the file", show_count(summary.rows_in), border=True)
        st.metric("Duplicates removed", show_count(summary.duplicates_removed), border=True)
        st.metric(
            "Invalid",
            show_count(summary.invalid),
            border=True,
            help="Rows whose address fails format validation. They are black and not charged.",
        )
        st.metric(
            "Charged",
            show_count(summary.charged),
            border=True,
            help="Rows, after duplicates are removed, whose address passes format validation.",
        )


def draw_doubts(summary: Summary) -> None:
    """Warn where the counts look as if the wrong column had been checked."""
    gone = summary.duplicates_removed
    if summary.rows_in and gone > TOO_MANY_GONE_SHARE * summary.rows_in:
        st.warning(
            f"{show_share(gone, summary.rows_in)} of the rows were duplicates and are not in the "
            "result. Is the right column checked?"
        )
    if summary.rows_out and summary.invalid > TOO_MANY_GONE_SHARE * summary.rows_out:
        st.warning(
            f"{show_share(summary.invalid, summary.rows_out)} of the rows hold no valid address. "
            "Is the right column checked?"
        )
