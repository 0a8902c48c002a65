"""Says where the desk is served, once it is, and opens it in a browser."""

import sys
import threading
import webbrowser

import streamlit as st
from streamlit.web.server.server_util import get_display_address, get_url

from winnow.words import say


def announce() -> None:
    """Print the address; a browser opens unless ``server.headless`` says that nobody looks on."""
    host = get_display_address(st.get_option("server.address") or "0.0.0.0")  # noqa: S104
    url = get_url(f"[{host}]" if ":" in host else host)
    sys.stdout.write(f"\n  {say('Winnow is at {url}', url=url)}\n\n")
    sys.stdout.flush()
    if not st.get_option("server.headless"):
        threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()
