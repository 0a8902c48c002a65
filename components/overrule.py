"""Always keep, review or remove: one verdict overruled by the account's own lists, in one click."""

from collections.abc import Callable, Sequence

import streamlit as st

from backend.core.address import parse_address
from backend.core.errors import AddressSyntaxError, BadField
from backend.core.facts import Evidence
from backend.core.own_lists import show_pattern
from backend.core.policy import OWN_REASONS
from backend.core.verdict import RECOMMENDED_ACTIONS, Category, Verdict
from backend.core.words import SHAPES, name_category
from components.boundary import guard
from components.markdown import escape_markdown

Add = Callable[[str, Category], object]
Remove = Callable[[str], object]

_SAID = "own_said"
_DOMAIN, _ADDRESS = "domain", "address"


def draw_overrule(
    text: str,
    verdict: Verdict,
    evidence: Sequence[Evidence],
    add: Add,
    remove: Remove,
    *,
    key: str,
) -> bool:
    """Draw the buttons for one address; nothing for a value that no list can save.

    Args:
        text: The address as it stands.
        verdict: What it got.
        evidence: What stands behind it; names the entry of the own lists, if one decided.
        add: Puts a pattern on a list.
        remove: Takes a pattern off.
        key: Tells several of these apart.

    Returns:
        Whether something was pressed; it is done by then.
    """
    try:
        address = parse_address(text)
    except AddressSyntaxError:
        return False
    pattern = next((found.matched for found in evidence if found.reason in OWN_REASONS), None)
    if pattern is not None:
        return _draw_listed(verdict, pattern, remove, key)
    whole = "its domain" if "xn--" in address.domain else address.domain  # twice is too long here
    st.markdown("**From now on**")
    scope = st.segmented_control(
        "What",
        [_DOMAIN, _ADDRESS],
        default=_DOMAIN,
        required=True,
        format_func=lambda value: f"All of {whole}" if value == _DOMAIN else "Only this address",
        key=f"{key}_scope",
        label_visibility="collapsed",
    )
    wanted = address.domain if scope == _DOMAIN else str(address)
    pressed = False
    with st.container(horizontal=True):
        for category in Category:
            action = RECOMMENDED_ACTIONS[category].value
            pressed |= st.button(
                f"{SHAPES[category]} Always {action}",
                key=f"{key}_{category.value}",
                on_click=guard(_add),
                args=(add, wanted, category),
            )
    st.caption("Goes on your own lists: in force at once, here and in later downloads; no charge.")
    return pressed


def _draw_listed(verdict: Verdict, pattern: str, remove: Remove, key: str) -> bool:
    st.markdown(
        f"On your own list: **{_word_pattern(pattern)}** is {name_category(verdict.category)}."
    )
    if verdict.overruled is not None:
        base = verdict.overruled
        st.caption(f"Without it: {name_category(base.category)}, {base.domain_type.value}.")
    return st.button(
        "Take it off the list", key=f"{key}_off", on_click=guard(_remove), args=(remove, pattern)
    )


def _word_pattern(pattern: str) -> str:
    return escape_markdown(show_pattern(pattern))


def _add(add: Add, pattern: str, category: Category) -> None:
    try:
        add(pattern, category)
    except BadField as error:
        st.session_state[_SAID] = f"Not added: it {error.problem}."
        return
    st.session_state[_SAID] = f"{_word_pattern(pattern)} is {name_category(category)} from now on."


def _remove(remove: Remove, pattern: str) -> None:
    remove(pattern)
    st.session_state[_SAID] = f"{_word_pattern(pattern)} is off your lists."


def tell_overruled() -> None:
    """Say once what the last press did."""
    if _SAID in st.session_state:
        st.toast(st.session_state.pop(_SAID))
