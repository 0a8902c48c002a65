"""Step one of cleaning a list: a file arrives, or the sample is taken."""

from collections.abc import Sequence

import streamlit as st

from components import page_urls
from components.clean_merge import word_merge
from components.local_time import show_local
from components.markdown import escape_markdown
from components.upload import draw_drop_zone
from winnow.core.accounts import Upload
from winnow.core.figures import show_size
from winnow.words import say, say_many


def draw_drop(*, token: str, free_bytes: int) -> tuple[tuple[str, ...], bool]:
    """Draw the drop zone; return the ids of uploads that arrived, and whether to take the sample.

    Args:
        token: A fresh upload token.
        free_bytes: The largest upload that fits now.
    """
    arrived = draw_drop_zone(token=token, free_bytes=free_bytes, key="drop_zone")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(say("No list at hand?"))
        sample = st.button(say("Try the sample list"), key="take_sample", type="tertiary")
    return arrived, sample


def draw_waiting(waiting: Sequence[Upload]) -> tuple[str, Upload] | None:
    """Offer what was uploaded and not cleaned; return ``"go on"`` or ``"discard"`` and which."""
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
            if st.button(say("Discard"), key=f"waiting_discard_{upload.upload_id}"):
                return "discard", upload
    return None


def draw_more_waiting(more: int) -> None:
    """Say that further uploads wait, and lead to where all of them stand."""
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
    """Draw the line of the file that arrived; return whether another one is wanted."""
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
