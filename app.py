"""The server object: pages, HTTP API and downloads in one process.

``streamlit run app.py`` serves it on this machine, ``winnow serve`` beyond it too, by one server.
"""
# ruff: noqa: E402

import gc

gc.disable()  # imports leave no garbage, and collecting takes a quarter of the start

import os
import sys
from functools import partial

import streamlit as st

from components.frame.error_boundary import answer_uncaught, keep_messages_out_of_logs
from components.frame.page_urls import load_pages
from components.frame.streamlit_server import allow_origin, announce, forbid_look_ups
from winnow.api.application import HttpApi
from winnow.api.server import manage_server
from winnow.core.errors import SettingsError, StartRefused
from winnow.core.faults import write_log_lines
from winnow.core.settings import PAGE_PATHS
from winnow.environment import read_environment
from winnow.serving import lifespan, require_loopback
from winnow.storage.blobs.folder import DataFolder
from winnow.wiring import services

gc.enable()
try:
    settings = read_environment(os.environ)
    require_loopback(st.get_option("server.address") or "0.0.0.0")  # noqa: S104
    DataFolder(settings.data_dir).require_usable()
    write_log_lines(as_json=settings.json_log)
except (SettingsError, StartRefused) as error:
    sys.exit(f"Winnow does not start. {error.detail} {error.hint or ''}")

keep_messages_out_of_logs()
api = HttpApi(settings, services, page_paths=PAGE_PATHS)
forbid_look_ups()
allow_origin(settings.public_origin)
app = st.App(
    "components/shell.py",  # a script next to pages/ is not run for deep links
    lifespan=manage_server(
        partial(lifespan, load_page=load_pages, announce=announce, shutdown=api.shutdown),
        api.shutdown,
        api.clients,
    ),
    middleware=api.middleware,
    on_script_error=answer_uncaught,
)
