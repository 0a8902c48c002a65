"""CPU of a server for a check, alone and in an array, beside an empty Starlette route (Linux).

``python -m benchmarks.checks`` sends requests by turns, over one connection each, under h11.
"""

import json
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote

from benchmarks.list_data import SEED, make_domains, make_one_address
from tests.server import BASE_PATH, create_key, find_free_port, is_open, start_server

ROUNDS, REQUESTS, ARRAYS, ARRAY_SIZE = 30, 200, 5, 100
PLAIN = ("ana@gmail.com", "bo@example.org", "info@siemens.com", "c@tum.de")
_PROCESS_CLOCK = 2  # CPUCLOCK_SCHED of clock_getcpuclockid(3): of all threads
_EMPTY = """
import sys, uvicorn
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route
async def answer(request): return Response()
app = Starlette(routes=[Route("/empty", answer, methods=["POST"])])
uvicorn.run(app, port=int(sys.argv[1]), http="h11", access_log=False, log_level="error")
"""


@dataclass(frozen=True, slots=True)
class Costs:
    """CPU microseconds of one request, and of one address in an array."""

    empty: float
    check: float
    address: float


@dataclass(frozen=True, slots=True)
class Caller:
    """A client of a server, whose CPU it counts."""

    pid: int
    port: int
    headers: str = ""

    def measure(self, requests: list[tuple[str, bytes]]) -> float:
        """Return CPU microseconds a request of paths and bodies; each must be answered 200."""
        clock = ~self.pid << 3 | _PROCESS_CLOCK
        begun = time.clock_gettime(clock)
        with socket.create_connection(("127.0.0.1", self.port)) as connected:
            answers = connected.makefile("rb")
            for path, body in requests:
                head = f"Host: 127.0.0.1\r\n{self.headers}Content-Length: {len(body)}\r\n\r\n"
                connected.sendall(f"POST {path} HTTP/1.1\r\n{head}".encode() + body)
                _require_ok(answers)
        return (time.clock_gettime(clock) - begun) * 1e6 / len(requests)


def _require_ok(answers: BinaryIO) -> None:
    status, length = answers.readline(), 0
    while line := answers.readline().rstrip():
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    body = answers.read(length)
    if b" 200 " not in status:
        raise RuntimeError(status + body)


def measure_checks(rounds: int = ROUNDS) -> list[Costs]:
    """Start both servers and measure them by turns."""
    pick, domains = random.Random(SEED), make_domains()  # noqa: S311 - made-up data
    addresses = (make_one_address(pick, number, domains) for number in range(10**9))
    port = find_free_port()
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen([sys.executable, "-c", _EMPTY, str(port)]) as bare,
    ):
        server = start_server(Path(folder) / "data")
        try:
            while not is_open(bare, port):
                time.sleep(0.1)
            key = f"X-API-Key: {create_key(server)}\r\nContent-Type: application/json\r\n"
            empty = Caller(bare.pid, port)
            ours = Caller(server.process.pid, server.port, key)

            def measure() -> Costs:
                texts = [next(addresses) for _ in range(ARRAYS * ARRAY_SIZE)]
                arrays = [texts[start::ARRAYS] for start in range(ARRAYS)]
                bodies = [json.dumps({"emails": some}).encode() for some in arrays]
                paths = [
                    f"{BASE_PATH}/check-email?email={quote(one)}" for one in PLAIN * (REQUESTS // 4)
                ]
                return Costs(
                    empty.measure([("/empty", b"")] * REQUESTS),
                    ours.measure([(path, b"") for path in paths]),
                    ours.measure([(f"{BASE_PATH}/check-emails", one) for one in bodies])
                    / ARRAY_SIZE,
                )

            measure()  # opens and compiles the domain data
            return [measure() for _ in range(rounds)]
        finally:
            server.stop()
            bare.terminate()


def main() -> None:
    """Print the medians."""
    runs = measure_checks()
    empty, check, address = (
        statistics.median(getattr(one, name) for one in runs)
        for name in ("empty", "check", "address")
    )
    ratio = statistics.median(one.check / one.empty for one in runs)
    print(f"an empty route {empty:.0f} µs, a check {check:.0f} µs: {ratio:.2f} times")
    print(f"an address of 100: {address:.0f} µs, of an empty route {address / empty:.2f}")


if __name__ == "__main__":
    main()
