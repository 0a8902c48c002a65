"""UI script of Streamlit: frame, navigation, sign-in and foot line of every page."""

# ruff: noqa: E402

from components.frame.page_urls import load_charts, load_pages

load_pages()  # before the imports below: one thread imports, the others wait

from pathlib import Path
from typing import Any

import streamlit as st

from components.frame import page_urls
from components.frame.error_boundary import boundary, draw_callback_error, fragment
from components.frame.frame import (
    READING_WIDTH_PX,
    draw_foot,
    draw_frame,
)
from components.frame.html import escape_markdown
from components.frame.page_urls import open_params
from components.frame.session import (
    choose_language,
    draw_sign_in,
    draw_sign_out,
    keep_identity,
    keep_root,
    read_identity,
    read_token,
)
from winnow import wiring
from winnow.core.identities import LOCAL_IDENTITY, Role
from winnow.services.services import Services
from winnow.words import say

# After a lost connection Streamlit runs a page anew only if a part of it runs at intervals; a
# restarted server that has not run it ignores the first press.
FOOT_SECONDS = 3600


def run(services: Services) -> None:
    """Draw the page at the browser's URL."""
    choose_language(services.settings.language)
    keep_root(services.settings.public_path)
    identity = services.sign_in.identify(read_token())
    is_reader = identity is not None and identity.role is Role.READER
    page = st.navigation(
        [
            name_page(page_urls.CHECK, say("Check"), default=True),
            name_page(
                page_urls.CLEAN, say("Clean"), visibility="hidden" if is_reader else "visible"
            ),
            name_page(page_urls.PROJECTS, say("Projects")),
            name_page(page_urls.RULES, say("Rules")),
            name_page(page_urls.SETTINGS, say("Settings")),
            name_page(page_urls.COMPARE, say("Compare"), visibility="hidden"),
            name_page(page_urls.PROJECT, say("Project"), visibility="hidden"),
        ],
        position="top",
    )
    draw_frame(page.title)
    open_params(page.url_path)
    if identity is None:
        draw_sign_in()
        return
    keep_identity(identity)
    services = services.act_as(identity)
    if page.url_path:  # the first page has no chart
        load_charts()
    with st.container(horizontal_alignment="center"):
        is_wide = page.url_path in {"project", "projects"}
        with st.container(width="stretch" if is_wide else READING_WIDTH_PX, gap="medium"):
            draw_callback_error()
            with boundary(page.url_path):
                page.run()
            draw_end(services)


def name_page(place: Path, title: str, **options: Any) -> st.Page:
    """Return a page; its URL path is its file's name."""
    return st.Page(place, title=title, url_path=place.stem, **options)


@fragment(run_every=FOOT_SECONDS)
def draw_end(services: Services) -> None:
    """Draw the foot line, and the sign-out link."""
    with st.container(horizontal=True, vertical_alignment="center", key="foot"):
        draw_foot(
            services.network.status_text(),
            services.knowledge().data_version,
            services.clock().date(),
        )
        if services.sign_in.is_needed:
            if (identity := read_identity()) != LOCAL_IDENTITY:  # all have one password there
                said = f"{escape_markdown(identity.person)}, {say(identity.role.words)}"
                st.caption(said, width="content")
            draw_sign_out()


services = wiring.services()
with services.drawn_pages.draw():
    run(services)
