"""The own lists as files: import with a report, export."""

from collections.abc import Callable

import streamlit as st

from winnow.core.figures import count_things
from winnow.core.own_lists.entries import ImportReport

_MOST_LINES_SHOWN = 20


def draw_files(export: Callable[[], bytes], *, has_entries: bool) -> bytes | None:
    """Draw import and export; return a file that is to be imported."""
    with st.expander("Import or export", icon=":material/swap_vert:"):
        st.caption(
            "A CSV file with the columns pattern, category (white, grey or black) and, if you "
            "like, note. What is on the lists already gets the file's category and note."
        )
        with st.form("own_import", border=False, clear_on_submit=True):
            file = st.file_uploader("CSV file", type="csv", key="own_file", max_upload_size=64)
            wanted = st.form_submit_button("Import entries", key="own_import_now")
        st.download_button(
            "Export all entries",
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
    done = f"{count_things(report.added, 'entry', 'entries')} added, {report.changed:,} changed."
    if not report.refused_count:
        st.success(done)
        return
    lines = [
        f"- Line {line.line:,}: {line.problem}." for line in report.refused[:_MOST_LINES_SHOWN]
    ]
    more = report.refused_count - len(lines)
    if more > 0:
        lines.append(f"- and {count_things(more, 'more line')}")
    left_out = count_things(report.refused_count, "line")
    st.warning("\n".join([f"{done} {left_out} left out:", "", *lines]))
