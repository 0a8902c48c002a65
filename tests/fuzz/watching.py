"""The resident memory of a server and of every process below it, while it goes on answering."""

import re
import threading
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

import httpx

from tests.server import Server

REST_SECONDS = 0.02


class Watch:
    """Looks at a server from its beginning to its end; peaks are in MiB."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._ended = threading.Event()
        self._threads = [threading.Thread(target=self._look), threading.Thread(target=self._ask)]
        self.server_peak = 0
        self.child_peak = 0
        self.answers = 0

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join()

    def _look(self) -> None:
        root = self._server.process.pid
        while not self._ended.wait(REST_SECONDS):
            self.server_peak = max(self.server_peak, read_peak_mib(root))
            for child in list_descendants(root):
                self.child_peak = max(self.child_peak, read_peak_mib(child))

    def _ask(self) -> None:
        with httpx.Client(timeout=60) as client:
            while not self._ended.wait(REST_SECONDS):
                client.get(f"{self._server.api}/health").raise_for_status()
                self.answers += 1


def list_descendants(process_id: int) -> list[int]:
    """Return the processes below one."""
    found: list[int] = []
    for path in Path(f"/proc/{process_id}/task").glob("*/children"):
        with suppress(OSError):
            for child in map(int, path.read_text().split()):
                found += (child, *list_descendants(child))
    return found


def read_peak_mib(process_id: int) -> int:
    """Return the most resident memory that a process ever had; 0 for one that has ended."""
    with suppress(OSError):
        match = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{process_id}/status").read_text())
        return int(match[1]) // 1024 if match else 0
    return 0
