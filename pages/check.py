"""Check: one address, or a few, judged while you look."""

from functools import partial

import streamlit as st

from backend.bootstrap import services
from backend.core.accounts import LOCAL_ACCOUNT
from backend.core.verdict import Category
from components.check_field import draw_check_field
from components.overrule import draw_overrule, tell_overruled
from components.recent import draw_recent
from components.verdict import draw_verdict, draw_verdict_table

MOST_AT_ONCE = 200  # more than this is a list, and has a page of its own
desk = services()
checks = desk.checks


def ask(text: str) -> None:
    """Put a text to the check and remember what comes out."""
    st.session_state["check_text"] = text
    st.session_state["check_shown"] = st.session_state.get("check_shown", 0) + 1
    for line in split_lines(text)[:MOST_AT_ONCE]:
        checks.remember(LOCAL_ACCOUNT, checks.check(LOCAL_ACCOUNT, line))


def keep(pattern: str, category: Category) -> None:
    """Put a pattern on an own list."""
    desk.own_lists.add(LOCAL_ACCOUNT, pattern, category)


def forget(pattern: str) -> None:
    """Take a pattern off the own lists."""
    desk.own_lists.remove(LOCAL_ACCOUNT, [pattern])


def split_lines(text: str) -> list[str]:
    """Return the addresses of a pasted column; blank lines drop out."""
    return [line.strip() for line in text.splitlines() if line.strip()]


st.title("Check an address")
draw_check_field(
    st.session_state.get("check_text", ""),
    shown=st.session_state.get("check_shown", 0),
    key="check_field",
    on_submit=ask,
)

lines = split_lines(st.session_state.get("check_text", ""))
if len(lines) == 1:
    result = checks.check(LOCAL_ACCOUNT, lines[0])
    suggestion = draw_verdict(
        result,
        partial(
            draw_overrule, lines[0], result.verdict, result.evidence, keep, forget, key="check"
        ),
    )
    if suggestion:
        ask(suggestion)
        st.rerun()
elif lines:
    draw_verdict_table([checks.check(LOCAL_ACCOUNT, line) for line in lines[:MOST_AT_ONCE]])
    if len(lines) > MOST_AT_ONCE:
        st.info(
            f"The first {MOST_AT_ONCE} of {len(lines):,} lines. For more, save them as a CSV file "
            "and use Clean a list."
        )

recent = checks.recent(LOCAL_ACCOUNT)
if recent:
    again, clear = draw_recent(recent)
    if clear:
        checks.clear_recent(LOCAL_ACCOUNT)
        st.rerun()
    if again:
        ask(again)
        st.rerun()
elif not lines:
    st.caption("Checks made here stay on this machine and are not charged.")
tell_overruled()
