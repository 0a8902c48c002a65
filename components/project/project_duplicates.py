"""Duplicates of a finished project: some of them, and a new run with another rule."""

from collections.abc import Sequence

import streamlit as st

from components.clean.duplicates import RULES, draw_duplicates, draw_rule
from components.frame.session import may
from components.kit.html import escape_markdown
from components.kit.input_summary import tell_apart
from components.kit.notices import draw_error
from components.project.view import OpenedProject, go_to
from winnow.core.errors import WinnowError
from winnow.core.tasks.keep_rule import Keep, KeepRule
from winnow.words import say, say_many


def draw_project_duplicates(view: OpenedProject) -> None:
    """Draw the duplicates that were removed, or that there were none; offer another rule."""
    task = view.task
    names = tell_apart(task.plan.columns)
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
        said = f"**{title}.** {word_rule(rule, names)}"
        if invalid := task.summary.duplicates_invalid:
            said += " " + say_many(
                invalid, "{count} is not an address.", "{count} of them are not addresses."
            )
        st.markdown(said)
        if st.toggle(say("Show some duplicates"), key="show_duplicates"):
            _draw_groups(view, names)
        if not may("duplicates.run_again"):
            return
        st.markdown(f"**{say('Clean this list again with another rule')}**")
        chosen, column = draw_rule(names, list, key=f"again_{task.task_id}", now=rule.keep)
        is_open = chosen is Keep.NEWEST and column is None
        wanted = None if is_open else KeepRule(chosen, column)
        if st.button(
            say("Clean again"), key="keep_again", disabled=wanted is None or wanted == rule
        ):
            _run(view, wanted)
        st.caption(say("This makes a new project. This one stays as it is."))


def word_rule(rule: KeepRule, names: Sequence[str]) -> str:
    """Return in words which row of each address was kept."""
    if rule.date_column is None:
        said = say(RULES[rule.keep])
        said = f"{said[:1].lower()}{said[1:]}"
        return say("Of each address, this row stayed: {rule}.", rule=said)
    column = names[rule.date_column] if rule.date_column < len(names) else ""
    return say(
        "Of each address, the row with the newest date in {column} stayed.",
        column=escape_markdown(column),
    )


def _draw_groups(view: OpenedProject, names: Sequence[str]) -> None:
    try:
        with st.spinner(say("Looking into the list")):
            preview = view.services.duplicates.look_back(*view.ids)
    except WinnowError as error:
        draw_error(error, kept=say("The project is as it was."))
        return
    plan, rule = view.task.plan, view.task.options.keep
    second = () if plan.second_email_column is None else (plan.second_email_column,)
    columns = (plan.email_column, *second)
    draw_duplicates(preview, names, columns, rule.keep, rule.date_column)


def _run(view: OpenedProject, rule: KeepRule | None) -> None:
    if rule is None:
        return
    try:
        made = view.services.duplicates.run_again(*view.ids, rule)
    except WinnowError as error:
        draw_error(error, kept=say("The project is as it was."))
    else:
        go_to(made)
