"""Projects: all of them, what they hold, how long they stay."""

from collections.abc import Collection, Sequence
from datetime import datetime
from functools import partial

import streamlit as st

from components import page_urls
from components.address_history import draw_history, draw_history_form
from components.clean_upload import draw_waiting
from components.decision_pages import draw_request_link
from components.deletions import draw_deletions, tell_deletions
from components.error_boundary import fragment
from components.notices import draw_error
from components.project_actions import draw_actions, read_chosen, write_chosen
from components.project_dialogs import (
    confirm_delete,
    open_downloads,
    open_packs,
    open_rename,
    open_tags,
)
from components.project_list import (
    DELETE,
    DOWNLOAD,
    RENAME,
    SERIES,
    TAGS,
    draw_finder,
    draw_project_body,
    draw_project_line,
    draw_storage,
    draw_table_head,
)
from components.recheck_notes import draw_recheck_notes
from components.sign_in import read_identity, read_token
from winnow.core.accounts import DownloadLink
from winnow.core.errors import WinnowError
from winnow.core.lists.rows import Variant
from winnow.core.tasks.project_table import (
    ProjectColumn,
    ProjectView,
    arrange_projects,
    list_tags,
)
from winnow.core.tasks.task import Task, TaskState
from winnow.wiring import services
from winnow.words import say, say_many

PROJECTS_PER_PAGE = 25
UPLOADS_SHOWN = 200
_VIEW, _PAGE, _HISTORY = "projects_view", "projects_page", "address_history"
desk = services()
account = read_identity().account
undo = partial(desk.deletions.undo, account)
finish = partial(desk.deletions.finish, account)


def delete(task_ids: Collection[str]) -> None:
    """Delete projects, with a way back; those that went by themselves are gone as well."""
    desk.deletions.delete(account, task_ids)


@fragment(run_every=1)
def offer_undo(shown: frozenset[datetime]) -> None:
    """Count down what can still be undone; when that changes, draw the whole list anew."""
    deletions = desk.deletions.list(account)
    draw_deletions(deletions, desk.clock(), undo, finish)
    if {deletion.undo_until for deletion in deletions} != shown:
        st.rerun()


def draw_body(task: Task) -> None:
    """Draw what is known of a project now."""
    place = desk.tasks.queue_places(account).get(task.task_id) if task.is_waiting else None
    draw_project_body(task, desk.clock(), place)


@fragment(run_every=2)
def follow(task_id: str) -> None:
    """Keep a processing project's line fresh; when it ends, draw the whole list anew."""
    task = desk.tasks.get(account, task_id)
    if task.state is not TaskState.PROCESSING:
        st.rerun()
    draw_body(task)


def read_view() -> ProjectView:
    """Return what was searched for and sorted by in this browser."""
    view = st.session_state.get(_VIEW)
    return view if isinstance(view, ProjectView) else ProjectView()


def keep_view(view: ProjectView) -> None:
    """Show another part or order from its first page on."""
    st.session_state[_VIEW] = view
    st.session_state[_PAGE] = 1


def issue_pack(task: Task) -> DownloadLink:
    """Make a link to the zip with all files of a project."""
    session = desk.sign_in.name_session(read_token())
    return desk.downloads.issue(account, task.task_id, Variant.PACK, session=session)


def answer(asked: str | None, tasks: Sequence[Task], known: Sequence[str]) -> None:
    """Open what was asked for, for one project or several."""
    ids = [task.task_id for task in tasks]
    if asked == DELETE:
        confirm_delete(tasks, partial(delete, ids))
    elif asked == TAGS:
        open_tags(
            tasks,
            known,
            lambda add, take_off: desk.tasks.tag(account, ids, add=add, take_off=take_off),
        )
    elif asked == SERIES:
        series_id = desk.series.group(account, ids)
        st.switch_page(page_urls.SERIES, query_params={"series": series_id})
    elif asked == RENAME:
        open_rename(tasks[0], partial(desk.tasks.rename, account, ids[0]))
    elif asked == DOWNLOAD and len(tasks) > 1:
        open_packs([task for task in tasks if task.summary is not None], issue_pack)
    elif asked == DOWNLOAD:
        session = desk.sign_in.name_session(read_token())
        open_downloads(
            tasks[0],
            partial(desk.downloads.issue, account, ids[0], session=session),
            desk.settings.link_seconds,
        )


