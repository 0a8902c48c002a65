"""Error boundary for pages, fragments, dialogs and callbacks, with an id that the log has.

Streamlit's own error card never shows. Each page, fragment, dialog and callback has a boundary of
its own, so that the rest of the page stays. ``answer_uncaught`` gets errors from outside of them.
"""

import logging
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from html import escape
from typing import Any, ParamSpec, TypeVar

import streamlit as st
from streamlit.errors import FragmentHandledException

from components.frame.error_words import write_error
from components.frame.session import link_to, restore_language
from winnow.core.errors import WinnowError
from winnow.core.faults import describe_fault, locate
from winnow.words import say, translatable

P = ParamSpec("P")
R = TypeVar("R")

LOGGER = logging.getLogger("winnow.desk")
_ID_BYTES = 8
_KNOWN = "faults_known"
_WAITING = "fault_of_callback"
UNFORESEEN = translatable("An unexpected error occurred in Winnow.")
NOT_DONE = translatable("That could not be done.")
WHAT_NOW = translatable(
    "Try again. If it happens again, give this id to your administrator: it is in the log."
)
_TALKATIVE = (  # Streamlit's loggers that write our exceptions in full
    "streamlit.error_util",
    "streamlit.runtime.app_session",
    "streamlit.runtime.backend_operation_handler",
    "streamlit.runtime.fragment",
    "streamlit.runtime.scriptrunner.script_runner",
)


@dataclass(frozen=True, slots=True)
class Fault:
    """An error as it is shown; ``said`` is its text if the error is one of ours."""

    request_id: str
    said: str = ""


@contextmanager
def boundary(part: str) -> Iterator[None]:
    """Draw an error in the place where it was raised; ``part`` identifies the part of the page."""
    try:
        yield
    except FragmentHandledException:  # drawn where it was raised
        return
    except Exception as error:
        _draw(_record(error, part))


def fragment(
    *, run_every: float | None = None, parallel: bool = False
) -> Callable[[Callable[P, R]], Callable[P, R | None]]:
    """Return ``st.fragment`` with a boundary inside."""

    def decorate(draw: Callable[P, R]) -> Callable[P, R | None]:
        bounded = _bound(draw, draws_callback_errors=True)
        return st.fragment(run_every=run_every, parallel=parallel)(bounded)

    return decorate


def dialog(title: str, **options: Any) -> Callable[[Callable[P, R]], Callable[P, R | None]]:
    """Return ``st.dialog`` with a boundary inside; the title is translated when it opens."""

    def decorate(draw: Callable[P, R]) -> Callable[P, R | None]:
        bounded = _bound(draw, draws_callback_errors=False)

        @wraps(draw)
        def opened(*args: P.args, **kwargs: P.kwargs) -> R | None:
            result: R | None = st.dialog(say(title), **options)(bounded)(*args, **kwargs)
            return result

        return opened

    return decorate


def guard(callback: Callable[..., object]) -> Callable[..., None]:
    """Return a callback that never breaks the page: the next run shows its error."""

    @wraps(callback)
    def guarded(*args: object, **kwargs: object) -> None:
        restore_language()
        try:
            callback(*args, **kwargs)
        except Exception as error:
            st.session_state[_WAITING] = _record(error, "callback")

    return guarded


def draw_callback_error() -> None:
    """Draw the error of the last callback, once; what is below keeps its place, and open."""
    fault = st.session_state.pop(_WAITING, None)
    with st.container():
        if fault is not None:
            st.error(_word(fault, fault.said or f"**{say(NOT_DONE)}**"))


def answer_uncaught(error: Exception) -> bool:
    """Draw an error that no boundary caught; the server calls it instead of Streamlit's card."""
    fault = _record(error, "frame")
    try:
        _draw(fault)
    except Exception as second:
        _log(second, fault.request_id)
    return True


def keep_messages_out_of_logs() -> None:
    """Let Streamlit log the type and the location of an error, never its message."""
    for name in _TALKATIVE:
        logging.getLogger(name).addFilter(_leave_message_out)


def _leave_message_out(record: logging.LogRecord) -> bool:
    error = record.exc_info[1] if record.exc_info else None
    if error is not None:
        record.msg = f"{record.getMessage()}: {describe_fault(error)}"
        record.args, record.exc_info = (), None
    return True


def _bound(draw: Callable[P, R], *, draws_callback_errors: bool) -> Callable[P, R | None]:
    @wraps(draw)
    def bounded(*args: P.args, **kwargs: P.kwargs) -> R | None:
        restore_language()
        names = [arg for arg in args if isinstance(arg, str)]
        with boundary(" ".join([draw.__qualname__, *names])):
            if draws_callback_errors:  # the page below shows those of a dialog
                draw_callback_error()
            return draw(*args, **kwargs)
        return None

    return bounded


def _record(error: Exception, part: str) -> Fault:
    """Log an error under an id; a repeated one, as of a fragment each second, keeps its id."""
    known: dict[tuple[str, str, str], str] = st.session_state.setdefault(_KNOWN, {})
    what = (part, type(error).__name__, locate(error))
    if what not in known:
        known[what] = secrets.token_hex(_ID_BYTES)
        _log(error, known[what])
    return Fault(known[what], write_error(error) if isinstance(error, WinnowError) else "")


def _log(error: Exception, request_id: str) -> None:
    kind, places = type(error).__name__, locate(error)
    LOGGER.error("page failed: id=%s error=%s at=%s", request_id, kind, places)


def _word(fault: Fault, said: str) -> str:
    request = say("Request id: {id}", id=f"`{fault.request_id}`")
    return f"{said}  \n{say(WHAT_NOW)}  \n{request}"


def _draw(fault: Fault) -> None:
    st.error(_word(fault, fault.said or f"**{say(UNFORESEEN)}**"))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            say("Try again"), key=f"again_{fault.request_id}"
        )  # any press runs this part again
        ways = (("/projects", say("Go to Projects")), ("/", say("Start over")))
        links = " ".join(
            f'<a href="{link_to(address)}">{escape(words)}</a>' for address, words in ways
        )
        st.html(f'<p class="w-ways-on">{links}</p>')
