"""Session of a browser: user, sign-in, language, time zone, widgets' values.

The server has the sign-in form. The language is the one chosen on the pages, else the setting's,
else the browser's.
"""

from collections.abc import Callable
from datetime import UTC, datetime, tzinfo
from html import escape
from typing import Any
from urllib.parse import urlencode, urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st

from components.frame.page_urls import page_params
from winnow.core.figures import show_date, show_moment
from winnow.core.identities import COOKIE_NAME, LANGUAGE_COOKIE, PROXY_MARK, Identity
from winnow.services.services import Services
from winnow.services.use_cases import find_use_case
from winnow.words import ENGLISH, LANGUAGES, pick_language, say, use_language

SIGN_IN_URL = "/desk/sign-in"
SIGN_OUT_URL = "/desk/sign-out"
_IDENTITY, _ROOT = "identity", "public_path"
_LANGUAGE = "language"


def draw_sign_in() -> None:
    """Draw the link to the sign-in form."""
    root = st.session_state.get(_ROOT, "")
    st.title(say("Sign in"))
    st.markdown(say("You are signed out, or your sign-in has expired."))
    query = urlencode(page_params)
    path = urlsplit(st.context.url or "").path.removeprefix(root)
    asked = path + (f"?{query}" if query else "")
    url = f"{SIGN_IN_URL}?{urlencode({'to': asked})}" if asked not in {"", "/"} else SIGN_IN_URL
    st.link_button(say("Sign in"), link_to(url), type="primary")


def draw_sign_out() -> None:
    """Draw the sign-out link; not for a person whom a proxy signs in with each request."""
    if (read_token() or "").startswith(PROXY_MARK):
        return
    st.html(
        f'<form method="post" action="{link_to(SIGN_OUT_URL)}" class="w-sign-out">'
        f'<button type="submit">{escape(say("Sign out"))}</button></form>'
    )


def read_token() -> str | None:
    """Return the token that this browser got at sign-in and sent with the page."""
    token = st.context.cookies.get(COOKIE_NAME)
    return token if isinstance(token, str) else None


def keep_identity(identity: Identity) -> None:
    """Store the identity of the user for this session's pages; the frame does so on every run."""
    st.session_state[_IDENTITY] = identity


def keep_root(path: str) -> None:
    """Store the path of the public address, for links to paths of this server."""
    st.session_state[_ROOT] = path


def link_to(path: str) -> str:
    """Return a path of this server as browsers know it."""
    return f"{st.session_state.get(_ROOT, '')}{path}"


def find_origin() -> str:
    """Return the scheme and the host of the browser's URL; empty where it is not known."""
    here = urlsplit(st.context.url or "")
    return f"{here.scheme}://{here.netloc}" if here.netloc else ""


def may(method: Callable[..., object]) -> bool:
    """Return whether the user's role may call a method of a service."""
    found = find_use_case(method)
    return found is not None and read_identity().role.covers(found.role)


def read_identity() -> Identity:
    """Return the identity of the user that the frame has stored."""
    identity: Identity = st.session_state[_IDENTITY]
    return identity


def choose_language(chosen: str | None) -> None:
    """Set the language of this run and of the session's later runs.

    Args:
        chosen: The setting; None is the browser's. A choice on the pages outranks both.
    """
    asked = st.context.locale
    st.query_params.pop(_LANGUAGE, None)  # the cookie has it
    cookie = st.context.cookies.get(LANGUAGE_COOKIE)
    chosen = cookie if cookie in LANGUAGES else chosen
    language = pick_language([asked] if asked else [], chosen=chosen)
    st.session_state[_LANGUAGE] = language
    use_language(language)


def restore_language() -> None:
    """Set the session's language in a fragment, a dialog or a callback.

    They run in a thread of their own, without the page's run before them.
    """
    use_language(st.session_state.get(_LANGUAGE, ENGLISH))


def draw_language_switch() -> None:
    """Draw the languages, the others as links to this page; the server keeps one in a cookie."""
    parts = []
    for language in LANGUAGES:
        name = f'<span lang="{language}">{LANGUAGES[language]}</span>'
        if language != st.session_state.get(_LANGUAGE):
            query = urlencode([*page_params.items(), (_LANGUAGE, language)])
            name = f'<a href="?{escape(query)}" target="_self" hreflang="{language}">{name}</a>'
        parts.append(name)
    st.html(f'<p class="w-ways-on">{"".join(f"<span>{part}</span>" for part in parts)}</p>')


def set_widget(key: str, value: Any) -> None:
    """Set a widget's value before it is drawn, where it is another one.

    A value that is set is sent to the browser: that of an earlier click would undo a newer one. The
    browser has several chosen options in the order of the clicks, which is no difference.
    """
    now = st.session_state.get(key)
    is_same = set(now) == set(value) if isinstance(value, list) and now else now == value
    if key not in st.session_state or not is_same:
        st.session_state[key] = value


def name_session(services: Services) -> str | None:
    """Return the name of the sign-in that this session's links end with; None: it has none."""
    return services.sign_in.name_session(read_token())


def find_zone() -> tzinfo:
    """Return the browser's time zone; UTC if it is missing or unknown."""
    name = st.context.timezone
    try:
        return ZoneInfo(name) if name else UTC
    except (ZoneInfoNotFoundError, ValueError):
        return UTC


def show_local_date(moment: datetime) -> str:
    """Return the day in the analyst's time zone: ``"21 Nov 2026"``."""
    return show_date(moment.astimezone(find_zone()))


def show_local(moment: datetime) -> str:
    """Return a moment in the analyst's time zone: ``"21 Nov 2026, 00:05"``."""
    zone = find_zone()
    if moment.utcoffset() == moment.astimezone(zone).utcoffset():
        return show_moment(moment.astimezone(UTC))
    local = moment.astimezone(zone)
    return f"{show_date(local)}, {local:%H:%M}"
