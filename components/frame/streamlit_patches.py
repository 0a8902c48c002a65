"""All patches of Streamlit, each for a need without a setting.

A test fails when another version is installed than ``WRITTEN_FOR`` says.
"""

from streamlit import config, net_util

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
