"""The patches of the server fit what is installed, and Streamlit can look nothing up."""

import tomllib
from importlib.metadata import version

import pytest
from streamlit import net_util
from streamlit.web.server import server_util
from uvicorn.config import Config

import server_patches
from tests.server import PROJECT


@pytest.mark.parametrize("package", server_patches.WRITTEN_FOR)
def test_the_patches_are_written_for_what_is_installed(package: str) -> None:
    """A new version: read what changed in its server, see tests/api/test_standing.py, then here."""
    wanted = server_patches.WRITTEN_FOR[package].split(".")
    assert version(package).split(".")[: len(wanted)] == wanted


def test_the_project_asks_for_these_versions_only() -> None:
    text = (PROJECT / "pyproject.toml").read_text(encoding="utf-8")
    asked = " ".join(tomllib.loads(text)["project"]["dependencies"])
    assert "uvicorn>=0.54,<0.55" in asked
    assert "streamlit[performance]>=1.67,<1.68" in asked


def test_the_server_speaks_by_the_classes_that_are_patched() -> None:
    config = Config(app="x", ws="websockets-sansio")
    config.load_app = lambda: None  # type: ignore[method-assign, assignment]
    config.load()
    assert config.http_protocol_class is server_patches.HttpToolsProtocol
    assert config.ws_protocol_class is server_patches.WebSocketsSansIOProtocol


def test_streamlit_looks_no_address_up(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(url: str, timeout: float = 5) -> str:
        raise AssertionError(f"{url} was asked")

    monkeypatch.setattr(net_util, "_make_blocking_http_get", fail)
    for name in ("get_external_ip", "get_internal_ip"):
        monkeypatch.setattr(net_util, name, getattr(net_util, name))  # put back afterwards
    server_patches.forbid_look_ups()
    assert server_util.is_url_from_allowed_origins("https://evil.test") is False
