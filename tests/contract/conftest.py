"""A server to judge, and the judges: installed once, beside the project's own packages."""

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.absent import give_up
from tests.server import Server, create_key

REQUIREMENTS = Path(__file__).with_name("tools.txt")
INSTALL_SECONDS = 600


@pytest.fixture(scope="session")
def tools(pytestconfig: pytest.Config) -> Path:
    """Return the folder of the judges' commands; made anew when their versions change."""
    assert pytestconfig.cache is not None
    digest = hashlib.sha256(REQUIREMENTS.read_bytes() + sys.version.encode()).hexdigest()[:16]
    folder = pytestconfig.cache.mkdir("contract-tools") / digest
    scripts = folder / ("Scripts" if os.name == "nt" else "bin")
    if (folder / "whole").exists():
        return scripts
    make = [sys.executable, "-m", "venv", "--clear", str(folder)]
    install = [str(scripts / "python"), "-m", "pip", "install", "-q", "-r", str(REQUIREMENTS)]
    for command in (make, install):
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=INSTALL_SECONDS, check=False
        )
        if done.returncode:
            give_up("TEST_CONTRACT", f"cannot install the judges, NOT judged: {done.stderr}")
    (folder / "whole").touch()
    return scripts


@pytest.fixture(scope="module")
def server(serve: Callable[..., Server]) -> Server:
    """Serve the real app; a judge may ask as often as it likes."""
    return serve({"WINNOW_BAN_THRESHOLD": "off"})


@pytest.fixture(scope="module")
def key(server: Server) -> str:
    return create_key(server)
