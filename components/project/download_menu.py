"""Download of a project: one large link, and its menu of files, rows, columns and the report."""

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from components.frame.error_boundary import guard
from components.frame.page_urls import page_params
from components.frame.session import set_widget
from components.project.project_files import (
    draw_copy,
    draw_other_files,
    draw_platform_columns,
    draw_suppression,
    export_contacts,
    find_platform,
    keep_platform,
    name_kind,
    preview_platform,
    say_too_many,
    word_import,
)
from components.project.view import OpenedProject, list_choice_params
from components.rules.policies import draw_policy, draw_policy_picker
from components.rules.side_files import draw_suppressions
from winnow.core.accounts import DownloadLink
from winnow.core.lists.cleaning import Cleaning, CleaningEffect
from winnow.core.lists.exports import DownloadChoice
from winnow.core.lists.file_format import NEW_FORMATS, FileFormat, name_format
from winnow.core.lists.platforms import Platform
from winnow.core.lists.rows import Variant
from winnow.services.results.reports import make_report
from winnow.services.tasks.recipe import make_recipe, write_recipe
from winnow.services.uploads.names import make_file_stem
from winnow.words import say, say_many

OWN = "own"
MENU = "download_menu"
_TABS = "download_tabs"


def draw_download(view: OpenedProject, effect: CleaningEffect) -> None:
    """Draw the large link, and the menu of everything else that can be downloaded."""
    platform = find_platform()
    with st.container(
        horizontal=True, vertical_alignment="center", gap="small", width="content", key="download"
    ):
        with st.container(horizontal=True, width="content"):  # the menu keeps its place, and open
            if platform is None:
                _draw_list_link(view, effect)
            else:
                _draw_platform_link(view, platform)
        with st.popover(
            say("Options"), icon=":material/tune:", on_change="rerun", key=MENU
        ) as menu:
            if menu.open:
                _draw_menu(view, effect, platform)


def _draw_list_link(view: OpenedProject, effect: CleaningEffect) -> None:
    form, task = view.find_form(), view.task
    too_many = say_too_many(task, effect.kept, form)
    link = None
    if effect.kept and not too_many:
        link = view.issue(replace(form, variant=Variant.CLEANED))
    label = say_many(effect.kept, "Download {count} row", "Download {count} rows")
    _draw_large(label, link, name_kind(task, form.choice))
    if too_many:
        st.caption(too_many)


def _draw_platform_link(view: OpenedProject, platform: Platform) -> None:
    export = export_contacts(view, platform)
    count = preview_platform(view, export).row_count
    label = say_many(
        count,
        "Download {count} row for {platform}",
        "Download {count} rows for {platform}",
        platform=platform.traits.name,
    )
    _draw_large(label, view.issue(export) if count else None, "CSV")


def _draw_large(label: str, link: DownloadLink | None, kind: str) -> None:
    st.link_button(
        label,
        "#" if link is None else link.path,
        type="primary",
        icon=":material/download:",
        disabled=link is None,
        key="download_cleaned",
        help=kind,
    )


def _draw_menu(view: OpenedProject, effect: CleaningEffect, platform: Platform | None) -> None:
    parts: dict[str, Callable[[], None]] = {
        say("Files"): lambda: _draw_files(view, effect, platform),
        say("Rows to leave out"): lambda: _draw_rows(view, effect),
        say("Columns"): lambda: _draw_columns(view, platform),
        say("Report and link"): lambda: _draw_reports(view, effect),
    }
    tabs = st.tabs(list(parts), key=_TABS, on_change="rerun")
    for tab, draw in zip(tabs, parts.values(), strict=True):
        if tab.open:
            with tab:
                draw()


def _draw_files(view: OpenedProject, effect: CleaningEffect, platform: Platform | None) -> None:
    """Draw a link for each platform, which is remembered, and the other files."""
    form = view.find_form()
    st.markdown(f"**{say('Rows kept, as a file for')}**")
    with st.container(horizontal=True, gap="small", key="download_for"):
        own = replace(form, variant=Variant.CLEANED)
        for chosen in (None, *Platform):
            export = own if chosen is None else export_contacts(view, chosen)
            kind = name_kind(view.task, form.choice)
            st.link_button(
                kind if chosen is None else chosen.traits.name,
                view.issue(export).path if effect.kept else "#",
                type="secondary",
                icon=":material/check:" if chosen is platform else None,
                disabled=not effect.kept,
                key=f"download_for_{chosen.value if chosen else 'own'}",
                on_click=keep_platform,
                args=(chosen,),
            )
    if platform is not None:
        st.caption(word_import(platform, is_suppression=False))
        draw_suppression(view, platform)
    st.markdown(f"**{say('Other files')}**")
    draw_other_files(view, effect)


