"""Errors and notices on pages: what is wrong, where, how to fix it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import streamlit as st

from components.frame.error_words import names_line, write_error
from components.frame.html import escape_markdown
from winnow.core.errors import WinnowError
from winnow.core.figures import show_share
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.input_head import NAMES_NOES, NO_ADDRESS
from winnow.core.lists.notices import DNS_SILENT, OTHER_SHEETS, Notice
from winnow.words import format_number, say, say_many, translatable

TABLE_HELP = translatable("Click a cell to change it; tick a row at its left to delete it.")
TOO_MANY = 0.5  # of the rows
_MOST_LINES_SHOWN = 12
_LOUD = frozenset({DNS_SILENT, OTHER_SHEETS, NO_ADDRESS, NAMES_NOES})


def draw_error(error: WinnowError, *, kept: str = "") -> None:
    """Draw an error of the product. ``kept`` is a text about what is not lost."""
    st.error(write_error(error, kept=kept))


@contextmanager
def keep_refusal(place: str) -> Iterator[None]:
    """Store an error of the product that is raised in the context; ``draw_refusal`` draws it."""
    try:
        yield
    except WinnowError as error:
        st.session_state[f"refusal_{place}"] = error


def is_refused(place: str) -> bool:
    """Return whether an error is stored for a place."""
    return f"refusal_{place}" in st.session_state


def draw_refusal(place: str) -> bool:
    """Draw once the error that was stored for a place; return whether there was one.

    What is below keeps its place, and open.
    """
    error = st.session_state.pop(f"refusal_{place}", None)
    with st.container():
        if error is not None:
            draw_error(error)
    return error is not None


def draw_confirmation(keep: str, act: str, *, key: str, on_click: Callable[[], None]) -> None:
    """Draw the two buttons of a dialog that asks: one closes it, the other acts and closes it."""
    with st.container(horizontal=True, horizontal_alignment="right"):
        is_kept = st.button(keep, key=f"{key}_no")
        is_done = st.button(act, key=f"{key}_yes", type="primary", on_click=on_click)
    if is_kept or is_done:
        st.rerun()


def draw_secret(text: str, secret: str) -> None:
    """Draw a secret that is shown only once, with the text that says so."""
    with st.container(border=True):
        st.markdown(text)
        st.code(secret, language=None, wrap_lines=True)


def draw_problem(problem: Mapping[str, Any]) -> None:
    """Draw the problem details of a failed task."""
    unknown = translatable("The list was not processed.")
    detail = say(str(problem.get("detail") or problem.get("title") or unknown))
    hint = say(str(problem.get("hint") or ""))
    st.error(f"**{escape_markdown(detail)}**  \n{escape_markdown(hint)}".rstrip())


def draw_loud_notices(notices: Sequence[Notice]) -> None:
    """Draw the notices that change how reliable a result is, as warnings."""
    for notice in notices:
        if notice.code in _LOUD:
            st.warning(escape_markdown(say(notice.text)))


def draw_doubts(duplicates: float, invalid: float, column: str) -> None:
    """Warn if these shares of the rows suggest that the wrong column is checked."""
    shares = {
        translatable(
            "{share} of the rows are duplicates. Is {column} the right column?"
        ): duplicates,
        translatable(
            "No valid address in {share} of the rows. Is {column} the right column?"
        ): invalid,
    }
    for text, share in shares.items():
        if share > TOO_MANY:
            shown = show_share(round(share * 10**9), 10**9)
            st.warning(say(text, share=shown, column=escape_markdown(column)))


def draw_notices(notices: Sequence[Notice], file_format: FileFormat) -> None:
    """Draw the loud notices as warnings, the others in an expander with the lines they concern."""
    draw_loud_notices(notices)
    quiet = [notice for notice in notices if notice.code not in _LOUD]
    if quiet:
        label = say_many(
            len(quiet), "{count} note about this file", "{count} notes about this file"
        )
        with st.expander(label, icon=":material/info:"):
            st.markdown("\n".join(f"- {word_notice(notice, file_format)}" for notice in quiet))


def word_notice(notice: Notice, file_format: FileFormat) -> str:
    """Return a notice in Markdown, with the lines it concerns unless its text names the line."""
    text = escape_markdown(say(notice.text))
    count = max(notice.count, len(notice.lines))
    if not notice.lines or (count == 1 and names_line(notice.text, notice.lines[0])):
        return text
    shown = ", ".join(format_number(line) for line in notice.lines[:_MOST_LINES_SHOWN])
    if count > _MOST_LINES_SHOWN:
        left = format_number(count - _MOST_LINES_SHOWN)
        shown = say("{numbers} and {count} more", numbers=shown, count=left)
    if file_format.traits.is_text:
        return f"{text} {say_many(count, 'Line {numbers}.', 'Lines {numbers}.', numbers=shown)}"
    return f"{text} {say_many(count, 'Row {numbers}.', 'Rows {numbers}.', numbers=shown)}"
