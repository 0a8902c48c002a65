"""The projects as a table: a head that sorts, one line each, and what all of them take."""

from collections.abc import Callable, Sequence
from datetime import datetime
from html import escape

import streamlit as st

from components import page_urls
from components.error_boundary import guard
from components.headline import count_categories, write_headline
from components.html import render_facts, render_meter, render_share_bar
from components.local_time import show_local_date
from components.markdown import escape_markdown
from components.progress import describe_progress, find_overall
from components.words import STATE_WORDS
from winnow.core.accounts import StorageUse
from winnow.core.figures import show_days_left, show_share, show_size
from winnow.core.tasks.project_table import ProjectColumn, ProjectView
from winnow.core.tasks.task import QueuePlace, Task, TaskState
from winnow.core.verdicts.verdict import Category
from winnow.core.verdicts.words import name_action
from winnow.words import format_number, mark, say, say_many, say_written

COLUMN_WORDS = {
    ProjectColumn.NAME: mark("Name"),
    ProjectColumn.SUBMITTED: mark("Submitted"),
    ProjectColumn.ROWS: mark("Rows"),
    ProjectColumn.REMOVE: mark("To remove"),
    ProjectColumn.SIZE: mark("Size"),
    ProjectColumn.LEFT: mark("Kept for"),
}
FIRST_ASCENDING = frozenset({ProjectColumn.NAME, ProjectColumn.LEFT})
DOWNLOAD, RENAME, TAGS, DELETE, SERIES = "download", "rename", "tags", "delete", "series"
ACT_WORDS = {
    DOWNLOAD: mark("Download"),
    RENAME: mark("Rename"),
    TAGS: mark("Tags"),
    DELETE: mark("Delete"),
}


def draw_storage(use: StorageUse) -> None:
    """Draw how much of the account's storage is used."""
    used = use.used_bytes + use.reserved_bytes
    text = say(
        "{used} of {whole} used. A list of up to {free} still fits.",
        used=show_size(used),
        whole=show_size(use.quota_bytes),
        free=show_size(use.free_bytes),
    )
    st.html(
        render_meter(used, use.quota_bytes, label=text)
        + f'<p class="w-quiet" style="margin:.5rem 0 0">{escape(text)}</p>'
    )


def draw_finder(
    view: ProjectView, tags: Sequence[str], keep: Callable[[ProjectView], None]
) -> None:
    """Draw the search field and the tags to filter by; ``keep`` is given what is chosen."""

    @guard
    def find() -> None:
        state = st.session_state
        chosen = tuple(state.get("projects_tags") or ())
        search = state.get("projects_search") or ""
        keep(ProjectView(search, chosen, view.column, view.is_descending))

    with st.container(horizontal=True, vertical_alignment="center", key="projects_finder"):
        st.text_input(
            say("Search by project or file name"),
            value=view.search,
            key="projects_search",
            icon=":material/search:",
            label_visibility="collapsed",
            placeholder=say("Search by project or file name"),
            on_change=find,
            width=320,
        )
        if tags:
            st.pills(
                say("Tags"),
                tags,
                selection_mode="multi",
                default=[tag for tag in view.tags if tag in tags],
                key="projects_tags",
                label_visibility="collapsed",
                format_func=escape_markdown,
                on_change=find,
            )


def draw_table_head(
    view: ProjectView,
    keep: Callable[[ProjectView], None],
    *,
    is_all: bool,
    found: int,
    choose_all: Callable[[bool], None],
) -> None:
    """Draw the columns' names, which sort, and the box that chooses everything that was found."""

    @guard
    def sort(column: ProjectColumn) -> None:
        is_descending = column not in FIRST_ASCENDING
        if view.column is column:
            is_descending = not view.is_descending
        keep(ProjectView(view.search, view.tags, column, is_descending))

    @guard
    def choose() -> None:
        choose_all(bool(st.session_state["pick_all"]))

    st.session_state["pick_all"] = is_all
    with st.container(horizontal=True, vertical_alignment="center", key="projects_head", gap=None):
        label = say_many(found, "Choose {count} project", "Choose all {count} projects")
        st.checkbox(label, key="pick_all", label_visibility="collapsed", on_change=choose)
        for column, word in COLUMN_WORDS.items():
            arrow = ""
            if column is view.column:
                arrow = " ↓" if view.is_descending else " ↑"
            st.button(
                say(word) + arrow,
                key=f"sort_{column.value}",
                type="tertiary",
                help=_word_order(column, view),
                on_click=sort,
                args=(column,),
            )


