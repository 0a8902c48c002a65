"""Choice of what to remove and how files look: its form, and its codes in the page's URL.

Codes only: nothing of a list is in a URL.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

import streamlit as st

from components.frame.error_boundary import guard
from winnow.core.lists.cleaning import CleaningPolicy
from winnow.core.lists.exports import NO_LIMITS, NOTHING_CHOSEN, DownloadChoice, FileLimits
from winnow.core.lists.file_format import NEW_FORMATS, FileFormat, name_format
from winnow.words import say

NOTHING = "nothing"
_KEYS = ("goes", "with", "as")
_SPLIT = "split"
_EXTRAS = ("reason", "suggestion", "safe", "probability")
OWN = "own"


def read_choice(
    params: Mapping[str, str], default: DownloadChoice = NOTHING_CHOSEN
) -> DownloadChoice:
    """Return the choice in a URL, the default where it has none; invalid values are ignored."""
    if not any(key in params for key in _KEYS):
        return default
    extras = params.get("with", "").split(",")
    file_format = params.get("as")
    return DownloadChoice(
        policy=_read_policy(params.get("goes")),
        adds_reason="reason" in extras,
        adds_suggestion="suggestion" in extras,
        adds_probability="probability" in extras,
        safe_for_excel="safe" in extras,
        file_format=FileFormat(file_format) if file_format in NEW_FORMATS else None,
    )


def list_choice_params(
    choice: DownloadChoice, default: DownloadChoice = NOTHING_CHOSEN
) -> Mapping[str, str]:
    """Return the URL's parameters of a choice; empty texts for the default."""
    chosen = (
        choice.adds_reason,
        choice.adds_suggestion,
        choice.safe_for_excel,
        choice.adds_probability,
    )
    goes = ",".join(choice.policy.to_json()) or NOTHING
    is_plain = choice.policy == CleaningPolicy() and choice != NOTHING_CHOSEN
    values = {
        "goes": "" if is_plain else goes,
        "with": ",".join(name for name, is_on in zip(_EXTRAS, chosen, strict=True) if is_on),
        "as": choice.file_format.value if choice.file_format else "",
    }
    return dict.fromkeys(values, "") if choice == default else values


def read_split(params: Mapping[str, str]) -> FileLimits:
    """Return where files are split by a URL; invalid values are ignored."""
    text = params.get(_SPLIT, "")
    is_number = text.isascii() and text.isdigit() and len(text) < 10 and int(text) > 0
    return FileLimits(rows=int(text)) if is_number else NO_LIMITS


def list_split_params(split: FileLimits) -> Mapping[str, str]:
    """Return the URL's parameter of where files are split; an empty text without a limit."""
    return {_SPLIT: "" if split.rows is None else str(split.rows)}


def _read_policy(text: str | None) -> CleaningPolicy:
    if text is None:
        return CleaningPolicy()
    nothing = CleaningPolicy.from_json(())
    found = CleaningPolicy.from_json(text.split(","))
    return found if text == NOTHING or found != nothing else CleaningPolicy()


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
