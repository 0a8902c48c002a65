"""API settings: keys, hooks, usage, bans."""

from collections.abc import Mapping, Sequence
from datetime import date
from functools import partial

import streamlit as st

from components.frame.error_boundary import dialog, guard
from components.frame.html import escape_markdown
from components.frame.session import find_origin, show_local, show_local_date
from components.kit.notices import draw_confirmation, draw_error, draw_secret
from winnow.core.errors import BadField
from winnow.core.figures import show_count
from winnow.core.hooks import URL_MAX_CHARACTERS, Delivery, DeliveryState, Trouble
from winnow.core.identities import ApiKey
from winnow.core.network_answers import HOOKS
from winnow.core.tasks.task import KeyType
from winnow.core.usage import UsageDay
from winnow.services.accounts.accounts import Keys
from winnow.services.checks.bans import Bans
from winnow.services.names import NAME_MAX_CHARACTERS
from winnow.services.network.hooks import Hooks
from winnow.services.services import Services
from winnow.words import format_day, say, say_many, translatable

USAGE_DAYS = 30
_TYPE_WORDS = {
    KeyType.LIVE: translatable("Live"),
    KeyType.SANDBOX: translatable("Sandbox (for tests)"),
}
_STATES: Mapping[str, str] = {
    DeliveryState.WAITING: translatable("Waiting"),
    DeliveryState.DELIVERED: translatable("Delivered"),
    DeliveryState.FAILED: translatable("Failed"),
}
_TROUBLES: Mapping[str, str] = {
    Trouble.NO_HOOK: translatable("the key has no hook"),
    Trouble.NO_NAME: translatable("the name has no address"),
    Trouble.NOT_ALLOWED: translatable("the address is not allowed"),
    Trouble.NO_CONNECTION: translatable("no connection"),
    Trouble.TIMEOUT: translatable("no answer in time"),
    Trouble.BAD_ANSWER: translatable("no valid answer"),
    Trouble.INTERRUPTED: translatable("interrupted"),
}


def draw_api(services: Services, account: str) -> None:
    """Draw the keys, their hooks, the usage and the bans."""
    base = (services.settings.public_url or find_origin()) + services.settings.base_path
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(say("Base address: `{address}`", address=base), width="content")
        st.link_button(say("Open the API reference"), f"{base}/docs", icon=":material/menu_book:")
    st.header(say("Keys"))
    draw_keys(services.keys, account)
    st.header(say("Hooks"))
    draw_hooks(services, account)
    st.header(say("Usage"))
    draw_usage(services.usage.days(account, USAGE_DAYS))
    st.header(say("Bans"))
    draw_bans(services.bans, counts_loopback=services.settings.ban_loopback)


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
        table = [
            {
                say("Day"): format_day(date.fromisoformat(day.day)),
                say("In lists"): show_count(day.batch),
                say("Single checks by API"): show_count(day.single),
            }
            for day in reversed(days)
            if day.batch or day.single
        ]
        st.dataframe(table, hide_index=True, key="usage_days", alt=say("Addresses counted by day"))


def draw_bans(bans: Bans, *, counts_loopback: bool) -> None:
    """Draw the banned clients and those with black answers, each with its Unban."""
    if not bans.is_on:
        st.caption(say("Bans are switched off (WINNOW_BAN_THRESHOLD)."))
        return
    found = bans.list()
    if not found:
        rule = say(
            "No client is banned. A client is banned for a day after {count} single checks of "
            "black addresses.",
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
            until.caption(say("until {moment}", moment=show_local(ban.lapses_at)))
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
    with st.container():  # what is below keeps its place when the new key is no longer shown
        if is_wanted:
            try:
                key, secret = keys.create(account, (name or "").strip(), KeyType(key_type))
            except BadField as error:
                draw_error(error)
            else:
                made = escape_markdown(key.name)
                draw_secret(
                    say("Copy key **{name}** now: it is shown only once.", name=made), secret
                )
    known = keys.list(account)
    for key in known:
        if _draw_key(key):
            confirm_revoke(keys, account, key)
    if not known:
        st.caption(say("No key yet. Only programs that call the API need one."))


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


@dialog(translatable("Revoke this key?"))
def confirm_revoke(keys: Keys, account: str, key: ApiKey) -> None:
    """Ask once: name the key and what will stop working."""
    st.markdown(
        say(
            "Programs that use **{name}** will be refused. This cannot be undone.",
            name=escape_markdown(key.name),
        )
    )
    revoke = guard(partial(keys.revoke, account, key.prefix))
    draw_confirmation(say("Keep it"), say("Revoke key"), key="revoke", on_click=revoke)


def draw_hooks(services: Services, account: str) -> None:
    """Draw the hook of one key: its form, and its deliveries."""
    st.caption(
        say(
            "When a list submitted with this key finishes, Winnow sends a signed POST (Standard "
            "Webhooks) with counts and a status link, never an address."
        )
    )
    names = {key.prefix: key.name for key in services.keys.list(account) if key.revoked_at is None}
    if not names:
        return
    with st.container():  # what is below keeps its place
        if not services.network.is_on(HOOKS):
            st.markdown(say("Hooks are off. Turn them on under General; until then calls wait."))
    prefix = st.selectbox(
        say("Key"),
        list(names),
        format_func=lambda one: f"{names[one]} · {one}…",
        key="hook_key",
    )
    if prefix is None:
        return
    with st.container():
        _draw_form(services.hooks, account, prefix)
    for delivery in services.hooks.list_deliveries(account, prefix):
        with st.container(border=True):
            _draw_delivery(delivery, partial(services.hooks.replay, account, prefix))


def _draw_form(hooks: Hooks, account: str, prefix: str) -> None:
    """Draw the URL, and its secret once after it was saved."""
    with (
        st.form(f"hook_{prefix}", border=False),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        url = st.text_input(
            say("URL"),
            value=hooks.find_url(account, prefix) or "",
            max_chars=URL_MAX_CHARACTERS,
            placeholder="https://shop.example/winnow",
            key=f"hook_url_{prefix}",
            help=say("Saving makes a new secret; without a URL there is no hook."),
        )
        is_wanted = st.form_submit_button(say("Save"), key="hook_save")
    if not is_wanted:
        return
    try:
        secret = hooks.set_url(account, prefix, url or "")
    except BadField as error:
        draw_error(error)
        return
    if secret is not None:
        draw_secret(say("Copy the secret now: it is shown only once."), secret)


def _draw_delivery(delivery: Delivery, replay: partial[None]) -> None:
    task, tries, action = st.columns([6, 6, 3], vertical_alignment="center")
    task.markdown(f"{say(_STATES[delivery.state])}  \n`{delivery.task_id}`")
    tries.caption(describe_tries(delivery))
    action.button(
        say("Send again"),
        key=f"replay_{delivery.task_id}",
        on_click=guard(partial(replay, delivery.task_id)),
        width="stretch",
    )


def describe_tries(delivery: Delivery) -> str:
    """Return in words how often a delivery was tried, the last outcome, and what is next."""
    if delivery.tried_at is None or delivery.outcome is None:
        return say("Not tried yet")
    when, outcome = show_local(delivery.tried_at), delivery.outcome
    said = say(_TROUBLES[outcome]) if outcome in _TROUBLES else f"HTTP {escape_markdown(outcome)}"
    tried = say_many(
        delivery.attempt, "{count} try, last {moment}", "{count} tries, last {moment}", moment=when
    )
    if delivery.state is not DeliveryState.WAITING:
        return f"{tried}  \n{said}"
    return f"{tried}  \n{said}, {say('next {moment}', moment=show_local(delivery.due_at))}"
