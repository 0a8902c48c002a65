"""Several lists at once: a table of their state, and a button that cleans all clear ones."""

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from components.clean.health import loses_most
from components.clean.opened_list import awaits_header, find_email_column, read_head
from components.frame import page_urls
from components.kit.html import escape_markdown
from components.kit.input_summary import name_column
from components.kit.notices import draw_error, draw_loud_notices
from winnow.core.accounts import Upload
from winnow.core.errors import WinnowError
from winnow.core.figures import show_size
from winnow.core.lists.input_head import Choices, Head
from winnow.core.tasks.run_request import RunRequest
from winnow.services.services import Services
from winnow.words import format_number, say, say_many, say_written

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


def look_briefly(desk: Services, account: str, upload: Upload) -> ListLook:
    """Return a first look at a list: whether it can be cleaned without a question."""
    try:
        head = read_head(desk, account, upload.upload_id, Choices())
        column = find_email_column(head)
        if column is None or awaits_header(head, column):
            return ListLook(
                upload,
                head.row_count if head.row_count is not None else head.row_estimate,
                head.row_count is None,
                question=say("Which column holds the addresses?")
                if column is None
                else say("Is there a header row?"),
                head=head,
            )
        found = desk.previews.recall(account, upload.upload_id, head, column)
        found = found or desk.previews.look(account, upload.upload_id, head, column)
    except WinnowError as error:
        hint = say_written(error.hint) if error.hint else ""
        return ListLook(upload, problem=say_written(error.detail), hint=hint)
    rows = found.rows if found.is_exact else head.row_count
    return ListLook(
        upload,
        head.row_estimate if rows is None else rows,
        rows is None,
        column,
        name_column(head, column),
        say("More than half are duplicates. Is it the right column?") if loses_most(found) else "",
        head=head,
    )


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


def draw_many(desk: Services, account: str, looks: Sequence[ListLook]) -> Upload | None:
    """Draw the table of lists that wait, clean the clear ones on request; return one to open."""
    opened = None
    for look in looks:
        if _draw_look(desk, account, look):
            opened = look.upload
    clear = [look for look in looks if look.is_clear]
    open_ones = len(looks) - len(clear)
    label = say_many(len(clear), "Clean {count} list", "Clean {count} lists")
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
    if cleans:
        started = [_submit(desk, account, look) for look in clear]
        if all(started):
            st.switch_page(page_urls.PROJECTS)
    return opened


def _submit(desk: Services, account: str, look: ListLook) -> bool:
    """Start one list as it was read, or draw the error; return whether it was started."""
    request = RunRequest(email_column=look.column)
    try:
        desk.tasks.submit(account, look.upload.upload_id, request)
    except WinnowError as error:
        name = escape_markdown(look.upload.file_name)
        draw_error(error, kept=say("{file} is still here.", file=name))
        return False
    return True


def _draw_look(desk: Services, account: str, look: ListLook) -> bool:
    """Draw one list; return whether to open it."""
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
        if discards.button(say("Delete"), key=f"many_discard_{upload.upload_id}"):
            desk.uploads.discard(account, upload.upload_id)
            st.rerun()
        return opens.button(say("Open"), key=f"many_open_{upload.upload_id}")


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
