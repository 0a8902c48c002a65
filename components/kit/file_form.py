"""Form of the files: format, extra columns, cells that are safe to open."""

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from components.frame.error_boundary import guard
from winnow.core.lists.download_choice import DownloadChoice
from winnow.core.lists.exports import FileLimits
from winnow.core.lists.file_format import NEW_FORMATS, FileFormat, name_format
from winnow.words import say

OWN = "own"


def name_choice(own: FileFormat, chosen: FileFormat | None) -> str:
    """Return the name of a file's format; None is the list's own."""
    if chosen is None:
        return say("{format} like yours", format=name_format(own))
    return say(chosen.traits.new_name) if chosen.traits.new_name else ""


def draw_file_form(
    own: FileFormat, choice: DownloadChoice, on_change: Callable[[DownloadChoice], None]
) -> None:
    """Draw the choices that hold for every file.

    Args:
        own: The list's own format.
        choice: As in the URL.
        on_change: Gets the new choice before the page runs again.
    """
    is_text = (choice.file_format or own).traits.is_text
    state = st.session_state
    state["file_format"] = OWN if choice.keeps_format(own) else choice.file_format
    state["file_reason"] = choice.adds_reason
    state["file_suggestion"] = choice.adds_suggestion
    state["file_probability"] = choice.adds_probability
    state["file_safe"] = choice.safe_for_excel and is_text

    @guard
    def changed() -> None:
        chosen = state["file_format"]
        on_change(
            replace(
                choice,
                file_format=None if chosen == OWN else chosen,
                adds_reason=state["file_reason"],
                adds_suggestion=state["file_suggestion"],
                adds_probability=state["file_probability"],
                safe_for_excel=state["file_safe"] if is_text else choice.safe_for_excel,
            )
        )

    st.selectbox(
        say("File format"),
        [OWN, *(one for one in NEW_FORMATS if one.traits.is_text or one is not own)],
        format_func=lambda one: name_choice(own, None if one == OWN else one),
        key="file_format",
        on_change=changed,
    )
    st.checkbox(
        say("Add the reason as a column"),
        key="file_reason",
        on_change=changed,
        wrap=True,
        help=say("Short codes such as disposable_listed; the report explains each."),
    )
    st.checkbox(
        say("Add suggestions as a column"),
        key="file_suggestion",
        on_change=changed,
        wrap=True,
        help=say(
            "A likely correction, such as ana@gmail.com for ana@gmial.com; the address itself "
            "is not changed."
        ),
    )
    st.checkbox(
        say("Add how likely each domain is disposable"),
        key="file_probability",
        on_change=changed,
        wrap=True,
        help=say(
            "A number from 0.001 to 0.999, estimated from lists and the look of the domain "
            "name; empty where unknown."
        ),
    )
    st.checkbox(
        say("Safe for Excel: put ' before cells that begin with = + - @"),
        key="file_safe",
        on_change=changed,
        disabled=not is_text,
        wrap=True,
        help=say("Excel would run such cells as formulas.")
        if is_text
        else say("Only CSV and TSV files need this."),
    )


def draw_split(split: FileLimits, on_change: Callable[[FileLimits], None]) -> None:
    """Draw the choice of the rows at which every file is split.

    Args:
        split: As in the URL.
        on_change: Gets the new limit before the page runs again.
    """
    st.session_state["file_split"] = split.rows

    @guard
    def changed() -> None:
        on_change(FileLimits(rows=st.session_state["file_split"]))

    st.number_input(
        say("Split into files of at most so many rows"),
        min_value=1,
        max_value=999_999_999,
        step=1,
        value=None,
        key="file_split",
        on_change=changed,
        placeholder=say("one file, however long"),
        help=say("A longer file comes as a zip of numbered files, each with the header."),
    )
