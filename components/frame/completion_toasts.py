"""Toasts on any page when the cleaning of a list has ended."""

from collections.abc import Sequence

import streamlit as st

from components.kit.markdown import escape_markdown
from components.kit.progress import find_overall
from winnow.core.tasks.task import Task, TaskState
from winnow.core.verdicts.verdict import Category
from winnow.core.verdicts.words import name_action
from winnow.words import format_number, say

_WATCHED = "lists_at_work"


def tell_endings(tasks: Sequence[Task], open_task_id: str | None) -> None:
    """Show once which lists have ended since this browser's last look.

    Args:
        tasks: The account's, in their present states. Nothing is shown for a list that had
            ended before it was first seen, nor for one that was cancelled.
        open_task_id: The project whose page is open: it shows the ending itself.
    """
    watched = st.session_state.get(_WATCHED, frozenset())
    at_work = frozenset(task.task_id for task in tasks if task.state is TaskState.PROCESSING)
    for task in tasks:
        is_over = task.task_id in watched - at_work and task.task_id != open_task_id
        if is_over and (task.error or {}).get("code") != "cancelled":
            st.toast(word_ending(task), duration="long")
    st.session_state[_WATCHED] = at_work


def word_ending(task: Task) -> str:
    """Return one sentence: the project's name and its result."""
    name = escape_markdown(task.project_name)
    if task.summary is None:
        return say("**{name}** could not be cleaned. Its page says why.", name=name)
    parts = [
        f"{format_number(task.summary.by_category.get(category.value, 0))} {name_action(category)}"
        for category in Category
    ]
    counts = ", ".join(part.replace(" ", "\N{NO-BREAK SPACE}") for part in parts)
    return say("**{name}** is ready: {counts}.", name=name, counts=counts)


def word_tab(tasks: Sequence[Task]) -> str:
    """Return the browser tab's title while lists are being cleaned: ``"42 % · customers"``.

    Of several lists it names the one that is furthest, or the oldest of those that wait, with the
    number of the others. No list at work: "".
    """
    at_work = [task for task in tasks if task.state is TaskState.PROCESSING]
    if not at_work:
        return ""
    first = max(
        reversed(at_work), key=lambda task: (not task.is_waiting, find_overall(task.progress))
    )
    parts = [_word_advance(first), first.project_name]
    if len(at_work) > 1:
        parts.append(say("{count} more", count=format_number(len(at_work) - 1)))
    return " · ".join(parts)


def _word_advance(task: Task) -> str:
    if task.is_waiting:
        return say("Waiting")
    return f"{int(100 * find_overall(task.progress))} %"
