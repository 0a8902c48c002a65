"""Files for mail platforms: exports, links, preview of columns and rows."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from html import escape

import streamlit as st

from components.project.view import OpenedProject
from winnow.core.figures import show_size
from winnow.core.lists.exports import DownloadChoice, Export, FileLimits
from winnow.core.lists.platforms import Layout, Platform, PlatformFile, PlatformPreview
from winnow.core.lists.rows import Variant
from winnow.words import format_number, say, say_many

PREVIEWED = 5
_MB = 1_000_000
_ROWS, _SIZE = "rows", "MB"


def export_contacts(view: OpenedProject, platform: Platform) -> Export:
    """Return a platform's file of the rows kept, with the chosen extra columns and limits."""
    state = st.session_state
    file = PlatformFile(
        platform,
        adds_verdict=bool(state.get("platform_verdict")),
        adds_others=bool(state.get("platform_others")),
    )
    return _read_split(Export(Variant.CLEANED, _find_policy(view), platform=file))


def export_suppression(view: OpenedProject, platform: Platform) -> Export:
    """Return a platform's file of the rows removed, which must get no mail."""
    file = PlatformFile(platform, is_suppression=True)
    return _read_split(Export(Variant.REMOVED, _find_policy(view), platform=file))


def _find_policy(view: OpenedProject) -> DownloadChoice:
    return DownloadChoice(view.find_choice().policy)


def preview_platform(view: OpenedProject, export: Export) -> PlatformPreview:
    """Return the number of rows, the columns and the first rows of a platform's file."""
    return view.services.results.preview_platform(*view.ids, export, PREVIEWED)


def word_import(platform: Platform, *, is_suppression: bool) -> str:
    """Return where the platform imports such a file, in its own words."""
    traits = platform.traits
    words = traits.suppression_words if is_suppression else traits.import_words
    return f"{say('Then, in {platform}:', platform=traits.name)} {say(words)}"


def draw_suppression(view: OpenedProject, platform: Platform) -> None:
    """Draw the link to a platform's file of the rows removed."""
    export = export_suppression(view, platform)
    count = preview_platform(view, export).row_count
    st.link_button(
        say_many(
            count,
            "Suppression file for {platform}: {count} row",
            "Suppression file for {platform}: {count} rows",
            platform=platform.traits.name,
        ),
        view.issue(export).path if count else "#",
        icon=":material/download:",
        disabled=not count,
        key="platform_suppression",
        wrap=True,
    )
    st.caption(word_import(platform, is_suppression=True))


def draw_platform_columns(view: OpenedProject, platform: Platform) -> None:
    """Draw the columns and the first rows of a platform's file, and where it is split."""
    columns = view.services.results.columns(*view.ids)
    bare = Export(Variant.CLEANED, _find_policy(view), platform=PlatformFile(platform))
    st.checkbox(
        say("Add the category as {column}", column=f"`{platform.traits.verdict}`"),
        key="platform_verdict",
        persist_state="page",
    )
    left_out = preview_platform(view, bare).layout.left_out
    if left_out:
        st.checkbox(
            say_many(len(left_out), "Add my {count} other column", "Add my {count} other columns"),
            key="platform_others",
            persist_state="page",
            help=", ".join(name_column(columns, one) for one in left_out),
        )
    _draw_preview(preview_platform(view, export_contacts(view, platform)), columns)
    _draw_split(platform)


def _read_split(export: Export) -> Export:
    """Return an export split as chosen; the platform's own limits hold in any case."""
    state = st.session_state
    most, unit = state.get("platform_most"), state.get("platform_unit")
    if not most:
        return export
    if unit == _SIZE:
        return replace(export, split=FileLimits(size_bytes=int(most) * _MB))
    return replace(export, split=FileLimits(rows=int(most)))


def _draw_split(platform: Platform) -> None:
    """Draw the choice of where the file is split."""
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
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.number_input(
            say("Split into smaller files of at most"),
            min_value=1,
            max_value=10**9,
            value=None,
            step=1,
            key="platform_most",
            persist_state="page",
            placeholder=say("no other limit"),
            width=260,
        )
        st.segmented_control(
            say("Unit"),
            (_ROWS, _SIZE),
            format_func=lambda one: say("rows") if one == _ROWS else one,
            default=_ROWS,
            required=True,
            key="platform_unit",
            persist_state="page",
            label_visibility="collapsed",
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
    notes: Mapping[str, bool] = {
        say(
            "{platform_field} must be there for each contact; no column of yours looks like it.",
            platform_field=", ".join(say(field.value) for field in seen.layout.missing),
        ): bool(seen.layout.missing),
        say_many(
            seen.unusable,
            "{count} row is left out: the platform does not import its address.",
            "{count} rows are left out: the platform does not import their addresses.",
        ): bool(seen.unusable),
    }
    for text, is_so in notes.items():
        if is_so:
            st.caption(f":material/info: {text}")


def _render_columns(layout: Layout, columns: Sequence[str]) -> str:
    """Return a list of the platform's columns and the list's columns that fill them, as HTML."""
    pairs = "".join(
        f"<dt>{escape(column.name)}</dt><dd>{escape(_name_source(column.source, columns))}</dd>"
        for column in layout.columns
    )
    heading = escape(say("Column in the file, and yours"))
    left_out = ""
    if layout.left_out:
        names = ", ".join(name_column(columns, one) for one in layout.left_out)
        text = say("Left out: {names}", names=names)
        left_out = f'<p class="w-quiet w-below">{escape(text)}</p>'
    return f'<p class="w-quiet">{heading}</p><dl class="w-cells">{pairs}</dl>{left_out}'


def _name_source(source: int | None, columns: Sequence[str]) -> str:
    return say("the category") if source is None else name_column(columns, source)


def name_column(columns: Sequence[str], place: int) -> str:
    """Return the name of a column of the list."""
    name = columns[place].strip() if place < len(columns) else ""
    return name or say("column {number}", number=format_number(place + 1))
