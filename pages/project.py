"""One project: its progress, then its results, at its own address."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import streamlit as st

from components import page_urls
from components.breakdown import draw_breakdown
from components.data_drift import draw_data_drift
from components.decision_pages import draw_explanation
from components.deletions import draw_deletions
from components.download_choice import read_choice, read_split, write_choice, write_split
from components.downloads import LISTED_MAX, MakeReport, draw_downloads
from components.error_boundary import fragment
from components.file_form import draw_split
from components.filter_bar import draw_active, draw_filter_bar, read_search
from components.filters import build_row_filter, read_filters, write_filters
from components.headline import draw_doubts, draw_headline
from components.hotspots import draw_hotspots
from components.input_summary import tell_apart
from components.notices import draw_loud_notices, draw_notices, draw_problem
from components.overrule import draw_overrule
from components.own_changes import note_change, tell_change
from components.platform_file import (
    PREVIEWED,
    Use,
    draw_platform_file,
    list_selection_uses,
    list_uses,
)
from components.policy import draw_policy
from components.policy_comparison import PolicyQuestions, draw_policy_comparison
from components.policy_picker import PolicyActions, draw_policy_picker
from components.progress import draw_progress, find_rate, measure_pace
from components.project_duplicates import draw_project_duplicates
from components.project_head import (
    draw_compare_link,
    draw_lost_result,
    draw_no_project,
    draw_project_head,
)
from components.recheck_notes import draw_rhythm
from components.repair_offer import draw_repair_offer
from components.repaired_list import draw_repaired
from components.row_detail import open_row_detail
from components.rows_download import draw_rows_download, draw_rows_link
from components.rows_table import ROWS_PER_PAGE, Ticking, draw_page, draw_row_question
from components.sender_report import draw_sender_link
from components.sign_in import read_identity, read_token
from components.suppressions import draw_suppressions, title_suppressions
from components.ticks import click_rows, read_ticks
from winnow.core.accounts import DownloadLink
from winnow.core.addresses.repair_kinds import RepairKind
from winnow.core.errors import Gone, ResultLost, TaskUnknown
from winnow.core.lists.cleaning import Cleaning, CleaningEffect, CleaningPolicy
from winnow.core.lists.dimensions import CATEGORY, OWN_VALUE
from winnow.core.lists.download_choice import DownloadChoice
from winnow.core.lists.exports import Export
from winnow.core.lists.repair_offers import RepairRow
from winnow.core.lists.rows import Row, RowFilter, Ticked, Variant
from winnow.core.tasks.task import KeyType, Task, TaskState
from winnow.core.verdicts.facts import Evidence
from winnow.wiring import services
from winnow.words import say, say_many

TOKEN_REFRESH_SECONDS = 240  # an upload token is good for ten minutes
desk = services()
identity = read_identity()
account = identity.account
newest_change = partial(desk.own_lists.changes, account, 1)
noted = note_change(newest_change)
keep = noted(partial(desk.own_lists.add, account))
forget = noted(partial(desk.own_lists.remove, account))
policy_actions = PolicyActions(
    partial(desk.policies.create, account),
    partial(desk.policies.change, account),
    partial(desk.policies.make_default, account),
    partial(desk.policies.delete, account),
)


@fragment(run_every=1)
def follow(task_id: str) -> None:
    """Show a processing task once a second; when it ends, draw the whole page anew."""
    task = desk.tasks.get(account, task_id)
    if task.state is not TaskState.PROCESSING:
        st.rerun()
    seconds = desk.clock().timestamp()
    pace = measure_pace(task.progress, st.session_state.get(f"pace_{task_id}"), seconds)
    st.session_state[f"pace_{task_id}"] = pace
    place = desk.tasks.queue_places(account).get(task_id) if task.is_waiting else None
    if draw_progress(task.progress, find_rate(task.progress, pace, seconds), place):
        desk.tasks.cancel(account, task_id)
        st.rerun()


@fragment(run_every=max(60, desk.settings.link_seconds // 3))
def download(task: Task) -> None:
    """Say what goes and offer the files; drawn anew at times so that its links never get old."""
    policies = desk.policies.list(account)
    default = desk.policies.find_default(account).choice
    choice = read_choice(st.query_params, default)
    split = read_split(st.query_params)
    redraw_with(Export(choice=choice, split=split))
    effect = desk.results.weigh(account, task.task_id, choice.policy)
    session = desk.sign_in.name_session(read_token())

    def issue(variant: Variant, form: DownloadChoice) -> DownloadLink:
        export = Export(variant, form, split=split)
        return desk.downloads.issue_export(account, task.task_id, export, session=session)

    with st.container(border=True, key="choice"):
        draw_downloads(
            *(task, effect, choice, issue, partial(list_reports, task, choice.policy, effect)),
            partial(offer_platform, task, "files", list_uses(effect, choice.policy)),
            split=split,
            link_seconds=desk.settings.link_seconds,
        )
        own = task.plan.file_format.result
        keep_choice = partial(write_choice, params=st.query_params, default=default)
        draw_policy_picker(policies, choice, policy_actions, keep_choice)
        keep_split = partial(write_split, params=st.query_params)
        draw_policy(own, choice, effect, keep_choice, partial(draw_split, split, keep_split))
    draw_policy_comparison(policies, ask_policies(task.task_id))


def find_choice() -> DownloadChoice:
    """Return what the address chooses, else the default policy."""
    return read_choice(st.query_params, desk.policies.find_default(account).choice)


def ask_policies(task_id: str) -> PolicyQuestions:
    """Return what a comparison of policies asks of a project."""
    analysis = desk.column_analysis
    return PolicyQuestions(
        partial(analysis.measure, account, task_id),
        partial(analysis.differ, account, task_id),
        partial(analysis.list_columns, account, task_id),
        partial(analysis.split, account, task_id),
        partial(analysis.add_up, account, task_id),
    )


def redraw_with(form: Export) -> None:
    """Draw the whole page anew where a choice has changed: what stands below follows it too."""
    key = "choice_drawn"
    if st.session_state.setdefault(key, form) != form:
        st.session_state[key] = form
        st.rerun()


def offer_platform(task: Task, place: str, uses: Sequence[Use]) -> None:
    """Offer files for mail platforms."""
    session = desk.sign_in.name_session(read_token())
    draw_platform_file(
        place,
        uses,
        desk.results.columns(account, task.task_id),
        partial(desk.results.preview_platform, account, task.task_id, most=PREVIEWED),
        partial(desk.downloads.issue_export, account, task.task_id, session=session),
    )


@fragment(run_every=max(60, desk.settings.link_seconds // 3))
def offer_rows(task: Task, rows: RowFilter | Ticked, count: int) -> None:
    """Offer rows that are seen as files; drawn anew at times, as the other links."""
    choice, split = find_choice(), read_split(st.query_params)
    session = desk.sign_in.name_session(read_token())

    def issue(wanted: RowFilter | Ticked) -> DownloadLink:
        export = Export(Variant.SELECTION, choice, wanted, split=split)
        return desk.downloads.issue_export(account, task.task_id, export, session=session)

    with st.container(horizontal=True, vertical_alignment="center", key="rows_download"):
        draw_rows_link(task, choice, count, rows, issue, split)
        offer_platform(task, "rows", list_selection_uses(rows))


def list_reports(
    task: Task, policy: CleaningPolicy, effect: CleaningEffect, names_removed: bool
) -> Sequence[tuple[str, MakeReport]]:
    """Name the reports and how each is made."""
    cleaning = Cleaning(policy, effect)
    make_book = partial(desk.make_report, task, cleaning)
    page, removed = say("Report as a page, without addresses"), None
    if names_removed and effect.lost:
        removed = desk.results.list_removed(account, task.task_id, policy, LISTED_MAX)
        page = say_many(
            len(removed),
            "Report as a page, with {count} removed address",
            "Report as a page, with {count} removed addresses",
        )
    repaired: Sequence[RepairRow] = ()
    if names_removed and task.summary is not None and task.summary.repaired:
        kinds = frozenset(RepairKind)
        repaired, _ = desk.repairs.list_repaired(account, task.task_id, kinds, 0, LISTED_MAX)
        page = say_many(
            len(removed or ()) + len(repaired),
            "Report as a page, with {count} removed or repaired address",
            "Report as a page, with {count} removed or repaired addresses",
        )
    facets = desk.results.facets(account, task.task_id, RowFilter())
    made_at = desk.clock()
    make_page = partial(desk.make_report_page, task, made_at, cleaning, removed, facets, repaired)
    explain = partial(desk.decisions.explain_list, account, task.task_id, policy, identity.person)
    return (
        (say("Explain this decision as a page, without addresses"), explain),
        (page, make_page),
        (say("Report as an Excel workbook, without addresses"), make_book),
    )


@fragment(run_every=TOKEN_REFRESH_SECONDS)
def forbid(task: Task) -> None:
    """Take do-not-mail files; drawn anew from time to time so that its token never gets old."""
    files = desk.suppressions.list_of_task(account, task.task_id)
    with st.expander(title_suppressions(files), icon=":material/block:", key="do_not_mail"):
        if draw_suppressions(
            files,
            beside="projects",
            list_id=task.task_id,
            token=desk.uploads.issue_token(account),
            free_bytes=desk.usage.storage(account).free_bytes,
            remove=partial(desk.suppressions.remove, account),
        ):
            st.rerun()


@fragment()
def explore(task: Task) -> None:
    """Filters, charts and the table: what is filtered redraws these alone."""
    try:
        draw_rows(task)
    except (TaskUnknown, Gone):  # deleted in another tab: the page says so
        st.rerun()


def draw_rows(task: Task) -> None:
    """Draw what the filters of the address leave."""
    rows = partial(desk.results.rows, account, task.task_id)
    facets = partial(desk.results.facets, account, task.task_id)
    filters = read_filters(st.query_params)
    row_filter = build_row_filter(filters, read_search())
    page = rows(row_filter, (filters.page - 1) * ROWS_PER_PAGE, ROWS_PER_PAGE)
    if not page.rows and page.matching:
        filters = replace(filters, page=1)
        page = rows(row_filter, 0, ROWS_PER_PAGE)
    keep_filters = partial(write_filters, params=st.query_params)
    st.header(say("What is in the list"))
    draw_filter_bar(filters, facets(row_filter), keep_filters)
    whole = facets(RowFilter())[CATEGORY].whole
    own_values = filters.chosen.of(OWN_VALUE)
    names = desk.column_analysis.name_values(account, task.task_id, own_values)
    draw_active(filters, page.matching, whole, keep_filters, names)
    if page.matching:
        draw_breakdown(facets, row_filter, filters, keep_filters)
    policy = find_choice().policy
    find = partial(desk.column_analysis.find_hotspots, account, task.task_id, policy)
    draw_hotspots(find, whole, filters, keep_filters)
    st.header(say("Rows"))
    columns = desk.results.columns(account, task.task_id)
    numbers, ticks = [row.number for row in page.rows], read_ticks(task.task_id)
    look = partial(desk.results.look_at_ticks, account, task.task_id)
    ticked = look(ticks.ticked, numbers)
    if page.matching or ticked.count:
        rows_wanted = (ticks.ticked, ticked.count) if ticked.count else (row_filter, page.matching)
        draw_links = partial(offer_rows, task, *rows_wanted)
        draw_rows_download(task, row_filter, page.matching, ticks, ticked.count, draw_links)

    def take_click(now: Sequence[int]) -> None:
        before = look(read_ticks(task.task_id).ticked, numbers).numbers
        click_rows(task.task_id, before, now)

    ticking = Ticking(ticked.numbers, take_click)
    email_column = desk.results.email_column(account, task.task_id)
    asked = draw_page(page, filters, columns, email_column, keep_filters, ticking)
    if page.matching:
        number = draw_row_question(whole, page.rows[0].number)
        if number is not None:
            asked = desk.results.row(account, task.task_id, number)
    if asked is not None:
        answer(task, asked, columns)


def answer(task: Task, row: Row, columns: Sequence[str]) -> None:
    """Open the drawer that says why a row got its verdict."""
    found = desk.results.explain(account, task.task_id, row)
    draw_more = partial(offer_more, task, row, found.evidence)
    open_row_detail(row, columns, found.evidence, draw_more, found.not_black)


def offer_more(task: Task, row: Row, evidence: Sequence[Evidence]) -> None:
    """Offer what else may be done with a row."""
    overrule(task, row, evidence)
    policy = find_choice().policy
    explain = desk.decisions.explain_row
    make = partial(explain, account, task.task_id, row.number, policy, identity.person)
    draw_explanation(make, key="explain_row")


def overrule(task: Task, row: Row, evidence: Sequence[Evidence]) -> None:
    """Offer to put a row's domain or address on an own list; what was pressed shows at once."""
    pressed = draw_overrule(
        row.email,
        row.verdict,
        evidence,
        keep,
        forget,
        partial(desk.own_effects.foresee, account, here=task.task_id),
        key="row",
    )
    if pressed:
        st.rerun()


