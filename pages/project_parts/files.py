"""The files of a finished project: downloads, files for mail platforms, reports."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from components.download_choice import read_choice, read_split, write_choice, write_split
from components.downloads import LISTED_MAX, MakeReport, draw_downloads
from components.error_boundary import fragment
from components.file_form import draw_split
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
from components.rows_download import draw_rows_link
from pages.project_parts.view import ProjectView
from winnow.core.accounts import DownloadLink
from winnow.core.addresses.repair_kinds import RepairKind
from winnow.core.lists.cleaning import Cleaning, CleaningEffect, CleaningPolicy
from winnow.core.lists.download_choice import DownloadChoice
from winnow.core.lists.exports import Export
from winnow.core.lists.repair_offers import RepairRow
from winnow.core.lists.rows import RowFilter, Ticked, Variant
from winnow.words import say, say_many


def offer_files(view: ProjectView) -> None:
    """Say what goes and offer the files; drawn anew at times so that its links never get old."""
    fragment(run_every=view.link_refresh_seconds)(_draw_files)(view)


def offer_rows(view: ProjectView, rows: RowFilter | Ticked, count: int) -> None:
    """Offer rows that are seen as files; drawn anew at times, as the other links."""
    fragment(run_every=view.link_refresh_seconds)(_draw_rows_files)(view, rows, count)


def _draw_files(view: ProjectView) -> None:
    desk, task = view.services, view.task
    policies = desk.policies.list(view.account)
    default = view.find_default()
    choice = read_choice(st.query_params, default)
    split = read_split(st.query_params)
    _redraw_with(Export(choice=choice, split=split))
    effect = view.bind(desk.results.weigh)(choice.policy)

    def issue(variant: Variant, form: DownloadChoice) -> DownloadLink:
        export = Export(variant, form, split=split)
        return view.bind(desk.downloads.issue_export)(export, session=view.session)

    with st.container(border=True, key="choice"):
        draw_downloads(
            *(task, effect, choice, issue, partial(_list_reports, view, choice.policy, effect)),
            partial(_offer_platform, view, "files", list_uses(effect, choice.policy)),
            split=split,
            link_seconds=desk.settings.link_seconds,
        )
        own = task.plan.file_format.result
        keep_choice = partial(write_choice, params=st.query_params, default=default)
        draw_policy_picker(policies, choice, _bind_policies(view), keep_choice)
        keep_split = partial(write_split, params=st.query_params)
        draw_policy(own, choice, effect, keep_choice, partial(draw_split, split, keep_split))
    draw_policy_comparison(policies, _ask_policies(view))


def _bind_policies(view: ProjectView) -> PolicyActions:
    policies, account = view.services.policies, view.account
    return PolicyActions(
        partial(policies.create, account),
        partial(policies.change, account),
        partial(policies.make_default, account),
        partial(policies.delete, account),
    )


def _ask_policies(view: ProjectView) -> PolicyQuestions:
    analysis = view.services.column_analysis
    return PolicyQuestions(
        view.bind(analysis.measure),
        view.bind(analysis.differ),
        view.bind(analysis.list_columns),
        view.bind(analysis.split),
        view.bind(analysis.add_up),
    )


def _redraw_with(form: Export) -> None:
    """Draw the whole page anew where a choice has changed: what stands below follows it too."""
    key = "choice_drawn"
    if st.session_state.setdefault(key, form) != form:
        st.session_state[key] = form
        st.rerun()


def _offer_platform(view: ProjectView, place: str, uses: Sequence[Use]) -> None:
    """Offer files for mail platforms."""
    desk = view.services
    draw_platform_file(
        place,
        uses,
        view.bind(desk.results.columns)(),
        partial(view.bind(desk.results.preview_platform), most=PREVIEWED),
        partial(view.bind(desk.downloads.issue_export), session=view.session),
    )


def _draw_rows_files(view: ProjectView, rows: RowFilter | Ticked, count: int) -> None:
    choice, split = view.find_choice(), read_split(st.query_params)

    def issue(wanted: RowFilter | Ticked) -> DownloadLink:
        export = Export(Variant.SELECTION, choice, wanted, split=split)
        return view.bind(view.services.downloads.issue_export)(export, session=view.session)

    with st.container(horizontal=True, vertical_alignment="center", key="rows_download"):
        draw_rows_link(view.task, choice, count, rows, issue, split)
        _offer_platform(view, "rows", list_selection_uses(rows))


def _list_reports(
    view: ProjectView, policy: CleaningPolicy, effect: CleaningEffect, names_removed: bool
) -> Sequence[tuple[str, MakeReport]]:
    """Name the reports and how each is made."""
    desk, task = view.services, view.task
    cleaning = Cleaning(policy, effect)
    make_book = partial(desk.make_report, task, cleaning)
    page, removed = say("Report as a page, without addresses"), None
    if names_removed and effect.lost:
        removed = view.bind(desk.results.list_removed)(policy, LISTED_MAX)
        page = say_many(
            len(removed),
            "Report as a page, with {count} removed address",
            "Report as a page, with {count} removed addresses",
        )
    repaired: Sequence[RepairRow] = ()
    if names_removed and task.summary is not None and task.summary.repaired:
        kinds = frozenset(RepairKind)
        repaired, _ = view.bind(desk.repairs.list_repaired)(kinds, 0, LISTED_MAX)
        page = say_many(
            len(removed or ()) + len(repaired),
            "Report as a page, with {count} removed or repaired address",
            "Report as a page, with {count} removed or repaired addresses",
        )
    facets = view.bind(desk.results.facets)(RowFilter())
    make_page = partial(
        desk.make_report_page, task, desk.clock(), cleaning, removed, facets, repaired
    )
    explain = partial(view.bind(desk.decisions.explain_list), policy, view.identity.person)
    return (
        (say("Explain this decision as a page, without addresses"), explain),
        (page, make_page),
        (say("Report as an Excel workbook, without addresses"), make_book),
    )
