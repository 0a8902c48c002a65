"""What was just deleted, and the button that brings it back while there is time."""

from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from html import escape

import streamlit as st

from components.error_boundary import guard
from winnow.core.tasks.deletion import Deletion
from winnow.words import say, say_many

Undo = Callable[[Collection[str]], Collection[str]]
Finish = Callable[[Collection[str]], object]

NAMES_SHOWN = 3
_SAID = "deletion_said"


def draw_deletions(
    deletions: Sequence[Deletion],
    now: datetime,
    undo: Undo,
    finish: Finish,
) -> None:
    """Draw each deletion that can be undone, with how long that can be done.

    Args:
        deletions: The latest first.
        now: In UTC.
        undo: Brings projects back and returns which came.
        finish: Deletes them for good at once.
    """
    tell_deletions()
    for deletion in deletions:
        _draw_one(deletion, now, undo, finish)


def tell_deletions() -> None:
    """Say once what the last press brought back."""
    if _SAID in st.session_state:
        st.toast(st.session_state.pop(_SAID))


def _draw_one(deletion: Deletion, now: datetime, undo: Undo, finish: Finish) -> None:
    first = deletion.task_ids[0]
    seconds = max(1, round((deletion.undo_until - now).total_seconds()))
    with st.container(
        key=f"deleted_{first}",
        horizontal=True,
        vertical_alignment="center",
        border=True,
        gap="small",
    ):
        left = say_many(
            seconds,
            "{count} second left to undo this. The space is free afterwards.",
            "{count} seconds left to undo this. The space is free afterwards.",
        )
        st.html(
            f'<p class="w-named">{word_deletion(deletion)}<br>'
            f'<span class="w-quiet" aria-live="off">{escape(left)}</span></p>',
            width="stretch",
        )
        st.button(
            say("Undo"),
            key=f"undo_{first}",
            icon=":material/undo:",
            on_click=guard(_undo),
            args=(deletion, undo),
        )
        st.button(
            say("Free the space now"),
            key=f"finish_{first}",
            on_click=guard(finish),
            args=(deletion.task_ids,),
        )


def word_deletion(deletion: Deletion) -> str:
    """Return what was deleted, as HTML: up to three names, and how many more."""
    names = [f"<strong>{escape(task.project_name)}</strong>" for task in deletion.projects]
    shown = ", ".join(names[:NAMES_SHOWN])
    more = len(names) - NAMES_SHOWN
    if more > 0:
        return say_many(
            more,
            "Deleted: {names} and {count} more.",
            "Deleted: {names} and {count} more.",
            names=shown,
        )
    return say("Deleted: {names}.", names=shown)


def _undo(deletion: Deletion, undo: Undo) -> None:
    back = undo(deletion.task_ids)
    lost = len(deletion.projects) - len(back)
    if lost:
        st.session_state[_SAID] = say_many(
            lost,
            "The time to undo is over: {count} project is deleted.",
            "The time to undo is over: {count} projects are deleted.",
        )
    else:
        st.session_state[_SAID] = say_many(
            len(back), "{count} project is back.", "{count} projects are back."
        )
