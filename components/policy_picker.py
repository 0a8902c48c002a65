"""Named policies: one is picked for what is left out and how files look; made, changed, deleted."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import streamlit as st

from components.error_boundary import guard
from components.markdown import escape_markdown
from components.notices import draw_error
from winnow.core.errors import BadField
from winnow.core.lists.cleaning import CleaningPolicy
from winnow.core.lists.download_choice import DownloadChoice
from winnow.core.lists.named_policy import SHIPPED, NamedPolicy
from winnow.core.verdicts.grounds import Ground
from winnow.core.verdicts.words import name_ground
from winnow.words import say

NAME_MAX_CHARACTERS = 50  # as winnow.services.names has it
_PICKED, _NEW_NAME, _PROBLEM = "policy_picked", "policy_new_name", "policy_problem"
_DELETING = "policy_deleting"
_OWN_CHOICE = ""
_SHIPPED_NAMES = {one.policy_id: one.name for one in SHIPPED}


@dataclass(frozen=True, slots=True)
class PolicyActions:
    """What can be done to an account's policies; each may raise BadField."""

    create: Callable[[str, DownloadChoice], NamedPolicy]
    change: Callable[..., NamedPolicy]
    make_default: Callable[[str], None]
    delete: Callable[[str], None]


def say_policy(policy: NamedPolicy) -> str:
    """Return a policy's name; one that came with Winnow and was not renamed is said."""
    is_shipped = _SHIPPED_NAMES.get(policy.policy_id) == policy.name
    return say(policy.name) if is_shipped else policy.name


def draw_policy_picker(
    policies: Sequence[NamedPolicy],
    choice: DownloadChoice,
    actions: PolicyActions,
    on_change: Callable[[DownloadChoice], None],
) -> None:
    """Draw which policy holds, and what can be done to it.

    Args:
        policies: The account's, in their order.
        choice: As it stands in the address.
        actions: What changes the policies.
        on_change: Takes another choice before the page runs again.
    """
    state = st.session_state
    by_id = {one.policy_id: one for one in policies}
    shown = _find_shown(policies, choice)
    base = by_id.get(state.get(_PICKED, "")) or next(one for one in policies if one.is_default)
    options = list(by_id) if shown else [_OWN_CHOICE, *by_id]
    state["policy_choice"] = shown.policy_id if shown else _OWN_CHOICE

    def pick() -> None:
        picked = by_id.get(state["policy_choice"])
        if picked is not None:
            state[_PICKED] = picked.policy_id
            on_change(picked.choice)

    with st.container(horizontal=True, vertical_alignment="bottom", key="policy_line"):
        st.selectbox(
            say("Policy"),
            options,
            format_func=lambda one: _name_option(by_id.get(one)),
            key="policy_choice",
            on_change=guard(pick),
            width=320,
            help=say(
                "A policy is what to leave out and how the files look, under a name. The default "
                "holds for every project where you have chosen nothing else."
            ),
        )
        with st.popover(say("Save or change policies"), icon=":material/bookmark:"):
            _draw_problem()
            if shown is None:
                _draw_saving(base, choice, actions)
            else:
                _draw_shown(shown, actions, on_change)


def _find_shown(policies: Sequence[NamedPolicy], choice: DownloadChoice) -> NamedPolicy | None:
    """Return the policy that the choice is; of several alike the one that was picked."""
    alike = [one for one in policies if one.choice == choice]
    picked = [one for one in alike if one.policy_id == st.session_state.get(_PICKED)]
    default = [one for one in alike if one.is_default]
    return next(iter((*picked, *default, *alike)), None)


def _name_option(policy: NamedPolicy | None) -> str:
    if policy is None:
        return say("Your own choice, not saved")
    name = say_policy(policy)
    return say("{name} (default)", name=name) if policy.is_default else name


def _draw_problem() -> None:
    problem = st.session_state.pop(_PROBLEM, None)
    if problem is not None:
        draw_error(problem)


def _draw_saving(base: NamedPolicy, choice: DownloadChoice, actions: PolicyActions) -> None:
    """Offer to keep a choice that no policy has."""
    state = st.session_state

    def create() -> None:
        made = actions.create(state[_NEW_NAME], choice)
        state[_PICKED], state[_NEW_NAME] = made.policy_id, ""

    st.text_input(say("Name"), max_chars=NAME_MAX_CHARACTERS, key=_NEW_NAME)
    st.button(
        say("Save as a new policy"),
        icon=":material/bookmark_add:",
        key="policy_create",
        on_click=_refusing(create),
    )
    st.button(
        say("Change “{name}” to this", name=escape_markdown(say_policy(base))),
        key="policy_overwrite",
        on_click=_refusing(lambda: actions.change(base.policy_id, choice=choice)),
        wrap=True,
    )


def _draw_shown(
    shown: NamedPolicy, actions: PolicyActions, on_change: Callable[[DownloadChoice], None]
) -> None:
    """Offer what can be done to the policy that holds."""
    state = st.session_state
    name_key, goes_key = f"policy_name_{shown.policy_id}", f"policy_goes_{shown.policy_id}"
    state.setdefault(name_key, say_policy(shown))
    state[goes_key] = [one for one in Ground if one in shown.choice.policy.grounds]

    def rename() -> None:
        name = state.pop(name_key)
        if name.strip() != say_policy(shown):
            actions.change(shown.policy_id, name=name)

    def change_grounds() -> None:
        policy = CleaningPolicy(frozenset(state[goes_key]))
        changed = actions.change(shown.policy_id, choice=replace(shown.choice, policy=policy))
        state[_PICKED] = shown.policy_id
        on_change(changed.choice)

    def delete() -> None:
        actions.delete(shown.policy_id)
        for key in (_PICKED, _DELETING):
            state.pop(key, None)

    st.text_input(
        say("Name"), max_chars=NAME_MAX_CHARACTERS, key=name_key, on_change=_refusing(rename)
    )
    st.multiselect(
        say("Leaves out, in every list"),
        list(Ground),
        format_func=name_ground,
        key=goes_key,
        on_change=_refusing(change_grounds),
        placeholder=say("Nothing"),
    )
    if shown.is_default:
        st.caption(say("This is the default. To delete it, make another one the default first."))
        return
    with st.container(horizontal=True):
        st.button(
            say("Make it the default"),
            key="policy_default",
            on_click=_refusing(lambda: actions.make_default(shown.policy_id)),
        )
        ask = partial(state.update, {_DELETING: shown.policy_id})
        st.button(
            say("Delete it"), icon=":material/delete:", key="policy_delete", on_click=guard(ask)
        )
    if state.get(_DELETING) == shown.policy_id:
        _ask_for_deletion(shown, _refusing(delete))


def _ask_for_deletion(shown: NamedPolicy, delete: Callable[[], None]) -> None:
    """Ask once: a policy that is deleted cannot be brought back."""
    name = escape_markdown(say_policy(shown))
    st.warning(
        say("Delete “{name}” for good? Projects and files that it was used for stay.", name=name)
    )
    with st.container(horizontal=True):
        st.button(
            say("Delete “{name}”", name=name),
            type="primary",
            key="policy_delete_yes",
            on_click=delete,
        )
        keep = partial(st.session_state.pop, _DELETING, None)
        st.button(say("Keep it"), key="policy_delete_no", on_click=guard(keep))


def _refusing(act: Callable[[], object]) -> Callable[[], None]:
    """Return an action that keeps what refuses it for the next run, which shows it."""

    def press() -> None:
        try:
            act()
        except BadField as error:
            st.session_state[_PROBLEM] = error

    return guard(press)
