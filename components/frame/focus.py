"""Keyboard focus, which Streamlit leaves on the body when a page is drawn anew."""

import streamlit as st

_SCRIPT = """
const seen = new WeakMap()
export default function ({ data, parentElement }) {
  if (seen.get(parentElement) === data.once) return
  seen.set(parentElement, data.once)
  let tries = 50  // what had the focus is taken away when the new page is whole
  const move = () => {
    const now = document.activeElement  // the link that led here has done its work
    const isFree = now === document.body || now.href === location.href
    if (isFree) {  // hidden ones, by which Streamlit measures, take no focus
      for (const one of document.querySelectorAll(data.where)) one.focus({ preventScroll: true })
    }
    if ((!isFree || document.activeElement === now) && tries--) setTimeout(move, 100)
  }
  setTimeout(move, 50)
}
"""


def move_focus(where: str, *, once: str) -> None:
    """Move the focus to an element that is next, unless another one has it.

    Args:
        where: CSS selector of the element.
        once: Names the occasion; it is moved once for each, on each visit of a page.
    """
    draw = st.components.v2.component("winnow_focus", js=_SCRIPT)
    draw(data={"where": where, "once": once}, key=f"focus_{once}")
