"""The ticked projects, and what can be done with all of them at once."""

from collections.abc import Collection, Sequence

import streamlit as st

from components import page_urls
from components.project_list import (
    DELETE,
    DOWNLOAD,
    RENAME,
    SERIES,
    TAGS,
    draw_compare_link,
    draw_series_link,
)
from winnow.core.tasks.task import Task
from winnow.words import say, say_many

_CHOSEN = "projects_chosen"


def read_chosen(present: Collection[str]) -> frozenset[str]:
    """Return the ids that are ticked, of those that are shown."""
    chosen: frozenset[str] = st.session_state.get(_CHOSEN, frozenset())
    return chosen & frozenset(present)


def write_chosen(task_ids: Collection[str]) -> None:
    """Tick these and no others."""
    st.session_state[_CHOSEN] = frozenset(task_ids)


def draw_actions(
    chosen: Sequence[Task], found: int, *, is_found: bool, can_compare: bool
) -> str | None:
    """Draw what is ticked and what can be done with it; return what was pressed.

    Args:
        chosen: The ticked projects.
        found: How many are shown.
        is_found: Whether that is by a search or a tag.
        can_compare: Whether there are two finished ones.
    """
    with st.container(
        horizontal=True, vertical_alignment="center", gap="small", key="projects_actions"
    ):
        if not chosen:
            text = say_many(found, "{count} project listed", "{count} projects listed")
            if is_found:
                text = say_many(found, "{count} project found", "{count} projects found")
            st.html(f'<p class="w-quiet">{text}</p>', width="stretch")
            if can_compare:
                draw_compare_link()
                draw_series_link()
            return None
        text = say_many(len(chosen), "{count} project chosen", "{count} projects chosen")
        st.html(f'<p class="w-named"><strong>{text}</strong></p>')
        asked = None
        finished = [task for task in chosen if task.summary is not None]
        if finished and st.button(
            say("Download"), key="chosen_download", icon=":material/download:"
        ):
            asked = DOWNLOAD
        if len(chosen) == 1 and st.button(
            say("Rename"), key="chosen_rename", icon=":material/edit:"
        ):
            asked = RENAME
        if st.button(say("Tags"), key="chosen_tags", icon=":material/label:"):
            asked = TAGS
        if len(chosen) == len(finished) == 2:
            before, now = sorted(finished, key=lambda task: task.submitted_at)
            if st.button(say("Compare"), key="chosen_compare", icon=":material/compare_arrows:"):
                st.switch_page(
                    page_urls.COMPARE,
                    query_params={"before": before.task_id, "now": now.task_id},
                )
        if len(chosen) == len(finished) > 1 and st.button(
            say("Series"),
            key="chosen_series",
            icon=":material/timeline:",
            help=say("These are the same list at different times: show how it changes"),
        ):
            asked = SERIES
        if st.button(say("Delete"), key="chosen_delete", icon=":material/delete:"):
            asked = DELETE
        st.button(
            say("Choose none"),
            key="chosen_none",
            type="tertiary",
            on_click=write_chosen,
            args=((),),
        )
    return asked
