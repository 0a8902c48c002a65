"""The ages of the disposable lists, and the button that fetches them anew."""

from collections.abc import Callable, Sequence

import streamlit as st

from backend.core.refresh import ListAge, RefreshOutcome, RefreshState
from components.figures import show_count

BUTTON = "refresh_lists"
RESULT = "refresh_result"
MINUS = "\N{MINUS SIGN}"


def draw_list_refresh(
    lists: Sequence[ListAge],
    *,
    is_allowed: bool,
    on_refresh: Callable[[], Sequence[RefreshOutcome]],
) -> None:
    """Draw a line for each list, the button, and what the last press in this session brought."""
    st.markdown("**Lists of throw-away services**")
    st.markdown("\n".join(f"- {describe_age(age)}" for age in lists))
    if st.button("Refresh lists now", key=BUTTON, disabled=not is_allowed):
        with st.spinner("Fetching the lists…"):
            st.session_state[RESULT] = refresh_and_tell(on_refresh)
        st.rerun()  # the foot line above has drawn the former data
    hosts = " and ".join(sorted({age.host for age in lists}))
    st.caption(
        f"Fetches these lists over https from {hosts}; nothing else is contacted and nothing "
        "of yours is sent. Only this button does it, never a schedule."
    )
    if not is_allowed:
        st.caption("Locked off by the setting WINNOW_NETWORK.")
    if lines := st.session_state.get(RESULT):
        st.markdown("\n".join(f"- {line}" for line in lines))


def refresh_and_tell(on_refresh: Callable[[], Sequence[RefreshOutcome]]) -> list[str]:
    """Refresh, and return what came of it in one line for each list."""
    try:
        return [describe_outcome(outcome) for outcome in on_refresh()]
    except OSError:
        return ["The data folder cannot be written. Free some space, then try again."]


def describe_age(age: ListAge) -> str:
    """Say how old a list is: ``"FakeFilter: not used until refreshed"``."""
    if not age.is_counted:
        return f"{age.name}: not used until refreshed"
    day = "of unknown date" if age.dated_on is None else f"of {age.dated_on.isoformat()}"
    return f"{age.name}: {'refreshed copy' if age.is_refreshed else 'as installed'}, {day}"


def describe_outcome(outcome: RefreshOutcome) -> str:
    """Say what became of a list: ``"FakeFilter: +412"`` and what left it."""
    if outcome.state is RefreshState.CHANGED:
        return f"{outcome.name}: +{show_count(outcome.added)} {MINUS}{show_count(outcome.removed)}"
    if outcome.state is RefreshState.UNCHANGED:
        return f"{outcome.name}: unchanged"
    if outcome.state is RefreshState.REFUSED:
        return f"{outcome.name}: refused, nothing changed: {outcome.reason}"
    return f"{outcome.name}: unreachable, nothing changed: {outcome.reason}"
