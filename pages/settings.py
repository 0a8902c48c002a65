"""Settings page: language, network, API, requests about a person, people, audit log."""

from collections.abc import Callable

import streamlit as st

from components.frame.frame import draw_tabs
from components.frame.session import draw_language_switch, may, read_identity, show_local
from components.settings.api_settings import draw_api
from components.settings.network import draw_list_refresh, draw_network
from components.settings.people import draw_audit_log, draw_people
from components.settings.person_requests import draw_requests
from winnow import wiring
from winnow.core.figures import show_size
from winnow.words import say

identity = read_identity()
services = wiring.services().act_as(identity)


def draw_general() -> None:
    """Draw the language, the network switches, the refreshed lists and the last backup."""
    st.header(say("Language"))
    draw_language_switch()
    st.header(say("Network"))
    draw_network(services.network)
    draw_list_refresh(services)
    if may(services.backups.list):
        draw_last_backup()


def draw_last_backup() -> None:
    """Draw when the newest daily backup was made and its size, or how to have some."""
    st.header(say("Backup"))
    try:
        found = services.backups.list()
    except OSError:
        st.markdown(say("The folder of the daily backups cannot be read."))
        return
    if not found:
        st.markdown(say("There is no daily backup. `WINNOW_BACKUP_DIR` names a folder for them."))
        return
    when, size = show_local(found[0].made_at), show_size(found[0].size_bytes)
    st.markdown(say("The last daily backup is of {when}, {size}.", when=when, size=size))


st.title(say("Settings"))
parts: dict[str, tuple[str, Callable[[], object]]] = {"general": (say("General"), draw_general)}
if may(services.keys.list):
    parts["api"] = say("API"), lambda: draw_api(services, identity.account)
parts["requests"] = say("Requests about a person"), lambda: draw_requests(services, identity)
if may(services.people.list):
    parts["people"] = say("People"), lambda: draw_people(services)
    parts["audit"] = say("Audit log"), lambda: draw_audit_log(services.audit_log)
draw_tabs(parts, key="settings")
