"""The rest of the API page: usage, bans, calls to copy."""

from collections.abc import Sequence

import streamlit as st

from components.charts import CONFIG, USAGE_CHART_PX, build_usage_chart
from components.local_time import show_local
from components.snippets import write_curl, write_python
from winnow.core.accounts import Ban, UsageDay
from winnow.core.figures import show_count
from winnow.words import say, say_many


def draw_usage(days: Sequence[UsageDay]) -> None:
    """Draw the charged addresses of the last days."""
    single = sum(day.single for day in days)
    batch = sum(day.batch for day in days)
    st.markdown(
        say(
            "**{all}** addresses counted in {days} days: {batch} in lists, {single} one by one. "
            "Invalid addresses, sandbox keys and single checks on these pages are not counted.",
            all=show_count(single + batch),
            days=len(days),
            batch=show_count(batch),
            single=show_count(single),
        )
    )
    if single + batch:
        st.plotly_chart(
            build_usage_chart(days),
            height=USAGE_CHART_PX,
            key="usage_chart",
            config=CONFIG,
            alt=say("Addresses counted by day, {all} in all", all=show_count(single + batch)),
        )


def draw_bans(bans: Sequence[Ban], threshold: int, *, counts_loopback: bool) -> str | None:
    """Draw the callers with attempts taken; return the one that is to be let in again.

    Args:
        bans: Banned ones and those who are on the way.
        threshold: Black answers until a ban; 0 is off.
        counts_loopback: Whether callers on this machine can be banned as well.
    """
    if threshold == 0:
        st.caption(say("Bans are switched off (WINNOW_BAN_THRESHOLD)."))
        return None
    if not bans:
        rule = say(
            "Nobody is banned. A caller who checks {count} black addresses one by one is banned "
            "for a day. Lists never lead to a ban.",
            count=threshold,
        )
        exempt = "" if counts_loopback else say("Callers on this machine are never banned.")
        st.caption(f"{rule} {exempt}")
        return None
    lift = None
    for ban in bans:
        with st.container(border=True):
            client, state, until, action = st.columns([5, 3, 4, 3], vertical_alignment="center")
            client.markdown(f"`{ban.client}`")
            if ban.attempts_left:
                left = say_many(ban.attempts_left, "{count} attempt left", "{count} attempts left")
                state.badge(left, color="gray")
            else:
                state.badge(say("Banned"), color="red", icon=":material/block:")
            until.caption(say("until {moment}", moment=show_local(ban.lapses_at, exact=True)))
            label = say("Reset") if ban.attempts_left else say("Unban")
            if action.button(label, key=f"unban_{ban.client}", width="stretch"):
                lift = ban.client
    return lift


def draw_snippets(base: str) -> None:
    """Draw the calls to copy, and the way to the reference."""
    curl, python = st.tabs(["curl", "Python"])
    curl.code(write_curl(base), language="bash", wrap_lines=True)
    python.code(write_python(base), language="python", wrap_lines=True)
    st.link_button(say("Open the API reference"), f"{base}/docs", icon=":material/menu_book:")
