"""Step three of cleaning a list: its name, duplicates, and the one button that starts."""

from collections.abc import Hashable
from dataclasses import dataclass

import streamlit as st

from components.health import loses_most
from components.markdown import escape_markdown
from winnow.core.figures import count_things, round_estimate, show_count
from winnow.core.lists.input_head import Head
from winnow.core.lists.previews import Preview

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
    deduplicate: bool
    starts: bool


def draw_go(head: Head, *, stem: str, first: str = "", question: Question | None = None) -> Order:
    """Draw the last step and return what was asked for.

    Args:
        head: What was understood of the list.
        stem: Its name, for the project's.
        first: What is to be done before it can start; empty: nothing.
        question: What removing duplicates would take, where that is known.
    """
    with st.container(gap="small"):
        name = st.text_input(
            "Project name",
            value=stem[:NAME_MAX_CHARACTERS],
            max_chars=NAME_MAX_CHARACTERS,
            key="go_name",
        )
        deduplicate = st.toggle(
            "Remove duplicates",
            value=True,
            key="go_deduplicate",
            help="Two addresses are the same when they differ only in upper and lower case or "
            "outer blanks.",
        )
        st.caption(
            "Of each address only its last row stays; the kept rows keep their order."
            if deduplicate
            else "Every row stays, also when its address stands more than once."
        )
        if deduplicate and not first and question is not None and question.is_open:
            _ask(question)
            first = "Answer the question first."
    if head.row_count is not None:
        label = f"Clean {count_things(head.row_count, 'row')}"
    else:
        label = f"Clean about {count_things(round_estimate(head.row_estimate), 'row')}"
    starts = st.button(label, type="primary", key="go_start", disabled=bool(first))
    if first:
        st.caption(first)
    return Order(name or "", deduplicate, starts)


def _ask(question: Question) -> None:
    """Ask in numbers whether most of the rows are really to go."""
    preview = question.preview
    gone = preview.duplicates
    if preview.kept is None:
        whole = f"the {show_count(preview.read)} that were read"
        what, left = "the duplicates", ""
    else:
        whole, what = show_count(preview.rows), count_things(gone, "row")
        left = f"; {count_things(preview.rows - gone, 'row')} would be left"
    st.warning(
        f"**More than half of the list would go.** {count_things(gone, 'row')} of {whole} "
        f"repeat an address that stands again further down{left}. "
        f"Is {escape_markdown(question.column)} the right column?"
    )

    def agree() -> None:
        st.session_state["go_agreed"] = question.subject

    def keep_all() -> None:
        st.session_state["go_deduplicate"] = False

    with st.container(horizontal=True):
        st.button(f"Yes, remove {what}", key="go_agree", on_click=agree)
        st.button("Keep every row", key="go_keep_all", on_click=keep_all)
