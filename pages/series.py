"""Series: lists that are the same month by month, with their trend."""

from functools import partial

import streamlit as st

from components import page_urls
from components.frame import name_tab
from components.markdown import escape_markdown
from components.notices import draw_error
from components.series import (
    draw_neighbours,
    draw_proposals,
    draw_series_changes,
    draw_series_list,
    draw_trend,
)
from components.sign_in import read_identity
from winnow.core.errors import WinnowError
from winnow.wiring import services
from winnow.words import say

desk = services()
account = read_identity().account
leave = partial(desk.series.leave, account)


def show_all() -> None:
    """Draw every series, and what might be one."""
    st.title(say("Series"))
    st.markdown(
        say(
            "A series is the same list month by month. It shows how its quality moves, and which "
            "addresses left and returned."
        )
    )
    known = desk.series.list(account)
    draw_series_list(known)
    with st.spinner(say("Looking for lists that belong together")):
        proposals = desk.series.propose(account)
    draw_proposals(proposals, partial(desk.series.group, account), leave)
    if not known and not proposals:
        st.markdown(
            say(
                "No two lists look alike. Under Projects, tick the lists that belong together and "
                "press Series."
            )
        )
    st.page_link(page_urls.PROJECTS, label=say("See all projects"), icon=":material/folder:")


def show_one(series_id: str) -> None:
    """Draw one series list by list."""
    try:
        series = desk.series.find(account, series_id)
        name_tab(series.name)
        st.title(escape_markdown(series.name))
        with st.spinner(say("Comparing the lists")):
            points = desk.series.follow(account, series_id)
    except WinnowError as error:
        draw_error(error)
    else:
        draw_trend(points)
        st.header(say("From list to list"))
        draw_neighbours(points)
        draw_series_changes(series.projects, leave)
    st.page_link(page_urls.SERIES, label=say("See all series"), icon=":material/timeline:")


asked = st.query_params.get("series")
if asked:
    st.query_params["series"] = asked  # a link from the page to itself leaves it out
    show_one(asked)
else:
    show_all()
