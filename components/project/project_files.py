"""Files of a project: what is in each, links to them and to share, files for mail platforms."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from html import escape

import streamlit as st

from components.frame.session import find_origin, name_session, show_local
from components.kit.input_summary import distinguish_columns
from components.kit.project_view import OpenedProject, draw_file
from winnow.core.figures import show_size
from winnow.core.lists.cleaning import CleaningEffect
from winnow.core.lists.comparison import Since
from winnow.core.lists.exports import WHOLE_LIST, DownloadChoice, Export
from winnow.core.lists.file_format import name_format
from winnow.core.lists.platforms import Layout, Platform, PlatformFile, PlatformPreview
from winnow.core.lists.rows import RowFilter, Ticked, Variant
from winnow.core.tasks.task import Task
from winnow.words import format_number, say, say_many, translatable


def draw_other_files(view: OpenedProject, effect: CleaningEffect) -> None:
    """Draw the links to the other lists: what is in each, and how many rows."""
    labels = {
        Variant.REMOVED: say_many(
            effect.removed,
            "Removed rows: {count} row",
            "Removed rows: {count} rows",
        ),
        Variant.REVIEW: say_many(
            effect.review, "Rows to review: {count} row", "Rows to review: {count} rows"
        ),
        Variant.LATER: say_many(
            effect.later,
            "Not mailed this time, on no suppression list: {count} row",
            "Not mailed this time, on no suppression list: {count} rows",
        ),
        Variant.AUGMENTED: say_many(
            effect.rows,
            "Whole list with category and domain type: {count} row",
            "Whole list with category and domain type: {count} rows",
        ),
        Variant.PACK: say("Everything in one zip file, with the report"),
    }
    counts = {Variant.REMOVED: effect.removed, Variant.REVIEW: effect.review}
    counts[Variant.LATER] = effect.later
    if not effect.later:
        del labels[Variant.LATER]
    form = view.find_form()
    for variant, label in labels.items():
        draw_file(
            view,
            label,
            replace(form, variant=variant),
            counts.get(variant, effect.rows),
            key=f"download_{variant.value}",
            icon=":material/folder_zip:" if variant is Variant.PACK else ":material/download:",
            wrap=True,
        )


def name_kind(task: Task, choice: DownloadChoice) -> str:
    """Return the name of a file's format."""
    own = task.plan.file_format.result
    if choice.keeps_format(own):
        return say("{format} like yours", format=name_format(own))
    return name_format(choice.file_format or own)


def draw_copy(view: OpenedProject, effect: CleaningEffect) -> None:
    """Draw a link to the cleaned list to share; nothing where there is no file."""
    cleaned = replace(view.find_form(), variant=Variant.CLEANED)
    link = view.offer(cleaned)[0] if effect.kept else None
    if link is None:
        return
    said = translatable("Until {time}, anyone with this link can download the cleaned list:")
    if name_session(view.services) is not None:
        said = translatable(
            "Until {time}, and while you are signed in, anyone with this link can download the "
            "cleaned list:"
        )
    st.caption(say(said, time=show_local(link.expires_at)))
    st.code(find_origin() + link.path, language=None, wrap_lines=True)


PREVIEWED = 5
_PLATFORM = "platform"


def find_platform() -> Platform | None:
    """Return the platform of the session's last file; None: a list's own form."""
    platform: Platform | None = st.session_state.get(_PLATFORM)
    return platform


def keep_platform(platform: Platform | None) -> None:
    """Remember the platform for the session's next project."""
    st.session_state[_PLATFORM] = platform


def export_contacts(view: OpenedProject, platform: Platform) -> Export:
    """Return a platform's file of the rows kept, with the chosen extra columns."""
    state = st.session_state
    file = PlatformFile(
        platform,
        adds_verdict=bool(state.get("platform_verdict")),
        adds_others=bool(state.get("platform_others")),
    )
    return Export(Variant.CLEANED, DownloadChoice(view.find_choice().policy), platform=file)


def word_import(platform: Platform, *, is_suppression: bool) -> str:
    """Return where the platform imports such a file, in its own words."""
    traits = platform.traits
    words = traits.suppression_words if is_suppression else traits.import_words
    return f"{say('Then, in {platform}:', platform=traits.name)} {say(words)}"


