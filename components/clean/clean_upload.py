"""Step one of cleaning a list: upload of files, choice of the sample, uploads that wait."""

from collections.abc import Sequence

import streamlit as st

from components.clean.choices import clear_choices
from components.clean.clean_many import draw_many, draw_way, look_briefly
from components.clean.clean_merge import draw_merge, word_merge
from components.frame import page_urls
from components.frame.error_boundary import fragment
from components.kit.html import escape_markdown
from components.kit.local_time import show_local
from components.kit.notices import draw_error
from components.kit.page_params import page_params
from components.kit.upload import draw_drop_zone
from winnow.core.accounts import Upload
from winnow.core.errors import WinnowError
from winnow.core.figures import show_size
from winnow.services.services import Services
from winnow.words import say, say_many

TOKEN_REFRESH_SECONDS = 240  # an upload token is good for ten minutes
_WAITING_SHOWN = 50


@fragment(run_every=TOKEN_REFRESH_SECONDS)
def draw_uploads(desk: Services, account: str) -> None:
    """Draw the drop zone and the uploads that wait, redrawn before the upload token expires."""
    arrived = draw_drop_zone(
        token=desk.uploads.issue_token(account),
        free_bytes=desk.usage.storage(account).free_bytes,
        key="drop_zone",
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(say("No list at hand?"))
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