def draw_uploads() -> None:
    """Offer every list that was uploaded and not cleaned."""
    waiting = desk.uploads.list_waiting(account)
    if not waiting:
        return
    label = say_many(
        len(waiting), "{count} list uploaded, not cleaned", "{count} lists uploaded, not cleaned"
    )
    with st.expander(label, icon=":material/description:", key="projects_uploads"):
        chosen = draw_waiting(waiting[:UPLOADS_SHOWN])
    if chosen is None:
        return
    if chosen[0] == "discard":
        desk.uploads.discard(account, chosen[1].upload_id)
        st.rerun()
    st.switch_page(page_urls.CLEAN, query_params={"upload": chosen[1].upload_id})


@fragment()
def find_address() -> None:
    """Look for one address in every project; what was found stays until the next search."""
    with st.expander(
        say("Find one address in all projects"), icon=":material/person_search:", key="history"
    ):
        sent = draw_history_form()
        if sent is not None:
            st.session_state.pop(_HISTORY, None)
            try:
                with st.spinner(say("Searching every list…")):
                    st.session_state[_HISTORY] = desk.person_requests.gather(account, sent)
            except WinnowError as error:
                draw_error(error)
        if _HISTORY in st.session_state:
            draw_history(*st.session_state[_HISTORY])


def draw_empty() -> None:
    """Say what to do where there is no project yet."""
    st.markdown(
        say_many(
            desk.settings.retention_days,
            "No project yet. Each list that you clean becomes a project and stays here for "
            "{count} day.",
            "No project yet. Each list that you clean becomes a project and stays here for "
            "{count} days.",
        )
    )
    if st.button(say("Clean a list"), type="primary", key="first_list"):
        st.switch_page(page_urls.CLEAN)


def draw_table(tasks: Sequence[Task]) -> None:
    """Draw one page of what the view shows, and answer what was pressed."""
    view, known = read_view(), list_tags(tasks)
    draw_finder(view, known, keep_view)
    if view.column is ProjectColumn.REMOVE:  # by what the own lists say now, as it is shown
        tasks = tuple(map(desk.own_effects.present, tasks))
    found = arrange_projects(tasks, view)
    ids = [task.task_id for task in found]
    chosen = read_chosen(ids)
    picked = [task for task in found if task.task_id in chosen]
    asked = draw_actions(
        picked,
        len(found),
        is_found=bool(view.search or view.tags),
        can_compare=sum(task.state is TaskState.COMPLETED for task in tasks) > 1,
    )
    if asked is not None:
        answer(asked, picked, known)
    if not found:
        st.markdown(say("No project has this name and these tags."))
        return
    pages = -(-len(found) // PROJECTS_PER_PAGE)
    st.session_state[_PAGE] = min(st.session_state.get(_PAGE, 1), pages)
    start = (st.session_state[_PAGE] - 1) * PROJECTS_PER_PAGE
    with st.container(gap=None, key="projects_table"):
        draw_table_head(
            view,
            keep_view,
            is_all=len(chosen) == len(ids),
            found=len(ids),
            choose_all=lambda is_on: write_chosen(ids if is_on else ()),
        )
        for task in map(desk.own_effects.present, found[start : start + PROJECTS_PER_PAGE]):
            is_busy = task.state is TaskState.PROCESSING
            pressed = draw_project_line(
                task,
                partial(follow, task.task_id) if is_busy else partial(draw_body, task),
                is_chosen=task.task_id in chosen,
                choose=lambda task_id, is_on: write_chosen(
                    chosen | {task_id} if is_on else chosen - {task_id}
                ),
            )
            if pressed is not None:
                answer(pressed, [task], known)
    if pages > 1:
        st.pagination(pages, key=_PAGE)


st.title(say("Projects"))
if deleted := desk.deletions.list(account):
    offer_undo(frozenset(deletion.undo_until for deletion in deleted))
else:
    tell_deletions()
draw_recheck_notes(
    desk.recheck_schedule.list_notes(account), partial(desk.recheck_schedule.dismiss, account)
)
draw_storage(desk.usage.storage(account))
draw_uploads()
if projects := desk.tasks.list(account):
    draw_table(projects)
    find_address()
else:
    draw_empty()
draw_request_link()
