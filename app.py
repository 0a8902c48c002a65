"""The server object: pages, HTTP API and downloads in one process. ``streamlit run app.py``."""
# ruff: noqa: E402

import gc

gc.disable()  # nothing that is imported is rubbish, and looking for it takes a quarter of the time

import os
import sys
from functools import partial

import streamlit as st

from components.announcement import announce
from components.error_boundary import answer_uncaught, keep_messages_out_of_logs
from components.first_page import load_first_page
from components.page_urls import URL_PATHS
from components.streamlit_patches import forbid_look_ups
from winnow.api.application import HttpApi
from winnow.api.uvicorn_patches import patch_server
from winnow.core.errors import SettingsError, StartRefused
from winnow.serving import lifespan, require_own_folder, require_safe_address
from winnow.wiring import read_environment, services

gc.enable()

try:
    settings = read_environment(os.environ)
    require_safe_address(st.get_option("server.address") or "0.0.0.0", settings)  # noqa: S104
    require_own_folder(settings)
except (SettingsError, StartRefused) as error:
    sys.exit(f"Winnow does not start. {error.detail} {error.hint or ''}")

keep_messages_out_of_logs()
api = HttpApi(settings, services, page_paths=tuple(URL_PATHS.values()))
patch_server(api.connections)
forbid_look_ups()
app = st.App(
    "components/shell.py",  # a script beside the folder pages/ would lead deep links past itself
    lifespan=api.guard(
        partial(lifespan, load_page=load_first_page, announce=announce, shutdown=api.shutdown)
    ),
    middleware=api.middleware,
    on_script_error=answer_uncaught,
)
