"""Comparison of all policies on one list: rows kept and removed by each."""

from collections.abc import Sequence
from html import escape
from typing import Any

import streamlit as st

from components.kit.html import escape_markdown, render_share_bar
from components.kit.notices import draw_error
from components.project.view import OpenedProject
from winnow.core.errors import BadField
from winnow.core.figures import show_share
from winnow.core.lists.named_policy import (
    NamedPolicy,
    PolicyDifference,
    PolicyEffect,
    say_policy,
)
from winnow.core.verdicts.domain_types import Ground
from winnow.core.verdicts.verdict import SHAPES, Category, name_ground
from winnow.words import say, say_many


def draw_policy_comparison(view: OpenedProject) -> None:
    """Draw how many rows of the list each policy keeps and removes."""
    policies = view.services.policies.list(view.account)
    choices = [one.choice.policy for one in policies]
    effects = view.services.column_analysis.measure(*view.ids, choices)
    _draw_bars(policies, effects)
    _draw_table(policies, effects)
    _draw_difference(view, policies)


def _draw_bars(policies: Sequence[NamedPolicy], effects: Sequence[PolicyEffect]) -> None:
    for policy, effect in zip(policies, effects, strict=True):
        counts = _count(effect)
        kept = say_many(effect.kept, "{count} row is kept", "{count} rows are kept")
        share = show_share(effect.kept, effect.rows)
        label = f"{say_policy(policy)}: {kept} ({share})"
        st.html(
            f'<p class="w-effect"><strong>{escape(_name(policy))}</strong>: '
            f"{escape(kept)} ({share})</p>{render_share_bar(counts, label=label, slim=True)}"
        )
    st.html(_render_key())


def _count(effect: PolicyEffect) -> Sequence[tuple[Category, int]]:
    return (
        (Category.WHITE, effect.kept - effect.review),
        (Category.GREY, effect.review),
        (Category.BLACK, effect.lost_rows),
    )


def _render_key() -> str:
    words = say(
        "{keep} kept, {review} kept but worth a review, {remove} left out",
        keep=SHAPES[Category.WHITE],
        review=SHAPES[Category.GREY],
        remove=SHAPES[Category.BLACK],
    )
    return f'<p class="w-quiet">{escape(words)}</p>'


def _name(policy: NamedPolicy) -> str:
    name = say_policy(policy)
    return say("{name} (default)", name=name) if policy.is_default else name


def _draw_table(policies: Sequence[NamedPolicy], effects: Sequence[PolicyEffect]) -> None:
    """Draw the figures: kept, to review, left out, and by which ground."""
    import pandas as pd

    grounds = [one for one in Ground if any(one in effect.lost for effect in effects)]
    data: dict[str, Sequence[Any]] = {
        say("Policy"): [say_policy(policy) for policy in policies],
        say("Kept"): [effect.kept for effect in effects],
        say("of these to review"): [effect.review for effect in effects],
        say("Left out"): [effect.lost_rows for effect in effects],
    }
    for ground in grounds:
        heading = say("Left out: {ground}", ground=name_ground(ground))
        data[heading] = [effect.lost.get(ground, 0) for effect in effects]
    number = st.column_config.NumberColumn(format="localized")
    counted = [name for name, values in data.items() if isinstance(values[0], int)]
    st.dataframe(
        pd.DataFrame(data),
        hide_index=True,
        height="content",
        alt=say("What each policy keeps and leaves out"),
        column_config=dict.fromkeys(counted, number),
    )


def _draw_difference(view: OpenedProject, policies: Sequence[NamedPolicy]) -> None:
    """Draw two policies, their difference, and a button that makes the second the default."""
    if len(policies) < 2:
        return
    ids = [one.policy_id for one in policies]
    by_id = dict(zip(ids, policies, strict=True))
    default = next(one.policy_id for one in policies if one.is_default)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        first = _pick_policy(say("Instead of"), by_id, default, "compare_first")
        other = next(one for one in ids if one != default)
        second = _pick_policy(say("Take"), by_id, other, "compare_second")
    difference = view.services.column_analysis.differ(
        *view.ids, first.choice.policy, second.choice.policy
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(word_difference(first, second, difference), width="content")
        if second.is_default:
            return
        name = escape_markdown(say_policy(second))
        if st.button(say("Make “{name}” the default", name=name), key="compare_make_default"):
            try:
                view.services.policies.make_default(view.account, second.policy_id)
            except BadField as error:
                draw_error(error)
            else:
                st.rerun()


def _pick_policy(label: str, by_id: dict[str, NamedPolicy], proposed: str, key: str) -> NamedPolicy:
    if st.session_state.get(key) not in by_id:
        st.session_state[key] = proposed
    picked = st.selectbox(
        label, list(by_id), format_func=lambda one: say_policy(by_id[one]), key=key, width=320
    )
    return by_id[picked or proposed]


def word_difference(first: NamedPolicy, second: NamedPolicy, difference: PolicyDifference) -> str:
    """Return how many rows a change from one policy to another loses and wins, in Markdown."""
    fields = {
        "first": escape_markdown(say_policy(first)),
        "second": escape_markdown(say_policy(second)),
        "lost": say_many(difference.only_first, "{count} row", "{count} rows"),
        "won": say_many(difference.only_second, "{count} row", "{count} rows"),
    }
    if not difference.only_first and not difference.only_second:
        return say("“{second}” keeps the same rows as “{first}”.", **fields)
    if not difference.only_second:
        return say("“{second}” costs **{lost}**.", **fields)
    if not difference.only_first:
        return say("“{second}” keeps **{won}** more.", **fields)
    return say("“{second}” costs **{lost}** and keeps **{won}** in their place.", **fields)
