"""The language of a session: the setting's, else the browser's; each run has to be told anew."""

import streamlit as st

from winnow.words import ENGLISH, pick_language, use_language

_LANGUAGE = "language"


def speak_language(chosen: str | None) -> None:
    """Say everything in this run, and in the session's later ones, in one language.

    Args:
        chosen: By the setting; None is the browser's.
    """
    asked = st.context.locale
    language = pick_language([asked] if asked else [], chosen=chosen)
    st.session_state[_LANGUAGE] = language
    use_language(language)


def speak_again() -> None:
    """Say what a fragment, a dialog or a callback says in the session's language.

    They run in a thread of their own, without the page before them.
    """
    use_language(st.session_state.get(_LANGUAGE, ENGLISH))
