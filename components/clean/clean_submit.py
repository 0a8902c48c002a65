"""Step three of cleaning a list: its name, and the button that starts."""

from collections.abc import Hashable
from dataclasses import dataclass

import streamlit as st

from components.clean.health import loses_most
from components.kit.html import escape_markdown
from winnow.core.addresses.repair_kinds import SAFE_KINDS
from winnow.core.figures import round_estimate
from winnow.core.lists.input_head import Head
from winnow.core.lists.previews import Preview
from winnow.core.tasks.repair_choice import RepairChoice
from winnow.words import format_number, mark, say, say_many

WHERE_REPAIRED = mark(
    "The email column gets the repaired address; a new column, email_original, keeps the old one."
)
NAME_MAX_CHARACTERS = 50  # decisions.md, "Batch"


@dataclass(frozen=True, slots=True)
class Question:
    """Question before most rows are removed; ``subject`` is its list, column and choices."""

    preview: Preview
    column: str
    subject: Hashable

    @property
    def is_open(self) -> bool:
        """Whether to ask: most rows would be removed, and the user has not agreed."""
        return loses_most(self.preview) and st.session_state.get("go_agreed") != self.subject


@dataclass(frozen=True, slots=True)
class Order:
    """The analyst's choices; ``starts`` is true in the run after the button was pressed."""

    project_name: str
    starts: bool
    repair: RepairChoice | None = None


def draw_go(
    head: Head,
    *,
    stem: str,
    first: str = "",
    question: Question | None = None,
    repairs: bool = False,
) -> Order:
    """Draw the last step and return the analyst's choices.

    Args:
        head: How the list is read.
        stem: Its name, for the project's.
        first: What must be done before it can start; empty: nothing.
        question: How many rows duplicates take, if they are removed and the number is known.
        repairs: Whether safe repairs are chosen at first.
    """
    with st.container(gap="small"):
        name = st.text_input(
            say("Project name"),
            value=stem[:NAME_MAX_CHARACTERS],
            max_chars=NAME_MAX_CHARACTERS,
            key="go_name",
        )
        if not first and question is not None and question.is_open:
            _ask(question)
            first = say("Answer the question above first.")
    repair = _choose_repair(first=repairs)
    if head.row_count is not None:
        label = say_many(head.row_count, "Clean {count} row", "Clean {count} rows")
    else:
        rows = round_estimate(head.row_estimate)
        label = say_many(rows, "Clean about {count} row", "Clean about {count} rows")
    starts = st.button(label, type="primary", key="go_start", disabled=bool(first))
    if first:
        st.caption(first)
    return Order(name or "", starts, repair)


def _choose_repair(*, first: bool) -> RepairChoice | None:
    """Ask whether to make safe repairs; none is made without a choice."""
    is_wanted = st.checkbox(
        say("Correct addresses with formatting mistakes"),
        value=first,
        key="go_repair",
        help=say(
            "Removes names, links, blanks and similar mistakes where no other address can be meant."
        ),
    )
    if not is_wanted:
        return None
    st.caption(say(WHERE_REPAIRED))
    return RepairChoice(SAFE_KINDS)


def _ask(question: Question) -> None:
    """Ask, with the numbers, whether to remove most of the rows."""
    preview = question.preview
    gone = preview.duplicates
    if preview.kept is None:
        yes = say("Yes, remove the duplicates")
        count = say(
            "{duplicates} of the {rows} rows looked at are duplicates.",
            duplicates=format_number(gone),
            rows=format_number(preview.read),
        )
    else:
        yes = say_many(gone, "Yes, remove {count} row", "Yes, remove {count} rows")
        count = say_many(
            preview.rows - gone,
            "{duplicates} of {rows} rows are duplicates; {count} row would be left.",
            "{duplicates} of {rows} rows are duplicates; {count} rows would be left.",
            duplicates=format_number(gone),
            rows=format_number(preview.rows),
        )
    head = say("More than half of the list would be removed.")
    doubt = say("Is {column} the right column?", column=escape_markdown(question.column))
    st.warning(f"**{head}** {count} {doubt}")

    def agree() -> None:
        st.session_state["go_agreed"] = question.subject

    def keep_all() -> None:
        st.session_state["go_deduplicate"] = False

    with st.container(horizontal=True):
        st.button(yes, key="go_agree", on_click=agree)
        st.button(say("No, keep every row"), key="go_keep_all", on_click=keep_all)
