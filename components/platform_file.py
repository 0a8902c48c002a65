"""A file for a mail platform: what it will hold, under which names, before it is downloaded."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape

import streamlit as st

from winnow.core.accounts import DownloadLink
from winnow.core.figures import show_size
from winnow.core.lists.cleaning import CleaningEffect, CleaningPolicy
from winnow.core.lists.download_choice import DownloadChoice
from winnow.core.lists.exports import Export, FileLimits
from winnow.core.lists.platforms import Layout, Platform, PlatformFile, PlatformPreview
from winnow.core.lists.rows import RowFilter, Ticked, Variant
from winnow.words import format_number, say, say_many

PREVIEWED = 5
Preview = Callable[[Export], PlatformPreview]
Issue = Callable[[Export], DownloadLink]
_MB = 1_000_000
_ROWS, _SIZE = "rows", "MB"


@dataclass(frozen=True, slots=True)
class Use:
    """What a file is for: its words, its rows, and whether they are to get no mail."""

    words: str
    export: Export
    is_suppression: bool


def list_uses(effect: CleaningEffect, policy: CleaningPolicy) -> Sequence[Use]:
    """Return what a platform can be given of a project: what is kept, and what is not."""
    choice = DownloadChoice(policy)
    kept = say_many(
        effect.kept, "Contacts: the {count} row kept", "Contacts: the {count} rows kept"
    )
    lost = say_many(
        effect.lost, "Suppression: the {count} row removed", "Suppression: the {count} rows removed"
    )
    return (
        Use(kept, Export(Variant.CLEANED, choice), is_suppression=False),
        Use(lost, Export(Variant.REMOVED, choice), is_suppression=True),
    )


def list_selection_uses(rows: RowFilter | Ticked) -> Sequence[Use]:
    """Return what a platform can be given of rows that were filtered or ticked."""
    export = Export(Variant.SELECTION, rows=rows)
    return (
        Use(say("Contacts"), export, is_suppression=False),
        Use(say("Suppression"), export, is_suppression=True),
    )


def draw_platform_file(
    place: str, uses: Sequence[Use], columns: Sequence[str], preview: Preview, issue: Issue
) -> None:
    """Draw a button that opens the choice of a platform, what its file will hold, and its link.

    Args:
        place: Tells several on a page apart.
        uses: What a file can be for; the first is chosen.
        columns: The names of the list's own columns.
        preview: Says what an export will be.
        issue: Makes a fresh link to it.
    """
    with st.popover(
        say("For a mail platform"),
        icon=":material/forward_to_inbox:",
        on_change="rerun",
        key=f"platform_{place}",
    ) as menu:
        if not menu.open:
            return
        platform = st.pills(
            say("Platform"),
            list(Platform),
            format_func=lambda one: one.traits.name,
            key=f"platform_name_{place}",
        )
        if platform is None:
            st.caption(say("Choose a platform to see the columns that its import wants."))
            return
        number = st.segmented_control(
            say("What the file is for"),
            range(len(uses)),
            format_func=lambda one: uses[one].words,
            default=0,
            required=True,
            key=f"platform_use_{place}",
        )
        _draw_file(place, platform, uses[number], columns, preview, issue)


def _draw_file(
    place: str,
    platform: Platform,
    use: Use,
    columns: Sequence[str],
    preview: Preview,
    issue: Issue,
) -> None:
    file = PlatformFile(platform, use.is_suppression)
    if not use.is_suppression:
        file = _draw_extras(place, file, columns, preview, use.export)
    export = _read_split(place, replace(use.export, platform=file))
    seen = preview(export)
    label = say_many(
        seen.row_count,
        "Download {count} row for {platform}",
        "Download {count} rows for {platform}",
        platform=platform.traits.name,
    )
    st.link_button(
        label,
        issue(export).path if seen.row_count else "#",
        type="primary",
        icon=":material/download:",
        disabled=not seen.row_count,
        key=f"platform_download_{place}",
        wrap=True,
    )
    words = (
        platform.traits.suppression_words if use.is_suppression else platform.traits.import_words
    )
    st.caption(f"{say('Then, in {platform}:', platform=platform.traits.name)} {say(words)}")
    _draw_preview(seen, columns)
    _draw_split(place, platform)


def _draw_extras(
    place: str, file: PlatformFile, columns: Sequence[str], preview: Preview, export: Export
) -> PlatformFile:
    """Draw what may come along beside the columns that the platform knows."""
    verdict = st.checkbox(
        say("Add the category as {column}", column=f"`{file.platform.traits.verdict}`"),
        key=f"platform_verdict_{place}",
    )
    left_out = preview(replace(export, platform=file)).layout.left_out
    others = bool(left_out) and st.checkbox(
        say_many(len(left_out), "Add my {count} other column", "Add my {count} other columns"),
        key=f"platform_others_{place}",
        help=", ".join(name_column(columns, one) for one in left_out),
    )
    return replace(file, adds_verdict=verdict, adds_others=others)


def _read_split(place: str, export: Export) -> Export:
    """Return an export split where it was chosen; the platform's own limits hold in any case."""
    most, unit = (st.session_state.get(f"platform_{one}_{place}") for one in ("most", "unit"))
    if not most:
        return export
    if unit == _SIZE:
        return replace(export, split=FileLimits(size_bytes=int(most) * _MB))
    return replace(export, split=FileLimits(rows=int(most)))


def _draw_split(place: str, platform: Platform) -> None:
    """Draw where the file is split."""
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
            key=f"platform_most_{place}",
            placeholder=say("no other limit"),
            width=260,
        )
        st.segmented_control(
            say("Unit"),
            (_ROWS, _SIZE),
            format_func=lambda one: say("rows") if one == _ROWS else one,
            default=_ROWS,
            required=True,
            key=f"platform_unit_{place}",
            label_visibility="collapsed",
        )


def _draw_preview(seen: PlatformPreview, columns: Sequence[str]) -> None:
    """Draw which columns stand in the file, which do not, and its first rows."""
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
            "{count} row has no valid address and is left out.",
            "{count} rows have no valid address and are left out.",
        ): bool(seen.unusable),
    }
    for text, is_so in notes.items():
        if is_so:
            st.caption(f":material/info: {text}")


def _render_columns(layout: Layout, columns: Sequence[str]) -> str:
    """Return which column fills which, as a list of pairs."""
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
    """Return how a column of the list is called."""
    name = columns[place].strip() if place < len(columns) else ""
    return name or say("column {number}", number=format_number(place + 1))
