"""Groups of a project's rows by its own columns: bad addresses, and who gets no mail this time."""

from functools import partial

import streamlit as st

from components.frame.error_boundary import guard
from components.frame.html import escape_markdown
from components.frame.session import may, set_widget
from components.kit.input_summary import distinguish_columns
from components.kit.project_view import OpenedProject
from winnow.core.lists.own_columns import VALUES_SHOWN, ColumnSplit, show_own_text
from winnow.core.verdicts.reasons import Reason
from winnow.services.names import make_file_stem
from winnow.words import say, say_many

_ROUND, _CHOSEN = "own_values_round", "own_values_chosen"


def draw_column_choice(view: OpenedProject) -> None:
    """Draw the choice of a column, whose values ``draw_own_values`` draws."""
    names, email = distinguish_columns(view.task.plan.columns), view.task.plan.email_column
    set_widget("own_column", _find_place(view))

    def choose() -> None:
        st.session_state[_CHOSEN] = view.task.task_id, st.session_state["own_column"]

    st.selectbox(
        say("Values of your columns"),
        [one for one in range(len(names)) if one != email],
        index=None,
        format_func=names.__getitem__,
        key="own_column",
        on_change=guard(choose),
        placeholder=say("Choose a column"),
    )


def _find_place(view: OpenedProject) -> int | None:
    task_id, place = st.session_state.get(_CHOSEN, (None, None))
    return place if task_id == view.task.task_id else None


def draw_own_values(view: OpenedProject) -> None:
    """Draw the values of the chosen column, and whether they get mail this time."""
    place, results, policy = _find_place(view), view.services.results, view.find_choice().policy
    if place is None:
        return

    def close() -> None:
        del st.session_state[_CHOSEN]

    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="own_head"):
        wanted = st.text_input(
            say("Find a value"),
            key="own_value",
            type="search",
            placeholder=say("Find a value"),
            label_visibility="collapsed",
            width=290,
        )
        st.download_button(
            say("Download this table"),
            partial(results.write_split, *view.ids, place, policy),
            file_name=f"{make_file_stem(view.task.project_name)}-groups.csv",
            icon=":material/download:",
            on_click="ignore",
            key="own_table",
            help=say("To hand on: small groups are one line, and no address is in it."),
        )
        st.button(say("Close"), type="tertiary", key="own_close", on_click=guard(close))
    with st.spinner(say("Looking into the list")):
        found = results.split(*view.ids, place, policy, wanted.strip())
    _draw_values(view, place, found)
    if not found.is_whole:
        counted = found.rest.rows + sum(one.rows for one in found.shares)
        text = say_many(
            counted,
            "Only the first row is counted: the rest would take too long.",
            "Only the first {count} rows are counted: the rest would take too long.",
        )
        st.caption(text)


def _draw_values(view: OpenedProject, place: int, found: ColumnSplit) -> None:
    """Draw the largest values as a table; a tick leaves a group out this time."""
    state, choices = st.session_state, view.services.mail_choices
    left_out, shares = view.task.request.left_out, found.shares[:VALUES_SHOWN]
    key, column = f"own_values_{place}_{state.setdefault(_ROUND, 0)}", st.column_config
    st.data_editor(
        {
            "out": [(place, one.text) in left_out for one in shares],
            "value": [show_own_text(one.text) for one in shares],
            "rows": [one.rows for one in shares],
            "bad": [100 * one.removed / one.rows for one in shares],
        },
        key=key,
        hide_index=True,
        width="content",
        disabled=["value", "rows", "bad"] if may(choices.leave_out) else True,
        alt=say("Rows to remove by {column}", column=found.column),
        column_config={
            "out": column.CheckboxColumn(say("Leave out"), width=120),
            "value": column.TextColumn(found.column, width=190),
            "rows": column.NumberColumn(say("Rows"), format="localized", width=80),
            "bad": column.NumberColumn(say("Bad"), format="%.0f %%", width=80),
        },
    )
    if more := len(found.shares) - len(shares):
        st.caption(say("and {count} more", count=more))
    edits = state[key]["edited_rows"]
    if edits:
        groups = {(place, shares[int(row)].text): cells["out"] for row, cells in edits.items()}
        kept = [one for one in left_out if one not in groups]
        choices.leave_out(*view.ids, [*kept, *(one for one, is_out in groups.items() if is_out)])
        state[_ROUND] += 1
        st.rerun()  # the counts of the whole page are others


def draw_left_out(view: OpenedProject) -> None:
    """Draw the groups that get no mail this time, each with a button that brings it back."""
    groups, names = view.task.request.left_out, distinguish_columns(view.task.plan.columns)
    if not groups:
        return
    count = view.weigh().lost_by_reason.get(Reason.LEFT_OUT, 0)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="left_out"):
        text = say_many(count, "**{count} row** left out:", "**{count} rows** left out:")
        st.markdown(text, width="content")
        for number, (place, value) in enumerate(groups):
            others = groups[:number] + groups[number + 1 :]
            st.button(
                escape_markdown(f"{names[place]}: {show_own_text(value)}"),
                icon=":material/close:",
                icon_position="right",
                key=f"left_out_{number}",
                help=say("Mail this group this time"),
                disabled=not may(view.services.mail_choices.leave_out),
                on_click=guard(partial(view.services.mail_choices.leave_out, *view.ids, others)),
            )
