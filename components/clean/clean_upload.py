"""Step one of cleaning: upload of files, the sample, several lists at once."""

from collections.abc import Sequence

import streamlit as st

from components.clean.clean_merge import draw_merge, keep_dropped, word_merge
from components.clean.opened_list import clear_choices
from components.clean.waiting import (
    ListLook,
    draw_discard_all,
    draw_look,
    draw_waiting,
    look_briefly,
    name_upload,
)
from components.frame import page_urls
from components.frame.error_boundary import fragment
from components.frame.html import escape_markdown
from components.frame.page_urls import page_params
from components.kit.notices import draw_error
from components.kit.upload import TOKEN_REFRESH_SECONDS, draw_drop_zone
from winnow.core.errors import WinnowError
from winnow.core.lists.upload import Upload
from winnow.core.meaning.columns import NO_DECISIONS, read_columns
from winnow.core.tasks.run_request import RunRequest
from winnow.services.services import Services
from winnow.words import say, say_many

_WAITING_SHOWN = 50


@fragment(run_every=TOKEN_REFRESH_SECONDS)
def draw_uploads(services: Services, account: str) -> None:
    """Draw the drop zone and the uploads that wait, redrawn before the upload token expires."""
    arrived = draw_drop_zone(services, account, key="drop_zone")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(say("No list yet?"))
        sample = st.button(say("Try the sample list"), key="take_sample", type="tertiary")
    if sample:
        try:
            arrived = (services.uploads.stage_sample(account).upload_id,)
        except WinnowError as error:
            draw_error(error, kept=say("Delete a project that you no longer need, and try again."))
    waiting = () if arrived else services.uploads.list_waiting(account)
    opened = None
    if len(waiting) > 1:
        opened = _draw_several(services, account, waiting)
    elif waiting and draw_waiting(services, account, waiting[0]):
        opened = waiting[0]
    if opened is not None:
        arrived = (opened.upload_id,)
    if arrived:
        if len(arrived) > 1:
            keep_dropped(arrived)
        clear_choices()
        if len(arrived) == 1:
            page_params["upload"] = arrived[0]
        st.rerun()


def _draw_several(services: Services, account: str, waiting: Sequence[Upload]) -> Upload | None:
    """Draw the lists that wait, as projects of their own or as one; return one to open."""
    with st.spinner(say("Looking into the lists")):
        looks = [look_briefly(services, account, upload) for upload in waiting[:_WAITING_SHOWN]]
    draw = draw_merge if draw_way(len(looks)) else draw_many
    opened = draw(services, account, looks)
    more = len(waiting) - _WAITING_SHOWN
    if more > 0:
        st.caption(
            say_many(
                more,
                "{count} more list is shown after these.",
                "{count} more lists are shown after these.",
            )
        )
    draw_discard_all(services, account, waiting)
    return opened


def draw_arrived(upload: Upload) -> bool:
    """Draw the line of the uploaded file; return whether another file is to be chosen."""
    merge = upload.merge
    with st.container(horizontal=True, vertical_alignment="center", border=True):
        files = "" if merge is None else f"  \n{word_merge(merge)}"
        st.markdown(f":material/description: {name_upload(upload)}{files}", width="stretch")
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


def draw_many(services: Services, account: str, looks: Sequence[ListLook]) -> Upload | None:
    """Draw the lists that wait, clean the clear ones on request; return one to open."""
    opened = None
    for look in looks:
        if draw_look(services, account, look):
            opened = look.upload
    clear = [look for look in looks if look.is_clear]
    open_ones = len(looks) - len(clear)
    label = say_many(len(clear), "Clean {count} list", "Clean {count} lists")
    cleans = st.button(label, type="primary", key="many_clean", disabled=not clear)
    st.caption(
        say(
            "Each list becomes a project named like its file, or as you named it; of duplicates "
            "the last row is kept. What you decided about columns and values holds; your usual "
            "policy decides about people who say both."
        )
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
        started = [_submit(services, account, look) for look in clear]
        for look, is_started in zip(clear, started, strict=True):  # not for those beside it
            if is_started and look.head is not None and look.upload.mail is not None:
                services.mail_choices.remember(account, look.head.columns, look.upload.mail)
        if all(started):
            st.switch_page(page_urls.PROJECTS)
    return opened


def _submit(services: Services, account: str, look: ListLook) -> bool:
    """Start one list as it was read, or draw the error; return whether it was started."""
    upload, head, place = look.upload, look.head, look.column
    assert head is not None and place is not None  # noqa: S101, PT018  # it is clear
    columns = read_columns(head.columns, head.values, place)
    mail = services.mail_choices.recall(account, head.columns, columns)
    if head.values_rows != head.row_count:  # a strong no may stand below the rows that were read
        mail = mail.keep_noes()
    request = RunRequest(email_column=place, mail=mail.add(upload.mail or NO_DECISIONS))
    try:
        services.tasks.submit(account, upload.upload_id, request, project_name=upload.project_name)
    except WinnowError as error:
        name = escape_markdown(look.upload.file_name)
        draw_error(error, kept=say("{file} is still here.", file=name))
        return False
    return True
