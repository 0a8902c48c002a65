"""The duplicates of a finished project: some of them, and another run with another rule."""

from collections.abc import Callable, Sequence

import streamlit as st

from components.duplicates import RULES, draw_duplicates, draw_rule
from components.markdown import escape_markdown
from components.notices import draw_error
from winnow.core.errors import WinnowError
from winnow.core.lists.duplicate_groups import DuplicatePreview
from winnow.core.tasks.keep_rule import Keep, KeepRule
from winnow.core.tasks.task import Task
from winnow.words import say, say_many


def draw_project_duplicates(
    task: Task,
    names: Sequence[str],
    find: Callable[[], DuplicatePreview],
    run_again: Callable[[KeepRule], Task],
    go_to: Callable[[Task], None],
) -> None:
    """Draw what was removed, or that nothing was.

    Args:
        task: A completed one.
        names: The list's own columns, as they are shown.
        find: Looks into the list.
        run_again: Cleans the list anew by another rule, as a project of its own.
        go_to: Shows it.
    """
    if task.summary is None or not task.deduplicate:
        st.caption(say("Duplicates were not looked for in this list."))
        return
    gone = task.summary.duplicates_removed
    if not gone:
        st.caption(say("No address is in this list twice."))
        return
    rule = task.options.keep
    title = say_many(gone, "{count} duplicate was removed", "{count} duplicates were removed")
    with st.container(key="removed_duplicates"):
        st.markdown(f"**{title}.** {word_rule(rule, names)}")
        if st.toggle(say("Show some duplicates"), key="show_duplicates"):
            _draw_groups(task, names, find)
        st.markdown(f"**{say('Clean this list again with another rule')}**")
        chosen, column = draw_rule(names, list, key=f"again_{task.task_id}", now=rule.keep)
        is_open = chosen is Keep.NEWEST and column is None
        wanted = None if is_open else KeepRule(chosen, column)
        if st.button(
            say("Clean again"), key="keep_again", disabled=wanted is None or wanted == rule
        ):
            _run(run_again, wanted, go_to)
        st.caption(say("This makes a new project. This one stays as it is."))


def word_rule(rule: KeepRule, names: Sequence[str]) -> str:
    """Return which row of each address stayed."""
    if rule.date_column is None:
        return say("Of each address, this row stayed: {rule}.", rule=say(RULES[rule.keep]).lower())
    column = names[rule.date_column] if rule.date_column < len(names) else ""
    return say(
        "Of each address, the row with the newest date in {column} stayed.",
        column=escape_markdown(column),
    )


def _draw_groups(task: Task, names: Sequence[str], find: Callable[[], DuplicatePreview]) -> None:
    try:
        with st.spinner(say("Looking into the list")):
            preview = find()
    except WinnowError as error:
        draw_error(error, kept=say("The project is as it was."))
        return
    plan, rule = task.plan, task.options.keep
    second = () if plan.second_email_column is None else (plan.second_email_column,)
    columns = (plan.email_column, *second)
    draw_duplicates(preview, names, columns, rule.keep, rule.date_column)


def _run(
    run_again: Callable[[KeepRule], Task],
    rule: KeepRule | None,
    go_to: Callable[[Task], None],
) -> None:
    if rule is None:
        return
    try:
        made = run_again(rule)
    except WinnowError as error:
        draw_error(error, kept=say("The project is as it was."))
        return
    go_to(made)
