"""Step two of cleaning a list: what was understood, each part changeable, and the first rows."""

from collections.abc import Callable
from dataclasses import replace
from html import escape

import streamlit as st

from backend.core.heads import ENCODINGS, Choices, Head
from backend.core.tasks import FileFormat
from components.markdown import escape_markdown
from components.understood import DELIMITERS, ESCAPES, describe_head, name_column

_FIRST_ROWS = 6
_ROW_PX, _HEAD_PX = 33, 50  # the seventh row shows by half: there are more


def draw_understood(head: Head, email_column: int | None) -> None:
    """Draw the one line that says what the list is."""
    st.html(f'<p class="w-understood">{escape(describe_head(head, email_column))}</p>')


def draw_reading_choices(head: Head, on_change: Callable[[], None]) -> None:
    """Draw what can be changed about how the file is read; values go to keys ``look_…``."""
    with st.popover("Read it differently", icon=":material/tune:"):
        if head.file_format is FileFormat.XLSX:
            st.session_state["look_sheet"] = head.sheet
            st.selectbox("Sheet", head.sheets, key="look_sheet", on_change=on_change)
        else:
            encodings = list(ENCODINGS)
            if head.encoding not in encodings:
                encodings.insert(0, head.encoding)
            st.session_state["look_encoding"] = head.encoding
            st.session_state["look_delimiter"] = head.delimiter
            st.selectbox(
                "Encoding",
                encodings,
                format_func=lambda codec: ENCODINGS.get(codec, codec),
                key="look_encoding",
                on_change=on_change,
            )
            delimiters = list(DELIMITERS)
            if head.delimiter not in delimiters:
                delimiters.insert(0, head.delimiter)
            st.selectbox(
                "Columns are separated by",
                delimiters,
                format_func=lambda sign: DELIMITERS.get(sign, sign),
                key="look_delimiter",
                on_change=on_change,
            )
            st.session_state["look_escape"] = head.escape
            st.selectbox(
                "A quote in a cell is written with",
                list(ESCAPES),
                format_func=lambda sign: ESCAPES[sign],
                key="look_escape",
                on_change=on_change,
            )
        st.session_state["look_header"] = head.has_header
        st.toggle("The first row holds the column names", key="look_header", on_change=on_change)


def collect_choices(head: Head, chosen: Choices) -> Choices:
    """Return the choices made so far with what has just been changed on the page."""
    state = st.session_state
    if state.get("look_sheet", head.sheet) != head.sheet:
        return replace(chosen, sheet=state["look_sheet"], email_column=None)
    if state.get("look_encoding", head.encoding) != head.encoding:
        chosen = replace(chosen, encoding=state["look_encoding"])
    if state.get("look_delimiter", head.delimiter) != head.delimiter:
        chosen = replace(chosen, delimiter=state["look_delimiter"], email_column=None)
    if state.get("look_escape", head.escape) != head.escape:
        chosen = replace(chosen, escape=state["look_escape"], email_column=None)
    if state.get("look_header", head.has_header) != head.has_header:
        chosen = replace(chosen, has_header=state["look_header"])
    if state.get("look_column") is not None:
        chosen = replace(chosen, email_column=state["look_column"])
    return chosen


def find_email_column(head: Head) -> int | None:
    """Return the column to check: the one chosen, else the one named email, else the best guess.

    Of twins named email none is taken for granted.
    """
    if head.chosen_column is not None:
        return head.chosen_column
    return head.suggested_column if len(head.email_columns) < 2 else None


def awaits_header(head: Head, email_column: int | None) -> bool:
    """Whether it is open if the first row names the columns: an address would be one's name."""
    return (
        head.headerless_guess
        and head.has_header
        and email_column is not None
        and "@" in head.columns[email_column]
    )


def draw_email_picker(
    head: Head,
    email_column: int | None,
    on_change: Callable[[], None],
    settle_header: Callable[[bool], None],
) -> None:
    """Draw the picker of the email column, with what to know about the choice."""
    if head.headerless_guess and head.has_header:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.warning("The first row holds an address: is there no header row?", width="stretch")
            for says, key, has_header in (
                ("There is no header row", "look_no_header", False),
                ("It is the header row", "look_is_header", True),
            ):
                st.button(says, key=key, on_click=settle_header, args=(has_header,))
    elif not head.email_columns and head.has_header:
        if head.suggested_column is None:
            st.warning("No column is named email, and none of the first rows holds an address.")
        elif head.chosen_column is None:
            name = escape_markdown(name_column(head, head.suggested_column))
            st.info(f"No column is named email. {name} holds addresses, so it is taken.")
    elif len(head.email_columns) > 1:
        st.info(f"{len(head.email_columns)} columns are named email. Choose the one to check.")
    if email_column is not None and not _holds_addresses(head, email_column):
        name = escape_markdown(name_column(head, email_column))
        st.warning(f"None of the first rows holds an address in {name}. Is it the right column?")
    st.session_state["look_column"] = email_column
    st.selectbox(
        "Email column",
        range(len(head.columns)),
        index=None,
        format_func=lambda position: name_column(head, position),
        key="look_column",
        on_change=on_change,
        placeholder="Choose the column that holds the addresses",
    )


def _holds_addresses(head: Head, column: int) -> bool:
    return any("@" in "".join(row[column : column + 1]) for row in head.sample_rows)


def draw_first_rows(head: Head, email_column: int | None) -> None:
    """Draw the first rows as a table with the email column marked."""
    import pandas as pd

    width = len(head.columns)
    rows = [list(row[:width]) + [""] * (width - len(row)) for row in head.sample_rows]
    frame = pd.DataFrame(rows, columns=[str(position) for position in range(width)])
    config = {
        str(position): st.column_config.TextColumn(
            f"▸ {name_column(head, position)}"
            if position == email_column
            else name_column(head, position),
            help="The addresses to check" if position == email_column else None,
        )
        for position in range(width)
    }
    shown = frame
    if email_column is not None:
        shown = frame.style.set_properties(
            subset=[str(email_column)], **{"background-color": "rgba(56, 134, 178, 0.16)"}
        )
    with st.container(key="first_rows"):
        st.dataframe(
            shown,
            hide_index=True,
            height=_FIRST_ROWS * _ROW_PX + _HEAD_PX if len(rows) > _FIRST_ROWS else "content",
            column_config=config,
            alt="The first rows of the list, with the email column marked",
        )
