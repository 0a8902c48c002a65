"""Clean page: upload of a list, review of how it is read, start."""

import streamlit as st

from components.clean.clean_review import draw_review
from components.clean.clean_submit import draw_start
from components.clean.clean_upload import draw_arrived, draw_uploads
from components.frame import page_urls
from components.frame.session import may, read_identity
from components.kit.page_params import page_params
from winnow.core.errors import Gone
from winnow.wiring import services
from winnow.words import say

identity = read_identity()
desk = services().act_as(identity)
account = identity.account


def draw_clean() -> None:
    """Draw the upload that the address names, or the drop zone."""
    upload_id = page_params.get("upload")
    upload = None
    if upload_id:
        try:
            upload = desk.uploads.get(account, upload_id)
        except Gone:
            st.info(
                say(
                    "That file is no longer here: it was cleaned, replaced, or uploaded more than "
                    "a day ago."
                )
            )
    elif started := page_params.get("task"):  # reloaded between the start and the project's page
        st.page_link(
            page_urls.PROJECT,
            label=say("Open the project that was started here"),
            icon=":material/arrow_forward:",
            query_params={"task": started},
        )
    st.header(say("1 · Choose a file"))
    if upload is None:
        draw_uploads(desk, account)
    elif draw_arrived(upload):
        desk.uploads.discard(account, upload.upload_id)
        page_params.clear()
        st.rerun()
    else:
        opened = draw_review(desk, account, upload)
        if opened is not None:
            draw_start(*opened)


st.title(say("Clean a list"))
if may("uploads.begin"):
    draw_clean()
else:
    st.markdown(say("Your role sees projects and downloads them; members and admins clean lists."))
