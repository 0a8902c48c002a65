"""Decision pages to share: their button, and the link to requests about a person."""

from collections.abc import Callable

import streamlit as st

from components.frame import page_urls
from components.kit.downloads import SmallFile
from winnow.words import say


def draw_explanation(make: Callable[[], SmallFile], *, key: str) -> None:
    """Draw the download button of the page that explains an address's verdict.

    Args:
        make: Makes the page; it holds the address.
        key: The button's key.
    """
    report = make()
    st.download_button(
        say("Explain this decision"),
        report.content,
        file_name=report.file_name,
        mime=report.media_type,
        icon=":material/description:",
        on_click="ignore",
        key=key,
        help=say(
            "A page with the decision and its evidence; it contains the address, so give it only "
            "to people who may see it."
        ),
    )


def draw_request_link() -> None:
    """Draw the link to the search for all data about one address."""
    st.page_link(
        page_urls.SETTINGS,
        label=say("Answer a request about a person"),
        icon=":material/contact_mail:",
        query_params={"tab": "requests"},
    )
