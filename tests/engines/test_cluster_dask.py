"""Dask's workers and a bucket: the same bytes with workers killed, and nothing seen before."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.engines.present import require_engine
from tests.server import PROJECT

for engine in ("distributed", "boto3", "moto", "xxhash"):
    require_engine(engine)

from dask.distributed import Client, LocalCluster  # noqa: E402

from tests.engines.cluster_lists import (  # noqa: E402
    BUCKET,
    PATIENCE_SECONDS,
    ask,
    clean_here,
    list_keys,
    make_list,
    read,
    wait_until,
)
from winnow.cli.commands import main  # noqa: E402
from winnow.cluster import cluster_job  # noqa: E402
from winnow.cluster.clean_list import Cutting, clean_on_cluster  # noqa: E402
from winnow.cluster.locations import Location  # noqa: E402
from winnow.cluster.object_store import open_store  # noqa: E402
from winnow.cluster.workers import DaskWorkers  # noqa: E402

pytestmark = [pytest.mark.engines, pytest.mark.filterwarnings("default")]

_MIB = 1 << 20
LARGE = f"s3://{BUCKET}/in/large.csv"


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory, bucket: Any) -> tuple[Location, bytes]:
    """Put a list of 30 MiB into the bucket; return where, and what one machine makes of it."""
    folder = tmp_path_factory.mktemp("large")
    head, _, rows = make_list(3_000, seed=5).partition(b"\n")
    parts = [rows.replace(b"User", b"user%d." % number) for number in range(200)]
    path = folder / "large.csv"
    path.write_bytes(head + b"\n" + b"\n".join(parts) + b"\n")
    bucket.upload_file(str(path), BUCKET, "in/large.csv")
    return Location(BUCKET, "in/large.csv"), clean_here(path, folder)[0]


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WINNOW_DATA_DIR", str(tmp_path / "data"))


def count_parts(client: Any, key: str) -> int:
    uploads = client.list_multipart_uploads(Bucket=BUCKET).get("Uploads", ())
    found = [one["UploadId"] for one in uploads if one["Key"] == key]
    if not found:
        return 0
    return len(client.list_parts(Bucket=BUCKET, Key=key, UploadId=found[0]).get("Parts", ()))


def test_the_command_cleans_many_lists_each_into_its_own(
    bucket: Any, dask_cluster: LocalCluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = {}
    for name in ("a.csv", "b.csv"):
        path = tmp_path / name
        path.write_bytes(make_list(300, seed=len(wanted)))
        bucket.upload_file(str(path), BUCKET, f"many/{name}")
        wanted[name.replace(".csv", "-checked.csv")] = clean_here(path, tmp_path)[0]
    bucket.put_object(Bucket=BUCKET, Key="many/broken.csv", Body=b"a,b\n1,2\n")
    lists, out = f"s3://{BUCKET}/many/*.csv", f"s3://{BUCKET}/checked/"
    address = ["--cluster", dask_cluster.scheduler_address]
    assert main(["clean", lists, "--out", out, *address]) == 1
    said = capsys.readouterr()
    assert f"s3://{BUCKET}/checked/a-checked.csv\n301 rows in" in said.out
    assert f"winnow: s3://{BUCKET}/many/broken.csv: No column is named email." in said.err
    assert "1 of 3 lists could not be cleaned" in said.err
    written = [key for key in list_keys(bucket) if key.startswith("checked/")]
    assert {key.removeprefix("checked/"): read(bucket, key) for key in written} == wanted
    shared = tmp_path / "out.csv"  # a path that the workers see as well
    source = str(tmp_path / "a.csv")
    assert main(["clean", source, "--out", str(shared), *address]) == 0
    assert shared.read_bytes() == wanted["a-checked.csv"]
    assert main(["clean", f"s3://{BUCKET}/many/a.csv", "--out", f"s3://{BUCKET}/alone.csv"]) == 0
    assert read(bucket, "alone.csv") == wanted["a-checked.csv"]  # without a cluster, by a copy
    assert not bucket.list_multipart_uploads(Bucket=BUCKET).get("Uploads")


@pytest.mark.parametrize("is_second_pass", [False, True], ids=["pass-one", "pass-two"])
def test_a_killed_worker_costs_its_tasks_and_no_byte(
    bucket: Any,
    dask_cluster: LocalCluster,
    large: tuple[Location, bytes],
    is_second_pass: bool,
) -> None:
    source, wanted = large
    key = f"out/killed-{is_second_pass}.csv"
    cutting = Cutting(_MIB, 3)

    def is_under_way() -> bool:
        if is_second_pass:
            return count_parts(bucket, key) > 0
        return any("/read/" in name for name in list_keys(bucket))

    with (
        Client(dask_cluster) as client,
        DaskWorkers(dask_cluster.scheduler_address) as workers,
        ThreadPoolExecutor(1) as pool,
    ):
        pids = list(client.run(os.getpid).values())
        running = pool.submit(
            clean_on_cluster, ask(source, Location(BUCKET, key)), workers, cutting
        )
        wait_until(is_under_way)
        os.kill(pids[0], signal.SIGKILL)
        assert key not in list_keys(bucket)
        assert not running.done()
        running.result(PATIENCE_SECONDS)
        assert pids[0] not in client.run(os.getpid).values()
    assert read(bucket, key) == wanted
    assert not [name for name in list_keys(bucket) if name.startswith(f"{key}.winnow")]
    assert not bucket.list_multipart_uploads(Bucket=BUCKET).get("Uploads")


def test_parts_of_a_killed_command_are_taken_up(
    bucket: Any, dask_cluster: LocalCluster, large: tuple[Location, bytes], tmp_path: Path
) -> None:
    source, wanted = large
    key = "out/again.csv"
    script = (
        "import sys\n"
        "from tests.engines.test_cluster_dask import clean_large\n"
        "clean_large(*sys.argv[1:])\n"
    )
    command = [sys.executable, "-c", script, dask_cluster.scheduler_address, source.name, key]
    with subprocess.Popen(command, cwd=PROJECT) as running:
        wait_until(lambda: count_parts(bucket, key) > 1)
        running.kill()
    (upload,) = bucket.list_multipart_uploads(Bucket=BUCKET)["Uploads"]
    time.sleep(1)  # until what its workers were at has ended
    listed = bucket.list_parts(Bucket=BUCKET, Key=key, UploadId=upload["UploadId"])
    sent = {part["PartNumber"]: part["LastModified"] for part in listed["Parts"]}
    assert key not in list_keys(bucket)
    seen: list[str] = []
    with DaskWorkers(dask_cluster.scheduler_address) as workers:
        store = open_store(BUCKET)
        number = upload["UploadId"]
        assert store.list_parts(key, number)
        begin = workers.begin

        class Counting:
            def begin(self, function: Callable[..., Any], calls: Any) -> Any:
                seen.extend([function.__name__] * len(calls))
                return begin(function, calls)

        clean_on_cluster(ask(source, Location(BUCKET, key)), Counting(), Cutting(_MIB, 3))
    assert read(bucket, key) == wanted
    assert "read_range" not in seen
    assert "find_bucket_duplicates" not in seen
    parts = -(-len(wanted) // (5 * _MIB))
    assert 0 < len(sent) < parts + 1
    assert seen.count("write_part") <= parts + 1 - len(sent)
    assert not bucket.list_multipart_uploads(Bucket=BUCKET).get("Uploads")


def clean_large(address: str, source: str, key: str) -> None:
    """Clean as a process of its own, until it is killed."""
    with DaskWorkers(address) as workers:
        request = ask(Location(BUCKET, source), Location(BUCKET, key))
        clean_on_cluster(request, workers, Cutting(_MIB, 3))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["s3://nowhere/list.csv"], "bucket: there is no bucket s3://nowhere"),
        ([f"s3://{BUCKET}/none.csv"], f"file: there is no s3://{BUCKET}/none.csv"),
        ([f"s3://{BUCKET}/none/*.csv"], f"file: no list is named s3://{BUCKET}/none/*.csv"),
        (["s3://"], "file: names no bucket"),
        (["gs://lists/a.csv"], "file: gs:// is not read"),
        ([LARGE, "--out", LARGE], "out: is the list itself"),
        ([LARGE, "--for", "mailchimp"], "cluster: works on the checked list alone"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(
    bucket: Any,
    dask_cluster: LocalCluster,
    large: object,
    options: list[str],
    said: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["clean", *options, "--cluster", dask_cluster.scheduler_address]) == 1
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("address", "said"),
    [("tcp://127.0.0.1:1", "no scheduler answers"), ("here", "no address of a scheduler")],
)
def test_a_scheduler_that_is_not_there_is_named(
    bucket: Any,
    address: str,
    said: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("winnow.cluster.workers._SECONDS_TO_CONNECT", 1)
    assert main(["clean", f"s3://{BUCKET}/a.csv", "--cluster", address]) == 1
    assert said in capsys.readouterr().err


def test_credentials_without_the_right_are_told_so(
    bucket: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import boto3
    import httpx

    people = boto3.client("iam")
    people.create_user(UserName="ana")
    key = people.create_access_key(UserName="ana")["AccessKey"]
    url = f"{os.environ['AWS_ENDPOINT_URL']}/moto-api/reset-auth"
    httpx.post(url, content="0")  # from now on rights are looked at
    try:
        for identity, said in (
            ((key["AccessKeyId"], key["SecretAccessKey"]), "may not be"),
            (("unknown", "wrong"), "does not know these credentials"),
        ):
            monkeypatch.setenv("AWS_ACCESS_KEY_ID", identity[0])
            monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", identity[1])
            open_store.cache_clear()
            assert main(["clean", f"s3://{BUCKET}/in/*.csv"]) == 1
            assert f"s3://{BUCKET} {said}" in capsys.readouterr().err
    finally:
        httpx.post(url, content="inf")
        open_store.cache_clear()


def test_a_worker_of_another_version_refuses(
    bucket: Any, dask_cluster: LocalCluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def become(version: str) -> None:
        cluster_job.VERSION = version  # type: ignore[misc]

    path = tmp_path / "list.csv"
    path.write_bytes(b"email\nana@gmail.com\n")
    with Client(dask_cluster) as client:
        client.run(become, "0.0.9")
        try:
            assert main(["clean", str(path), "--cluster", dask_cluster.scheduler_address]) == 1
        finally:
            client.run(become, cluster_job.VERSION)
    assert "cluster: a worker has Winnow 0.0.9, the run began with" in capsys.readouterr().err
    assert sorted(os.listdir(tmp_path)) in (["list.csv"], ["data", "list.csv"])
