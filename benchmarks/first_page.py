"""Time until the first page is drawn, next to that of an empty Streamlit app.

Measured from the start command, and again for a visitor of the running server.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from tests.server import PROJECT, find_free_port

EMPTY_APP = "import streamlit as st\n\nst.title('Empty')\n"
DRAWN = ("[data-testid='stApp'][data-test-script-state='notRunning'] h1",)
ALL_DRAWN = (*DRAWN, "[data-testid='stBidiComponentIsolated'] button", ".w-foot")  # ours, whole
START_SECONDS = 90.0


Taken = tuple[float, float]  # seconds from the start command, and from the next visit


def measure_first_page(rounds: int, chromium: str) -> dict[str, list[Taken]]:
    """Return the seconds until the first page is drawn, for both apps by turns."""
    from playwright.sync_api import sync_playwright

    taken: dict[str, list[Taken]] = {"empty app": [], "winnow": []}
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        empty = Path(folder) / "empty.py"
        empty.write_text(EMPTY_APP, encoding="utf-8")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        data_dir = Path(folder) / "data"
        ours = PROJECT / "app.py"
        _open_once(browser, ours, data_dir, ALL_DRAWN)  # compiles the domain data
        for _ in range(rounds):
            taken["empty app"].append(_open_once(browser, empty, data_dir, DRAWN))
            taken["winnow"].append(_open_once(browser, ours, data_dir, ALL_DRAWN))
        browser.close()
    return taken


def _open_once(browser: Any, app: Path, data_dir: Path, marks: tuple[str, ...]) -> Taken:
    port = find_free_port()
    command = [sys.executable, "-m", "streamlit", "run", str(app), "--server.headless=true"]
    environ = {**os.environ, "WINNOW_DATA_DIR": str(data_dir), "PYTHONPATH": str(PROJECT)}
    begun = time.perf_counter()
    server = subprocess.Popen(
        [*command, f"--server.port={port}", "--browser.gatherUsageStats=false"],
        cwd=PROJECT,
        env=environ,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait_for_answer(f"http://127.0.0.1:{port}/_stcore/health")
        url = f"http://127.0.0.1:{port}/"
        _draw(browser, url, marks)
        started = time.perf_counter()
        _draw(browser, url, marks)
        return started - begun, time.perf_counter() - started
    finally:
        server.terminate()
        server.wait(30)


def _draw(browser: Any, url: str, marks: tuple[str, ...]) -> None:
    page = browser.new_page()  # in a context of its own: nothing is cached
    page.goto(url)
    for mark in marks:
        page.wait_for_selector(mark, timeout=1000 * START_SECONDS)
    page.close()


def _wait_for_answer(url: str) -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            urllib.request.urlopen(url).close()  # noqa: S310 - our own loopback address
            return
        except urllib.error.URLError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)


def describe(taken: dict[str, list[Taken]]) -> str:
    """Word the medians and their ratios."""
    lines = []
    floor: list[float] = []
    for name, runs in taken.items():
        medians = [statistics.median(run[place] for run in runs) for place in (0, 1)]
        floor = floor or medians
        cells = [
            f"{own:.2f} | {own / empty:.2f}" for own, empty in zip(medians, floor, strict=True)
        ]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)
