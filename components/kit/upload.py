"""Drop zone: the browser uploads a file directly to the server's own route.

Streamlit's uploader would hold the whole file in memory, twice; this one streams to disk.
"""

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from components.frame.error_boundary import guard
from components.frame.session import link_to
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


def draw_drop_zone(*, token: str, free_bytes: int, key: str) -> tuple[str, ...]:
    """Draw the drop zone and return the ids of the uploads that have just arrived.

    Args:
        token: A fresh upload token, valid for ten minutes; draw the zone again before it expires.
        free_bytes: The largest upload that fits now.
        key: The element's key.
    """
    return _draw(
        key,
        url=UPLOAD_URL,
        token=token,
        limitBytes=free_bytes,
        formats=[one.value for one in FORMATS],
        staysOpen=False,
        words=list_words(free_bytes),
    )


def draw_file_zone(
    *, url: str, token: str, free_bytes: int, key: str, words: Mapping[str, str]
) -> bool:
    """Draw a small zone for files of any format; return whether one has just arrived.

    Args:
        url: The server's route that takes them.
        token: As for ``draw_drop_zone``.
        free_bytes: The largest that fits now.
        key: The element's key.
        words: Texts that replace those of ``list_words``.
    """
    arrived = _draw(
        key,
        url=url,
        token=token,
        limitBytes=free_bytes,
        formats=[],
        staysOpen=True,
        words={**list_words(free_bytes), **words},
    )
    return bool(arrived)


def _draw(key: str, *, url: str, **data: object) -> tuple[str, ...]:
    shared = {"takesMany": True, "language": current_language(), "url": link_to(url)}
    result = _register()(
        key=key,
        data={**shared, **data},
        on_uploaded_change=guard(_ignore),
    )
    return tuple(str(result.uploaded or "").split())


def list_words(free_bytes: int) -> dict[str, str]:
    """Return every text of the drop zone, by its name in ``upload.js``."""
    formats = say(FORMAT_WORDS)
    return {
        "drop": say("Drop one list or several here"),
        "choose": say("or choose files"),
        "limit": say(
            "{formats}, also .csv.gz or .csv.zst, up to {free}. It stays on this machine.",
            formats=formats,
            free=show_size(free_bytes),
        ),
        "file": say("Choose a list"),
        "upload": say("Upload"),
        "cancel": say("Cancel upload"),
        "oneOf": say("File {number} of {count}: {file}"),
        "several": say("Please drop one list at a time."),
        "severalHint": say("Drop a single file now and the others afterwards."),
        "format": say("{file} is not a list that Winnow can read."),
        "formatHint": say("Save it as CSV or as an Excel workbook (.xlsx) and drop that file."),
        "packedHint": say(
            "The name must have the format inside, for example list.csv{ending}. Rename the file "
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
    """Do nothing: Streamlit needs a callback for the value to exist."""
