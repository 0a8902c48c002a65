"""Load on a whole server: uploads against the quota, a long queue, single checks at a set pace.

``python -m benchmarks.load``: 64 uploads at once, 200 queued lists, 1,000 checks a second for a
minute. Prints what was answered, how far storage passed its quota (0 bytes, or it fails), how long
checks took from when they were due, and the server's memory. Every answer must be one that the
API's contract decided.
"""

import argparse
import asyncio
import sqlite3
import statistics
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from tests.server import Server, create_key, start_server

QUOTA_BYTES = 20_000_000
UPLOAD_BYTES = 500_000  # needs five times as much until it is done: eight fit at once
UPLOADS_AT_ONCE = 64
LISTS = 200
SUBMITTERS = 8
CHECKS_A_SECOND = 1_000
CHECK_SECONDS = 60.0
CONNECTIONS = 32
WARM_UP_SECONDS = 3.0
TICK_SECONDS = 0.01
TIMEOUT = httpx.Timeout(600)
DOMAINS = ("gmail.com", "mailinator.com", "example.org", "siemens.com", "tum.de", "gmial.com")


@dataclass(slots=True)
class Outcome:
    """Result of the load.

    ``answers`` has counts by kind of request and status, ``seconds`` the times by kind,
    ``row_count`` the rows of completed lists, ``task_ids`` the lists that were accepted.
    """

    answers: Counter[tuple[str, int]] = field(default_factory=Counter)
    seconds: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    overshoot_bytes: int = 0
    row_count: int = 0
    resident_bytes: list[int] = field(default_factory=list)
    task_ids: list[str] = field(default_factory=list)

    def add(self, other: "Outcome") -> None:
        """Add what another process or client measured."""
        self.answers += other.answers
        self.row_count += other.row_count
        for kind, taken in other.seconds.items():
            self.seconds[kind] += taken

    def find_percentile(self, kind: str, percent: int) -> float:
        """Return the seconds within which so many of 100 were answered; one time is all of them."""
        taken = self.seconds[kind]
        return statistics.quantiles(taken, n=100)[percent - 1] if len(taken) > 1 else taken[0]

    def describe(self) -> str:
        """Return one line for each kind of request, and the measures."""
        lines = sorted(
            f"{kind}: {count} x {status}" for (kind, status), count in self.answers.items()
        )
        for kind, taken in self.seconds.items():
            cuts = ", ".join(f"{self.find_percentile(kind, one):.4f}" for one in (50, 95, 99))
            lines.append(
                f"{kind}: {len(taken)}, median, p95, p99: {cuts}, longest: {max(taken):.4f} s"
            )
        lines.append(f"storage beyond its quota: {self.overshoot_bytes} bytes")
        memory = ", ".join(f"{one / 1e6:,.0f}" for one in self.resident_bytes)
        return "\n".join([*lines, f"resident memory, MB: {memory}"])


