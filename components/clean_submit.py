"""Step three of cleaning a list: its name, and the one button that starts."""

from collections.abc import Hashable
from dataclasses import dataclass, replace

import streamlit as st

from components.health import loses_most
from components.markdown import escape_markdown
from components.repair_place import draw_place
from winnow.core.figures import round_estimate
from winnow.core.lists.input_head import Head
from winnow.core.lists.previews import Preview
from winnow.core.tasks.repair_choice import SAFE_REPAIRS, RepairChoice, RepairPlace
from winnow.words import format_number, say, say_many

NAME_MAX_CHARACTERS = 50  # decisions.md, "Batch"


@dataclass(frozen=True, slots=True)
class Question:
    """Whether most rows are to go. ``subject`` tells whose answer it is: list, column, choices."""

    preview: Preview
    column: str
    subject: Hashable

    @property
    def is_open(self) -> bool:
        """Whether it is to be asked: most would go, and nobody said yes."""
        return loses_most(self.preview) and st.session_state.get("go_agreed") != self.subject


@dataclass(frozen=True, slots=True)
class Order:
    """What the analyst asked for; ``starts`` when the button was pressed just now."""

    project_name: str
    starts: bool
    repair: RepairChoice | None = None


def draw_go(
    head: Head,
    *,
    stem: str,
    first: str = "",
    question: Question | None = None,
    place: RepairPlace | None = None,
) -> Order:
    """Draw the last step and return what was asked for.

    Args:
        head: What was understood of the list.
        stem: Its name, for the project's.
        first: What is to be done before it can start; empty: nothing.
        question: What removing duplicates would take, where they go and that is known.
        place: Where repaired addresses go at first; None: nothing is repaired.
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
    repair = _choose_repair(place)
    if head.row_count is not None:
        label = say_many(head.row_count, "Clean {count} row", "Clean {count} rows")
    else:
        rows = round_estimate(head.row_estimate)
        label = say_many(rows, "Clean about {count} row", "Clean about {count} rows")
    starts = st.button(label, type="primary", key="go_start", disabled=bool(first))
    if first:
        st.caption(first)
    return Order(name or "", starts, repair)


def _choose_repair(first: RepairPlace | None) -> RepairChoice | None:
    """Ask whether safe repairs are to be made, and where they go; nothing is repaired unasked."""
    with st.container(gap="small"):
        is_wanted = st.checkbox(
            say("Repair addresses that are only written wrongly"),
            value=first is not None,
            key="go_repair",
            help=say(
                "A name or a link around the address, blanks, a comma for a dot, full-width "
                "letters. Only where no other address can be meant. Misspelt domains and cells "
                "with several addresses are offered to you afterwards."
            ),
        )
        if not is_wanted:
            return None
        place = draw_place("go_repair_place", first or RepairPlace.COLUMN)
    return replace(SAFE_REPAIRS, place=place)


def _ask(question: Question) -> None:
    """Ask in numbers whether most of the rows are really to go."""
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
