"""Policies: the choice of what a download leaves out, and the table of all policies."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from components.frame.error_boundary import guard
from components.frame.session import may, set_widget
from components.kit.charts import draw_counts
from components.kit.notices import TABLE_HELP, draw_refusal, keep_refusal
from components.kit.project_view import OpenedProject
from winnow.core.figures import show_count
from winnow.core.lists.cleaning import USUAL_GROUNDS, CleaningEffect, CleaningPolicy
from winnow.core.lists.exports import DownloadChoice
from winnow.core.lists.named_policy import NamedPolicy, say_policy
from winnow.core.lists.silence import SILENT_MONTHS
from winnow.core.verdicts.domain_types import Ground
from winnow.core.verdicts.verdict import name_ground
from winnow.services.names import NAME_MAX_CHARACTERS
from winnow.services.own.policies import Policies
from winnow.words import say

_PICKED, _NEW_NAME = "policy_picked", "policy_new_name"
_OWN_CHOICE = ""
_DELETED, _ROUND = "policies_deleted", "policies_round"
_REMOVES_PX, _LINE_PX, _LETTER_PX, _CHIP_PX = 400, 26, 7, 24  # of what a policy leaves out
_PLACE = "policies"


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
    set_widget("policy_grounds", [one for one in offered if one in choice.policy.grounds])

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
            "A row can match several switches and is counted once. Your keep list outranks all "
            "but do-not-mail files and unsubscribed rows."
        ),
    )
    if effect.lost:
        by_size = sorted(effect.lost_by_reason.items(), key=lambda item: -item[1])
        with st.container(key="lost_by_reason"):
            draw_counts(
                say("Why rows are left out"),
                [say(reason.words) for reason, _ in by_size],
                {say("Rows"): [count for _, count in by_size]},
                [count / effect.lost for _, count in by_size],
                most_shown=5,
            )


def keep_grounds(view: OpenedProject, grounds: frozenset[Ground]) -> None:
    """Leave out the rows of these grounds, in the page's choice."""
    choice = view.find_choice()
    view.choose(replace(choice, policy=replace(choice.policy, grounds=grounds)))


def draw_policy_picker(view: OpenedProject) -> None:
    """Draw the active policy; a choice of one's own can be saved as a policy."""
    state, choice = st.session_state, view.find_choice()
    policies = view.services.policies.list(view.account)
    by_id = {one.policy_id: one for one in policies}
    alike = [one for one in policies if one.choice == choice]
    alike.sort(key=lambda one: (one.policy_id != state.get(_PICKED), not one.is_default))
    shown = next(iter(alike), None)  # of several equal ones the one picked
    options = list(by_id) if shown else [_OWN_CHOICE, *by_id]
    set_widget("policy_choice", shown.policy_id if shown else _OWN_CHOICE)

    @guard
    def pick() -> None:
        picked = by_id.get(state["policy_choice"])
        if picked is not None:
            state[_PICKED] = picked.policy_id
            view.choose(picked.choice)

    st.selectbox(
        say("Policy"),
        options,
        format_func=lambda one: _name_option(by_id.get(one)),
        key="policy_choice",
        on_change=pick,
        width=320,
    )
    draw_refusal(_PLACE)
    if shown is None and may(view.services.policies.create):
        _draw_saving(view, choice)


def _name_option(policy: NamedPolicy | None) -> str:
    if policy is None:
        return say("Your own choice, not saved")
    name = say_policy(policy)
    return say("{name} (default)", name=name) if policy.is_default else name


def _draw_saving(view: OpenedProject, choice: DownloadChoice) -> None:
    """Offer to save a choice that no policy has."""
    state = st.session_state

    @guard
    def create() -> None:
        with keep_refusal(_PLACE):
            made = view.services.policies.create(view.account, state[_NEW_NAME], choice)
            state[_PICKED], state[_NEW_NAME] = made.policy_id, ""

    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(
            say("Name"), max_chars=NAME_MAX_CHARACTERS, key=_NEW_NAME, persist_state="page"
        )
        st.button(say("Save as a new policy"), key="policy_create", on_click=create)


