"""The own lists as files: import with a report, export."""

from collections.abc import Callable

import streamlit as st

from winnow.core.own_lists.entries import ImportReport
from winnow.words import format_number, say, say_many

_MOST_LINES_SHOWN = 20


def draw_files(export: Callable[[], bytes], *, has_entries: bool) -> bytes | None:
    """Draw import and export; return a file that is to be imported."""
    with st.expander(say("Import or export"), icon=":material/swap_vert:"):
        st.caption(
            say(
                "A CSV file with the columns pattern, category (white = keep, grey = review, "
                "black = remove) and, if you like, note. What is on your lists already gets the "
                "file's category and note."
            )
        )
        with st.form("own_import", border=False, clear_on_submit=True):
            file = st.file_uploader(say("CSV file"), type="csv", key="own_file", max_upload_size=64)
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
    return bytes(file.getvalue()) if wanted and file is not None else None


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
