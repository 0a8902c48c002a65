"""The headline of a completed project: the counts as one bar, and the figures under it."""

import streamlit as st

from components.html import BAR_ORDER, render_legend, render_share_bar
from components.verdict import draw_mailboxes
from winnow.core.figures import show_count, show_share
from winnow.core.tasks.task import Summary
from winnow.core.verdicts.verdict import Category
from winnow.core.verdicts.words import name_action
from winnow.words import say, say_many

TOO_MANY_GONE_SHARE = 0.5  # decisions.md, "Batch": more than half of the rows


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


def draw_headline(summary: Summary, *, is_charged: bool) -> None:
    """Draw the bar across the page, its parts in words, and the figures.

    Args:
        summary: Of a completed project.
        is_charged: Whether anybody counts what is charged: nobody does on one's own machine.
    """
    counts = count_categories(summary)
    st.html(render_share_bar(counts, label=write_headline(summary)) + render_legend(counts))
    with st.grid(4, min_column_width=150):
        st.metric(say("Rows in the file"), show_count(summary.rows_in), border=True)
        st.metric(say("Duplicates removed"), show_count(summary.duplicates_removed), border=True)
        st.metric(
            say("Invalid"),
            show_count(summary.invalid),
            border=True,
            help=say("Rows that hold no address that mail can be sent to. They are to be removed."),
        )
        if is_charged:
            st.metric(
                say("Charged"),
                show_count(summary.charged),
                border=True,
                help=say("The rows of the result without the invalid ones."),
            )
        else:
            st.metric(
                say("Rows to keep"),
                show_count(dict(counts)[Category.WHITE]),
                border=True,
            )
    draw_mailboxes()


def draw_doubts(summary: Summary) -> None:
    """Warn where the counts look as if the wrong column had been checked."""
    gone = summary.duplicates_removed
    if summary.rows_in and gone > TOO_MANY_GONE_SHARE * summary.rows_in:
        st.warning(
            say(
                "{share} of the rows were duplicates and are not in the result. Was the right "
                "column checked?",
                share=show_share(gone, summary.rows_in),
            )
        )
    if summary.rows_out and summary.invalid > TOO_MANY_GONE_SHARE * summary.rows_out:
        st.warning(
            say(
                "{share} of the rows hold no valid address. Was the right column checked?",
                share=show_share(summary.invalid, summary.rows_out),
            )
        )
