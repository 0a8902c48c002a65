"""Actions on projects: dialogs for files and names; deletions and their undo."""

from collections.abc import Sequence
from datetime import datetime
from html import escape

import streamlit as st

from components.frame.error_boundary import dialog, fragment, guard
from components.frame.html import escape_markdown
from components.frame.session import may, read_identity
from components.kit.notices import draw_refusal, keep_refusal
from components.kit.project_view import OpenedProject, draw_file
from winnow.core.lists.exports import Export
from winnow.core.lists.rows import Variant
from winnow.core.tasks.task import Deletion, Task
from winnow.services.names import NAME_MAX_CHARACTERS
from winnow.services.services import Services
from winnow.services.tasks.deletions import Deletions
from winnow.services.tasks.tasks import Tasks
from winnow.words import say, say_many, translatable

NAMES_SHOWN = 3
_SAID = "deletion_said"


@dialog(translatable("Download"), width="medium")
def open_downloads(services: Services, account: str, tasks: Sequence[Task]) -> None:
    """Offer the cleaned list by the usual policy, and one zip of all files, of each project."""
    words = {
        Variant.CLEANED: say("Cleaned list"),
        Variant.PACK: say("Everything in one zip file, with the report"),
    }
    for task in tasks:
        project = OpenedProject(services, read_identity(), task)
        st.markdown(f"**{escape_markdown(task.project_name)}**")
        with st.container(horizontal=True):
            for variant, label in words.items():
                export, key = Export(variant, project.find_default()), f"{variant}_{task.task_id}"
                draw_file(project, label, export, 1, key=key)


@dialog(translatable("Rename this project"))
def open_rename(tasks: Tasks, account: str, task: Task) -> None:
    """Ask for a new name; an invalid one stays in the form to be corrected."""

    def send() -> None:
        with keep_refusal("rename"):
            tasks.rename(account, task.task_id, st.session_state["rename_to"])

    with st.form("rename", border=False):
        st.text_input(
            say("Name"), value=task.project_name, max_chars=NAME_MAX_CHARACTERS, key="rename_to"
        )
        is_sent = st.form_submit_button(say("Rename"), type="primary", on_click=guard(send))
    if is_sent and not draw_refusal("rename"):
        st.rerun()


@fragment(run_every=1)
def offer_undo(services: Services, account: str, shown: Sequence[Deletion]) -> None:
    """Draw the time left to undo these deletions; redraw the page when one is over."""
    draw_restored()
    ids = {deletion.task_ids for deletion in shown}
    left = [one for one in services.deletions.list(account) if one.task_ids in ids]
    for deletion in left:
        _draw_one(services.deletions, account, deletion, services.clock())
    if len(left) != len(shown):
        st.rerun()


def draw_restored() -> None:
    """Show once which projects the last press restored."""
    if _SAID in st.session_state:
        st.toast(st.session_state.pop(_SAID))


def _draw_one(service: Deletions, account: str, deletion: Deletion, now: datetime) -> None:
    first = deletion.task_ids[0]
    seconds = max(1, round((deletion.undo_until - now).total_seconds()))
    with st.container(
        key=f"deleted_{first}",
        horizontal=True,
        vertical_alignment="center",
        border=True,
        gap="small",
    ):
        left = say_many(
            seconds,
            "{count} second left to undo this. The space is free afterwards.",
            "{count} seconds left to undo this. The space is free afterwards.",
        )
        st.html(
            f'<p class="w-named">{word_deletion(deletion)}<br>'
            f'<span class="w-quiet" aria-live="off">{escape(left)}</span></p>',
            width="stretch",
        )
        if not may(service.undo):
            return
        st.button(
            say("Undo"),
            key=f"undo_{first}",
            icon=":material/undo:",
            on_click=guard(_undo),
            args=(service, account, deletion),
        )
        st.button(
            say("Free the space now"),
            key=f"finish_{first}",
            on_click=guard(service.finish),
            args=(account, deletion.task_ids),
        )


def word_deletion(deletion: Deletion) -> str:
    """Return the deleted projects as HTML: up to three names, and how many more."""
    names = [f"<strong>{escape(task.project_name)}</strong>" for task in deletion.projects]
    shown = ", ".join(names[:NAMES_SHOWN])
    more = len(names) - NAMES_SHOWN
    if more > 0:
        return say_many(
            more,
            "Deleted: {names} and {count} more.",
            "Deleted: {names} and {count} more.",
            names=shown,
        )
    return say("Deleted: {names}.", names=shown)


def _undo(service: Deletions, account: str, deletion: Deletion) -> None:
    back = service.undo(account, deletion.task_ids)
    said = say("The time to undo is over.")
    if back:
        said = say_many(len(back), "{count} project restored.", "{count} projects restored.")
    st.session_state[_SAID] = said
