"""Picker of named policies on a project; a choice that no policy has can be saved."""

from collections.abc import Callable, Sequence

import streamlit as st

from components.frame.error_boundary import guard
from components.kit.markdown import escape_markdown
from components.kit.notices import draw_error
from components.kit.page_params import page_params
from components.project.download_choice import list_choice_params
from components.project.view import OpenedProject
from winnow.core.errors import BadField
from winnow.core.lists.download_choice import DownloadChoice
from winnow.core.lists.named_policy import NamedPolicy, say_policy
from winnow.words import say

NAME_MAX_CHARACTERS = 50  # as winnow.services.uploads.names has it
_PICKED, _NEW_NAME, _PROBLEM = "policy_picked", "policy_new_name", "policy_problem"
_OWN_CHOICE = ""


def draw_policy_picker(view: OpenedProject) -> None:
    """Draw the active policy; a choice of one's own can be saved as a policy."""
    state, choice = st.session_state, view.find_choice()
    policies = view.services.policies.list(view.account)
    by_id = {one.policy_id: one for one in policies}
    shown = _find_shown(policies, choice)
    base = by_id.get(state.get(_PICKED, "")) or next(one for one in policies if one.is_default)
    options = list(by_id) if shown else [_OWN_CHOICE, *by_id]
    state["policy_choice"] = shown.policy_id if shown else _OWN_CHOICE

    @guard
    def pick() -> None:
        picked = by_id.get(state["policy_choice"])
        if picked is not None:
            state[_PICKED] = picked.policy_id
            page_params.put(list_choice_params(picked.choice, view.find_default()))

    st.selectbox(
        say("Policy"),
        options,
        format_func=lambda one: _name_option(by_id.get(one)),
        key="policy_choice",
        on_change=pick,
        width=320,
    )
    if _PROBLEM in state:
        draw_error(state.pop(_PROBLEM))
    if shown is None:
        _draw_saving(view, base, choice)


def _find_shown(policies: Sequence[NamedPolicy], choice: DownloadChoice) -> NamedPolicy | None:
    """Return the policy that equals the choice; of several equal ones the one picked."""
    alike = [one for one in policies if one.choice == choice]
    picked = [one for one in alike if one.policy_id == st.session_state.get(_PICKED)]
    default = [one for one in alike if one.is_default]
    return next(iter((*picked, *default, *alike)), None)


def _name_option(policy: NamedPolicy | None) -> str:
    if policy is None:
        return say("Your own choice, not saved")
    name = say_policy(policy)
    return say("{name} (default)", name=name) if policy.is_default else name


def _draw_saving(view: OpenedProject, base: NamedPolicy, choice: DownloadChoice) -> None:
    """Offer to save a choice that no policy has."""
    state, policies = st.session_state, view.services.policies

    def create() -> None:
        made = policies.create(view.account, state[_NEW_NAME], choice)
        state[_PICKED], state[_NEW_NAME] = made.policy_id, ""

    def overwrite() -> None:
        policies.change(view.account, base.policy_id, choice=choice)

    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(
            say("Name"), max_chars=NAME_MAX_CHARACTERS, key=_NEW_NAME, persist_state="page"
        )
        st.button(say("Save as a new policy"), key="policy_create", on_click=_refusing(create))
        st.button(
            say("Change “{name}” to this", name=escape_markdown(say_policy(base))),
            key="policy_overwrite",
            on_click=_refusing(overwrite),
            wrap=True,
        )


def _refusing(act: Callable[[], object]) -> Callable[[], None]:
    """Return an action that stores its error, which the next run shows."""

    def press() -> None:
        try:
            act()
        except BadField as error:
            st.session_state[_PROBLEM] = error

    return guard(press)