def draw_platform_file(
    view: OpenedProject,
    platform: Platform,
    rows: RowFilter | Ticked | Since = WHOLE_LIST.rows,
    *,
    key: str,
    is_suppression: bool,
) -> None:
    """Draw the link to a platform's file of some rows: to mail, or never; nothing without any."""
    variant = Variant.REMOVED if is_suppression else Variant.SELECTION
    export = Export(
        variant,
        DownloadChoice(view.find_choice().policy),
        rows,
        PlatformFile(platform, is_suppression),
    )
    count = view.services.results.measure(*view.ids, export)
    if count:
        name = platform.traits.name
        use = say("For {platform}", platform=name)
        if is_suppression:
            use = say("Suppression file for {platform}", platform=name)
        label = say_many(count, "{use}: {count} row", "{use}: {count} rows", use=use)
        draw_file(view, label, export, count, key=key, wrap=True)
        st.caption(word_import(platform, is_suppression=is_suppression))


def draw_platform_columns(view: OpenedProject, platform: Platform) -> None:
    """Draw the columns, the first rows and the limit of a platform's file."""
    columns = distinguish_columns(view.services.results.columns(*view.ids))
    bare = Export(
        Variant.CLEANED, DownloadChoice(view.find_choice().policy), platform=PlatformFile(platform)
    )
    st.checkbox(
        say("Add the category as {column}", column=f"`{platform.traits.verdict}`"),
        key="platform_verdict",
        persist_state="page",
    )
    preview = partial(view.services.results.preview_platform, *view.ids)
    left_out = preview(bare, PREVIEWED).layout.left_out
    if left_out:
        st.checkbox(
            say_many(len(left_out), "Add my {count} other column", "Add my {count} other columns"),
            key="platform_others",
            persist_state="page",
            help=", ".join(columns[place] for place in left_out),
        )
    _draw_preview(preview(export_contacts(view, platform), PREVIEWED), columns)
    size, rows = show_size(platform.traits.most_bytes), platform.traits.most_rows
    if rows is not None:
        size = say("{size} and {rows} rows", size=size, rows=format_number(rows))
    st.caption(
        say(
            "{platform} takes at most {limit} a file. A larger file comes as a zip of numbered "
            "files, each with the header.",
            platform=platform.traits.name,
            limit=size,
        )
    )


def _draw_preview(seen: PlatformPreview, columns: Sequence[str]) -> None:
    """Draw the columns in the file, those left out, and its first rows."""
    import pandas as pd

    if seen.rows:
        st.dataframe(
            pd.DataFrame(seen.rows, columns=list(seen.layout.header)),
            hide_index=True,
            height="content",
            alt=say("The first rows of the file"),
        )
    st.html(_render_columns(seen.layout, columns))
    missing = ", ".join(say(field.value) for field in seen.layout.missing)
    if missing:
        text = say(
            "{platform_field} must be there for each contact; no matching column found.",
            platform_field=missing,
        )
        st.caption(f":material/info: {text}")
    if seen.unusable:
        text = say_many(
            seen.unusable,
            "{count} row is left out: the platform does not import its address.",
            "{count} rows are left out: the platform does not import their addresses.",
        )
        st.caption(f":material/info: {text}")


def _render_columns(layout: Layout, columns: Sequence[str]) -> str:
    """Return a list of the platform's columns and the list's columns that fill them, as HTML."""
    sources = (
        say("the category") if column.source is None else columns[column.source]
        for column in layout.columns
    )
    pairs = "".join(
        f"<dt>{escape(column.name)}</dt><dd>{escape(source)}</dd>"
        for column, source in zip(layout.columns, sources, strict=True)
    )
    heading = escape(say("Column in the file, and yours"))
    left_out = ""
    if layout.left_out:
        names = ", ".join(columns[place] for place in layout.left_out)
        text = say("Left out: {names}", names=names)
        left_out = f'<p class="w-quiet w-below">{escape(text)}</p>'
    return f'<p class="w-quiet">{heading}</p><dl class="w-cells">{pairs}</dl>{left_out}'
