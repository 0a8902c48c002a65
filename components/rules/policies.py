"""Policies: which rows each leaves out, the default, renaming, deletion with undo."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from components.frame.error_boundary import guard
from components.frame.session import may
from components.kit.notices import draw_error
from winnow.core.errors import BadField
from winnow.core.lists.cleaning import CleaningPolicy
from winnow.core.lists.named_policy import NamedPolicy, say_policy
from winnow.core.verdicts.domain_types import Ground
from winnow.core.verdicts.verdict import name_ground
from winnow.services.own.policies import Policies
from winnow.words import say

_DELETED, _PROBLEM, _ROUND = "policies_deleted", "policies_problem", "policies_round"


def draw_policies(policies: Policies, account: str) -> None:
    """Draw the table of policies, whose cells can be changed and whose rows can be deleted."""
    import pandas as pd

    state, known = st.session_state, policies.list(account)
    key = f"policies_{state.setdefault(_ROUND, 0)}"
    st.caption(
        say(
            "A policy says which rows the cleaned file leaves out; the default is used for every "
            "project unless you choose another one there."
        )
    )

    names = {ground: name_ground(ground) for ground in Ground}
    st.data_editor(
        pd.DataFrame(
            {
                "name": [say_policy(one) for one in known],
                "removes": [
                    [names[ground] for ground in Ground if ground in one.choice.policy.grounds]
                    for one in known
                ],
                "default": [one.is_default for one in known],
            }
        ),
        key=key,
        num_rows="delete" if may("policies.change") else "fixed",
        disabled=not may("policies.change"),
        hide_index=True,
        column_config={
            "name": st.column_config.TextColumn(say("Policy"), max_chars=50, required=True),
            "removes": st.column_config.MultiselectColumn(
                say("Leaves out"), options=list(names.values()), width="large"
            ),
            "default": st.column_config.CheckboxColumn(say("Default"), width="small"),
        },
        alt=say("Your policies"),
    )
    edits = state[key]
    if edits["edited_rows"] or edits["deleted_rows"]:
        try:
            _apply(policies, account, known, edits)
        except BadField as error:
            state[_PROBLEM] = error
        state[_ROUND] += 1
        st.rerun()  # a table without edits
    if _PROBLEM in state:
        draw_error(state.pop(_PROBLEM))
    _offer_undo(policies, account)
    if may("policies.create"):
        how = say("Make a new policy on a project's page: choose what to leave out, then save.")
        st.caption(how)


def _apply(
    policies: Policies, account: str, known: Sequence[NamedPolicy], edits: Mapping[str, Any]
) -> None:
    """Make the changes of an edited table, deletions last."""
    by_words = {name_ground(ground): ground for ground in Ground}
    for row, cells in edits["edited_rows"].items():
        one = known[int(row)]
        if cells.get("default"):
            policies.make_default(account, one.policy_id)
        if "name" in cells:
            policies.change(account, one.policy_id, name=cells["name"] or "")
        if "removes" in cells:
            chosen = CleaningPolicy(frozenset(by_words[words] for words in cells["removes"] or ()))
            policies.change(account, one.policy_id, choice=replace(one.choice, policy=chosen))
    for row in edits["deleted_rows"]:
        policies.delete(account, known[row].policy_id)
        st.session_state[_DELETED] = known[row]


def _offer_undo(policies: Policies, account: str) -> None:
    deleted = st.session_state.get(_DELETED)
    if deleted is None:
        return

    @guard
    def undo() -> None:
        policies.create(account, say_policy(deleted), deleted.choice)
        del st.session_state[_DELETED]

    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(say("“{name}” is deleted.", name=say_policy(deleted)), width="content")
        st.button(say("Undo"), key="policy_undo", icon=":material/undo:", on_click=undo)