@fragment()
def tell_duplicates(task: Task) -> None:
    """Show some duplicates, and offer another rule; what is chosen there redraws it alone."""
    draw_project_duplicates(
        task,
        tell_apart(task.plan.columns),
        partial(desk.duplicates.look_back, account, task.task_id),
        partial(desk.duplicates.run_again, account, task.task_id),
        go_to,
    )


def offer_recheck(task: Task) -> None:
    """Say when the data has moved on since, and offer to check the list again."""
    draw_data_drift(
        partial(desk.rechecks.find_drift, account, task.task_id),
        partial(desk.rechecks.check_again, account, task.task_id),
        go_to,
    )
    if task.key_type is not KeyType.SANDBOX:  # has no data that could move on
        draw_rhythm(
            desk.recheck_schedule.find_rhythm(account, task.task_id),
            partial(desk.recheck_schedule.choose, account, task.task_id),
        )


@fragment()
def offer_repairs(task: Task) -> None:
    """Offer to fix addresses; what is chosen there redraws it alone."""
    draw_repair_offer(
        task.task_id,
        partial(desk.repairs.find, account, task.task_id),
        partial(desk.repairs.page, account, task.task_id),
        partial(desk.repairs.run, account, task.task_id),
        go_to,
    )


@fragment()
def tell_repairs(task: Task) -> None:
    """Say what was repaired, and lead back."""
    draw_repaired(
        task,
        find_origin(task),
        partial(desk.repairs.list_repaired, account, task.task_id),
        partial(undo_repairs, task),
    )


