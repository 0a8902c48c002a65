"""Audit log: the newest events as a table, and all of a year as CSV."""

from collections.abc import Mapping

import streamlit as st

from components.frame.session import find_zone
from winnow.core.accounts import Event
from winnow.services.accounts.audit_log import ENTRIES_SHOWN, AuditLog
from winnow.words import format_number, mark, say

EVENT_WORDS: Mapping[Event, str] = {
    Event.SUBMITTED: mark("List submitted"),
    Event.DOWNLOADED: mark("Downloaded"),
    Event.DELETED: mark("Project deleted"),
    Event.RESTORED: mark("Project restored"),
    Event.OVERRULED: mark("Verdict overruled"),
    Event.LISTS_CHANGED: mark("Lists changed"),
    Event.POLICY_CHANGED: mark("Policy changed"),
    Event.KEY_MADE: mark("Key made"),
    Event.KEY_REVOKED: mark("Key revoked"),
    Event.HOOK_CHANGED: mark("Hook changed"),
    Event.HOOK_REPLAYED: mark("Hook called again"),
    Event.SIGNED_IN: mark("Signed in"),
    Event.SIGN_IN_FAILED: mark("Sign-in failed"),
    Event.PEOPLE_CHANGED: mark("People changed"),
    Event.NETWORK_CHANGED: mark("Network changed"),
}


def draw_audit_log(audit_log: AuditLog) -> None:
    """Draw the table, and the button that exports everything."""
    import pandas as pd

    entries = audit_log.list()
    st.caption(
        say(
            "Kept for a year, without addresses and cells of lists. The newest {count} are shown.",
            count=format_number(ENTRIES_SHOWN),
        )
    )
    if not entries:
        st.markdown(say("Nothing is recorded yet."))
        return
    zone, column = find_zone(), st.column_config
    st.dataframe(
        pd.DataFrame(
            {
                "time": [one.recorded_at.astimezone(zone) for one in entries],
                "person": [one.person or one.key for one in entries],
                "event": [say(EVENT_WORDS[one.event]) for one in entries],
                "subject": [one.subject for one in entries],
            }
        ),
        hide_index=True,
        alt=say("Events, the newest first"),
        column_config={
            "time": column.DatetimeColumn(say("Time"), format="YYYY-MM-DD HH:mm:ss", width=160),
            "person": column.TextColumn(say("Person or key"), width=180),
            "event": column.TextColumn(say("Event"), width=160),
            "subject": column.TextColumn(say("Id"), width=320),
        },
    )
    st.download_button(
        say("Export a year as CSV"),
        data=audit_log.export_csv,
        file_name="audit-log.csv",
        mime="text/csv",
        icon=":material/download:",
        on_click="ignore",
        key="audit_export",
    )
