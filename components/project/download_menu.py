"""Download of a project: one large link, and its menu of files, rows, columns and the report."""

from dataclasses import replace
from functools import partial

import streamlit as st

from components.frame.error_boundary import guard
from components.frame.frame import draw_tabs
from components.frame.session import set_widget
from components.kit.project_view import OpenedProject, draw_file
from components.project.project_files import (
    draw_copy,
    draw_other_files,
    draw_platform_columns,
    draw_platform_file,
    export_contacts,
    find_platform,
    keep_platform,
    name_kind,
    word_import,
)
from components.rules.policies import draw_policy, draw_policy_picker
from components.rules.side_files import draw_suppressions
from winnow.core.lists.cleaning import Cleaning, CleaningEffect
from winnow.core.lists.exports import NOTHING_CHOSEN
from winnow.core.lists.file_format import NEW_FORMATS
from winnow.core.lists.platforms import Platform
from winnow.core.lists.rows import Variant
from winnow.services.names import make_file_stem
from winnow.services.tasks.recipe import count_lost, make_recipe, write_recipe
from winnow.words import say, say_many

OWN = "own"
MENU = "download_menu"
_COUNTED = "download_counted"
_TABS = "download_tabs"


def draw_download(view: OpenedProject) -> None:
    """Draw the large link, and the menu of everything else that can be downloaded.

    The first count of a large list takes seconds: meanwhile the link says no number.
    """
    platform = find_platform()
    with st.container(
        horizontal=True, vertical_alignment="center", gap="small", width="content", key="download"
    ):
        with st.container(horizontal=True, width="content"):  # the menu keeps its place, and open
            link = st.empty()
            if not is_counted(view):
                with link.container():
                    _draw_main_link(view, None, platform)
            effect = view.weigh()
            st.session_state[_COUNTED] = view.task.task_id
            with link.container():
                _draw_main_link(view, effect, platform)
        with st.popover(
            say("Options"), icon=":material/tune:", on_change="rerun", key=MENU
        ) as menu:
            if menu.open:
                _draw_menu(view, effect, platform)


def _draw_main_link(
    view: OpenedProject, effect: CleaningEffect | None, platform: Platform | None
) -> None:
    """Draw the link to the cleaned list, for the platform of the session's last file.

    ``effect`` None: the rows are not counted yet.
    """
    export, key = replace(view.find_form(), variant=Variant.CLEANED), "download_cleaned"
    if platform is not None:
        export = export_contacts(view, platform)
    if effect is None:
        count, label, key = 1, say("Download the rows to mail"), "download_early"
    elif platform is None:
        count = effect.kept
        label = say_many(count, "Download {count} row", "Download {count} rows")
    else:
        count = view.services.results.measure(*view.ids, export)
        label = say_many(
            count,
            "Download {count} row for {platform}",
            "Download {count} rows for {platform}",
            platform=platform.traits.name,
        )
    draw_file(view, label, export, count, key=key, type="primary")


def is_counted(view: OpenedProject) -> bool:
    """Return whether this session has counted a project's rows: later counts take no time."""
    return st.session_state.get(_COUNTED) == view.task.task_id


def _draw_menu(view: OpenedProject, effect: CleaningEffect, platform: Platform | None) -> None:
    draw_tabs(
        {
            "files": (say("Files"), partial(_draw_files, view, effect, platform)),
            "rows": (say("Rows to leave out"), partial(_draw_rows, view, effect)),
            "columns": (
                say("Columns"),
                partial(draw_platform_columns, view, platform)
                if platform is not None
                else partial(_draw_file_form, view),
            ),
            "report": (say("Report and link"), partial(_draw_reports, view, effect)),
        },
        key=_TABS,
        parameter="menu",
    )


def _draw_files(view: OpenedProject, effect: CleaningEffect, platform: Platform | None) -> None:
    """Draw the choice of a platform, which changes the large link, and the other files."""
    own = name_kind(view.task, view.find_choice())
    set_widget("download_for", platform or OWN)

    @guard
    def changed() -> None:
        chosen = st.session_state["download_for"]
        keep_platform(None if chosen == OWN else chosen)

    st.pills(
        say("The large button downloads a file for"),
        [OWN, *Platform],
        required=True,
        format_func=lambda one: own if one == OWN else Platform(one).traits.name,
        key="download_for",
        on_change=changed,
        wrap=True,
    )
    if platform is not None:
        st.caption(word_import(platform, is_suppression=False))
        draw_platform_file(view, platform, key="platform_suppression", is_suppression=True)
    st.markdown(f"**{say('Other files')}**")
    draw_other_files(view, effect)


def _draw_rows(view: OpenedProject, effect: CleaningEffect) -> None:
    """Draw the policy, what it leaves out, and the do-not-mail files."""
    draw_policy_picker(view)
    draw_policy(view, effect)
    draw_suppressions(view.services, view.account, "projects", view.task.task_id)


def _draw_reports(view: OpenedProject, effect: CleaningEffect) -> None:
    """Draw the report, the link to share, and the settings as a file."""
    cleaning = Cleaning(view.find_choice().policy, effect)
    report = view.services.decisions.report(view.task, cleaning)
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
    known = view.services.policies.list(view.account)
    columns = view.services.mail_choices.list_columns(*view.ids)
    recipe = make_recipe(view.task, view.find_choice(), known, find_platform(), columns)
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
    if lost := count_lost(view.task, recipe):
        st.caption(
            say_many(
                lost,
                "{count} decision on a value is not in the settings: they have 50 short values of "
                "a column. Decide on it in the next list.",
                "{count} decisions on values are not in the settings: they have 50 short values of "
                "a column. Decide on them in the next list.",
            )
        )


def _draw_file_form(view: OpenedProject) -> None:
    """Draw the choices that hold for every file."""
    own, choice = view.task.plan.file_format.result, view.find_choice()
    is_text = (choice.file_format or own).traits.is_text
    state = st.session_state
    set_widget("file_format", OWN if choice.keeps_format(own) else choice.file_format)
    set_widget("file_reason", choice.adds_reason)
    set_widget("file_safe", choice.safe_for_excel and is_text)

    @guard
    def changed() -> None:
        chosen = state["file_format"]
        view.choose(
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
        format_func=lambda one: (
            name_kind(view.task, NOTHING_CHOSEN) if one == OWN else say(one.traits.new_name)
        ),
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
