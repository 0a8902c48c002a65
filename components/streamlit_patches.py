"""Patches of Streamlit: all there are, for what it has no setting for.

A test fails when another version is installed than ``WRITTEN_FOR`` says.
"""

from streamlit import net_util

WRITTEN_FOR = {"streamlit": "1.67"}


def forbid_look_ups() -> None:
    """Let Streamlit never ask others for this machine's addresses.

    It does so to compare a foreign Origin with them; its caller
    ``server_util.is_url_from_allowed_origins`` goes on without.
    """
    for name in ("get_external_ip", "get_internal_ip"):
        getattr(net_util, name)
        setattr(net_util, name, lambda: None)
