"""The UI script: frame, navigation, sign-in gate and foot line around every page."""

from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from components import page_urls
from components.completion_toasts import tell_endings, word_tab
from components.error_boundary import boundary, fragment, tell_callback
from components.footer import draw_foot
from components.frame import READING_WIDTH_PX, borrow_tab, draw_frame, name_tab
from components.language import speak_language
from components.lifeline import draw_lifeline
from components.list_refresh import draw_list_refresh
from components.network_switch import draw_network_switch
from components.sign_in import draw_sign_in, draw_sign_out, keep_identity, read_token
from winnow.core.tasks.task import TaskState
from winnow.wiring import Services, services
from winnow.words import say

LOOK_SECONDS = 2


def run() -> None:
    """Draw the page that the address asks for."""
    desk = services()
    speak_language(desk.settings.language)
    draw_frame()
    draw_lifeline()
    page = st.navigation(
        [
            name_page(page_urls.CHECK, say("Check"), default=True),
            name_page(page_urls.CLEAN, say("Clean a list")),
            name_page(page_urls.PROJECTS, say("Projects")),
            name_page(page_urls.OWN_LISTS, say("Own lists")),
            name_page(page_urls.API, say("API")),
            name_page(page_urls.COMPARE, say("Compare"), visibility="hidden"),
            name_page(page_urls.SERIES, say("Series"), visibility="hidden"),
            name_page(page_urls.PROJECT, say("Project"), visibility="hidden"),
            name_page(page_urls.SENDER, say("Sender check"), visibility="hidden"),
            name_page(page_urls.REQUEST, say("A person asks"), visibility="hidden"),
        ],
        position="top",
    )
    name_tab(page.title)
    identity = desk.sign_in.identify(read_token())
    if identity is None:
        draw_sign_in()
        return
    keep_identity(identity)
    with st.container(horizontal_alignment="center"):
        is_wide = page.url_path == "project"
        with st.container(width="stretch" if is_wide else READING_WIDTH_PX, gap="medium"):
            tell_callback()
            with boundary(page.url_path):
                page.run()
            with boundary("foot"):
                draw_end(desk)
    with boundary("lists at work"):
        watch_lists(desk, identity.account)


def name_page(place: Path, title: str, **options: Any) -> st.Page:
    """Return a page at its address."""
    return st.Page(place, title=title, url_path=page_urls.URL_PATHS[place], **options)


def draw_end(desk: Services) -> None:
    """Draw the foot line, what may leave this machine, and the way out."""
    with st.container(horizontal=True, vertical_alignment="center", key="foot"):
        draw_foot(desk.network_status, desk.knowledge().data_version, desk.clock().date())
        draw_network_switch(
            is_on=desk.network.is_on,
            is_allowed=desk.network.is_allowed,
            on_turn=desk.network.turn,
            draw_lists=partial(draw_lists, desk),
        )
        if desk.sign_in.is_needed:
            draw_sign_out()


def draw_lists(desk: Services) -> None:
    """Draw the lists of disposable services and what refreshes them."""
    draw_list_refresh(
        desk.refresh.describe(),
        today=desk.clock().date(),
        is_allowed=desk.refresh.is_allowed,
        on_refresh=desk.refresh.refresh_now,
        rhythm=desk.refresh_schedule.rhythm,
        on_rhythm=desk.refresh_schedule.choose,
        due_in=desk.refresh_schedule.find_wait(),
        last_round=desk.refresh.last_round,
    )


def watch_lists(desk: Services, account: str) -> None:
    """Tell of lists that end, and in the tab how far they are, as long as one is at work."""
    tasks = desk.tasks.list(account)
    if not any(task.state is TaskState.PROCESSING for task in tasks):
        tell_endings(tasks)
        return

    @fragment(run_every=LOOK_SECONDS)
    def look() -> None:
        present = desk.tasks.list(account)
        tell_endings(present)
        borrow_tab(word_tab(present))

    look()


run()