def draw_policy_comparison(view: OpenedProject) -> None:
    """Draw what each policy keeps of the list, and what it leaves out by which ground."""
    policies = view.services.policies.list(view.account)
    effects = [view.services.results.weigh(*view.ids, one.choice.policy) for one in policies]
    grounds = [one for one in Ground if any(one in effect.lost_by_ground for effect in effects)]
    data: dict[str, Sequence[Any]] = {
        say("Policy"): [say_policy(policy) for policy in policies],
        say("Kept"): [effect.kept for effect in effects],
        say("of these to review"): [effect.review for effect in effects],
        say("Left out"): [effect.lost for effect in effects],
    }
    for ground in grounds:  # of those left out
        data[name_ground(ground)] = [effect.lost_by_ground.get(ground, 0) for effect in effects]
    number = st.column_config.NumberColumn(format="localized")
    counted = [name for name, values in data.items() if isinstance(values[0], int)]
    st.dataframe(
        data,
        hide_index=True,
        height="content",
        alt=say("What each policy keeps and leaves out"),
        column_config=dict.fromkeys(counted, number),
    )


def draw_policies(policies: Policies, account: str) -> None:
    """Draw the table of policies, whose cells can be changed and whose rows can be deleted."""
    state, known = st.session_state, policies.list(account)
    key = f"policies_{state.setdefault(_ROUND, 0)}"
    st.caption(
        say(
            "A policy says which rows the cleaned file leaves out; the default is used for every "
            "project unless you choose another one there."
        )
    )

    names = {ground: name_ground(ground) for ground in Ground}
    removes = [
        [names[ground] for ground in Ground if ground in one.choice.policy.grounds] for one in known
    ]
    st.data_editor(
        {
            "name": [say_policy(one) for one in known],
            "removes": removes,
            "silent": [one.choice.policy.silent_months or 0 for one in known],
            "default": [one.is_default for one in known],
        },
        key=key,
        num_rows="delete" if may(policies.change) else "fixed",
        disabled=not may(policies.change),
        hide_index=True,
        height="content",
        row_height=_find_height(removes),
        column_config={
            "name": st.column_config.TextColumn(
                say("Policy"), max_chars=NAME_MAX_CHARACTERS, required=True
            ),
            "removes": st.column_config.MultiselectColumn(
                say("Leaves out"), options=list(names.values()), width=_REMOVES_PX
            ),
            "silent": st.column_config.SelectboxColumn(
                say("Not mailed: silent for"),
                options=[0, *SILENT_MONTHS],
                format_func=lambda one: say("{months} months", months=one) if one else "",
                required=True,
            ),
            "default": st.column_config.CheckboxColumn(say("Default"), width="small"),
        },
        alt=say("Your policies"),
    )
    edits = state[key]
    if edits["edited_rows"] or edits["deleted_rows"]:
        with keep_refusal(_PLACE):
            _apply(policies, account, known, edits)
        state[_ROUND] += 1
        st.rerun()  # a table without edits
    draw_refusal(_PLACE)
    _offer_undo(policies, account)
    if may(policies.change):
        how = say("Make a new policy on a project's page: choose what to leave out, then save.")
        st.caption(f"{say(TABLE_HELP)} {how}")


def _find_height(removes: Sequence[Sequence[str]]) -> int:
    """Return how high a row of the table is, in pixels, so that it has all that a policy names."""
    widest = max(
        (sum(_CHIP_PX + _LETTER_PX * len(one) for one in some) for some in removes), default=0
    )
    return _LINE_PX * (2 + widest // _REMOVES_PX)


def _apply(
    policies: Policies, account: str, known: Sequence[NamedPolicy], edits: Mapping[str, Any]
) -> None:
    """Make the changes of an edited table, deletions last."""
    by_words = {name_ground(ground): ground for ground in Ground}
    for row, cells in edits["edited_rows"].items():
        one = known[int(row)]
        if cells.get("default"):
            policies.change(account, one.policy_id, is_default=True)
        if "name" in cells:
            policies.change(account, one.policy_id, name=cells["name"] or "")
        if "removes" in cells or "silent" in cells:
            policy = one.choice.policy
            words = cells.get("removes", map(name_ground, policy.grounds)) or ()
            grounds = frozenset(by_words[one] for one in words)
            chosen = CleaningPolicy(grounds, cells.get("silent", policy.silent_months) or None)
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
