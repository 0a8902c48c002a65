"""A word to the analyst when a list that was being cleaned has ended, wherever they are by then."""

from collections.abc import Sequence

import streamlit as st

from components.markdown import escape_markdown
from components.progress import find_overall
from winnow.core.tasks.task import Task, TaskState
from winnow.core.verdicts.verdict import Category
from winnow.core.verdicts.words import name_action
from winnow.words import format_number, say

_WATCHED = "lists_at_work"


def tell_endings(tasks: Sequence[Task]) -> None:
    """Say once which lists have ended since this browser last looked.

    Args:
        tasks: The account's, in their present states. Nothing is said of a list that was ended
            before it was first seen at work, nor of one that was cancelled.
    """
    watched = st.session_state.get(_WATCHED, frozenset())
    at_work = frozenset(task.task_id for task in tasks if task.state is TaskState.PROCESSING)
    for task in tasks:
        if task.task_id in watched - at_work and (task.error or {}).get("code") != "cancelled":
            st.toast(word_ending(task), duration="long")
    st.session_state[_WATCHED] = at_work


def word_ending(task: Task) -> str:
    """Return one sentence: the project's name, and what came out."""
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
    """Return what the browser's tab says while lists are at work: ``"42 % · customers"``.

    Of several the one that is furthest counts, the oldest of those that wait, with the number of
    the others; nothing at work: "".
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
