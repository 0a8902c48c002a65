"""The rest of the API page: usage, bans, calls to copy."""

from collections.abc import Sequence

import streamlit as st

from components.charts import CONFIG, USAGE_CHART_PX, build_usage_chart
from components.local_time import show_local
from components.snippets import write_curl, write_python
from winnow.core.accounts import Ban, UsageDay
from winnow.core.figures import count_things, show_count


def draw_usage(days: Sequence[UsageDay]) -> None:
    """Draw the charged addresses of the last days."""
    single = sum(day.single for day in days)
    batch = sum(day.batch for day in days)
    st.markdown(
        f"**{count_things(single + batch, 'address', 'addresses')}** charged in "
        f"{count_things(len(days), 'day')}: {show_count(batch)} in lists, "
        f"{count_things(single, 'single check')}. Invalid addresses, sandbox keys and checks on "
        "these pages are free."
    )
    if single + batch:
        st.plotly_chart(
            build_usage_chart(days),
            height=USAGE_CHART_PX,
            key="usage_chart",
            config=CONFIG,
            alt=f"Charged addresses by day, {show_count(single + batch)} in all",
        )


def draw_bans(bans: Sequence[Ban], threshold: int, *, counts_loopback: bool) -> str | None:
    """Draw the callers with attempts taken; return the one that is to be let in again.

    Args:
        bans: Banned ones and those who are on the way.
        threshold: Black answers until a ban; 0 is off.
        counts_loopback: Whether callers on this machine can be banned as well.
    """
    if threshold == 0:
        st.caption("Bans are off: WINNOW_BAN_THRESHOLD.")
        return None
    if not bans:
        st.caption(
            f"Nobody is banned. A caller who checks {threshold} black addresses one by one is "
            "banned for a day; lists never ban"
            + ("." if counts_loopback else ", and callers on this machine are exempt.")
        )
        return None
    lift = None
    for ban in bans:
        with st.container(border=True):
            client, state, until, action = st.columns([5, 3, 4, 3], vertical_alignment="center")
            client.markdown(f"`{ban.client}`")
            if ban.attempts_left:
                state.badge(f"{count_things(ban.attempts_left, 'attempt')} left", color="gray")
            else:
                state.badge("Banned", color="red", icon=":material/block:")
            until.caption(f"until {show_local(ban.lapses_at, exact=True)}")
            label = "Forgive" if ban.attempts_left else "Unban"
            if action.button(label, key=f"unban_{ban.client}", width="stretch"):
                lift = ban.client
    return lift


def draw_snippets(base: str) -> None:
    """Draw the calls to copy, and the way to the reference."""
    curl, python = st.tabs(["curl", "Python"])
    curl.code(write_curl(base), language="bash", wrap_lines=True)
    python.code(write_python(base), language="python", wrap_lines=True)
    st.link_button("Open the reference", f"{base}/docs", icon=":material/menu_book:")
