"""API keys: the form that makes one, the one moment in which it is shown, the list."""

from collections.abc import Callable, Sequence

import streamlit as st

from components.error_boundary import dialog, guard
from components.local_time import show_local, show_local_date
from components.markdown import escape_markdown
from winnow.core.accounts import ApiKey
from winnow.core.figures import count_things
from winnow.core.tasks.task import KeyType

NAME_MAX_CHARACTERS = 50  # decisions.md, "Keys"
_TYPE_WORDS = {
    KeyType.LIVE: "Live",
    KeyType.SANDBOX: "Sandbox",
}


def draw_key_form() -> tuple[str, KeyType] | None:
    """Draw the form; return the name and type of a key that is to be made."""
    with (
        st.form("new_key", border=False),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        name = st.text_input(
            "Name of the new key",
            max_chars=NAME_MAX_CHARACTERS,
            placeholder="What will use it",
            key="key_name",
            width=320,
        )
        key_type = st.segmented_control(
            "Type",
            list(KeyType),
            default=KeyType.LIVE,
            required=True,
            format_func=lambda value: _TYPE_WORDS[value],
            key="key_type",
            help="A sandbox key is never charged and answers truly for three test addresses only.",
        )
        made = st.form_submit_button("Generate key", type="primary")
    if not made:
        return None
    return (name or "").strip(), KeyType(key_type or KeyType.LIVE)


def draw_new_key(key: ApiKey, secret: str) -> None:
    """Show a key for the one time it can be shown."""
    with st.container(border=True):
        st.markdown(
            f"Key **{escape_markdown(key.name)}**: copy it now, with the button in its corner. "
            "It is not shown again."
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
                _TYPE_WORDS[key.key_type], color="blue" if key.key_type is KeyType.LIVE else "gray"
            )
            last = f"last {show_local(key.last_used_at)}" if key.last_used_at else "never used"
            use.caption(
                f"Made {show_local_date(key.created_at)}  \n"
                f"{count_things(key.use_count, 'use')}, {last}"
            )
            if key.revoked_at is not None:
                action.caption(f"Revoked {show_local_date(key.revoked_at)}")
            elif action.button("Revoke", key=f"revoke_{key.prefix}", width="stretch"):
                revoke = key
    return revoke


@dialog("Revoke this key?")
def confirm_revoke(key: ApiKey, revoke: Callable[[], None]) -> None:
    """Ask once: name the key, say what stops."""
    st.markdown(
        f"Whatever uses **{escape_markdown(key.name)}** is refused from now on. A revoked key "
        "never works again."
    )
    with st.container(horizontal=True, horizontal_alignment="right"):
        if st.button("Keep it", key="revoke_no"):
            st.rerun()
        if st.button("Revoke key", key="revoke_yes", type="primary", on_click=guard(revoke)):
            st.rerun()