def _draw_rows(view: OpenedProject, effect: CleaningEffect) -> None:
    """Draw the policy, what it leaves out, and the do-not-mail files."""
    draw_policy_picker(view)
    draw_policy(view, effect)
    draw_suppressions(view.services, view.account, "projects", view.task.task_id)


def _draw_columns(view: OpenedProject, platform: Platform | None) -> None:
    """Draw the format and the columns of the files."""
    form = view.find_form()

    def keep_choice(choice: DownloadChoice) -> None:
        page_params.put(list_choice_params(choice, view.find_default()))

    if platform is None:
        draw_file_form(view.task.plan.file_format.result, form.choice, keep_choice)
    else:
        draw_platform_columns(view, platform)


def _draw_reports(view: OpenedProject, effect: CleaningEffect) -> None:
    """Draw the report, the link to share, and the settings as a file."""
    desk, cleaning = view.services, Cleaning(view.find_choice().policy, effect)
    report = make_report(view.task, desk.clock(), cleaning)
    st.download_button(
        say("Download the report"),
        report.content,
        file_name=report.file_name,
        mime=report.media_type,
        icon=":material/bar_chart:",
        on_click="ignore",
        key="download_report",
        help=say("A page with counts and reasons, to print or pass on; it has no addresses."),
    )
    draw_copy(view, effect)
    _draw_recipe(view)


def _draw_recipe(view: OpenedProject) -> None:
    """Draw the settings of this project as a file, for the next list of its kind."""
    chosen, known = view.find_choice(), view.services.policies.list(view.account)
    policy = next((one.name for one in known if one.choice == chosen), None)
    platform = find_platform()
    recipe = make_recipe(view.task, policy, platform)
    st.download_button(
        say("Download these settings"),
        write_recipe(recipe),
        file_name=f"{make_file_stem(view.task.project_name)}.toml",
        mime="application/toml",
        icon=":material/tune:",
        on_click="ignore",
        key="download_recipe",
        help=say("A small file for winnow clean --recipe and the API. It has no addresses."),
    )


def name_choice(own: FileFormat, chosen: FileFormat | None) -> str:
    """Return the name of a file's format; None is the list's own."""
    if chosen is None:
        return say("{format} like yours", format=name_format(own))
    return say(chosen.traits.new_name) if chosen.traits.new_name else ""


def draw_file_form(
    own: FileFormat, choice: DownloadChoice, on_change: Callable[[DownloadChoice], None]
) -> None:
    """Draw the choices that hold for every file.

    Args:
        own: The list's own format.
        choice: As in the URL.
        on_change: Gets the new choice before the page runs again.
    """
    is_text = (choice.file_format or own).traits.is_text
    state = st.session_state
    set_widget("file_format", OWN if choice.keeps_format(own) else choice.file_format)
    set_widget("file_reason", choice.adds_reason)
    set_widget("file_safe", choice.safe_for_excel and is_text)

    @guard
    def changed() -> None:
        chosen = state["file_format"]
        on_change(
            replace(
                choice,
                file_format=None if chosen == OWN else chosen,
                adds_reason=state["file_reason"],
                safe_for_excel=state["file_safe"] if is_text else choice.safe_for_excel,
            )
        )

    st.selectbox(
        say("File format"),
        [OWN, *(one for one in NEW_FORMATS if one.traits.is_text or one is not own)],
        format_func=lambda one: name_choice(own, None if one == OWN else one),
        key="file_format",
        on_change=changed,
    )
    st.checkbox(
        say("Add the reason as a column"),
        key="file_reason",
        on_change=changed,
        wrap=True,
        help=say("Short codes such as disposable_listed; the report explains each."),
    )
    st.checkbox(
        say("Safe for Excel: put ' before cells that begin with = + - @"),
        key="file_safe",
        on_change=changed,
        disabled=not is_text,
        wrap=True,
        help=say("Excel would run such cells as formulas.")
        if is_text
        else say("Only CSV and TSV files need this."),
    )
