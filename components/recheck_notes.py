"""Checks by themselves: how often, beside a project; what they found, above all projects."""

from collections.abc import Callable, Sequence

import streamlit as st

from components import page_urls
from components.data_drift import describe_moves
from components.error_boundary import guard
from components.local_time import show_local_date
from components.markdown import escape_markdown
from winnow.core.tasks.recheck_notes import RecheckNote, RecheckRhythm
from winnow.words import mark, say, say_many

RHYTHM_WORDS = {
    RecheckRhythm.NEVER: mark("Never"),
    RecheckRhythm.DAILY: mark("Daily"),
    RecheckRhythm.WEEKLY: mark("Weekly"),
    RecheckRhythm.MONTHLY: mark("Monthly"),
}
_KEY = "recheck_rhythm"


def draw_rhythm(rhythm: RecheckRhythm, choose: Callable[[RecheckRhythm], None]) -> None:
    """Draw how often a project is checked again by itself.

    Args:
        rhythm: As it stands now; another tab may have changed it.
        choose: Called with another choice.
    """
    st.session_state[_KEY] = rhythm
    st.segmented_control(
        say("Check this list again by itself"),
        list(RecheckRhythm),
        format_func=lambda one: say(RHYTHM_WORDS[one]),
        key=_KEY,
        required=True,
        on_change=guard(lambda: choose(st.session_state[_KEY])),
        help=say(
            "Judges the list by the domain lists of the day, on this machine. When rows would "
            "change, a note stands on Projects. This project stays as it is."
        ),
    )


def draw_recheck_notes(notes: Sequence[RecheckNote], dismiss: Callable[[str], None]) -> None:
    """Draw what was found, each with the way to the project and a button that takes it away."""
    for note in notes:
        task_id = note.project.task_id
        with st.container(
            key=f"recheck_{task_id}",
            border=True,
            horizontal=True,
            vertical_alignment="center",
            gap="small",
        ):
            st.markdown(word_note(note), width="stretch")
            st.page_link(
                page_urls.PROJECT, label=say("Open the project"), query_params={"task": task_id}
            )
            st.button(
                say("Dismiss"),
                key=f"recheck_dismiss_{task_id}",
                on_click=guard(dismiss),
                args=(task_id,),
            )


def word_note(note: RecheckNote) -> str:
    """Return what was found: ``"**Spring**, checked again on 3 Nov 2026: 312 rows would …"``."""
    return say_many(
        sum(note.rows_moved.values()),
        "**{name}**, checked again on {day}: {count} row would change, {moves}.",
        "**{name}**, checked again on {day}: {count} rows would change, {moves}.",
        name=escape_markdown(note.project.project_name),
        day=show_local_date(note.found_at),
        moves=describe_moves(note.rows_moved),
    )
