"""Hostile files, several at once, to a real server: it stays small and goes on answering."""

import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from pathlib import Path

import pytest

from tests.fuzz.hostile import write_apart
from tests.server import Server, create_key, get, post, start_server
from tests.waiting import PATIENCE_SECONDS

PEAK_MAX_MIB = 512  # of the server and of each process below it
REST_SECONDS = 0.02
REFUSED = (
    *("relations", "attributes", "a million sheets", "names", "blanks in a sheet", "members"),
    "comments",
)
MEASURING = """
import resource, signal, subprocess, sys
server = subprocess.Popen(sys.argv[1:])
signal.signal(signal.SIGTERM, lambda *_: server.terminate())
server.wait()
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
"""


def write_measuring_command(start: Callable[[int], Sequence[str]], port: int) -> Sequence[str]:
    """Return how the server starts below a process that prints the largest peak in the end."""
    return (sys.executable, "-c", MEASURING, *start(port))


def submit(server: Server, key: str, path: Path) -> int:
    with path.open("rb") as file:
        answer = post(
            f"{server.api}/batch-check-emails",
            headers={"X-API-Key": key},
            files={"file": (path.name, file)},
        )
    return answer.status_code


@pytest.mark.skipif(sys.platform != "linux", reason="memory is not told in KiB here")
def test_the_server_stays_small_whatever_comes_at_once(
    tmp_path: Path, start: Callable[[int], Sequence[str]]
) -> None:
    paths = [tmp_path / f"{name}.xlsx" for name in REFUSED]
    for path in paths:
        write_apart(path.stem, path)
    server = start_server(tmp_path / "data", command=partial(write_measuring_command, start))
    try:
        key = create_key(server)
        with ThreadPoolExecutor(len(paths)) as threads:
            answers = [threads.submit(submit, server, key, path) for path in paths]
            while wait(answers, REST_SECONDS).not_done:
                get(f"{server.api}/health").raise_for_status()
    finally:
        server.process.terminate()
        server.process.wait(PATIENCE_SECONDS)
    assert [answer.result() for answer in answers] == [400] * len(paths)
    assert 0 < int(server.log.read_text().split()[-1]) < PEAK_MAX_MIB
