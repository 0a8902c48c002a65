"""Step one of cleaning a list: upload of a file, or choice of the sample."""

from collections.abc import Sequence

import streamlit as st

from components.clean.clean_merge import word_merge
from components.frame import page_urls
from components.kit.html import escape_markdown
from components.kit.local_time import show_local
from components.kit.upload import draw_drop_zone
from winnow.core.accounts import Upload
from winnow.core.figures import show_size
from winnow.words import say, say_many


def draw_drop(*, token: str, free_bytes: int) -> tuple[tuple[str, ...], bool]:
    """Draw the drop zone; return the ids of new uploads, and whether to use the sample.

    Args:
        token: A fresh upload token.
        free_bytes: The largest upload that fits now.
    """
    arrived = draw_drop_zone(token=token, free_bytes=free_bytes, key="drop_zone")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(say("No list at hand?"))
        sample = st.button(say("Try the sample list"), key="take_sample", type="tertiary")
    return arrived, sample


def draw_discard_all(count: int) -> bool:
    """Draw a button that deletes every list not cleaned yet; return whether it was pressed."""
    label = say_many(count, "Delete the {count} list", "Delete all {count} lists")
    return st.button(label, icon=":material/delete:", key="discard_all", type="tertiary")


def draw_waiting(waiting: Sequence[Upload]) -> tuple[str, Upload] | None:
    """Draw the uploads not cleaned yet; return ``"go on"`` or ``"discard"`` and which one."""
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
                return "go on", upload
            if st.button(say("Delete"), key=f"waiting_discard_{upload.upload_id}"):
                return "discard", upload
    return None


def draw_more_waiting(more: int) -> None:
    """Draw how many more uploads wait, with a link to all of them."""
    st.page_link(
        page_urls.PROJECTS,
        label=say_many(
            more,
            "{count} more uploaded list waits under Projects",
            "{count} more uploaded lists wait under Projects",
        ),
        icon=":material/folder:",
    )


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
