"""Page of a finished project: download, sum, verdicts, notices, tabs."""

import streamlit as st

from components.frame.error_boundary import boundary, fragment
from components.kit.notices import draw_loud_notices
from components.project.answer import draw_answer, draw_doubts
from components.project.data_drift import draw_data_drift
from components.project.download_menu import draw_download
from components.project.project_head import draw_project_facts, draw_project_name
from components.project.repair_offer import draw_repair_offer
from components.project.repaired_list import draw_repaired
from components.project.tabs import draw_project_tabs
from components.project.view import OpenedProject
from winnow.core.lists.cleaning import CleaningEffect
from winnow.core.verdicts.grounds import Ground
from winnow.core.verdicts.words import name_ground
from winnow.words import say, say_many

_NOTICED = (Ground.DO_NOT_MAIL, Ground.UNSUBSCRIBED, Ground.BOUNCED)
_DRAWN = "choice_drawn"


def draw_finished(view: OpenedProject) -> None:
    """Draw a finished project; a part that fails leaves the others."""
    st.session_state[_DRAWN] = view.find_form()
    with st.container(key="result_head"):  # desk.css keeps it in view
        fragment(run_every=view.link_refresh_seconds)(_draw_head)(view)
    draw_project_facts(view.task, view.services.clock())
    with boundary("answer"):
        _draw_answer(view)
    draw_repaired(view)
    draw_repair_offer(view)
    draw_project_tabs(view)


def _draw_head(view: OpenedProject) -> None:
    """Draw the name and the download, redrawn before its links expire."""
    if st.session_state[_DRAWN] != view.find_form():
        st.rerun()  # the rest of the page depends on it as well
    with st.container(
        horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"
    ):
        draw_project_name(view.task)
        draw_download(view, view.weigh())


def _draw_answer(view: OpenedProject) -> None:
    """Draw the sum, the verdicts, and a line for each notice."""
    effect, summary = view.weigh(), view.task.summary
    if summary is not None:
        draw_answer(view, summary, effect)
        draw_doubts(summary)
    draw_loud_notices(view.task.notices)
    _draw_grounds(view, effect)
    draw_data_drift(view)


def _draw_grounds(view: OpenedProject, effect: CleaningEffect) -> None:
    """Draw a line for each ground that concerns mailing: rows, and whether they are left out."""
    grounds = view.find_choice().policy.grounds
    for ground in _NOTICED:
        if count := effect.by_ground.get(ground, 0):
            rows = say_many(count, "{count} row", "{count} rows")
            name = name_ground(ground)
            if ground in grounds:
                text = say("**{rows}** {ground}: left out.", rows=rows, ground=name)
            else:
                text = say("**{rows}** {ground}: kept.", rows=rows, ground=name)
            st.markdown(f":material/block: {text}")