def find_origin(task: Task) -> Task | None:
    """Return the project that a repaired one was made from, where it is still there."""
    if task.options.made_from is None:
        return None
    try:
        return desk.tasks.get(account, task.options.made_from)
    except (TaskUnknown, Gone):
        return None


def undo_repairs(task: Task) -> None:
    """Delete a repaired project and show the one before it."""
    before = desk.repairs.undo(account, task.task_id)
    st.query_params.from_dict({"task": before.task_id})


def offer_comparison(task: Task) -> None:
    """Lead to the comparison where there is a list from before this one."""
    earlier = (
        one
        for one in desk.tasks.list(account)
        if one.state is TaskState.COMPLETED and one.submitted_at < task.submitted_at
    )
    if next(earlier, None) is not None:
        draw_compare_link(task)


@fragment(run_every=1)
def offer_undo(task_ids: Sequence[str]) -> None:
    """Count down how long this project's deletion can be undone; then draw the page anew."""
    deletions = desk.deletions.list(account)
    here = [one for one in deletions if one.task_ids == task_ids]
    if not here:
        st.rerun()
    undo, finish = partial(desk.deletions.undo, account), partial(desk.deletions.finish, account)
    draw_deletions(here, desk.clock(), undo, finish)


def go_to(task: Task) -> None:
    """Show another project in this one's place."""
    st.query_params.from_dict({"task": task.task_id})
    st.rerun()


