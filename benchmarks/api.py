"""Single checks a second over HTTP, as a ratio to empty routes in the same server.

``python -m benchmarks.api``: starts a server on its own data, asks all routes in turn over
keep-alive connections, prints the medians and the median of the rounds' ratios. About half a
minute. The parts of a round meet the same neighbours; its ratio says more than two medians do.
No address is asked for twice; of domains there are six, as most callers have few.
"""

import argparse
import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import count, repeat
from pathlib import Path

import httpx

from tests.server import BASE_PATH, PROJECT, find_free_port

CONNECTIONS = 8
ROUNDS = 21
ROUND_SECONDS = 0.5  # for each route
CHECK = "single check"
DOMAINS = ("gmail.com", "mailinator.com", "example.org", "siemens.com", "tum.de", "gmial.com")


async def count_answers(port: int, requests: Iterator[bytes], seconds: float) -> float:
    """Return the answers a second that the server gives to these requests, all of them 200."""
    until = time.perf_counter() + seconds

    async def ask() -> int:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        answered = 0
        while time.perf_counter() < until:
            writer.write(next(requests))
            head = await reader.readuntil(b"\r\n\r\n")
            if not head.startswith(b"HTTP/1.1 200"):
                raise RuntimeError(head.decode())
            length = head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]
            await reader.readexactly(int(length))
            answered += 1
        writer.close()
        return answered

    begun = time.perf_counter()
    counts = await asyncio.gather(*(ask() for _ in range(CONNECTIONS)))
    return sum(counts) / (time.perf_counter() - begun)


def write_request(port: int, path: str, headers: str = "") -> bytes:
    """Return one POST without a body."""
    return (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{headers}Content-Length: 0\r\n\r\n"
    ).encode()


def read_cpu_seconds(pid: int) -> float:
    """Return what a process has had of processors so far; nothing where there is no /proc."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except FileNotFoundError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")  # proc(5): utime, stime


def measure(port: int, pid: int, key: str, rounds: int) -> None:
    """Ask all routes in turn and print what came of it."""
    checks = (
        write_request(
            port, f"{BASE_PATH}/check-email?email=name{n}@{domain}", f"X-API-Key: {key}\r\n"
        )
        for n in count()
        for domain in DOMAINS
    )
    routes: dict[str, Iterator[bytes]] = {
        "bare route": repeat(write_request(port, "/bare/empty")),
        "empty route": repeat(write_request(port, "/empty")),
        CHECK: checks,
    }
    rates: dict[str, list[float]] = {name: [] for name in routes}
    cpu_seconds, answers = dict.fromkeys(rates, 0.0), dict.fromkeys(rates, 0.0)
    for requests in routes.values():
        asyncio.run(count_answers(port, requests, ROUND_SECONDS))  # warm
    for _ in range(rounds):
        for name, requests in routes.items():
            before, begun = read_cpu_seconds(pid), time.perf_counter()
            rates[name].append(asyncio.run(count_answers(port, requests, ROUND_SECONDS)))
            answers[name] += rates[name][-1] * (time.perf_counter() - begun)
            cpu_seconds[name] += read_cpu_seconds(pid) - before
    cost = {name: cpu_seconds[name] / answers[name] * 1e6 for name in rates}
    for name, values in rates.items():
        print(
            f"{name:14} {statistics.median(values):8.0f}/s  ({min(values):.0f} to "
            f"{max(values):.0f}), {cost[name]:.0f} microseconds of CPU each"
        )
    for name in ("bare route", "empty route"):
        ratios = sorted(
            check / empty for check, empty in zip(rates[CHECK], rates[name], strict=True)
        )
        quarter = len(ratios) // 4
        by_cpu = f", by CPU {cost[name] / cost[CHECK]:.2f}" if cost[CHECK] else ""
        print(
            f"check / {name:11} {statistics.median(ratios):.2f}  ({ratios[quarter]:.2f} to "
            f"{ratios[-1 - quarter]:.2f} in half of the rounds{by_cpu})"
        )


def main() -> None:
    """Run the server, make a key, measure, stop."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=ROUNDS)
    rounds = options.parse_args().rounds
    port = find_free_port()
    with tempfile.TemporaryDirectory() as folder:
        environ = {
            **os.environ,
            "WINNOW_DATA_DIR": str(Path(folder) / "data"),
            "WINNOW_RATE_LIMIT": "off",
            "WINNOW_BAN_THRESHOLD": "off",
            "PYTHONPATH": str(PROJECT),
        }
        command = [sys.executable, "-m", "streamlit", "run", "benchmarks/api_app.py"]
        command += ["--server.headless=true", f"--server.port={port}"]
        with (Path(folder) / "log").open("wb") as log:
            server = subprocess.Popen(command, cwd=PROJECT, env=environ, stdout=log, stderr=log)
            try:
                wait_for_health(port)
                create = ["keys", "create", "--name", "benchmark", "--type", "live"]
                made = subprocess.run(
                    [sys.executable, "-m", "winnow", *create],
                    cwd=PROJECT,
                    env=environ,
                    capture_output=True,
                    text=True,
                    check=True,
                )
                key = made.stdout.split()[-1]
                check = f"http://127.0.0.1:{port}{BASE_PATH}/check-email?email=a@gmail.com"
                httpx.post(check, headers={"X-API-Key": key}, timeout=120).raise_for_status()
                measure(port, server.pid, key, rounds)
            finally:
                server.terminate()
                server.wait(30)


def wait_for_health(port: int, seconds: float = 60.0) -> None:
    """Wait until the server answers."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            if (
                httpx.get(f"http://127.0.0.1:{port}{BASE_PATH}/health").status_code
                == httpx.codes.OK
            ):
                return
        except httpx.TransportError:
            time.sleep(0.1)
    msg = "the server did not come up"
    raise RuntimeError(msg)


if __name__ == "__main__":
    main()
