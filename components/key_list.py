"""API keys: the form that makes one, the one moment in which it is shown, the list."""

from collections.abc import Callable, Sequence

import streamlit as st

from components.error_boundary import dialog, guard
from components.local_time import show_local, show_local_date
from components.markdown import escape_markdown
from winnow.core.accounts import ApiKey
from winnow.core.tasks.task import KeyType
from winnow.words import mark, say, say_many

NAME_MAX_CHARACTERS = 50  # decisions.md, "Keys"
_TYPE_WORDS = {
    KeyType.LIVE: mark("Live"),
    KeyType.SANDBOX: mark("Sandbox (for tests)"),
}


def draw_key_form() -> tuple[str, KeyType] | None:
    """Draw the form; return the name and type of a key that is to be made."""
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
        made = st.form_submit_button(say("Generate key"), type="primary")
    if not made:
        return None
    return (name or "").strip(), KeyType(key_type or KeyType.LIVE)


def draw_new_key(key: ApiKey, secret: str) -> None:
    """Show a key for the one time it can be shown."""
    with st.container(border=True):
        st.markdown(
            say(
                "Key **{name}**: copy it now with the button in its corner. It is shown this once.",
                name=escape_markdown(key.name),
            )
        )
        st.code(secret, language=None, wrap_lines=True)


def draw_keys(keys: Sequence[ApiKey]) -> ApiKey | None:
    """Draw the list; return the key that is to be revoked."""
    revoke = None
    for key in keys:
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
            elif action.button(say("Revoke"), key=f"revoke_{key.prefix}", width="stretch"):
                revoke = key
    return revoke


@dialog(mark("Revoke this key?"))
def confirm_revoke(key: ApiKey, revoke: Callable[[], None]) -> None:
    """Ask once: name the key, say what stops."""
    st.markdown(
        say(
            "Programs that use **{name}** are refused from now on. There is no way back.",
            name=escape_markdown(key.name),
        )
    )
    with st.container(horizontal=True, horizontal_alignment="right"):
        if st.button(say("Keep it"), key="revoke_no"):
            st.rerun()
        if st.button(say("Revoke key"), key="revoke_yes", type="primary", on_click=guard(revoke)):
            st.rerun()
