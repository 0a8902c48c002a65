"""Streamlit's server: the address it announces, and all patches, each for a need without a setting.

A test fails when another version is installed than ``WRITTEN_FOR`` says.
"""

import sys
import threading
import webbrowser

import streamlit as st
from streamlit import config, net_util
from streamlit.web.server.server_util import get_display_address, get_url

from winnow.words import say

WRITTEN_FOR = {"streamlit": "1.67"}


def allow_origin(public_url: str | None) -> None:
    """Let Streamlit's WebSocket answer pages of the public URL, with any Host header.

    A proxy may rewrite the header. ``TrustedHosts`` has compared the whole origin before.
    """
    if public_url is not None:
        config.set_option("server.corsAllowedOrigins", [public_url])


def forbid_look_ups() -> None:
    """Keep Streamlit from asking other hosts for this machine's IP addresses.

    It compares a foreign Origin with them; its caller
    ``server_util.is_url_from_allowed_origins`` works without them.
    """
    for name in ("get_external_ip", "get_internal_ip"):
        getattr(net_util, name)
        setattr(net_util, name, lambda: None)


def set_address(address: str, port: int, *, opens_browser: bool | None) -> None:
    """Set where the desk is served; a browser opens by Streamlit's own rule when None is given."""
    config.set_option("browser.serverAddress", address)
    config.set_option("server.port", port)
    if opens_browser is not None:
        config.set_option("server.headless", not opens_browser)


def announce() -> None:
    """Print the address; a browser opens unless ``server.headless`` is set."""
    host = get_display_address(st.get_option("browser.serverAddress"))
    url = get_url(f"[{host}]" if ":" in host else host)
    sys.stdout.write(f"\n  {say('Winnow is at {url}', url=url)}\n\n")
    sys.stdout.flush()
    if not st.get_option("server.headless"):
        threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()
