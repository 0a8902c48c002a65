"""Announcement of the desk's URL once it is served; opens it in a browser."""

import sys
import threading
import webbrowser

import streamlit as st
from streamlit import config
from streamlit.web.server.server_util import get_display_address, get_url

from winnow.words import say


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
