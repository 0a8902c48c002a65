"""API settings: keys, hooks, usage, bans."""

from collections.abc import Sequence
from functools import partial
from urllib.parse import urlsplit

import streamlit as st

from components.frame.error_boundary import dialog, guard
from components.frame.session import show_local, show_local_date
from components.kit.charts import CONFIG, USAGE_CHART_PX, build_usage_chart
from components.kit.html import escape_markdown
from components.kit.notices import draw_error
from components.settings.hooks import draw_hooks
from winnow.core.accounts import ApiKey, UsageDay
from winnow.core.errors import BadField
from winnow.core.figures import show_count
from winnow.core.settings import Settings
from winnow.core.tasks.task import KeyType
from winnow.services.accounts.accounts import Keys
from winnow.services.checks.bans import Bans
from winnow.services.services import Services
from winnow.words import mark, say, say_many

USAGE_DAYS = 30
NAME_MAX_CHARACTERS = 50  # decisions.md, "Keys"
_TYPE_WORDS = {
    KeyType.LIVE: mark("Live"),
    KeyType.SANDBOX: mark("Sandbox (for tests)"),
}


def draw_api(desk: Services, account: str) -> None:
    """Draw the keys, their hooks, the usage and the bans."""
    base = _find_base_address(desk.settings)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(say("Base address: `{address}`", address=base), width="content")
        st.link_button(say("Open the API reference"), f"{base}/docs", icon=":material/menu_book:")
    st.header(say("Keys"))
    draw_keys(desk.keys, account)
    st.header(say("Hooks"))
    draw_hooks(desk, account)
    st.header(say("Usage"))
    draw_usage(desk.usage.days(account, USAGE_DAYS))
    st.header(say("Bans"))
    draw_bans(desk.bans, counts_loopback=desk.settings.ban_loopback)


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


def draw_keys(keys: Keys, account: str) -> None:
    """Draw the form, a new key, and the list; a revocation is asked for once."""
    with (
        st.form("new_key", border=False),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        name = st.text_input(
            say("Name of the new key"),
            max_chars=NAME_MAX_CHARACTERS,
            placeholder=say("What will use it"),
            key="key_name",
            width=320,
        )
        key_type = st.segmented_control(
            say("Type"),
            list(KeyType),
            default=KeyType.LIVE,
            required=True,
            format_func=lambda value: say(_TYPE_WORDS[value]),
            key="key_type",
            help=say("A sandbox key is free and gives real answers for three test addresses only."),
        )
        is_wanted = st.form_submit_button(say("Generate key"), type="primary")
    if is_wanted:
        try:
            _draw_new_key(*keys.create(account, (name or "").strip(), KeyType(key_type)))
        except BadField as error:
            draw_error(error)
    known = keys.list(account)
    for key in known:
        if _draw_key(key):
            confirm_revoke(keys, account, key)
    if not known:
        st.caption(say("No key yet. Only programs that call the API need one."))


def _draw_new_key(key: ApiKey, secret: str) -> None:
    """Draw a new key, which is shown only once."""
    with st.container(border=True):
        st.markdown(
            say("Copy key **{name}** now: it is shown only once.", name=escape_markdown(key.name))
        )
        st.code(secret, language=None, wrap_lines=True)


def _draw_key(key: ApiKey) -> bool:
    """Draw one key; return whether it is to be revoked."""
    with st.container(border=True):
        name, kind, use, action = st.columns([5, 2, 5, 3], vertical_alignment="center")
        name.markdown(f"**{escape_markdown(key.name)}**  \n`{key.prefix}…`")
        kind.badge(
            say(_TYPE_WORDS[key.key_type]),
            color="blue" if key.key_type is KeyType.LIVE else "gray",
        )
        made = say("Made {day}", day=show_local_date(key.created_at))
        if key.maker is not None:
            person = escape_markdown(key.maker)
            made = say("Made {day} by {person}", day=show_local_date(key.created_at), person=person)
        used = say("Never used")
        if key.last_used_at:
            used = say_many(
                key.use_count,
                "Used {count} time, last {moment}",
                "Used {count} times, last {moment}",
                moment=show_local(key.last_used_at),
            )
        use.caption(f"{made}  \n{used}")
        if key.revoked_at is not None:
            action.caption(say("Revoked {day}", day=show_local_date(key.revoked_at)))
            return False
        return action.button(say("Revoke"), key=f"revoke_{key.prefix}", width="stretch")


@dialog(mark("Revoke this key?"))
def confirm_revoke(keys: Keys, account: str, key: ApiKey) -> None:
    """Ask once: name the key and what will stop working."""
    st.markdown(
        say(
            "Programs that use **{name}** will be refused. This cannot be undone.",
            name=escape_markdown(key.name),
        )
    )
    revoke = guard(partial(keys.revoke, account, key.prefix))
    with st.container(horizontal=True, horizontal_alignment="right"):
        if st.button(say("Keep it"), key="revoke_no"):
            st.rerun()
        if st.button(say("Revoke key"), key="revoke_yes", type="primary", on_click=revoke):
            st.rerun()
