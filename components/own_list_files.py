"""The own lists as files: import with a report, export."""

from collections.abc import Callable

import streamlit as st

from winnow.core.own_lists.entries import ImportReport
from winnow.core.verdicts.verdict import Category
from winnow.core.verdicts.words import name_action
from winnow.words import format_number, say, say_many

_MOST_LINES_SHOWN = 20


def draw_files(
    export: Callable[[], bytes], *, has_entries: bool
) -> tuple[str, bytes, Category] | None:
    """Draw import and export; return a file to import: its name, its bytes, the list it is for."""
    with st.expander(say("Import or export"), icon=":material/swap_vert:"):
        st.caption(
            say(
                "Any file with addresses or domains: text, CSV, Excel or a zip. They all go on the "
                "list you choose here, unless the file is one that you exported below: its columns "
                "pattern and category (white = keep, grey = review, black = remove) say it for "
                "each line."
            )
        )
        with st.form("own_import", border=False, clear_on_submit=True):
            file = st.file_uploader(say("File"), key="own_file", max_upload_size=64)
            category = st.selectbox(
                say("Put them on"),
                list(Category),
                index=list(Category).index(Category.BLACK),
                format_func=name_action,
                key="own_file_category",
            )
            wanted = st.form_submit_button(say("Import this file"), key="own_import_now")
        st.download_button(
            say("Export my lists"),
            data=export,
            file_name="own-lists.csv",
            mime="text/csv",
            icon=":material/download:",
            disabled=not has_entries,
            on_click="ignore",
            key="own_export",
        )
    if not wanted or file is None:
        return None
    return file.name, bytes(file.getvalue()), category or Category.BLACK


def draw_report(report: ImportReport) -> None:
    """Draw what an import did, and each line left out with its reason."""
    done = say(
        "{added} added, {changed} changed.",
        added=format_number(report.added),
        changed=format_number(report.changed),
    )
    if not report.refused_count:
        st.success(done)
        return
    lines = [
        say("- Line {line}: {problem}.", line=format_number(line.line), problem=line.problem)
        for line in report.refused[:_MOST_LINES_SHOWN]
    ]
    more = report.refused_count - len(lines)
    if more > 0:
        lines.append(say_many(more, "- and {count} more line", "- and {count} more lines"))
    left_out = say_many(
        report.refused_count, "{count} line was left out:", "{count} lines were left out:"
    )
    st.warning("\n".join([f"{done} {left_out}", "", *lines]))
