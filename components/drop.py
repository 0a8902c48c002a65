"""Step one of cleaning a list: a file arrives, or the sample is taken."""

import streamlit as st

from backend.core.accounts import Upload
from backend.core.figures import show_size
from components.markdown import escape_markdown
from components.upload import draw_drop_zone


def draw_drop(*, token: str, free_bytes: int) -> tuple[str | None, bool]:
    """Draw the drop zone; return the id of an upload that arrived, and whether to take the sample.

    Args:
        token: A fresh upload token.
        free_bytes: The largest upload that fits now.
    """
    arrived = draw_drop_zone(token=token, free_bytes=free_bytes, key="drop_zone")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("No list at hand?")
        sample = st.button("Try the sample list", key="take_sample", type="tertiary")
    return arrived, sample


def draw_arrived(upload: Upload) -> bool:
    """Draw the line of the file that arrived; return whether another one is wanted."""
    with st.container(horizontal=True, vertical_alignment="center", border=True):
        st.markdown(
            f":material/description: **{escape_markdown(upload.file_name)}**, "
            f"{show_size(upload.size_bytes)}",
            width="stretch",
        )
        return st.button("Choose another file", key="other_file")
