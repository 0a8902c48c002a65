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
from winnow.words import current_language, say

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
    result = _register()(
        key=key,
        data={
            "url": UPLOAD_URL,
            "token": token,
            "limitBytes": free_bytes,
            "formats": [one.value for one in FORMATS],
            "language": current_language(),
            "words": list_words(free_bytes),
        },
        on_uploaded_change=_ignore,
    )
    uploaded = result.uploaded
    return str(uploaded) if uploaded else None


def list_words(free_bytes: int) -> dict[str, str]:
    """Return every text that people read in the drop zone, by its name in ``upload.js``."""
    formats = say(FORMAT_WORDS)
    return {
        "drop": say("Drop a list here"),
        "choose": say("or choose a file"),
        "limit": say(
            "{formats}, also .csv.gz or .csv.zst, up to {free}. It stays on this machine.",
            formats=formats,
            free=show_size(free_bytes),
        ),
        "file": say("Choose a list"),
        "upload": say("Upload"),
        "cancel": say("Cancel upload"),
        "several": say("Please drop one list at a time."),
        "severalHint": say("Drop a single file now and the others afterwards."),
        "format": say("{file} is not a list that Winnow can read."),
        "formatHint": say("Save it as CSV or as an Excel workbook (.xlsx) and drop that file."),
        "packedHint": say(
            "The name must also tell what is inside, for example list.csv{ending}. Rename the file "
            "and drop it again."
        ),
        "empty": say("{file} is empty."),
        "emptyHint": say("Choose a file with at least one row."),
        "large": say("{file} is too large: it has {size}, and there is room for {free}."),
        "largeHint": say("Delete projects that you no longer need, or split the file."),
        "arrived": say("Upload complete. Reading the first rows."),
        "refused": say("Winnow could not take the file (error {status})."),
        "refusedHint": say("Nothing was saved. Try again."),
        "broken": say("The connection to Winnow was lost."),
        "brokenHint": say("Nothing was saved. Check that Winnow is still running and try again."),
        "cancelled": say("Upload cancelled."),
        "cancelledHint": say("Nothing was saved."),
        "done": say("{done} of {size}"),
        "rate": say("{done} of {size}, {rate} per second"),
        "bytes": say("bytes"),
    }


def _ignore() -> None:
    """Streamlit needs a callback for the value to exist."""
