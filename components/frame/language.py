"""Language of a session: chosen on the pages, else the setting's, else the browser's."""

from html import escape
from urllib.parse import urlencode

import streamlit as st

from components.kit.page_params import page_params
from winnow.core.accounts import LANGUAGE_COOKIE
from winnow.words import ENGLISH, LANGUAGES, pick_language, use_language

_LANGUAGE = "language"
_NAMES = {"en": "English", "de": "Deutsch"}


def speak_language(chosen: str | None) -> None:
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


def speak_again() -> None:
    """Set the session's language in a fragment, a dialog or a callback.

    They run in a thread of their own, without the page's run before them.
    """
    use_language(st.session_state.get(_LANGUAGE, ENGLISH))


def draw_language_switch() -> None:
    """Draw the languages, the others as links to this page; the server keeps one in a cookie."""
    parts = []
    for language in LANGUAGES:
        name = f'<span lang="{language}">{_NAMES[language]}</span>'
        if language != st.session_state.get(_LANGUAGE):
            query = urlencode([*page_params.items(), (_LANGUAGE, language)])
            name = f'<a href="?{escape(query)}" target="_self" hreflang="{language}">{name}</a>'
        parts.append(name)
    st.html(f'<p class="w-facts w-ways-on">{"".join(f"<span>{part}</span>" for part in parts)}</p>')
