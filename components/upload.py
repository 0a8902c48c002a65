"""The drop zone: a file goes from the browser straight to the server's own route.

Streamlit's uploader would hold the whole file in memory, twice; this one streams to disk.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from winnow.core.figures import show_size
from winnow.core.lists.file_format import FORMAT_WORDS, FORMATS

_FOLDER = Path(__file__).parent
UPLOAD_URL = "/desk/uploads"


@cache
def _register() -> Callable[..., Any]:
    return st.components.v2.component(
        "winnow_upload",
        html=(_FOLDER / "upload.html").read_text(encoding="utf-8"),
        css=(_FOLDER / "upload.css").read_text(encoding="utf-8"),
        js=(_FOLDER / "upload.js").read_text(encoding="utf-8"),
    )


def draw_drop_zone(*, token: str, free_bytes: int, key: str) -> str | None:
    """Draw the drop zone and return the id of the upload that has just arrived, else None.

    Args:
        token: A fresh upload token; it is good for ten minutes, so draw the zone again before.
        free_bytes: The largest upload that fits now.
        key: The element's key.
    """
    room = f"up to {show_size(free_bytes)} now"
    limit = f"{FORMAT_WORDS}; text also as .gz or .zst; {room}. It stays on this machine."
    result = _register()(
        key=key,
        data={
            "url": UPLOAD_URL,
            "token": token,
            "limitBytes": free_bytes,
            "limitText": limit,
            "formats": [one.value for one in FORMATS],
            "formatWords": FORMAT_WORDS,
        },
        on_uploaded_change=_ignore,
    )
    uploaded = result.uploaded
    return str(uploaded) if uploaded else None


def _ignore() -> None:
    """Streamlit needs a callback for the value to exist."""
