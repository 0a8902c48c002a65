"""The projects at a glance: one card each, the newest first."""

from collections.abc import Callable
from datetime import datetime
from html import escape
from typing import Literal

import streamlit as st

from components import page_urls
from components.headline import count_categories, write_headline
from components.html import render_facts, render_meter, render_share_bar
from components.local_time import show_local
from components.markdown import escape_markdown
from components.progress import describe_progress, find_overall
from components.words import STATE_WORDS
from winnow.core.accounts import StorageUse
from winnow.core.figures import show_days_left, show_share, show_size
from winnow.core.tasks.task import QueuePlace, Task, TaskState
from winnow.core.verdicts.words import name_action
from winnow.words import format_number, say, say_many

_STATE_LOOKS: dict[TaskState, tuple[Literal["blue", "gray", "red"], str]] = {
    TaskState.PROCESSING: ("blue", ":material/hourglass_top:"),
    TaskState.COMPLETED: ("gray", ":material/check:"),
    TaskState.FAILED: ("red", ":material/error:"),
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


def draw_compare_link() -> None:
    """Lead to the comparison of two finished projects."""
    st.page_link(
        page_urls.COMPARE, label=say("Compare two projects"), icon=":material/compare_arrows:"
    )


def draw_project_card(task: Task, draw_body: Callable[[], None]) -> str | None:
    """Draw one project; return ``"download"`` or ``"delete"`` when that was pressed.

    Args:
        task: The project.
        draw_body: Draws what stands under the name; a processing one does so again and again.
    """
    with st.container(border=True, key=f"project_{task.task_id}", gap="small"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.page_link(
                page_urls.PROJECT,
                label=f"**{escape_markdown(task.project_name)}**",
                query_params={"task": task.task_id},
                width="stretch",
                help=say("Open {name}", name=escape_markdown(task.project_name)),
            )
            color, icon = _STATE_LOOKS[task.state]
            st.badge(say(STATE_WORDS[task.state]), icon=icon, color=color)
            download = task.state is TaskState.COMPLETED and st.button(
                say("Download"), key=f"download_{task.task_id}", icon=":material/download:"
            )
            delete = st.button(
                say("Delete"), key=f"delete_{task.task_id}", icon=":material/delete:"
            )
        draw_body()
    return "download" if download else "delete" if delete else None


def draw_project_body(task: Task, now: datetime, place: QueuePlace | None = None) -> None:
    """Draw a project's facts and its bar; ``place`` is where it waits, if it does."""
    st.html(f'<div class="w-project">{_render_body(task, now, place)}</div>')


def _render_body(task: Task, now: datetime, place: QueuePlace | None) -> str:
    facts = [
        task.file_name,
        show_local(task.submitted_at),
        show_size(task.input_bytes + task.result_bytes) if task.input_bytes else "",
        show_days_left(task.expires_at, now),
    ]
    if task.summary is not None:
        counts = count_categories(task.summary)
        facts.insert(2, say_many(task.summary.rows_out, "{count} row", "{count} rows"))
        facts += [
            f"{name_action(category)} {show_share(count, task.summary.rows_out)}"
            for category, count in counts
        ]
        bar = render_share_bar(counts, label=write_headline(task.summary), slim=True)
        return render_facts(facts) + bar
    if task.state is TaskState.PROCESSING:
        doing = describe_progress(task.progress, None, place)
        done = round(100 * find_overall(task.progress))
        label = say("{share} % done", share=format_number(done))
        meter = "" if task.is_waiting else render_meter(done, 100, label=label)
        return render_facts([doing, *facts]) + meter
    problem = str((task.error or {}).get("detail") or say("It was not cleaned."))
    return render_facts([problem, *facts])
