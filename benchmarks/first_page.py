"""Time until the first page is drawn, next to that of an empty Streamlit app."""

import asyncio
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from websockets.exceptions import InvalidHandshake

from benchmarks.visitor import open_visitor
from tests.server import PROJECT, choose_environ, find_free_port, write_streamlit_command

EMPTY_APP = "import streamlit as st\n\nst.title('Empty')\n"
START_SECONDS = 90.0


def list_apps(folder: Path) -> dict[str, Callable[[], tuple[float, float]]]:
    """Return how to time each app; the empty one is written into the folder."""
    (folder / "app.py").write_text(EMPTY_APP, encoding="utf-8")
    data_dir = folder / "data"
    return {
        "empty app": lambda: open_twice(folder, data_dir),
        "winnow": lambda: open_twice(PROJECT, data_dir),
    }


def open_twice(folder: Path, data_dir: Path) -> tuple[float, float]:
    """Return the seconds from the start command to the first page, and those of the next visit."""
    port, begun = find_free_port(), time.perf_counter()
    quiet = subprocess.DEVNULL
    environ = choose_environ(data_dir)
    server = subprocess.Popen(
        write_streamlit_command(port), cwd=folder, env=environ, stdout=quiet, stderr=quiet
    )
    try:
        asyncio.run(_draw(port))
        drawn = time.perf_counter()
        asyncio.run(_draw(port))
        return drawn - begun, time.perf_counter() - drawn
    finally:
        server.terminate()
        server.wait(30)


async def _draw(port: int) -> None:
    async with asyncio.timeout(START_SECONDS):
        while True:
            try:
                async with open_visitor(port) as visitor:
                    await visitor.draw()
                    return
            except (OSError, InvalidHandshake):  # does not listen yet
                await asyncio.sleep(0.02)
