"""Recent deletions of projects, and the button that undoes them in time."""

from collections.abc import Sequence
from datetime import datetime
from html import escape

import streamlit as st

from components.frame.error_boundary import guard
from winnow.core.tasks.deletion import Deletion
from winnow.services.tasks.deletions import Deletions
from winnow.words import say, say_many

NAMES_SHOWN = 3
_SAID = "deletion_said"


def draw_deletions(
    service: Deletions, account: str, deletions: Sequence[Deletion], now: datetime
) -> None:
    """Draw each deletion that can be undone, with the time left; ``now`` in UTC."""
    tell_deletions()
    for deletion in deletions:
        _draw_one(service, account, deletion, now)


def tell_deletions() -> None:
    """Show once which projects the last press restored."""
    if _SAID in st.session_state:
        st.toast(st.session_state.pop(_SAID))


def _draw_one(service: Deletions, account: str, deletion: Deletion, now: datetime) -> None:
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
            args=(service, account, deletion),
        )
        st.button(
            say("Free the space now"),
            key=f"finish_{first}",
            on_click=guard(service.finish),
            args=(account, deletion.task_ids),
        )


def word_deletion(deletion: Deletion) -> str:
    """Return the deleted projects as HTML: up to three names, and how many more."""
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


def _undo(service: Deletions, account: str, deletion: Deletion) -> None:
    back = service.undo(account, deletion.task_ids)
    lost = len(deletion.projects) - len(back)
    if lost:
        st.session_state[_SAID] = say_many(
            lost,
            "The time to undo is over: {count} project is deleted.",
            "The time to undo is over: {count} projects are deleted.",
        )
    else:
        st.session_state[_SAID] = say_many(
            len(back), "{count} project restored.", "{count} projects restored."
        )
