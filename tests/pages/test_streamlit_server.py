"""The patches of Streamlit fit what is installed, and it can look nothing up."""

import tomllib
from importlib.metadata import version

import pytest
from streamlit import net_util
from streamlit.web.server import server_util

from components.frame import streamlit_server
from tests.server import PROJECT


def test_the_patches_are_written_for_what_is_installed() -> None:
    """A new version: see tests/browser/test_outside.py, then here."""
    (wanted,) = streamlit_server.WRITTEN_FOR.values()
    assert version("streamlit").startswith(f"{wanted}.")
    text = (PROJECT / "pyproject.toml").read_text(encoding="utf-8")
    asked = " ".join(tomllib.loads(text)["project"]["dependencies"])
    assert f"streamlit[performance]>={wanted},<" in asked


def test_streamlit_looks_no_address_up(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(url: str, timeout: float = 5) -> str:
        raise AssertionError(f"{url} was asked")

    monkeypatch.setattr(net_util, "_make_blocking_http_get", fail)
    for name in ("get_external_ip", "get_internal_ip"):
        monkeypatch.setattr(net_util, name, getattr(net_util, name))  # put back afterwards
    streamlit_server.forbid_look_ups()
    assert server_util.is_url_from_allowed_origins("https://evil.test") is False
