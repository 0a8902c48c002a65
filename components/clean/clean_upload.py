"""Step one of cleaning: upload of files, the sample, lists that wait, several at once."""

from collections.abc import Sequence

import streamlit as st

from components.clean.clean_merge import draw_merge, word_merge
from components.clean.opened_list import ListLook, clear_choices, look_briefly, word_rows
from components.frame import page_urls
from components.frame.error_boundary import fragment
from components.frame.page_urls import page_params
from components.frame.session import show_local
from components.kit.html import escape_markdown
from components.kit.notices import draw_error, draw_loud_notices
from components.kit.upload import TOKEN_REFRESH_SECONDS, draw_drop_zone
from winnow.core.accounts import Upload
from winnow.core.errors import WinnowError
from winnow.core.figures import show_size
from winnow.core.tasks.run_request import RunRequest
from winnow.services.services import Services
from winnow.words import say, say_many

_WIDTHS = (5, 2, 3, 5, 2, 2)
_WAITING_SHOWN = 50


@fragment(run_every=TOKEN_REFRESH_SECONDS)
def draw_uploads(desk: Services, account: str) -> None:
    """Draw the drop zone and the uploads that wait, redrawn before the upload token expires."""
    arrived = draw_drop_zone(desk, account, key="drop_zone")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(say("No list yet?"))
        sample = st.button(say("Try the sample list"), key="take_sample", type="tertiary")
    if sample:
        try:
            arrived = (desk.uploads.stage_sample(account).upload_id,)
        except WinnowError as error:
            draw_error(error, kept=say("Delete a project that you no longer need, and try again."))
    waiting = () if arrived else desk.uploads.list_waiting(account)
    opened = None
    if len(waiting) > 1:
        opened = _draw_several(desk, account, waiting)
    elif waiting:
        opened = draw_waiting(desk, account, waiting)
    if opened is not None:
        arrived = (opened.upload_id,)
    if arrived:
        clear_choices()
        if len(arrived) == 1:
            page_params["upload"] = arrived[0]
        st.rerun()


def _draw_several(desk: Services, account: str, waiting: Sequence[Upload]) -> Upload | None:
    """Draw the lists that wait, as projects of their own or as one; return one to open."""
    with st.spinner(say("Looking into the lists")):
        looks = [look_briefly(desk, account, upload) for upload in waiting[:_WAITING_SHOWN]]
    draw = draw_merge if draw_way(len(looks)) else draw_many
    opened = draw(desk, account, looks)
    more = len(waiting) - _WAITING_SHOWN
    if more > 0:
        st.page_link(
            page_urls.PROJECTS,
            label=say_many(
                more,
                "{count} more uploaded list waits under Projects",
                "{count} more uploaded lists wait under Projects",
            ),
            icon=":material/folder:",
        )
    draw_discard_all(desk, account, waiting)
    return opened


def draw_discard_all(desk: Services, account: str, waiting: Sequence[Upload]) -> None:
    """Draw a button that deletes every list not cleaned yet."""
    label = say_many(len(waiting), "Delete the {count} list", "Delete all {count} lists")
    if st.button(label, icon=":material/delete:", key="discard_all", type="tertiary"):
        for upload in waiting:
            desk.uploads.discard(account, upload.upload_id)
        st.rerun()


def draw_waiting(desk: Services, account: str, waiting: Sequence[Upload]) -> Upload | None:
    """Draw the uploads not cleaned yet; return the one to continue with."""
    opened = None
    for upload in waiting:
        with st.container(horizontal=True, vertical_alignment="center", border=True):
            text = say(
                "**{file}**, {size}, uploaded {when}, not cleaned yet",
                file=escape_markdown(upload.file_name),
                size=show_size(upload.size_bytes),
                when=show_local(upload.created_at),
            )
            st.markdown(f":material/description: {text}", width="stretch")
            if st.button(say("Continue"), key=f"waiting_go_{upload.upload_id}"):
                opened = upload
            if st.button(say("Delete"), key=f"waiting_discard_{upload.upload_id}"):
                desk.uploads.discard(account, upload.upload_id)
                st.rerun()
    return opened


def draw_arrived(upload: Upload) -> bool:
    """Draw the line of the uploaded file; return whether another file is to be chosen."""
    merge = upload.merge
    with st.container(horizontal=True, vertical_alignment="center", border=True):
        files = "" if merge is None else f"  \n{word_merge(merge)}"
        st.markdown(
            f":material/description: **{escape_markdown(upload.file_name)}**, "
            f"{show_size(upload.size_bytes)}{files}",
            width="stretch",
        )
        other = say("Choose another file") if merge is None else say("Back to the files")
        return st.button(other, key="other_file")


def draw_way(count: int) -> bool:
    """Draw how many lists wait and the choice to merge them; return that choice."""
    st.subheader(
        say_many(count, "{count} list is not cleaned yet", "{count} lists are not cleaned yet")
    )
    ways = {False: say("One project each"), True: say("One list")}
    is_one: bool = st.segmented_control(
        say("Clean them as"),
        list(ways),
        default=False,
        required=True,
        format_func=lambda way: ways[way],
        key="many_way",
        persist_state="session",
    )
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


def _word_state(look: ListLook) -> str:
    if look.problem:
        return f":material/error: {escape_markdown(look.problem)}"
    if look.question:
        return f":material/help: {escape_markdown(look.question)}"
    return f":material/check: {say('ready to clean')}"
