"""Switches for the rows that a cleaned list leaves out, and the reasons."""

from collections.abc import Sequence
from dataclasses import replace
from html import escape

import streamlit as st

from components.frame.error_boundary import guard
from components.kit.page_params import page_params
from components.project.download_choice import list_choice_params
from components.project.view import OpenedProject
from winnow.core.figures import show_count
from winnow.core.lists.cleaning import USUAL_GROUNDS, CleaningEffect, CleaningPolicy
from winnow.core.verdicts.grounds import Ground
from winnow.core.verdicts.words import name_ground
from winnow.words import say, say_many

REASONS_SHOWN = 4


def draw_policy(view: OpenedProject, effect: CleaningEffect) -> None:
    """Draw the switches of the rows to leave out, and why rows are left out."""
    choice = view.find_choice()
    offered = [
        ground
        for ground in Ground
        if ground is Ground.BLACK
        or effect.by_ground.get(ground)
        or ground in choice.policy.grounds.difference(USUAL_GROUNDS)
    ]
    unseen = choice.policy.grounds.difference(offered)
    st.session_state["policy_grounds"] = [one for one in offered if one in choice.policy.grounds]

    def changed() -> None:
        keep_grounds(view, frozenset(st.session_state["policy_grounds"]) | unseen)

    st.pills(
        say("Rows to leave out"),
        offered,
        selection_mode="multi",
        format_func=lambda one: f"{name_ground(one)} {show_count(effect.by_ground.get(one, 0))}",
        key="policy_grounds",
        on_change=guard(changed),
        wrap=True,
        help=say(
            "A row may be in several; a row to remove is counted there only. Your keep list "
            "outranks all but do-not-mail files and unsubscribed rows."
        ),
    )
    if effect.lost:
        st.html(_render_reasons(effect))


def keep_grounds(view: OpenedProject, grounds: frozenset[Ground]) -> None:
    """Leave out the rows of these grounds, in the page's choice."""
    choice = replace(view.find_choice(), policy=CleaningPolicy(grounds))
    page_params.put(list_choice_params(choice, view.find_default()))


def _render_reasons(effect: CleaningEffect) -> str:
    """Return the removed rows by the reason of their removal, the largest first."""
    by_size = sorted(effect.lost_by_reason.items(), key=lambda item: -item[1])
    lines = [_render_line(say(reason.words), count, effect.lost) for reason, count in by_size]
    shown, rest = lines[:REASONS_SHOWN], lines[REASONS_SHOWN:]
    if not rest:
        return _render_list(shown)
    count = sum(count for _, count in by_size[REASONS_SHOWN:])
    words = say_many(
        len(rest),
        "{count} more reason: {rows}",
        "{count} more reasons: {rows}",
        rows=say_many(count, "{count} row", "{count} rows"),
    )
    more = f"<details><summary>{words}</summary>{_render_list(rest)}</details>"
    return f"{_render_list(shown)}{more}"


def _render_list(lines: Sequence[str]) -> str:
    return f'<ul class="w-lost">{"".join(lines)}</ul>' if lines else ""


def _render_line(words: str, count: int, whole: int) -> str:
    return (
        f'<li><span class="w-count">{show_count(count)}</span><span>{escape(words)}</span>'
        f'<span class="w-meter" aria-hidden="true"><span style="width:{100 * count / whole:.2f}%">'
        "</span></span></li>"
    )
