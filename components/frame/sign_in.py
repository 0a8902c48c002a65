"""Sign-in, sign-out and the identity of the signed-in user. The server has the form."""

from html import escape
from urllib.parse import urlencode, urlsplit

import streamlit as st

from components.kit.page_params import page_params
from winnow.core.accounts import BROWSER_COOKIE, COOKIE_NAME, Identity
from winnow.words import say

SIGN_IN_URL = "/desk/sign-in"
SIGN_OUT_URL = "/desk/sign-out"
_IDENTITY = "identity"


def draw_sign_in() -> None:
    """Draw the link to the form."""
    st.title(say("Sign in"))
    st.markdown(say("You are signed out, or your sign-in has expired."))
    query = urlencode(page_params)
    asked = urlsplit(st.context.url or "").path + (f"?{query}" if query else "")
    url = f"{SIGN_IN_URL}?{urlencode({'to': asked})}" if asked not in {"", "/"} else SIGN_IN_URL
    st.link_button(say("Sign in"), url, type="primary")


def draw_sign_out() -> None:
    """Draw the sign-out link."""
    st.html(
        f'<form method="post" action="{SIGN_OUT_URL}" class="w-sign-out">'
        f'<button type="submit">{escape(say("Sign out"))}</button></form>'
    )


def read_token() -> str | None:
    """Return the token that this browser got at sign-in and sent with the page."""
    token = st.context.cookies.get(COOKIE_NAME)
    return token if isinstance(token, str) else None


def read_browser() -> str:
    """Return the id of this browser; the same for all where cookies are off."""
    browser = st.context.cookies.get(BROWSER_COOKIE)
    return browser if isinstance(browser, str) else ""


def keep_identity(identity: Identity) -> None:
    """Store the identity of the user for this session's pages; the frame does so on every run."""
    st.session_state[_IDENTITY] = identity


def read_identity() -> Identity:
    """Return the identity of the user that the frame has stored."""
    identity: Identity = st.session_state[_IDENTITY]
    return identity
