"""Uploads that wait: a first look at each, its line with buttons, deletion."""

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from components.clean.opened_list import awaits_header, find_email_column, read_head
from components.frame.error_words import write_error
from components.frame.html import escape_markdown
from components.frame.session import show_local
from components.kit.input_summary import describe_head
from components.kit.notices import draw_loud_notices
from winnow.core.errors import WinnowError
from winnow.core.figures import show_size
from winnow.core.lists.input_head import Choices, Head
from winnow.core.lists.upload import Upload
from winnow.services.services import Services
from winnow.words import say, say_many


@dataclass(frozen=True, slots=True)
class ListLook:
    """Result of the first look at one list.

    ``column`` is the email column's index; ``question`` is what its review will ask. ``head`` is
    None where the list cannot be read; ``problem`` says why, in Markdown.
    """

    upload: Upload
    head: Head | None = None
    column: int | None = None
    question: str = ""
    problem: str = ""

    @property
    def is_clear(self) -> bool:
        """Whether it can be cleaned without a question."""
        return not (self.question or self.problem)


def look_briefly(services: Services, account: str, upload: Upload) -> ListLook:
    """Return a first look at a list: whether it can be cleaned without a question."""
    try:
        head = read_head(services, account, upload.upload_id, Choices())
    except WinnowError as error:
        return ListLook(upload, problem=write_error(error))
    column = find_email_column(head)
    if column is None:
        return ListLook(upload, head, question=say("Which column holds the addresses?"))
    if awaits_header(head, column):
        return ListLook(upload, head, question=say("Is there a header row?"))
    return ListLook(upload, head, column)


def draw_look(services: Services, account: str, look: ListLook) -> bool:
    """Draw the line of a list that was looked at; return whether to open it."""
    if look.head is None:
        said = f":material/error: {look.problem}"
    elif look.question:
        said = f":material/help: {escape_markdown(look.question)}"
    else:
        read = escape_markdown(describe_head(look.head, look.column))
        said = f":material/check: {say('ready to clean')}: {read}"
    return _draw_line(services, account, look, said)


def draw_waiting(services: Services, account: str, upload: Upload) -> bool:
    """Draw an upload that is not cleaned yet, without a look at it; return whether to open it."""
    said = say("uploaded {when}, not cleaned yet", when=show_local(upload.created_at))
    return _draw_line(services, account, ListLook(upload), f":material/description: {said}")


def _draw_line(services: Services, account: str, look: ListLook, said: str) -> bool:
    upload = look.upload
    with st.container(border=True, key=f"waiting_{upload.upload_id}"):
        text, buttons = st.columns((3, 1), vertical_alignment="center")
        text.markdown(f"{name_upload(upload)}  \n{said}")
        with buttons, st.container(horizontal=True, horizontal_alignment="right"):
            is_opened = st.button(say("Open"), key=f"waiting_go_{upload.upload_id}")
            draw_discard(services, account, upload)
        if look.head is not None:
            draw_loud_notices(look.head.notices)
    return is_opened


def name_upload(upload: Upload) -> str:
    """Return the name and the size of an upload, in Markdown."""
    return f"**{escape_markdown(upload.file_name)}**, {show_size(upload.size_bytes)}"


def draw_discard(services: Services, account: str, upload: Upload) -> None:
    """Draw the button that deletes an upload."""
    if st.button(say("Delete"), key=f"waiting_discard_{upload.upload_id}"):
        services.uploads.discard(account, upload.upload_id)
        st.rerun()


def draw_discard_all(services: Services, account: str, waiting: Sequence[Upload]) -> None:
    """Draw a button that deletes every list not cleaned yet."""
    label = say_many(len(waiting), "Delete the {count} list", "Delete all {count} lists")
    if st.button(label, icon=":material/delete:", key="discard_all", type="tertiary"):
        for upload in waiting:
            services.uploads.discard(account, upload.upload_id)
        st.rerun()