def _word_order(column: ProjectColumn, view: ProjectView) -> str:
    if column is not view.column:
        return say("Sort by this column")
    if view.is_descending:
        return say("Sorted, the largest or latest first. Press to turn it round.")
    return say("Sorted, the smallest or earliest first. Press to turn it round.")


def draw_project_line(
    task: Task,
    draw_body: Callable[[], None],
    *,
    is_chosen: bool,
    choose: Callable[[str, bool], None],
) -> str | None:
    """Draw one project; return what was asked for in its menu, such as ``"rename"``.

    Args:
        task: The project.
        draw_body: Draws its figures; a processing one does so again and again.
        is_chosen: Whether its box is ticked.
        choose: Is given the project's id and whether its box is ticked now.
    """
    key = f"pick_{task.task_id}"

    @guard
    def tick() -> None:
        choose(task.task_id, bool(st.session_state[key]))

    st.session_state[key] = is_chosen
    with st.container(
        key=f"project_{task.task_id}", horizontal=True, vertical_alignment="center", gap=None
    ):
        name = escape_markdown(task.project_name)
        st.checkbox(
            say("Choose {name}", name=name), key=key, label_visibility="collapsed", on_change=tick
        )
        with st.container(gap=None):
            st.page_link(
                page_urls.PROJECT,
                label=f"**{name}**",
                query_params={"task": task.task_id},
                help=say("Open {name}", name=name),
            )
            st.html(_render_below(task))
        with st.container(gap=None):
            draw_body()
        acts = [act for act in ACT_WORDS if act != DOWNLOAD or task.summary is not None]
        asked = st.menu_button(
            say("More"),
            acts,
            key=f"more_{task.task_id}",
            format_func=lambda act: say(ACT_WORDS[act]),
            type="tertiary",
        )
    return None if asked is None else str(asked)


def draw_project_body(task: Task, now: datetime, place: QueuePlace | None = None) -> None:
    """Draw a project's figures and its bar; ``place`` is where it waits, if it does."""
    st.html(f'<div class="w-project">{_render_body(task, now, place)}</div>')


def draw_compare_link() -> None:
    """Lead to the comparison of two finished projects."""
    st.page_link(
        page_urls.COMPARE, label=say("Compare two projects"), icon=":material/compare_arrows:"
    )


def draw_series_link() -> None:
    """Lead to the lists that are the same month by month."""
    st.page_link(page_urls.SERIES, label=say("Series"), icon=":material/timeline:")


def _render_below(task: Task) -> str:
    """Return what stands below the name: file, tags, and its state unless it is finished."""
    parts = [f"<span>{escape(task.file_name)}</span>"]
    if task.state is not TaskState.COMPLETED:
        state = escape(say(STATE_WORDS[task.state]))
        parts.insert(0, f'<span class="w-state w-{task.state.value}">{state}</span>')
    parts += [f'<span class="w-tag">{escape(tag)}</span>' for tag in task.tags]
    return f'<p class="w-below-name">{"".join(parts)}</p>'


def _render_body(task: Task, now: datetime, place: QueuePlace | None) -> str:
    size = task.input_bytes + task.result_bytes
    rows = middle = after = ""
    if task.summary is not None:
        counts = count_categories(task.summary)
        rows = say_many(task.summary.rows_out, "{count} row", "{count} rows")
        black = dict(counts).get(Category.BLACK, 0)
        share = f"{name_action(Category.BLACK)} {show_share(black, task.summary.rows_out)}"
        bar = render_share_bar(counts, label=write_headline(task.summary), slim=True)
        middle = f"<span>{escape(share)}</span>{bar}"
    elif task.state is TaskState.PROCESSING:
        done = round(100 * find_overall(task.progress))
        label = say("{share} % done", share=format_number(done))
        meter = "" if task.is_waiting else render_meter(done, 100, label=label)
        middle = f"<span>{escape(label)}</span>{meter}" if meter else ""
        after = render_facts([describe_progress(task.progress, None, place)])
    else:
        detail = str((task.error or {}).get("detail") or "")
        problem = say_written(detail) or say("It was not cleaned.")
        after = render_facts([problem])
    cells = [
        escape(show_local_date(task.submitted_at)),
        escape(rows),
        middle,
        escape(show_size(size)) if size else "",
        escape(show_days_left(task.expires_at, now)),
    ]
    return (
        '<div class="w-cells-row">' + "".join(f"<div>{c}</div>" for c in cells) + "</div>" + after
    )
