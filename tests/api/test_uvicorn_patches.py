"""The patches of the server fit what is installed, and the classes it speaks by."""

import tomllib
from importlib.metadata import version

import pytest
from uvicorn.config import Config

from tests.server import PROJECT
from winnow.api import uvicorn_patches


@pytest.mark.parametrize("package", uvicorn_patches.WRITTEN_FOR)
def test_the_patches_are_written_for_what_is_installed(package: str) -> None:
    """A new version: read what changed in its server, see tests/api/test_standing.py, then here."""
    wanted = uvicorn_patches.WRITTEN_FOR[package].split(".")
    assert version(package).split(".")[: len(wanted)] == wanted


def test_the_project_asks_for_this_version_only() -> None:
    text = (PROJECT / "pyproject.toml").read_text(encoding="utf-8")
    asked = " ".join(tomllib.loads(text)["project"]["dependencies"])
    assert "uvicorn>=0.54,<0.55" in asked


def test_the_server_speaks_by_the_classes_that_are_patched() -> None:
    config = Config(app="x", ws="websockets-sansio")
    config.load_app = lambda: None  # type: ignore[method-assign, assignment]
    config.load()
    assert config.http_protocol_class is uvicorn_patches.HttpToolsProtocol
    assert config.ws_protocol_class is uvicorn_patches.WebSocketsSansIOProtocol
