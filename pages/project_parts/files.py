"""The files of a finished project: downloads, files for mail platforms, reports."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from components.download_choice import read_choice, read_split, write_choice, write_split
from components.downloads import (
    LISTED_MAX,
    MakeReport,
    draw_cleaned,
    draw_copy,
    draw_other_files,
    draw_reports,
    name_kind,
)
from components.error_boundary import fragment
from components.file_form import draw_split
from components.platform_file import (
    PREVIEWED,
    IssueExport,
    Preview,
    draw_platform_choice,
    draw_platform_file,
    draw_platform_links,
    list_selection_uses,
    list_uses,
    word_import,
)
from components.policy import draw_effect, draw_policy
from components.policy_picker import PolicyActions, draw_policy_picker
from components.rows_download import draw_rows_link
from pages.project_parts.view import OpenedProject
from winnow.core.accounts import DownloadLink
from winnow.core.addresses.repair_kinds import RepairKind
from winnow.core.lists.cleaning import Cleaning, CleaningEffect, CleaningPolicy
from winnow.core.lists.download_choice import DownloadChoice
from winnow.core.lists.exports import Export
from winnow.core.lists.repair_offers import RepairRow
from winnow.core.lists.rows import RowFilter, Ticked, Variant
from winnow.words import say, say_many


def offer_files(view: OpenedProject) -> None:
    """Say what goes and offer the files; drawn anew at times so that its links never get old."""
    fragment(run_every=view.link_refresh_seconds)(_draw_files)(view)


def offer_rows(view: OpenedProject, rows: RowFilter | Ticked, count: int) -> None:
    """Offer rows that are seen as files; drawn anew at times, as the other links."""
    fragment(run_every=view.link_refresh_seconds)(_draw_rows_files)(view, rows, count)


def _draw_files(view: OpenedProject) -> None:
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

    share = partial(draw_copy, task, effect, choice, issue, split, desk.settings.link_seconds)
    platform = desk.desk_choices.find_platform(view.account)
    with st.container(border=True, key="choice"):
        keep_platform = partial(desk.desk_choices.keep_platform, view.account)
        draw_platform_choice(name_kind(task, choice), platform, keep_platform)
        with st.container(horizontal=True, vertical_alignment="center", key="downloads"):
            if platform is None:
                draw_cleaned(task, effect, choice, issue, split)
            else:
                uses = list_uses(effect, choice.policy)
                draw_platform_links("files", platform, uses, *_ask_platform(view))
            draw_other_files(task, effect, choice, issue, split)
            draw_reports(effect, partial(_list_reports, view, choice.policy, effect), share)
        if platform is not None:
            st.caption(word_import(platform, is_suppression=False))
        own = task.plan.file_format.result
        keep_choice = partial(write_choice, params=st.query_params, default=default)
        draw_policy_picker(policies, choice, _bind_policies(view), keep_choice)
        draw_effect(choice, effect, keep_choice)
        with st.expander(
            say("Change what is left out and how files look"), type="compact", key="what_goes"
        ):
            keep_split = partial(write_split, params=st.query_params)
            draw_policy(own, choice, effect, keep_choice, partial(draw_split, split, keep_split))


def _bind_policies(view: OpenedProject) -> PolicyActions:
    policies, account = view.services.policies, view.account
    return PolicyActions(
        partial(policies.create, account),
        partial(policies.change, account),
        partial(policies.make_default, account),
        partial(policies.delete, account),
    )


def _redraw_with(form: Export) -> None:
    """Draw the whole page anew where a choice has changed: what stands below follows it too."""
    key = "choice_drawn"
    if st.session_state.setdefault(key, form) != form:
        st.session_state[key] = form
        st.rerun()


def _ask_platform(view: OpenedProject) -> tuple[Sequence[str], Preview, IssueExport]:
    """Return what files for mail platforms are drawn from: columns, a preview, fresh links."""
    desk = view.services
    return (
        view.bind(desk.results.columns)(),
        partial(view.bind(desk.results.preview_platform), most=PREVIEWED),
        partial(view.bind(desk.downloads.issue_export), session=view.session),
    )


def _draw_rows_files(view: OpenedProject, rows: RowFilter | Ticked, count: int) -> None:
    choice, split = view.find_choice(), read_split(st.query_params)

    def issue(wanted: RowFilter | Ticked) -> DownloadLink:
        export = Export(Variant.SELECTION, choice, wanted, split=split)
        return view.bind(view.services.downloads.issue_export)(export, session=view.session)

    with st.container(horizontal=True, vertical_alignment="center", key="rows_download"):
        draw_rows_link(view.task, choice, count, rows, issue, split)
        platform = view.services.desk_choices.find_platform(view.account)
        uses = list_selection_uses(rows)
        draw_platform_file("rows", uses, *_ask_platform(view), proposed=platform)


def _list_reports(
    view: OpenedProject, policy: CleaningPolicy, effect: CleaningEffect, names_removed: bool
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
