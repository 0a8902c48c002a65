"""A file for a mail platform: what it will hold, under which names, before it is downloaded."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape

import streamlit as st

from components.error_boundary import guard
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
IssueExport = Callable[[Export], DownloadLink]
_MB = 1_000_000
_ROWS, _SIZE = "rows", "MB"
_OWN = ""


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


def draw_platform_choice(
    own: str, chosen: Platform | None, choose: Callable[[Platform | None], None]
) -> None:
    """Draw what a download is for.

    Args:
        own: How a file in the list's own form is called.
        chosen: As it was chosen last; None: the list's own form.
        choose: Called with another choice before the page runs again.
    """
    state = st.session_state
    state["file_for"] = _OWN if chosen is None else chosen

    def changed() -> None:
        choose(None if state["file_for"] == _OWN else Platform(state["file_for"]))

    st.segmented_control(
        say("Download for"),
        [_OWN, *Platform],
        format_func=lambda one: own if one == _OWN else Platform(one).traits.name,
        key="file_for",
        required=True,
        on_change=guard(changed),
        wrap=True,
        help=say(
            "A mail platform's file has the columns that its import wants, under its names. Your "
            "choice is remembered for the next list."
        ),
    )


def draw_platform_links(
    place: str,
    platform: Platform,
    uses: Sequence[Use],
    columns: Sequence[str],
    preview: Preview,
    issue: IssueExport,
) -> None:
    """Draw the link to each of a platform's files, and behind a button what the first will hold.

    Args:
        place: Tells several on a page apart.
        platform: Whose files they are.
        uses: What a file can be for; the first is the main one.
        columns: The names of the list's own columns.
        preview: Says what an export will be.
        issue: Makes a fresh link to it.
    """
    for use in uses:
        export = _find_export(place, platform, use)
        seen = preview(export)
        _draw_link(place, platform, use, seen, issue(export).path if seen.row_count else None)
    main = uses[0]
    with st.popover(say("What is in the file"), icon=":material/view_column:"):
        _draw_extras(place, platform, main, columns, preview)
        _draw_preview(preview(_find_export(place, platform, main)), columns)
        _draw_split(place, platform)


def word_import(platform: Platform, *, is_suppression: bool) -> str:
    """Return where the platform takes such a file, in its own words."""
    traits = platform.traits
    words = traits.suppression_words if is_suppression else traits.import_words
    return f"{say('Then, in {platform}:', platform=traits.name)} {say(words)}"


def draw_platform_file(
    place: str,
    uses: Sequence[Use],
    columns: Sequence[str],
    preview: Preview,
    issue: IssueExport,
    proposed: Platform | None = None,
) -> None:
    """Draw a button that opens the choice of a platform, what its file will hold, and its link.

    Args are those of ``draw_platform_links``; ``proposed`` is chosen to begin with.
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
            default=proposed,
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
        use = uses[number]
        if not use.is_suppression:
            _draw_extras(place, platform, use, columns, preview)
        export = _find_export(place, platform, use)
        seen = preview(export)
        _draw_link(place, platform, use, seen, issue(export).path if seen.row_count else None)
        st.caption(word_import(platform, is_suppression=use.is_suppression))
        _draw_preview(seen, columns)
        _draw_split(place, platform)


def _draw_link(
    place: str, platform: Platform, use: Use, seen: PlatformPreview, path: str | None
) -> None:
    if use.is_suppression:
        label = say_many(
            seen.row_count,
            "Suppression file for {platform}: {count} row",
            "Suppression file for {platform}: {count} rows",
            platform=platform.traits.name,
        )
    else:
        label = say_many(
            seen.row_count,
            "Download {count} row for {platform}",
            "Download {count} rows for {platform}",
            platform=platform.traits.name,
        )
    kind = "suppression" if use.is_suppression else "download"
    st.link_button(
        label,
        path or "#",
        type="secondary" if use.is_suppression else "primary",
        icon=":material/download:",
        disabled=path is None,
        key=f"platform_{kind}_{place}",
        wrap=True,
    )


def _draw_extras(
    place: str, platform: Platform, use: Use, columns: Sequence[str], preview: Preview
) -> None:
    """Draw what may come along beside the columns that the platform knows."""
    st.checkbox(
        say("Add the category as {column}", column=f"`{platform.traits.verdict}`"),
        key=_name_key("verdict", place),
    )
    bare = replace(use.export, platform=PlatformFile(platform, use.is_suppression))
    left_out = preview(bare).layout.left_out
    if left_out:
        st.checkbox(
            say_many(len(left_out), "Add my {count} other column", "Add my {count} other columns"),
            key=_name_key("others", place),
            help=", ".join(name_column(columns, one) for one in left_out),
        )


def _find_export(place: str, platform: Platform, use: Use) -> Export:
    """Return the export with what was chosen of extras and limits."""
    file = PlatformFile(platform, use.is_suppression)
    state = st.session_state
    if not use.is_suppression:
        file = replace(
            file,
            adds_verdict=bool(state.get(_name_key("verdict", place))),
            adds_others=bool(state.get(_name_key("others", place))),
        )
    return _read_split(place, replace(use.export, platform=file))


def _name_key(name: str, place: str) -> str:
    return f"platform_{name}_{place}"


def _read_split(place: str, export: Export) -> Export:
    """Return an export split where it was chosen; the platform's own limits hold in any case."""
    most, unit = (st.session_state.get(_name_key(one, place)) for one in ("most", "unit"))
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
            key=_name_key("most", place),
            placeholder=say("no other limit"),
            width=260,
        )
        st.segmented_control(
            say("Unit"),
            (_ROWS, _SIZE),
            format_func=lambda one: say("rows") if one == _ROWS else one,
            default=_ROWS,
            required=True,
            key=_name_key("unit", place),
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
