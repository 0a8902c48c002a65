"""Table of projects: search, figures, selection, and the actions on what is selected."""

from collections.abc import Sequence
from datetime import datetime
from hashlib import blake2b

import streamlit as st

from components.frame import page_urls
from components.frame.error_boundary import guard
from components.frame.session import find_zone, may, set_widget, show_local
from components.kit.progress import PHASE_WORDS, find_fraction
from components.projects.project_dialogs import open_downloads, open_rename
from winnow.core.figures import count_days_left, show_size
from winnow.core.tasks.task import Phase, Task, TaskState, find_projects
from winnow.core.usage import StorageUse
from winnow.core.verdicts.verdict import Category
from winnow.services.services import Services
from winnow.words import ENGLISH, current_language, format_number, say, say_many

PROJECTS_PER_PAGE = 50
_TALLEST_PX, _MOST_ROWS_IN_FULL = 560, 15
_SEARCH = "projects_search"


def draw_storage(use: StorageUse) -> None:
    """Draw how much of the account's storage is used."""
    used = use.used_bytes + use.reserved_bytes
    text = say(
        "{used} of {whole} used. A list of up to {free} still fits.",
        used=show_size(used),
        whole=show_size(use.quota_bytes),
        free=show_size(use.free_bytes),
    )
    st.progress(min(1.0, used / max(1, use.quota_bytes)), text)


def draw_wait(until: datetime | None) -> None:
    """Draw until when nothing is deleted by its age, because the clock leapt; else nothing."""
    if until is not None:
        st.caption(
            say(
                "Winnow did not run for more than a week, or this computer's clock was changed. "
                "Until {moment} nothing is deleted by its age.",
                moment=show_local(until),
            )
        )