def find_loss(task: Task) -> ResultLost | None:
    """Return what is missing of a finished project, if anything."""
    try:
        desk.results.require_completed(account, task.task_id)
    except ResultLost as loss:
        return loss
    return None


def show(task: Task) -> None:
    """Draw a task in the state it is in."""
    draw_project_head(task, desk.clock())
    if task.state is TaskState.PROCESSING:
        follow(task.task_id)
    elif task.state is TaskState.FAILED or task.summary is None:
        draw_problem(task.error or {})
        draw_notices(task.notices, task.plan.file_format)
        st.page_link(page_urls.CLEAN, label=say("Clean a list"), icon=":material/upload_file:")
    elif (loss := find_loss(task)) is not None:
        draw_lost_result(loss, partial(desk.rechecks.check_again, account, task.task_id), go_to)
    else:
        draw_headline(task.summary, is_charged=desk.sign_in.is_needed)
        draw_loud_notices(task.notices)
        download(task)
        forbid(task)
        draw_doubts(task.summary)
        tell_duplicates(task)
        tell_repairs(task)
        offer_repairs(task)
        offer_recheck(task)
        draw_notices(task.notices, task.plan.file_format)
        with st.container(horizontal=True):
            offer_comparison(task)
            draw_sender_link()
        explore(task)


task_id = st.query_params.get("task")
try:
    found = desk.tasks.get(account, task_id) if task_id else None
    found = found and desk.own_effects.present(found)
except (TaskUnknown, Gone) as error:
    deletion = next((one for one in desk.deletions.list(account) if task_id in one.task_ids), None)
    if deletion is not None:
        offer_undo(deletion.task_ids)
    draw_no_project(error)
else:
    if found is None:
        draw_no_project(None)
    else:
        show(found)
tell_change(newest_change, partial(desk.own_lists.undo, account))
