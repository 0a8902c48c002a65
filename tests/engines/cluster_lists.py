"""Lists for a cluster, what one machine makes of them, and a bucket to put them in."""

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from winnow.cluster.clean_request import CleanRequest, ListChoices
from winnow.cluster.locations import Location
from winnow.cluster.object_store import open_store
from winnow.core.tasks.run_options import RunOptions
from winnow.core.verdicts.judge import Judge, LiveJudge
from winnow.library.open_data import open_domain_data
from winnow.lists.batch import run_batch
from winnow.lists.inspection.inspect import read_head
from winnow.lists.list_format import BatchOutcome
from winnow.lists.requests import BatchRequest
from winnow.lists.result.row_index import RESULT_NAME

DOMAINS = (
    "gmail.com", "Mailinator.COM", "bücher.example.org", "xn--bcher-kva.example.org", "x.local",
    "duck.com", "uni-koeln.de", "gmial.com", "BÜCHER.example.org",
)  # fmt: skip
ODD = (
    "",
    "foo",
    " Ana@gmail.com ",
    "'ana@gmail.com",
    "Ana <ana@gmail.com>",
    '"a b"@gmail.com',
    "@x",
)
NOTES = ("plain", '"quoted, comma"', '"two\nlines"', '"a ""b"" c"', "", '""', '"\r\n"')
BUCKET = "lists"
PATIENCE_SECONDS = 120


def make_list(count: int, *, seed: int = 1, line_end: str = "\n", is_tidy: bool = False) -> bytes:
    """Return a list with all that may stand in one without a stray quote; every fourth row twice.

    ``is_tidy``: rows of one width, no remarks.
    """
    pick = random.Random(seed)
    rows = ["name,email,seen,note"]
    for number in range(count):
        local = f"User{pick.randrange(count * 3 // 4)}" if pick.random() < 0.9 else "info+x"
        email = f"{local}@{pick.choice(DOMAINS)}"
        if pick.random() < 0.05:
            email = pick.choice(ODD)
        if email.startswith('"'):
            email = f'"{email.replace(chr(34), chr(34) * 2)}"'
        seen = f"2026-{pick.randrange(1, 13):02}-{pick.randrange(1, 29):02}"
        row = f"n{number},{email},{seen},{pick.choice(NOTES)}"
        if not is_tidy and pick.random() < 0.01:
            row += ",more"
        rows.append(row)
        if not is_tidy and pick.random() < 0.02:
            rows.append(pick.choice(("", "  ", "# exported by us", rows[0], "n,short@gmail.com")))
    if not is_tidy:
        rows.append(f"({count} rows affected)")
    return line_end.join(rows).encode() + (b"" if seed % 2 else line_end.encode())


def open_judge() -> Judge:
    return LiveJudge(open_domain_data())


def clean_here(
    path: Path, folder: Path, chosen: ListChoices = ListChoices(), judge: Judge | None = None
) -> tuple[bytes, BatchOutcome]:
    """Return what one machine makes of a list."""
    work = folder / "work"
    work.mkdir()
    head = read_head(path, path.name, chosen.choices, email_column=chosen.email_column)
    plan, options = chosen.plan(head)
    assert isinstance(options, RunOptions)
    request = BatchRequest(
        path, plan, judge or open_judge(), work, chosen.deduplicate, ignore, options
    )
    outcome = run_batch(request)
    result = (work / RESULT_NAME).read_bytes()
    for one in work.iterdir():
        one.unlink()
    work.rmdir()
    return result, outcome


def ask(
    source: Location | Path,
    target: Location | Path,
    chosen: ListChoices = ListChoices(),
    judge: Judge | None = None,
) -> CleanRequest:
    places = [
        Location(None, str(place)) if isinstance(place, Path) else place
        for place in (source, target)
    ]
    return CleanRequest(places[0], places[1], judge or open_judge(), chosen, ignore)


def ignore(progress: object) -> None:
    """Take progress that nobody looks at."""


@contextmanager
def open_bucket_server(patch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Serve S3 from this process, named by the environment; yields a client, one bucket made."""
    import boto3
    import httpx
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(port=0, verbose=False)
    server.start()
    _, port = server.get_host_and_port()
    patch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{port}")
    patch.setenv("AWS_ACCESS_KEY_ID", "nobody")
    patch.setenv("AWS_SECRET_ACCESS_KEY", "nothing")
    patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    httpx.post(f"http://127.0.0.1:{port}/moto-api/reset")  # of servers before in this process
    client = boto3.client("s3")
    client.create_bucket(Bucket=BUCKET)
    try:
        yield client
    finally:
        client.close()
        server.stop()


@contextmanager
def open_cluster(patch: pytest.MonkeyPatch) -> Iterator[tuple[Any, Any]]:
    """Serve a bucket, and start two workers of Dask that know it; yields client and cluster."""
    from dask.distributed import LocalCluster

    with open_bucket_server(patch) as client:
        open_store.cache_clear()
        with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
            yield client, cluster
        open_store.cache_clear()


def read(client: Any, key: str) -> bytes:
    body: bytes = client.get_object(Bucket=BUCKET, Key=key)["Body"].read()
    return body


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not is_so():
        assert time.monotonic() < deadline, "it never came so far"
        time.sleep(0.01)


def list_keys(client: Any) -> list[str]:
    pages = client.get_paginator("list_objects_v2").paginate(Bucket=BUCKET)
    return sorted(one["Key"] for page in pages for one in page.get("Contents", ()))
