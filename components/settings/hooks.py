"""Hooks of API keys: the URL, its secret, and the deliveries with their replay."""

from collections.abc import Mapping
from functools import partial

import streamlit as st

from components.frame.error_boundary import guard
from components.frame.session import show_local
from components.kit.html import escape_markdown
from components.kit.notices import draw_error
from winnow.core.errors import BadField
from winnow.core.hooks import URL_MAX_CHARACTERS, Delivery, DeliveryState, Trouble
from winnow.core.network_answers import HOOKS
from winnow.services.network.hooks import Hooks
from winnow.services.services import Services
from winnow.words import mark, say, say_many

_STATES: Mapping[str, str] = {
    DeliveryState.WAITING: mark("Waiting"),
    DeliveryState.DELIVERED: mark("Delivered"),
    DeliveryState.FAILED: mark("Failed"),
}
_TROUBLES: Mapping[str, str] = {
    Trouble.NO_HOOK: mark("the key has no hook"),
    Trouble.NO_NAME: mark("the name has no address"),
    Trouble.NOT_ALLOWED: mark("the address is not allowed"),
    Trouble.NO_CONNECTION: mark("no connection"),
    Trouble.TIMEOUT: mark("no answer in time"),
    Trouble.BAD_ANSWER: mark("no valid answer"),
    Trouble.INTERRUPTED: mark("interrupted"),
}


def draw_hooks(desk: Services, account: str) -> None:
    """Draw the hook of one key: its form, and its deliveries."""
    st.caption(
        say(
            "When a list of a key is done, its URL is called: signed (Standard Webhooks), with "
            "counts and a status link, never an address."
        )
    )
    names = {key.prefix: key.name for key in desk.keys.list(account) if key.revoked_at is None}
    if not names:
        return
    if not desk.network.is_on(HOOKS):
        st.markdown(say("Hooks are off. Turn them on under General; until then calls wait."))
    prefix = st.selectbox(
        say("Key"),
        list(names),
        format_func=lambda one: f"{names[one]} · {one}…",
        key="hook_key",
    )
    if prefix is None:
        return
    _draw_form(desk.hooks, account, prefix)
    for delivery in desk.hooks.list_deliveries(account, prefix):
        with st.container(border=True):
            _draw_delivery(delivery, partial(desk.hooks.replay, account, prefix))


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
        is_wanted = st.form_submit_button(say("Save"), type="primary", key="hook_save")
    if not is_wanted:
        return
    try:
        secret = hooks.set_url(account, prefix, url or "")
    except BadField as error:
        draw_error(error)
        return
    if secret is not None:
        with st.container(border=True):
            st.markdown(say("Copy the secret now: it is shown only once."))
            st.code(secret, language=None, wrap_lines=True)


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
