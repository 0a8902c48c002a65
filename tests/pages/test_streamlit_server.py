"""What of Streamlit is patched, and what the pages load at their start."""

import subprocess
import sys
import tomllib
from importlib.metadata import version

import pytest
from streamlit import net_util
from streamlit.web.server import server_util

from components.frame import streamlit_server
from tests.server import PROJECT

EARLY = (
    "components.frame.frame",
    "components.check.checked_table",
    "winnow.core.addresses.pasted",
    "PIL.ImageFile",
)
NEVER = ("httpx", "pandas", "polars", "pyarrow", "plotly.express", "openpyxl", "pycares", "jinja2")


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


@pytest.mark.slow
def test_the_pages_are_loaded_without_what_few_of_them_need() -> None:
    script = (
        "import sys\n"
        "from components.frame.page_urls import load_pages\n"
        "load_pages()\n"
        f"print([name for name in {EARLY!r} if name not in sys.modules])\n"
        f"print([name for name in {NEVER!r} if name in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=PROJECT, capture_output=True, text=True, check=True
    )
    assert done.stdout.split("\n")[:2] == ["[]", "[]"]
