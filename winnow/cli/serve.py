"""``winnow serve`` and ``worker``: ``app.py`` by our own server, in a clone and from a wheel."""

import errno
import logging
import os
import socket
import sys
from argparse import Namespace
from datetime import UTC, date, datetime
from importlib import import_module
from pathlib import Path

from winnow import serving
from winnow.cli.process import end_at_once
from winnow.core.errors import StartRefused
from winnow.core.faults import write_log_lines
from winnow.core.refresh import offer_refresh
from winnow.domain_data.build.catalogue import DISPOSABLE_NATURES, read_packages
from winnow.environment import read_environment
from winnow.storage.blobs.folder import DataFolder

PORTS = range(1 << 16)
PORTS_TRIED = 100
BACKLOG = 2048


def serve(options: Namespace) -> int:
    """Start pages, API and workers.

    Raises:
        StartRefused: The address needs a password or cannot be listened on, or the folder is not
            Winnow's.
        SettingsError: Names the variable with the wrong value.
    """
    from winnow.api.server import run_server

    settings = read_environment(os.environ)
    serving.require_safe_address(options.address, settings)
    if not settings.data_dir.exists():
        lists = (info for info in read_packages() if info.nature in DISPOSABLE_NATURES)
        newest = max(info.released_on or date.min for info in lists)
        age = (datetime.now(UTC).date() - newest).days
        sys.stderr.write(f"winnow: {offer_refresh(max(age, 0))}\n")
    DataFolder(settings.data_dir).require_usable()
    with open_listener(options.address, options.port) as listener:
        port = listener.getsockname()[1]
        if options.port not in {0, port}:
            sys.stderr.write(f"winnow: port {options.port} is taken; {port} is used.\n")
        os.environ["WINNOW_DATA_DIR"] = str(settings.data_dir)  # a relative path is meant from here
        package = Path(__file__).resolve().parents[1]
        packed = package / "desk"  # of a wheel; in a clone app.py is next to the package
        folder = packed if (packed / "app.py").exists() else package.parent
        os.chdir(folder)  # else a .streamlit/config.toml in the current folder would apply
        sys.path.insert(0, str(folder))
        desk = import_module("app")
        streamlit_server = import_module("components.frame.streamlit_server")
        streamlit_server.set_address(options.address, port, opens_browser=options.browser)
        end_at_once()  # the server's own handlers come next
        return run_server(desk.app, listener)


def work(options: Namespace) -> int:
    """Work on lists until standard input ends."""
    end_at_once()  # another worker claims the task again by its lease
    settings = read_environment(os.environ)
    write_log_lines("worker", logging.INFO, as_json=settings.json_log)
    serving.run_worker(settings, options.worker_id)
    return 0


def open_listener(address: str, wanted: int) -> socket.socket:
    """Return a listening socket on the wanted port, or on the next free one.

    Raises:
        StartRefused: None of the next hundred is free, or this address cannot be listened on.
    """
    for port in PORTS[wanted : wanted + PORTS_TRIED] if wanted in PORTS else ():
        try:
            return _listen(address, port)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                detail = f"Winnow cannot listen on {address}, port {port}: {error.strerror}."
                raise StartRefused(detail) from error
    raise StartRefused(f"No port from {wanted} on is free.")


def _listen(address: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        if sys.platform != "win32":  # there it would take a port that another process listens on
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((address, port))
        listener.listen(BACKLOG)
    except BaseException:
        listener.close()
        raise
    return listener
