"""Keyboard focus, which Streamlit leaves on the body when a page is drawn anew."""

import streamlit as st

_SCRIPT = """
export default function ({ data }) {
  let tries = 30  // what had the focus may be taken away only when the page is whole
  const move = () => {
    const next = document.activeElement === document.body && document.querySelector(data.where)
    if (next) next.focus({ preventScroll: true })
    else if (tries--) setTimeout(move, 100)
  }
  setTimeout(move, 50)
}
"""
_FOCUSED = "focused"


def move_focus(where: str, *, once: str) -> None:
    """Move the focus to an element that is next, unless another one has it.

    Args:
        where: CSS selector of the element.
        once: Names the occasion, on which it is moved once in a session.
    """
    if st.session_state.get(_FOCUSED) == once:
        return
    st.session_state[_FOCUSED] = once
    draw = st.components.v2.component("winnow_focus", js=_SCRIPT)
    draw(data={"where": where}, key=f"focus_{once}")
