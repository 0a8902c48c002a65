"""An upload that is reviewed: how it is read, its email column, its preview."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import streamlit as st

from components.clean.choices import Removal, read_choices, read_removal, read_repair
from components.kit.input_summary import awaits_column
from components.kit.page_params import page_params
from winnow.core.accounts import Upload
from winnow.core.errors import WinnowError
from winnow.core.lists.input_head import Choices, Head
from winnow.core.lists.previews import Preview
from winnow.services.services import Services
from winnow.words import say


@dataclass(frozen=True, slots=True)
class OpenedList:
    """An upload, how it is read by the page's choices, and the user who opened it.

    ``column`` is the column to check, from 0; None until one is chosen.
    """

    services: Services
    account: str
    upload: Upload
    chosen: Choices
    head: Head
    column: int | None

    @property
    def can_be_judged(self) -> bool:
        """Whether the column is known, and whether the first row is a header."""
        return self.column is not None and not awaits_header(self.head, self.column)

    def recall_preview(self) -> Preview | None:
        """Return the preview if it was made before; may raise WinnowError."""
        assert self.column is not None  # noqa: S101  # the caller's choice
        return self.services.previews.recall(
            self.account, self.upload.upload_id, self.head, self.column
        )

    def make_preview(self) -> Preview:
        """Return the preview; may take seconds and raise WinnowError."""
        assert self.column is not None  # noqa: S101  # the caller's choice
        return self.services.previews.look(
            self.account, self.upload.upload_id, self.head, self.column
        )

    def recall_run(self) -> tuple[Removal, bool]:
        """Return the run's choices in the URL when this session first showed the list."""
        params: Mapping[str, str] = page_params
        found: tuple[Removal, bool] = st.session_state.setdefault(
            f"go_first_{self.upload.upload_id}", (read_removal(params), read_repair(params))
        )
        return found


def open_list(desk: Services, account: str, upload: Upload) -> OpenedList:
    """Return an upload as it is read by the choices in the URL; may raise WinnowError."""
    read = desk, account, upload.upload_id
    head = read_head(*read, read_choices(page_params))
    chosen = read_choices(page_params, head.sheets)  # a sheet is named by its position
    if chosen.sheet is not None:
        head = read_head(*read, chosen)
    opened = OpenedList(desk, account, upload, chosen, head, find_email_column(head))
    return replace(opened, head=_count_rows(opened))


@st.cache_data(max_entries=64, ttl=600, show_spinner=say("Looking into the list"))
def read_head(_desk: Services, account: str, upload_id: str, choices: Choices) -> Head:
    """Return an upload's head; cached between reruns of the page, since uploads never change."""
    return _desk.uploads.read_head(account, upload_id, choices)


def _count_rows(opened: OpenedList) -> Head:
    """Return the head with the preview's row count, once the preview has read all rows.

    A workbook states the end of its sheet; blank rows and totals are not rows of the list.
    """
    head = opened.head
    try:
        found = None if opened.column is None else opened.recall_preview()
    except WinnowError:  # shown next to the preview
        return head
    return replace(head, row_count=found.rows) if found is not None and found.is_exact else head


def find_email_column(head: Head) -> int | None:
    """Return the column to check: the one chosen, else the one named email, else the best guess.

    None if more than one column is possible.
    """
    if head.chosen_column is not None:
        return head.chosen_column
    return None if awaits_column(head) else head.suggested_column


def awaits_header(head: Head, email_column: int | None) -> bool:
    """Return whether the analyst must first choose if the first row is a header."""
    return head.headerless_guess and email_column is not None
