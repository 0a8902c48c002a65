"""Drop zone: the browser uploads a file directly to the server's own route.

Streamlit's uploader would hold the whole file in memory, twice; this one streams to disk.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import streamlit as st

from components.frame.error_boundary import guard
from components.frame.session import link_to
from winnow.core.figures import show_size
from winnow.core.lists.file_format import FORMAT_WORDS, FORMATS
from winnow.services.services import Services
from winnow.words import current_language, say

UPLOAD_URL = "/desk/uploads"
TOKEN_REFRESH_SECONDS = 240  # an upload token is valid for ten minutes


def draw_drop_zone(services: Services, account: str, *, key: str) -> tuple[str, ...]:
    """Draw the drop zone for lists; return the ids of the uploads that have just arrived.

    Draw it again before its upload token expires.
    """
    formats = [one.value for one in FORMATS]
    return _draw(services, account, UPLOAD_URL, {}, key=key, formats=formats, staysOpen=False)


def draw_file_zone(
    services: Services, account: str, url: str, words: Mapping[str, str], *, key: str
) -> tuple[str, ...]:
    """Draw a small zone for files of any format; return the ids of those that have just arrived.

    Args:
        services: All of them, as the caller may use them.
        account: Whose files.
        url: The server's route that takes them.
        words: Texts that replace those of ``list_words``.
        key: The element's key.
    """
    return _draw(services, account, url, words, key=key, formats=[], staysOpen=True)


def _draw(
    services: Services,
    account: str,
    url: str,
    words: Mapping[str, str],
    *,
    key: str,
    **data: object,
) -> tuple[str, ...]:
    free_bytes = services.usage.storage(account).free_bytes
    shared = {
        "url": link_to(url),
        "token": services.uploads.issue_token(account),
        "limitBytes": free_bytes,
        "language": current_language(),
        "words": {**list_words(free_bytes), **words},
    }
    html, css, js = _read_files()
    draw = st.components.v2.component("winnow_upload", html=html, css=css, js=js)
    # Without a callback Streamlit gives no value.
    result = draw(key=key, data={**shared, **data}, on_uploaded_change=guard(lambda: None))
    return tuple(str(result.uploaded or "").split())


@cache
def _read_files() -> list[str]:
    folder = Path(__file__).parent
    return [(folder / f"upload.{one}").read_text("utf-8") for one in ("html", "css", "js")]


def list_words(free_bytes: int) -> dict[str, str]:
    """Return every text of the drop zone, by its name in ``upload.js``."""
    formats = say(FORMAT_WORDS)
    return {
        "drop": say("Drop one list or several here"),
        "choose": say("or choose files"),
        "limit": say(
            "{formats}, also .csv.gz, .csv.zst or several in a .zip, up to {free}. "
            "It stays on this machine.",
            formats=formats,
            free=show_size(free_bytes),
        ),
        "file": say("Choose a list"),
        "upload": say("Upload"),
        "cancel": say("Cancel upload"),
        "oneOf": say("File {number} of {count}: {file}"),
        "format": say("{file} is not a list that Winnow can read."),
        "formatHint": say("Save it as CSV or as an Excel workbook (.xlsx) and drop that file."),
        "archive": say("The lists in {file} cannot be read."),
        "leftOut": say("Left out of {file}: {names}."),
        "archiveHint": say("Unpack it, and drop the files in it together."),
        "empty": say("{file} is empty."),
        "emptyHint": say("Choose a file with at least one row."),
        "large": say("{file} is too large: it has {size}, and there is room for {free}."),
        "largeHint": say("Delete projects that you no longer need, or split the file."),
        "arrived": say("Upload complete. Reading the first rows."),
        "refused": say("Winnow could not take the file (error {status})."),
        "refusedHint": say("Nothing was saved. Try again."),
        "broken": say("The connection to Winnow was lost."),
        "brokenHint": say("Nothing was saved. Check that Winnow is still running and try again."),
        "done": say("{done} of {size}"),
        "rate": say("{done} of {size}, {rate} per second"),
    }
