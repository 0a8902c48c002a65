"""``winnow serve``: run the desk's ``app.py`` by Streamlit, in a clone and from a wheel alike."""

import errno
import os
import socket
import subprocess
import sys
from argparse import Namespace
from pathlib import Path

from winnow import serving, wiring
from winnow.core.errors import StartRefused

PORTS = range(1 << 16)
PORTS_TRIED = 100


def serve(options: Namespace) -> int:
    """Start pages, API and workers, as ``streamlit run app.py`` does.

    Raises:
        StartRefused: The address needs a password or cannot be listened on, or the folder is not
            Winnow's.
        SettingsError: Names the variable with the wrong value.
    """
    settings = wiring.read_environment(os.environ)
    serving.require_safe_address(options.address, settings)
    serving.require_own_folder(settings)
    port = choose_port(options.address, options.port)
    if port != options.port:
        sys.stderr.write(f"winnow: port {options.port} is taken; {port} is used.\n")
    app = find_app()
    command = [
        *(sys.executable, "-m", "streamlit", "run", str(app)),
        f"--server.address={options.address}",
        f"--server.port={port}",
    ]
    if options.browser is not None:
        command.append(f"--server.headless={'false' if options.browser else 'true'}")
    os.environ["WINNOW_DATA_DIR"] = str(settings.data_dir)  # a relative path is meant from here
    os.chdir(app.parent)  # else a .streamlit/config.toml that happens to stand here has a say
    if sys.platform != "win32":
        os.execv(sys.executable, command)  # noqa: S606  # this process becomes the server
    server = subprocess.Popen(command)  # noqa: S603  # our own interpreter and module
    while True:
        try:
            return server.wait()
        except KeyboardInterrupt:  # the server has been told by the same terminal
            continue


def find_app() -> Path:
    """Return ``app.py``: packed into the package by the wheel, beside it in a clone."""
    package = Path(__file__).resolve().parents[1]
    packed = package / "desk" / "app.py"
    return packed if packed.exists() else package.parent / "app.py"


def choose_port(address: str, wanted: int) -> int:
    """Return the port that is wanted, or the next one that nobody listens on.

    Raises:
        StartRefused: None of the next hundred is free, or this address cannot be listened on.
    """
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    for port in PORTS[wanted : wanted + PORTS_TRIED] if wanted in PORTS else ():
        try:
            socket.create_server((address, port), family=family).close()
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                detail = f"Winnow cannot listen on {address}, port {port}: {error.strerror}."
                raise StartRefused(detail) from error
        else:
            return port
    raise StartRefused(f"No port from {wanted} on is free.")
