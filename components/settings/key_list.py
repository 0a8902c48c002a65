"""API keys: the form that makes one, a new key shown once, the list."""

from functools import partial

import streamlit as st

from components.frame.error_boundary import dialog, guard
from components.kit.local_time import show_local, show_local_date
from components.kit.markdown import escape_markdown
from components.kit.notices import draw_error
from winnow.core.accounts import ApiKey
from winnow.core.errors import BadField
from winnow.core.tasks.task import KeyType
from winnow.services.accounts.keys import Keys
from winnow.words import mark, say, say_many

NAME_MAX_CHARACTERS = 50  # decisions.md, "Keys"
_TYPE_WORDS = {
    KeyType.LIVE: mark("Live"),
    KeyType.SANDBOX: mark("Sandbox (for tests)"),
}


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