def make_list(size_bytes: int, seed: int = 0) -> bytes:
    """Return a list of about this size."""
    rows = (b"%d-%d@gmail.com" % (seed, number) for number in range(size_bytes // 20 + 1))
    return (b"email\n" + b"\n".join(rows))[:size_bytes] + b"\n"


def read_storage(server: Server) -> int:
    """Return the bytes that are used or reserved."""
    with closing(sqlite3.connect(server.data_dir / "winnow.db", timeout=60)) as connection:
        query = "SELECT used_bytes + reserved_bytes FROM accounts WHERE name = 'local'"
        return int(connection.execute(query).fetchone()[0])


def read_resident_bytes(server: Server) -> int:
    """Return the server's memory in use; 0 where there is no /proc."""
    try:
        status = Path(f"/proc/{server.process.pid}/status").read_text()
    except FileNotFoundError:
        return 0
    return int(status.partition("VmRSS:")[2].split()[0]) * 1024


async def upload_at_once(server: Server, key: str, count: int, outcome: Outcome) -> None:
    """Send many uploads at the same moment; the quota is too small for all of them."""
    content = make_list(UPLOAD_BYTES)

    async def send(client: httpx.AsyncClient) -> None:
        answer = await client.post(
            f"{server.api}/batch-check-emails", files={"file": ("list.csv", content)}
        )
        outcome.answers["upload", answer.status_code] += 1
        storage = await asyncio.to_thread(read_storage, server)
        outcome.overshoot_bytes = max(outcome.overshoot_bytes, storage - QUOTA_BYTES)

    async with open_client(key) as client:
        await asyncio.gather(*(send(client) for _ in range(count)))


async def queue_lists(
    api: str,
    key: str,
    contents: Iterable[bytes],
    outcome: Outcome,
    *,
    poll_seconds: float = 0.2,
) -> None:
    """Submit lists, and poll until each has ended."""
    waiting = iter(contents)

    async def submit(client: httpx.AsyncClient) -> None:
        for content in waiting:
            files = {"file": ("list.csv", content)}
            answer = await client.post(f"{api}/batch-check-emails", files=files)
            outcome.answers["list", answer.status_code] += 1
            if answer.is_success:
                outcome.task_ids.append(answer.json()["task_id"])
                await poll(client, outcome.task_ids[-1])

    async def poll(client: httpx.AsyncClient, task_id: str) -> None:
        while True:
            answer = await client.get(f"{api}/batch-check-status/{task_id}")
            task = answer.json()
            if answer.status_code != httpx.codes.OK or task["status"] != "processing":
                is_done = task.get("status") == "completed"
                outcome.answers["status" if is_done else "lost list", answer.status_code] += 1
                outcome.row_count += task.get("summary", {}).get("rows_in", 0)
                return
            await asyncio.sleep(poll_seconds)

    async with open_client(key) as client:
        await asyncio.gather(*(submit(client) for _ in range(SUBMITTERS)))


async def check_at_pace(
    server: Server, key: str, per_second: int, seconds: float, outcome: Outcome
) -> None:
    """Send single checks at a pace, or as fast as they are answered where that is slower."""
    started = time.perf_counter()
    sent = 0

    async def ask() -> None:
        nonlocal sent
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        while (passed := time.perf_counter() - started) < seconds:
            if sent >= passed * per_second:
                await asyncio.sleep(TICK_SECONDS)
                continue
            due = started + sent / per_second
            sent += 1
            path = f"/v1/external-api-requests/check-email?email=n{sent}@{DOMAINS[sent % 6]}"
            head = f"Host: 127.0.0.1:{server.port}\r\nX-API-Key: {key}\r\nContent-Length: 0"
            writer.write(f"POST {path} HTTP/1.1\r\n{head}\r\n\r\n".encode())
            answer = await reader.readuntil(b"\r\n\r\n")
            length = answer.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]
            await reader.readexactly(int(length))
            outcome.seconds["check"].append(time.perf_counter() - due)
            outcome.answers["check", int(answer.split()[1])] += 1
        writer.close()

    await asyncio.gather(*(ask() for _ in range(CONNECTIONS)))
    outcome.seconds["all checks"].append(time.perf_counter() - started)


def open_client(key: str) -> httpx.AsyncClient:
    """Return a client with a long time-out and an unlimited number of connections."""
    limits = httpx.Limits(max_connections=None, keepalive_expiry=2)  # a server closes after 5 s
    return httpx.AsyncClient(headers={"X-API-Key": key}, timeout=TIMEOUT, limits=limits)


def run_load(root: Path, *, uploads: int, lists: int, per_second: int, seconds: float) -> Outcome:
    """Put load on a server of its own and return the result."""
    environ = {"WINNOW_QUOTA_BYTES": str(QUOTA_BYTES)}
    outcome = Outcome()
    server = start_server(root / "uploads", environ)
    try:
        asyncio.run(upload_at_once(server, create_key(server), uploads, outcome))
    finally:
        server.stop()
    server = start_server(root / "queue", environ)
    try:
        key = create_key(server)
        contents = (make_list(1_000, number) for number in range(lists))
        asyncio.run(queue_lists(server.api, key, contents, outcome))
        asyncio.run(check_at_pace(server, key, per_second, WARM_UP_SECONDS, Outcome()))
        outcome.resident_bytes.append(read_resident_bytes(server))
        asyncio.run(check_at_pace(server, key, per_second, seconds, outcome))
        outcome.resident_bytes.append(read_resident_bytes(server))
    finally:
        server.stop()
    return outcome


def main() -> int:
    """Run at full size, or as the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--uploads", type=int, default=UPLOADS_AT_ONCE)
    parser.add_argument("--lists", type=int, default=LISTS)
    parser.add_argument("--rate", type=int, default=CHECKS_A_SECOND)
    parser.add_argument("--seconds", type=float, default=CHECK_SECONDS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="winnow-load-") as root:
        outcome = run_load(
            Path(root),
            uploads=options.uploads,
            lists=options.lists,
            per_second=options.rate,
            seconds=options.seconds,
        )
    print(outcome.describe())
    return 0 if is_decided(outcome) else 1


def is_decided(outcome: Outcome) -> bool:
    """Return whether the contract allows each answer, and no list or byte of quota was lost."""
    allowed = {("upload", 200), ("upload", 413), ("list", 200), ("status", 200), ("check", 200)}
    return set(outcome.answers) <= allowed and outcome.overshoot_bytes == 0


if __name__ == "__main__":
    sys.exit(main())
