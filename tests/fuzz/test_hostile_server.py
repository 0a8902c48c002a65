"""Hostile files, several at once, to a real server: it stays small and goes on answering."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from tests.fuzz.hostile import write_apart
from tests.fuzz.watching import Watch
from tests.server import Server, create_key, start_server

SERVER_MAX_MIB = 512
CHILD_MAX_MIB = 512
ANSWER_SECONDS = 240.0
REFUSED = (
    *("relations", "attributes", "a million sheets", "names", "blanks in a sheet", "members"),
    "comments",
)


def submit(server: Server, key: str, path: Path) -> int:
    with path.open("rb") as file:
        answer = httpx.post(
            f"{server.api}/batch-check-emails",
            headers={"X-API-Key": key},
            files={"file": (path.name, file)},
            timeout=ANSWER_SECONDS,
        )
    return answer.status_code


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is not told here")
def test_the_server_stays_small_whatever_comes_at_once(tmp_path: Path) -> None:
    paths = []
    for name in REFUSED:
        paths.append(tmp_path / f"{name}.xlsx")
        write_apart(name, paths[-1])
    server = start_server(tmp_path / "data")
    try:
        key = create_key(server)
        with Watch(server) as watch, ThreadPoolExecutor(len(paths)) as threads:
            answers = list(threads.map(lambda path: submit(server, key, path), paths))
    finally:
        server.stop()
    assert answers == [400] * len(paths)
    assert 0 < watch.server_peak < SERVER_MAX_MIB
    assert 0 < watch.child_peak < CHILD_MAX_MIB
    assert watch.answers
