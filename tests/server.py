"""A real server process for tests: ``winnow serve`` on a free port and its own data."""

import os
import random
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import httpx
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin, Subprotocol

from tests.waiting import PATIENCE_SECONDS
from winnow.core.identities import COOKIE_NAME

PROJECT = Path(__file__).parents[1]
BASE_PATH = "/v1/external-api-requests"
STOP_SECONDS = 15.0
ANNOUNCED = re.compile(rb"Winnow is at http://\S+:(\d+)")
PORTS = range(20_000, 32_000)  # below those that the system gives out

get = partial(httpx.get, timeout=PATIENCE_SECONDS)
post = partial(httpx.post, timeout=PATIENCE_SECONDS)


@dataclass(slots=True)
class Server:
    """A running server. ``log`` holds its standard output and error."""

    process: subprocess.Popen[bytes]
    port: int
    data_dir: Path
    log: Path

    @property
    def url(self) -> str:
        """Scheme, host and port, no final slash."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def api(self) -> str:
        """The API's base address."""
        return self.url + BASE_PATH

    def open_stream(self, token: str = "") -> ClientConnection:
        """Open a page's WebSocket as a browser does, which has the cookie of a session."""
        return connect(
            f"ws://127.0.0.1:{self.port}/_stcore/stream",
            origin=Origin(self.url),
            subprotocols=[Subprotocol("streamlit")],
            additional_headers={"Cookie": f"{COOKIE_NAME}={token}"},
            max_size=None,
            open_timeout=PATIENCE_SECONDS,
        )

    def open_socket(self) -> socket.socket:
        """Return a new connection to it."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE_SECONDS)

    def kill(self) -> None:
        """End the server at once, as a crash would."""
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        """Ask the server to end, and make it after a while."""
        self.process.terminate()
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()


def find_free_port() -> int:
    """Return a port for a program that cannot be asked for its own; nobody listens on it now."""
    while True:
        port = random.choice(PORTS)
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


def is_open(process: subprocess.Popen[bytes], port: int) -> bool:
    """Return whether a process listens on its port."""
    assert process.poll() is None, "it did not come up"
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def write_command(port: int) -> Sequence[str]:
    """Return how the command starts the app."""
    return (
        *(sys.executable, "-m", "winnow", "serve"),
        *("--no-browser", f"--port={port}"),
    )


def write_streamlit_command(port: int) -> Sequence[str]:
    """Return how the README starts the app."""
    return (
        *(sys.executable, "-m", "streamlit", "run", "app.py"),
        *("--server.headless=true", f"--server.port={port}"),
    )


STARTS = {"winnow-serve": write_command, "streamlit-run": write_streamlit_command}
"""The two ways to start the one server: tests at its sockets run over both."""


def start_server(
    data_dir: Path,
    environ: Mapping[str, str] | None = None,
    *,
    port: int = 0,
    command: Callable[[int], Sequence[str]] = write_command,
    folder: Path = PROJECT,
) -> Server:
    """Start the app in a folder and wait until it answers; ``command`` starts it on a port.

    Its log says which port it is: any free one for 0, the next where the wanted one is taken.
    Callers may ask as often as they like: tests wait for a list by asking for its status.

    Raises:
        RuntimeError: It ended or did not answer in time; the message holds its log.
    """
    data_dir.mkdir(parents=True, exist_ok=True)
    log = data_dir.parent / f"{data_dir.name}.server.log"
    with log.open("ab") as sink:
        start = sink.tell()
        process = subprocess.Popen(
            command(port),
            cwd=folder,
            env={**choose_environ(data_dir), "WINNOW_RATE_LIMIT": "off", **(environ or {})},
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=sink,
        )
    server = Server(process, port, data_dir, log)
    deadline = time.monotonic() + PATIENCE_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        if announced := ANNOUNCED.search(log.read_bytes(), start):
            server.port = int(announced[1])
            with suppress(httpx.TransportError):
                if httpx.get(f"{server.api}/health", timeout=2).status_code == httpx.codes.OK:
                    return server
        time.sleep(0.1)
    msg = f"the server ended with {process.poll()}:\n{log.read_text(errors='replace')[-4000:]}"
    server.kill()
    raise RuntimeError(msg)


def choose_environ(data_dir: Path) -> dict[str, str]:
    """Return this process's environment with no setting of Winnow's but the data folder."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("WINNOW")}
    return {**inherited, "WINNOW_DATA_DIR": str(data_dir)}


def create_key(server: Server, key_type: str = "live", *, name: str = "test") -> str:
    """Create an API key by the command line, beside the running server."""
    command = ("keys", "create", "--name", name, "--type", key_type)
    done = run_command(server.data_dir, *command)
    done.check_returncode()
    return done.stdout.split()[-1]


def issue_link(server: Server, key: str, task_id: str) -> str:
    """Return the address of a finished list's file."""
    url = f"{server.api}/batch-task-download/{task_id}"
    return str(get(url, headers={"X-API-Key": key}).json()["download_url"])


def run_command(data_dir: Path, *words: str, answer: str = "") -> subprocess.CompletedProcess[str]:
    """Run a command on a data folder in a process of its own, with an answer to its question."""
    return subprocess.run(
        [sys.executable, "-m", "winnow", *words],
        cwd=PROJECT,
        env=choose_environ(data_dir),
        input=answer,
        capture_output=True,
        text=True,
        check=False,
    )
