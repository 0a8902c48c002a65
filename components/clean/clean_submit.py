"""Step three of cleaning a list: do-not-mail files, its name, and the button that starts."""

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from components.clean.clean_upload import TOKEN_REFRESH_SECONDS
from components.clean.opened_list import (
    OpenedList,
    awaits_header,
    loses_most,
    write_request,
)
from components.clean.suppressions import draw_suppressions
from components.frame import page_urls
from components.frame.error_boundary import fragment, guard
from components.kit.html import escape_markdown
from components.kit.input_summary import name_column
from components.kit.notices import draw_error
from winnow.core.addresses.repair_kinds import SAFE_KINDS
from winnow.core.errors import WinnowError
from winnow.core.figures import round_estimate
from winnow.core.lists.previews import Preview
from winnow.core.tasks.repair_choice import RepairChoice
from winnow.core.tasks.run_request import RunRequest
from winnow.words import format_number, mark, say, say_many

WHERE_REPAIRED = mark(
    "The email column gets the repaired address; a new column, email_original, keeps the old one."
)
NAME_MAX_CHARACTERS = 50  # decisions.md, "Batch"


def draw_start(view: OpenedList, removal: RunRequest | None) -> None:
    """Draw the last step; the button starts the run and opens the project.

    ``removal`` has the choices about duplicates; None while one is missing.
    """
    st.header(say("3 · Start"))
    _draw_do_not_mail(view)
    first = _word_missing(view, is_open=removal is None)
    deduplicates = removal is not None and removal.deduplicate
    preview = None
    if deduplicates and not first:
        preview = _find_preview(view.recall_preview)
    head, upload = view.head, view.upload
    with st.container(gap="small"):
        name = st.text_input(
            say("Project name"),
            value=upload.file_name[: -len(head.file_format) - 1][:NAME_MAX_CHARACTERS],
            max_chars=NAME_MAX_CHARACTERS,
            key="go_name",
        )
        if preview is not None and _is_doubtful(view, preview):
            _ask(view, preview)
            first = say("Answer the question above first.")
    repair = _choose_repair(first=view.recall_request().repair is not None)
    if removal is not None:
        removal = replace(removal, choices=view.chosen, email_column=view.column, repair=repair)
        write_request(removal)
    if head.row_count is not None:
        label = say_many(head.row_count, "Clean {count} row", "Clean {count} rows")
    else:
        rows = round_estimate(head.row_estimate)
        label = say_many(rows, "Clean about {count} row", "Clean about {count} rows")
    starts = st.button(label, type="primary", key="go_start", disabled=bool(first))
    if first:
        st.caption(first)
    if not starts or removal is None:
        return
    if deduplicates and preview is None:
        preview = _find_preview(view.make_preview)
        if preview is not None and _is_doubtful(view, preview):
            st.rerun()
    try:
        task = view.services.tasks.submit(
            view.account, upload.upload_id, removal, project_name=name or ""
        )
    except WinnowError as error:
        draw_error(error, kept=say("Your file is still here."))
        return
    st.switch_page(page_urls.PROJECT, query_params={"task": task.task_id})


@fragment(run_every=TOKEN_REFRESH_SECONDS)
def _draw_do_not_mail(view: OpenedList) -> None:
    draw_suppressions(view.services, view.account, "uploads", view.upload.upload_id)


def _word_missing(view: OpenedList, *, is_open: bool) -> str:
    """Return what must be chosen before the run can start; empty: nothing."""
    if view.column is None:
        return say("First choose the email column.")
    if awaits_header(view.head, view.column):
        return say("First choose whether there is a header row.")
    return say("First choose the date column.") if is_open else ""


def _find_preview(find: Callable[[], Preview | None]) -> Preview | None:
    try:
        return find()
    except WinnowError:  # shown next to the preview
        return None


def _is_doubtful(view: OpenedList, preview: Preview) -> bool:
    """Return whether to ask: most rows would be removed, and the user has not agreed."""
    return loses_most(preview) and st.session_state.get("go_agreed") != _name_subject(view)


def _name_subject(view: OpenedList) -> object:
    return view.upload.upload_id, view.column, view.chosen


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


def _ask(view: OpenedList, preview: Preview) -> None:
    """Ask, with the numbers, whether to remove most of the rows."""
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
    assert view.column is not None  # noqa: S101  # a preview has a column
    column = escape_markdown(name_column(view.head, view.column))
    doubt = say("Is {column} the right column?", column=column)
    st.warning(f"**{head}** {count} {doubt}")

    @guard
    def agree() -> None:
        st.session_state["go_agreed"] = _name_subject(view)

    @guard
    def keep_all() -> None:
        st.session_state["go_deduplicate"] = False

    with st.container(horizontal=True):
        st.button(yes, key="go_agree", on_click=agree)
        st.button(say("No, keep every row"), key="go_keep_all", on_click=keep_all)
