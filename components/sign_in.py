"""Sign-in, sign-out and who is signed in. The server has the form."""

from html import escape
from urllib.parse import urlencode, urlsplit

import streamlit as st

from winnow.core.accounts import COOKIE_NAME, Identity
from winnow.words import say

SIGN_IN_URL = "/desk/sign-in"
SIGN_OUT_URL = "/desk/sign-out"
_IDENTITY = "identity"


def draw_sign_in() -> None:
    """Lead to the form."""
    st.title(say("Sign in"))
    st.markdown(say("You are signed out, or your sign-in has ended after a working day."))
    query = urlencode(st.query_params.to_dict())
    asked = urlsplit(st.context.url or "").path + (f"?{query}" if query else "")
    url = f"{SIGN_IN_URL}?{urlencode({'to': asked})}" if asked not in {"", "/"} else SIGN_IN_URL
    st.link_button(say("Sign in"), url, type="primary")


def draw_sign_out() -> None:
    """Draw the way out."""
    st.html(
        f'<form method="post" action="{SIGN_OUT_URL}" class="w-sign-out">'
        f'<button type="submit">{escape(say("Sign out"))}</button></form>'
    )


def read_token() -> str | None:
    """Return what this browser was given at sign-in, as it opened the page."""
    token = st.context.cookies.get(COOKIE_NAME)
    return token if isinstance(token, str) else None


def keep_identity(identity: Identity) -> None:
    """Hand the pages of this session who is asking; the frame does, on every run."""
    st.session_state[_IDENTITY] = identity


def read_identity() -> Identity:
    """Return who is asking, as the frame handed it in."""
    identity: Identity = st.session_state[_IDENTITY]
    return identity
