"""Last daily backup, for admins."""

import streamlit as st

from components.frame.session import show_local
from winnow.core.figures import show_size
from winnow.services.backups import Backups
from winnow.words import say


def draw_last_backup(backups: Backups) -> None:
    """Draw when the newest daily backup was made and its size, or how to have some."""
    st.header(say("Backup"))
    try:
        found = backups.list()
    except OSError:
        st.markdown(say("The folder of the daily backups cannot be read."))
        return
    if not found:
        st.markdown(say("There is no daily backup. `WINNOW_BACKUP_DIR` names a folder for them."))
        return
    when, size = show_local(found[0].made_at), show_size(found[0].size_bytes)
    st.markdown(say("The last daily backup is of {when}, {size}.", when=when, size=size))
