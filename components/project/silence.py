"""Offer to leave out people who have been silent for long, this time."""

from dataclasses import replace
from functools import partial

import streamlit as st

from components.frame.error_boundary import guard
from components.frame.session import may, set_widget
from components.kit.input_summary import distinguish_columns
from components.kit.project_view import OpenedProject
from winnow.core.lists.silence import SILENT_MONTHS, SILENT_USUAL, DayOrder, SilenceChoice
from winnow.core.verdicts.reasons import Reason
from winnow.words import say, say_many


def draw_silence(view: OpenedProject) -> None:
    """Offer to leave out who has been silent for long, by the dates of a column."""
    task, services, choice = view.task, view.services, view.find_choice()
    column = services.mail_choices.find_silence(*view.ids)
    if column is None or not column.dated:
        return
    names, state = distinguish_columns(task.plan.columns), st.session_state
    chosen, now = choice.policy.silent_months, state.get("silent_for", SILENT_USUAL)
    set_widget("silent_for", chosen or now)
    set_widget("silent_by", column.place)

    def leave(months: int | None) -> None:
        view.choose(replace(choice, policy=replace(choice.policy, silent_months=months)))

    @guard
    def change_months() -> None:
        if chosen:
            leave(state["silent_for"])

    @guard
    def change_column(order: DayOrder | None = None) -> None:
        found = SilenceChoice(state["silent_by"], order)
        services.mail_choices.choose_silence(*view.ids, found)

    may_choose = may(services.mail_choices.choose_silence)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="silence"):
        st.markdown(say("Silent for"), width="content")
        st.selectbox(
            say("Silent for"),
            SILENT_MONTHS,
            format_func=lambda one: say("{months} months", months=one),
            key="silent_for",
            on_change=change_months,
            label_visibility="collapsed",
            width=140,
        )
        st.selectbox(
            say("By the dates in"),
            [column.place, *column.others],
            format_func=lambda one: say("by {column}", column=names[one]),
            key="silent_by",
            on_change=change_column,
            label_visibility="collapsed",
            disabled=not may_choose,
            width=240,
        )
        if column.is_open:
            st.markdown(say("Which is first in dates such as 03/04/2025?"), width="content")
            for order in DayOrder:
                change = partial(change_column, order)
                key = f"silent_{order}"
                st.button(say(order.words), key=key, disabled=not may_choose, on_click=change)
            return
        policy = replace(choice.policy, silent_months=chosen or now)
        count = services.results.weigh(*view.ids, policy).lost_by_reason.get(Reason.SILENT, 0)
        st.markdown(f"**{say_many(count, '{count} row', '{count} rows')}**", width="content")
        st.button(
            say("Mail them this time") if chosen else say("Leave them out this time"),
            type="tertiary",
            key="leave_silent",
            on_click=guard(partial(leave, None if chosen else now)),
        )
