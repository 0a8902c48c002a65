"""A list cleaned by Dask's workers, beside one machine alone: ``docs/cluster.md``.

``python -m benchmarks.cluster`` prints one table: processor time of the command and its workers
together, starts and imports included. What the bucket's server takes stands apart: it has the
machine to share with them, and copies a whole object for each stretch that is asked for. The bytes
must be the same.
"""

import argparse
import contextlib
import hashlib
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.cluster_runs import clean_by_dask, clean_here
from benchmarks.list_data import write_list
from benchmarks.measure import Run, run_apart

BUCKET = "lists"
_ENVIRONMENT = {
    "AWS_ACCESS_KEY_ID": "nobody",
    "AWS_SECRET_ACCESS_KEY": "nothing",
    "AWS_DEFAULT_REGION": "us-east-1",
}


@contextlib.contextmanager
def serve_bucket() -> Iterator[tuple[Any, int]]:
    """Serve S3 by a process of its own, named by the environment; yields a client and its pid."""
    import boto3

    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    os.environ.update(_ENVIRONMENT, AWS_ENDPOINT_URL=f"http://127.0.0.1:{port}")
    command = [sys.executable, "-m", "moto.server", "-p", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            while True:
                time.sleep(0.5)
                with contextlib.suppress(OSError):
                    socket.create_connection(("127.0.0.1", port)).close()
                    break
            client = boto3.client("s3")
            client.create_bucket(Bucket=BUCKET)
            yield client, server.pid
        finally:
            server.terminate()


def tell(what: str, run: Run, floor: Run | None) -> None:
    """Print a row of the table."""
    cpu = run.cpu_seconds + run.answer.get("workers", 0)
    wall = run.answer.get("wall", run.wall_seconds)
    ratio = "1" if floor is None else f"{cpu / floor.cpu_seconds:.2f}"
    peak = run.answer.get("mib", run.peak_mib)
    print(f"| {what} | {cpu:.1f} | {ratio} | {wall:.1f} | {peak:.0f} |", flush=True)


def read_cpu_seconds(pid: int) -> float:
    """Return a process's processor time so far."""
    import psutil

    times = psutil.Process(pid).cpu_times()
    return float(times.user + times.system)


def digest(path: Path) -> str:
    """Return a file's SHA-256."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def main() -> None:
    """Read the options, measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--folder", type=Path, help="where there is room; a scratch folder of it")
    parser.add_argument("--only", nargs="*", choices=("folder", "bucket"))
    options = parser.parse_args()
    only = options.only or ("folder", "bucket")
    with tempfile.TemporaryDirectory(dir=options.folder) as scratch:
        source, wanted, target = (Path(scratch) / name for name in ("list.csv", "a.csv", "b.csv"))
        write_list(source, options.rows)
        print(
            "| what | CPU s | ratio | wall s | MiB of the largest process |\n|---|---|---|---|---|"
        )
        floor = run_apart(clean_here, source, wanted)
        tell("one machine alone", floor, None)
        if "folder" in only:
            run = run_apart(clean_by_dask, source, target, options.workers)
            tell(f"{options.workers} workers, a shared folder", run, floor)
            print("the same bytes" if digest(target) == digest(wanted) else "!! OTHER BYTES")
        if "bucket" in only:
            with serve_bucket() as (client, pid):
                client.upload_file(str(source), BUCKET, "list.csv")
                places = (f"s3://{BUCKET}/{name}" for name in ("list.csv", "out.csv"))
                before = read_cpu_seconds(pid)
                run = run_apart(clean_by_dask, *places, options.workers)
                tell(f"{options.workers} workers, a bucket", run, floor)
                print(f"the bucket's server: {read_cpu_seconds(pid) - before:.1f} CPU s")
                client.download_file(BUCKET, "out.csv", str(target))
            print("the same bytes" if digest(target) == digest(wanted) else "!! OTHER BYTES")


if __name__ == "__main__":
    main()
