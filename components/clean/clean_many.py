"""Several lists at once: a table of their state, and a button that cleans all clear ones."""

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from components.kit.html import escape_markdown
from components.kit.notices import draw_loud_notices
from winnow.core.accounts import Upload
from winnow.core.figures import show_size
from winnow.core.lists.input_head import Head
from winnow.words import format_number, say, say_many

_WIDTHS = (5, 2, 3, 5, 2, 2)
_IS_ONE = "many_is_one"


@dataclass(frozen=True, slots=True)
class ListLook:
    """Result of the first look at one list.

    ``column`` is the email column's index, ``column_name`` its name. ``question`` is what its
    review will ask, ``problem`` why it cannot be cleaned as it is, and ``hint`` how to fix it. With
    all three empty, the list is clear. ``head`` is None where it cannot be read.
    """

    upload: Upload
    rows: int | None = None
    is_estimate: bool = False
    column: int | None = None
    column_name: str = ""
    question: str = ""
    problem: str = ""
    hint: str = ""
    head: Head | None = None

    @property
    def is_clear(self) -> bool:
        """Whether it can be cleaned without a question."""
        return not (self.question or self.problem)


@dataclass(frozen=True, slots=True)
class ManyOrder:
    """The button that was pressed; all three values are empty when none was."""

    opens: Upload | None = None
    discards: Upload | None = None
    cleans: bool = False


def draw_way(count: int) -> bool:
    """Draw how many lists wait and the choice to merge them; return that choice."""
    st.subheader(
        say_many(count, "{count} list is not cleaned yet", "{count} lists are not cleaned yet")
    )
    ways = {False: say("One project each"), True: say("One list")}
    is_one: bool = st.segmented_control(
        say("What should they become?"),
        list(ways),
        default=st.session_state.get(_IS_ONE, False),
        required=True,
        format_func=lambda way: ways[way],
        key="many_way",
    )
    st.session_state[_IS_ONE] = is_one  # Streamlit deletes the value of a widget that is not drawn
    return is_one


def draw_many(looks: Sequence[ListLook]) -> ManyOrder:
    """Draw the table of lists that wait, and its buttons."""
    order = ManyOrder()
    for look in looks:
        pressed = _draw_look(look)
        order = pressed or order
    clear = sum(look.is_clear for look in looks)
    open_ones = len(looks) - clear
    label = say_many(clear, "Clean {count} list", "Clean {count} lists")
    cleans = st.button(label, type="primary", key="many_clean", disabled=not clear)
    st.caption(
        say("Each list becomes a project named like its file; of duplicates the last row is kept.")
    )
    if open_ones:
        st.caption(
            say_many(
                open_ones,
                "{count} list has a question. Open it to answer.",
                "{count} lists have questions. Open them one by one to answer.",
            )
        )
    return ManyOrder(cleans=True) if cleans else order


def _draw_look(look: ListLook) -> ManyOrder | None:
    upload = look.upload
    with st.container(border=True, key=f"many_row_{upload.upload_id}"):
        name, rows, column, state, opens, discards = st.columns(
            _WIDTHS, vertical_alignment="center"
        )
        name.markdown(f"**{escape_markdown(upload.file_name)}**  \n{show_size(upload.size_bytes)}")
        rows.markdown(word_rows(look))
        column.markdown(escape_markdown(look.column_name))
        state.markdown(_word_state(look))
        if look.head is not None:
            draw_loud_notices(look.head.notices)
        if opens.button(say("Open"), key=f"many_open_{upload.upload_id}"):
            return ManyOrder(opens=upload)
        if discards.button(say("Delete"), key=f"many_discard_{upload.upload_id}"):
            return ManyOrder(discards=upload)
    return None


def word_rows(look: ListLook) -> str:
    """Return how many rows a list has, as far as that is known."""
    if not look.rows:
        return ""
    if look.is_estimate:
        return say("about {count} rows", count=format_number(look.rows))
    return say_many(look.rows, "{count} row", "{count} rows")


def _word_state(look: ListLook) -> str:
    if look.problem:
        return f":material/error: {escape_markdown(look.problem)}"
    if look.question:
        return f":material/help: {escape_markdown(look.question)}"
    return f":material/check: {say('ready to clean')}"
