"""Answer of a finished project: the sum of its rows, the bar of verdicts, doubts."""

from functools import partial

import streamlit as st

from components.frame.error_boundary import guard
from components.kit.headline import count_categories, write_headline
from components.kit.html import render_legend, render_share_bar
from components.project.policy import keep_grounds
from components.project.view import OpenedProject
from winnow.core.figures import show_count, show_share
from winnow.core.lists.cleaning import CleaningEffect
from winnow.core.tasks.task import Summary
from winnow.core.verdicts.grounds import Ground
from winnow.words import say, say_many

TOO_MANY_GONE_SHARE = 0.5  # decisions.md, "Batch": more than half of the rows
_MINUS = "\N{MINUS SIGN}"
_REVIEW = frozenset({Ground.SUSPICIOUS, Ground.MASKED, Ground.MULTI_ALIAS, Ground.OWN_GREY})


def draw_answer(view: OpenedProject, summary: Summary, effect: CleaningEffect) -> None:
    """Draw how the rows of the file add up to those of the download, and their verdicts."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="result_sum"):
        st.html(f'<p class="w-sum">{write_sum(summary, effect)}</p>', width="content")
        _draw_review(view, effect)
    counts = count_categories(summary)
    st.html(render_share_bar(counts, label=write_headline(summary)) + render_legend(counts))
    if view.services.sign_in.is_needed:
        st.caption(
            say_many(
                summary.charged,
                "{count} row is charged: the result without invalid addresses.",
                "{count} rows are charged: the result without invalid addresses.",
            )
        )


def write_sum(summary: Summary, effect: CleaningEffect) -> str:
    """Return the sum as HTML: ``"8,000 - 428 duplicates - 489 removed = 7,083"``."""
    parts = [show_count(summary.rows_in)]
    if gone := summary.duplicates_removed:
        duplicates = say_many(gone, "{count} duplicate", "{count} duplicates")
        parts.append(f"{_MINUS} {duplicates}")
    parts.append(f"{_MINUS} {say_many(effect.lost, '{count} removed', '{count} removed')}")
    return f"{' '.join(parts)} = <strong>{show_count(effect.kept)}</strong>"


def _draw_review(view: OpenedProject, effect: CleaningEffect) -> None:
    """Offer to leave out the rows to review, or to keep them again."""
    grounds = view.find_choice().policy.grounds
    if effect.review:
        label = say_many(
            effect.review,
            "{count} to review: leave it out",
            "{count} to review: leave them out",
        )
        wanted = grounds | _REVIEW
    elif grounds >= _REVIEW:
        label, wanted = say("Keep the rows to review"), grounds - _REVIEW
    else:
        return
    st.button(
        label,
        type="tertiary",
        key="leave_review",
        on_click=guard(partial(keep_grounds, view, wanted)),
    )


def draw_doubts(summary: Summary) -> None:
    """Draw a warning if the counts suggest that the wrong column was checked."""
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