def draw_projects(services: Services, account: str, tasks: Sequence[Task]) -> None:
    """Draw the projects that match the search, one page of them, and run the pressed actions."""
    search = st.text_input(
        say("Search by project or file name"),
        key=_SEARCH,
        icon=":material/search:",
        label_visibility="collapsed",
        placeholder=say("Search by project or file name"),
        width=320,
        persist_state="session",
    )
    found = find_projects(tasks, search or "")
    if not found:
        st.markdown(say("No project has this name."))
        return
    pages = -(-len(found) // PROJECTS_PER_PAGE)
    page = min(st.session_state.get("projects_page", 1), pages)
    start = (page - 1) * PROJECTS_PER_PAGE
    shown = services.project_views.present_all(found[start : start + PROJECTS_PER_PAGE])
    actions = st.container(
        horizontal=True, vertical_alignment="center", gap="small", key="projects_actions"
    )
    chosen = _draw_table(services, account, shown)
    if pages > 1:
        set_widget("projects_page", page)
        st.pagination(pages, key="projects_page")
    with actions:
        if chosen:
            _draw_actions(services, account, chosen)
        else:
            text = say_many(
                len(found),
                "{count} project; click its name to open it",
                "{count} projects; click a name to open one",
            )
            st.caption(text, width="stretch")
            if sum(task.state is TaskState.COMPLETED for task in tasks) > 1:
                st.page_link(
                    page_urls.COMPARE,
                    label=say("Compare two projects"),
                    icon=":material/compare_arrows:",
                )


def _draw_table(services: Services, account: str, tasks: Sequence[Task]) -> list[Task]:
    """Draw the table; return the selected projects. A click on a name opens the project."""
    import pandas as pd

    zone, now, summaries = find_zone(), services.clock(), [task.summary for task in tasks]
    frame = pd.DataFrame(
        {
            "name": [task.project_name for task in tasks],
            "state": [_word_state(task) for task in tasks],
            "rows": pd.array([one and one.rows_out for one in summaries], dtype="Int64"),
            "remove": [  # shown as percent with one decimal
                round(one.by_category.get(Category.BLACK.value, 0) / one.rows_out, 3)
                if one is not None and one.rows_out
                else None
                for one in summaries
            ],
            "submitted": [task.submitted_at.astimezone(zone) for task in tasks],
            "size": [round((task.input_bytes + task.result_bytes) / 1e6, 2) for task in tasks],
            "left": [count_days_left(task.expires_at, now) for task in tasks],
            "file": [task.file_name for task in tasks],
        }
    )
    ids = "".join(task.task_id for task in tasks)  # a selection is of these rows only
    key = f"projects_{blake2b(ids.encode(), digest_size=8).hexdigest()}"
    column, is_english = st.column_config, current_language() == ENGLISH
    selected = st.dataframe(
        frame,
        key=key,
        on_select="rerun",
        selection_mode="multi-row",
        hide_index=True,
        height=_TALLEST_PX if len(tasks) > _MOST_ROWS_IN_FULL else "content",
        alt=say("Projects, the newest first"),
        column_config={
            "name": column.ButtonColumn(
                say("Name"), key="project_open", type="tertiary", alignment="left", width=220
            ),
            "state": column.TextColumn(say("State"), width=190),
            "rows": column.NumberColumn(say("Rows"), format="localized"),
            "remove": column.ProgressColumn(
                say("To remove"), min_value=0, max_value=1, format="percent", width=130
            ),
            "submitted": column.DatetimeColumn(
                say("Submitted"),
                format="D MMM YYYY, HH:mm" if is_english else "DD.MM.YYYY, HH:mm",
                width=150,
            ),
            "size": column.NumberColumn(say("Size (MB)"), format="localized"),
            "left": column.NumberColumn(say("Days left")),
            "file": column.TextColumn(say("File")),
        },
    )
    click = st.session_state.get("project_open")
    if click:
        _open(tasks[click["row"]])
    rows: list[int] = selected["selection"]["rows"]
    return [tasks[row] for row in rows if row < len(tasks)]


def _open(task: Task) -> None:
    st.switch_page(page_urls.PROJECT, query_params={"task": task.task_id})


def _word_state(task: Task) -> str:
    """Return the state in words: progress, or why it failed."""
    if task.state is TaskState.PROCESSING:
        phase = say(PHASE_WORDS[task.progress.phase])
        share = format_number(round(100 * find_fraction(task.progress)))
        return phase if task.progress.phase is Phase.QUEUED else f"{phase}: {share} %"
    if task.summary is None:
        detail = str((task.error or {}).get("detail") or "")
        return say(detail) or say("It was not cleaned.")
    return say("ready")


def _draw_actions(services: Services, account: str, chosen: Sequence[Task]) -> None:
    """Draw the number of selected projects, and the actions on them."""
    text = say_many(len(chosen), "{count} project chosen", "{count} projects chosen")
    st.markdown(f"**{text}**", width="content")
    finished = [task for task in chosen if task.summary is not None]
    if len(chosen) == 1 and st.button(say("Open"), key="chosen_open", type="primary"):
        _open(chosen[0])
    if finished and st.button(say("Download"), key="chosen_download", icon=":material/download:"):
        open_downloads(services, account, finished)
    if len(chosen) == len(finished) == 2 and st.button(
        say("Compare"), key="chosen_compare", icon=":material/compare_arrows:"
    ):
        before, now = sorted(finished, key=lambda task: task.submitted_at)
        st.switch_page(
            page_urls.COMPARE, query_params={"before": before.task_id, "now": now.task_id}
        )
    if (
        len(chosen) == 1
        and may(services.tasks.rename)
        and st.button(say("Rename"), key="chosen_rename", icon=":material/edit:")
    ):
        open_rename(services.tasks, account, chosen[0])

    @guard
    def delete() -> None:
        services.deletions.delete(account, [task.task_id for task in chosen])

    may_delete = may(services.deletions.delete)
    if may_delete and st.button(say("Delete"), key="chosen_delete", icon=":material/delete:"):
        delete()
        st.rerun()  # the whole page, which offers to undo it
