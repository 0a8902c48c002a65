"""Clean page: upload of a list, review of how it is read, start."""

from dataclasses import replace
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from components.clean.clean_review import draw_last_list, draw_review
from components.clean.clean_upload import draw_arrived, draw_uploads
from components.clean.health import draw_health
from components.clean.opened_list import OpenedList, awaits_header, read_request, write_request
from components.frame import page_urls
from components.frame.error_boundary import fragment, guard
from components.frame.focus import move_focus
from components.frame.html import escape_markdown
from components.frame.page_urls import page_params
from components.frame.session import may, read_identity
from components.kit.notices import draw_error
from components.kit.upload import TOKEN_REFRESH_SECONDS
from components.rules.never_mail import draw_lost_noes
from components.rules.side_files import draw_suppressions
from winnow import wiring
from winnow.core.addresses.repair_kinds import SAFE_KINDS
from winnow.core.errors import Gone, WinnowError
from winnow.core.figures import round_estimate
from winnow.core.tasks.repair_choice import RepairChoice
from winnow.core.tasks.run_request import RunRequest
from winnow.services.names import NAME_MAX_CHARACTERS
from winnow.words import say, say_many, translatable

WHERE_REPAIRED = translatable(
    "The email column gets the repaired address; a new column, email_original, keeps the old one."
)
identity = read_identity()
services = wiring.services().act_as(identity)
account = identity.account


def draw_clean() -> None:
    """Draw the upload that the address names, or the drop zone."""
    upload_id = page_params.get("upload")
    upload = None
    if upload_id:
        try:
            upload = services.uploads.get(account, upload_id)
        except Gone:
            _draw_gone(upload_id)
    st.header(say("1 · Choose a file"))
    if upload is None:
        draw_uploads(services, account)
    elif draw_arrived(upload):
        services.uploads.discard(account, upload.upload_id)
        page_params.clear()
        st.rerun()
    else:
        opened = draw_review(services, account, upload)
        if opened is not None:
            draw_start(*opened)


def _draw_gone(upload_id: str) -> None:
    """Draw what became of an upload that no longer waits."""
    made = services.tasks.find_by_upload(account, upload_id)
    if made is None:
        st.info(
            say(
                "That file is no longer here: it was cleaned, replaced, or uploaded more than "
                "a day ago."
            )
        )
        return
    st.page_link(
        page_urls.PROJECT,
        label=say(
            "This list was cleaned: open {project}", project=escape_markdown(made.project_name)
        ),
        icon=":material/folder:",
        query_params={"task": made.task_id},
    )


def draw_start(
    view: OpenedList,
    removal: RunRequest | None,
    last: DeltaGenerator,
    health: DeltaGenerator,
) -> None:
    """Draw the last step; the button starts the run and opens the project.

    ``removal`` has the choices about duplicates; None while one is missing. ``last`` and ``health``
    are the places of the last list and of the preview.
    """
    st.header(say("3 · Start"))
    _draw_do_not_mail(view)
    first = _word_missing(view, is_open=removal is None)
    head, upload = view.head, view.upload
    name = st.text_input(
        say("Project name"),
        value=upload.project_name
        or upload.file_name[: -len(head.file_format) - 1][:NAME_MAX_CHARACTERS],
        max_chars=NAME_MAX_CHARACTERS,
        key="go_name",
        on_change=guard(partial(_keep_name, upload.upload_id)),
    )
    repair = _choose_repair(view)
    if removal is not None:
        asked = read_request(page_params)
        removal = replace(
            removal,
            choices=view.chosen,
            email_column=view.column,
            repair=repair,
            mail=view.find_mail(),
            silence=asked.silence,
            who_decides=asked.who_decides,
        )
        write_request(removal)
    with last:
        draw_last_list(view, is_open=removal is None)
    if view.can_be_judged:
        with health:
            draw_health(view, removal or RunRequest(repair=repair, mail=view.find_mail()))
    if head.row_count is not None:
        label = say_many(head.row_count, "Clean {count} row", "Clean {count} rows")
    else:
        rows = round_estimate(head.row_estimate)
        label = say_many(rows, "Clean about {count} row", "Clean about {count} rows")
    with st.container(horizontal=True, vertical_alignment="center", key="go"):  # kept in view
        starts = st.button(label, type="primary", key="go_start", disabled=bool(first))
        if first:
            st.caption(first)
    move_focus(".st-key-go_start button", once=upload.upload_id)
    if not starts or removal is None:
        return
    try:
        task = view.services.tasks.submit(
            view.account, upload.upload_id, removal, project_name=name or ""
        )
    except Gone:  # cleaned meanwhile, or discarded
        _draw_gone(upload.upload_id)
        return
    except WinnowError as error:
        draw_error(error, kept=say("Your file is still here."))
        return
    if upload.mail is not None:
        view.services.mail_choices.remember(view.account, head.columns, upload.mail)
    st.switch_page(page_urls.PROJECT, query_params={"task": task.task_id})


def _keep_name(upload_id: str) -> None:
    services.uploads.name_project(account, upload_id, st.session_state["go_name"])


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


def _choose_repair(view: OpenedList) -> RepairChoice | None:
    """Ask whether to make safe repairs; none is made without a choice."""
    is_wanted = st.checkbox(
        say("Correct addresses with formatting mistakes"),
        value=view.recall_request().repair is not None,
        key=view.name_widget("go_repair"),
        help=say(
            "Removes names, links, blanks and similar mistakes where the correction is certain."
        ),
    )
    if not is_wanted:
        return None
    st.caption(say(WHERE_REPAIRED))
    return RepairChoice(SAFE_KINDS)


st.title(say("Clean a list"))
draw_lost_noes(services, account)
if may(services.uploads.begin):
    draw_clean()
else:
    st.markdown(say("Your role sees projects and downloads them; members and admins clean lists."))
