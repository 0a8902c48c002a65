"""API settings: keys, usage, bans, sample calls."""

from collections.abc import Sequence
from functools import partial
from urllib.parse import urlsplit

import streamlit as st

from components.frame.error_boundary import guard
from components.kit.charts import CONFIG, USAGE_CHART_PX, build_usage_chart
from components.kit.local_time import show_local
from components.settings.key_list import draw_keys
from components.settings.snippets import write_curl, write_python
from winnow.core.accounts import UsageDay
from winnow.core.figures import show_count
from winnow.core.settings import Settings
from winnow.services.checks.bans import Bans
from winnow.services.services import Services
from winnow.words import say, say_many

USAGE_DAYS = 30


def draw_api(desk: Services, account: str) -> None:
    """Draw the keys, the usage, the bans and the calls to copy."""
    base = _find_base_address(desk.settings)
    st.markdown(say("Base address: `{address}`", address=base))
    st.header(say("Keys"))
    draw_keys(desk.keys, account)
    st.header(say("Usage"))
    draw_usage(desk.usage.days(account, USAGE_DAYS))
    st.header(say("Bans"))
    draw_bans(desk.bans, counts_loopback=desk.settings.ban_loopback)
    st.header(say("Calls to copy"))
    draw_snippets(base)


def _find_base_address(settings: Settings) -> str:
    """Return the API's base URL for clients on the network."""
    here = urlsplit(st.context.url or "http://127.0.0.1:8501")
    origin = settings.public_url or f"{here.scheme}://{here.netloc}"
    return origin + settings.base_path


def draw_usage(days: Sequence[UsageDay]) -> None:
    """Draw the charged addresses of the last days."""
    single = sum(day.single for day in days)
    batch = sum(day.batch for day in days)
    st.markdown(
        say(
            "**{all}** addresses counted in {days} days: {batch} in lists, {single} by single API "
            "checks, without invalid addresses and sandbox keys.",
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


def draw_bans(bans: Bans, *, counts_loopback: bool) -> None:
    """Draw the banned clients and those with black answers, each with its Unban."""
    if bans.threshold == 0:
        st.caption(say("Bans are switched off (WINNOW_BAN_THRESHOLD)."))
        return
    found = bans.list()
    if not found:
        rule = say(
            "No client is banned. {count} black addresses checked one by one lead to a ban of one "
            "day; lists do not.",
            count=bans.threshold,
        )
        exempt = "" if counts_loopback else say("Clients on this machine are never banned.")
        st.caption(f"{rule} {exempt}")
    for ban in found:
        with st.container(border=True):
            client, state, until, action = st.columns([5, 3, 4, 3], vertical_alignment="center")
            client.markdown(f"`{ban.client}`")
            if ban.attempts_left:
                left = say_many(ban.attempts_left, "{count} attempt left", "{count} attempts left")
                state.badge(left, color="gray")
            else:
                state.badge(say("Banned"), color="red", icon=":material/block:")
            until.caption(say("until {moment}", moment=show_local(ban.lapses_at, exact=True)))
            action.button(
                say("Reset") if ban.attempts_left else say("Unban"),
                key=f"unban_{ban.client}",
                on_click=guard(partial(bans.lift, ban.client)),
                width="stretch",
            )


def draw_snippets(base: str) -> None:
    """Draw the calls to copy, and the link to the reference."""
    curl, python = st.tabs(["curl", "Python"])
    curl.code(write_curl(base), language="bash", wrap_lines=True)
    python.code(write_python(base), language="python", wrap_lines=True)
    st.link_button(say("Open the API reference"), f"{base}/docs", icon=":material/menu_book:")
