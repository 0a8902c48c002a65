"""How soon the server answers while it works on a long list.

``python -m benchmarks.health``: starts a server on its own data, submits a list over the API and
asks for the server's health over one connection until the list is done. Prints how long the
answers took before and meanwhile; goal: 99 of 100 within 20 ms.
"""

import argparse
import asyncio
import json
import statistics
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import httpx

from benchmarks.list_data import write_list
from tests.server import BASE_PATH, Server, create_key, start_server

REST_SECONDS = 0.005  # between two questions
IDLE_SECONDS = 5.0
STATUS_SECONDS = 0.5  # the pages ask as often
QUOTA_BYTES = 50_000_000_000
UPLOAD_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Client:
    """One connection kept alive."""

    port: int
    key: str
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def get(self, path: str) -> bytes:
        """Return the body of an answer.

        Raises:
            RuntimeError: It is not a 200.
        """
        head = f"GET {BASE_PATH}{path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
        self.writer.write(f"{head}X-API-Key: {self.key}\r\n\r\n".encode())
        answer = await self.reader.readuntil(b"\r\n\r\n")
        if not answer.startswith(b"HTTP/1.1 200"):
            raise RuntimeError(answer.decode())
        length = answer.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]
        return await self.reader.readexactly(int(length))


async def time_answers(port: int, key: str, task_id: str | None) -> list[float]:
    """Return the milliseconds that each answer took, for a while or until the task has ended."""
    client = Client(port, key, *await asyncio.open_connection("127.0.0.1", port))
    took = []
    asks_at = time.perf_counter() + (STATUS_SECONDS if task_id else IDLE_SECONDS)
    try:
        while True:
            begun = time.perf_counter()
            await client.get("/health")
            took.append((time.perf_counter() - begun) * 1000)
            await asyncio.sleep(REST_SECONDS)
            if time.perf_counter() < asks_at:
                continue
            if task_id is None:
                return took
            status = json.loads(await client.get(f"/batch-check-status/{task_id}"))["status"]
            if status != "processing":
                if status != "completed":
                    raise RuntimeError(status)
                return took
            asks_at = time.perf_counter() + STATUS_SECONDS
    finally:
        client.writer.close()


def submit(server: Server, key: str, path: Path) -> str:
    """Upload a list and return its task's id."""
    with path.open("rb") as file:
        answer = httpx.post(
            f"{server.api}/batch-check-emails",
            headers={"X-API-Key": key},
            files={"file": (path.name, file, "text/csv")},
            timeout=UPLOAD_SECONDS,
        )
    answer.raise_for_status()
    return str(answer.json()["task_id"])


def describe(title: str, took: list[float]) -> str:
    """Word the spread of some answers as a line of a table."""
    p99 = statistics.quantiles(took, n=100)[98]
    spread = (statistics.median(took), p99, max(took))
    return f"| {title} | {len(took):,} | {' | '.join(f'{each:.1f}' for each in spread)} |"


def main() -> None:
    """Run the server, submit a list, measure, stop."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--folder", type=Path, default=Path("var/benchmarks"))
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    source = options.folder / f"list-{options.rows}.csv"
    if not source.exists():
        write_list(source, options.rows)
    environ = {"WINNOW_RATE_LIMIT": "off", "WINNOW_QUOTA_BYTES": str(QUOTA_BYTES)}
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        server = start_server(Path(folder) / "data", environ)
        try:
            key = create_key(server)
            idle = asyncio.run(time_answers(server.port, key, None))
            task_id = submit(server, key, source)
            begun = time.perf_counter()
            busy = asyncio.run(time_answers(server.port, key, task_id))
            seconds = time.perf_counter() - begun
        finally:
            server.stop()
    print("| health | answers | median ms | p99 ms | longest ms |\n|---|---|---|---|---|")
    print(describe("idle", idle))
    print(describe(f"during {options.rows:,} rows ({seconds:.0f} s)", busy))


if __name__ == "__main__":
    main()
