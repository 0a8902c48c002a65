"""The wheel serves: built offline, installed outside the checkout, with nothing else beside it."""

import os
import shutil
import socket
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.applications import LIST
from tests.browser.conftest import press
from tests.browser.test_journeys import start, upload, wait_for_project
from tests.server import PROJECT, Server, choose_environ, create_key, get, post, start_server
from tests.waiting import wait_until
from winnow.core.release import VERSION, WHEEL

pytestmark = pytest.mark.browser

SCRIPTS = "Scripts" if os.name == "nt" else "bin"
DESK = ("app.py", "pages", "components", ".streamlit")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build sdist and wheel, and ask nobody for anything."""
    return build(PROJECT, tmp_path_factory.mktemp("dist"))


def build(source: Path, folder: Path) -> Path:
    command = [sys.executable, "-m", "hatchling", "build", "-d", folder]
    subprocess.run(command, cwd=source, check=True)
    return folder


def read_wheel(folder: Path) -> dict[str, bytes]:
    """Return what the wheel in a folder of distributions holds."""
    with zipfile.ZipFile(folder / WHEEL) as wheel:
        return {name: wheel.read(name) for name in wheel.namelist()}


def list_files(*places: str) -> set[str]:
    """Return the files that the checkout's history knows below these places."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", *places]
    listed = subprocess.run(command, cwd=PROJECT, check=True, capture_output=True, text=True)
    return {name for name in listed.stdout.splitlines() if (PROJECT / name).is_file()}


def test_the_wheel_holds_one_package_and_the_desk_as_its_data(built: Path) -> None:
    held = read_wheel(built)
    wanted = {name: name for name in list_files("winnow")}
    wanted |= {f"winnow/desk/{name}": name for name in list_files(*DESK)}
    assert {name for name in held if ".dist-info/" not in name} == set(wanted)
    assert {name.split("/")[0] for name in held} == {"winnow", f"winnow_email-{VERSION}.dist-info"}
    for name, path in wanted.items():
        assert held[name] == (PROJECT / path).read_bytes(), name


def test_the_sdist_makes_the_same_wheel(built: Path, tmp_path: Path) -> None:
    with tarfile.open(built / f"winnow_email-{VERSION}.tar.gz") as sdist:
        sdist.extractall(tmp_path, filter="data")
    again = build(tmp_path / f"winnow_email-{VERSION}", tmp_path / "dist")
    assert read_wheel(again) == read_wheel(built)


@pytest.fixture(scope="module")
def installed(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the wheel into an environment of its own; return the folder of its commands.

    In CI with its own dependencies, elsewhere with those of the tests, which takes a second.
    """
    folder = tmp_path_factory.mktemp("installed")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    python = folder / SCRIPTS / "python"
    has_own = os.environ.get("TEST_WHEEL") == "required"
    (wheel,) = built.glob("*.whl")
    command = [sys.executable, "-m", "pip", "--python", str(python), "install"]
    if uv := shutil.which("uv", path=str(Path(sys.executable).parent)):
        command = [uv, "pip", "install", "--python", str(python)]
    options = [] if has_own else ["--no-deps", "--no-index"]
    subprocess.run([*command, "-q", *options, str(wheel)], check=True)
    if not has_own:
        (packages,) = folder.rglob("site-packages")
        (packages / "shared.pth").write_text(sysconfig.get_path("purelib"))  # its own are not read
    return folder / SCRIPTS


def run(installed: Path, folder: Path, *command: str) -> str:
    """Run a command of the environment in a folder outside the checkout."""
    done = subprocess.run(
        [installed / command[0], *command[1:]],
        cwd=folder,
        env=choose_environ(folder / "data"),
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_it_brings_no_other_name_into_the_environment(installed: Path, tmp_path: Path) -> None:
    names = ("winnow", "pages", "components", "app", "desk", "tests", "benchmarks")
    script = f"""if True:
        from importlib.util import find_spec
        print([name for name in {names!r} if find_spec(name)], find_spec("winnow").origin)
    """
    told = run(installed, tmp_path, "python", "-c", script)
    assert told.startswith("['winnow'] ")
    assert str(installed.parent) in told


def test_it_cleans_a_list(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_bytes(LIST)
    assert "4 rows in, 3 out" in run(installed, tmp_path, "winnow", "clean", "list.csv")
    checked = (tmp_path / "list-checked.csv").read_bytes()
    assert checked.startswith(b"id,email,category,domain_type\r\n02,ONE@")


@pytest.fixture
def served(installed: Path, tmp_path: Path) -> Iterator[Server]:
    """Serve from the wheel: at a taken port, amid a stranger's settings, with a browser to open."""
    (tmp_path / ".streamlit").mkdir()
    (tmp_path / ".streamlit" / "config.toml").write_text("[server]\nenableStaticServing = false\n")
    browser = tmp_path / "browser"
    browser.write_text('#!/bin/sh\nprintf %s "$1" > "$0.new" && mv "$0.new" "$0.shown"\n')
    browser.chmod(0o755)

    def write_command(port: int) -> Sequence[str]:
        command = (str(installed / "python"), "-m", "winnow", "serve")
        return (*command, f"--port={port}", "--browser")

    with socket.create_server(("127.0.0.1", 0)) as taken:
        options = {"port": taken.getsockname()[1], "command": write_command, "folder": tmp_path}
        server = start_server(tmp_path / "data", {"BROWSER": f"{browser} %s"}, **options)
    assert f"port {options['port']} is taken; {server.port} is used" in server.log.read_text()
    yield server
    server.stop()


@pytest.mark.skipif(os.name == "nt", reason="the stand-in for a browser is a shell script")
def test_it_serves_as_a_clone_does(served: Server, page: Page, tmp_path: Path) -> None:
    log = served.log.read_text()
    assert f"Winnow is at {served.url}\n" in log
    assert "Streamlit app" not in log
    wait_until((tmp_path / "browser.shown").exists)
    assert (tmp_path / "browser.shown").read_text() == served.url
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.2", served.port))
    assert get(f"{served.url}/app/static/winnow-sans-regular.woff2").status_code == 200

    answer = post(
        f"{served.api}/check-email",
        params={"email": "ana@mailinator.com"},
        headers={"X-API-Key": create_key(served)},
    )
    assert answer.json()["category"] == "black"

    (tmp_path / "spring.csv").write_bytes(LIST)
    upload(page, served, tmp_path / "spring.csv")
    start(page)
    wait_for_project(page)  # by a worker of the wheel's
    for name in ("Check", "Projects", "Rules", "Settings"):
        press(page.get_by_role("link", name=name, exact=True).first)
    assert "Traceback" not in served.log.read_text()
