"""Odd names, missing rights, a scheduler that is lost: a sentence each, and nothing is left."""

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
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
    clean_here,
    list_keys,
    make_list,
    read,
    wait_until,
)
from tests.made_lists.make_lists import write_xlsx  # noqa: E402
from winnow.cli.commands import main  # noqa: E402
from winnow.cluster.locations import Location  # noqa: E402
from winnow.cluster.object_store import PartPlace, open_store  # noqa: E402
from winnow.cluster.s3_bucket import open_bucket  # noqa: E402
from winnow.core.errors import BadField  # noqa: E402

pytestmark = [pytest.mark.engines, pytest.mark.filterwarnings("default")]

HERE = f"s3://{BUCKET}"
CREDENTIALS = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WINNOW_DATA_DIR", str(tmp_path / "data"))


@pytest.fixture
def address(dask_cluster: LocalCluster) -> list[str]:
    return ["--cluster", dask_cluster.scheduler_address]


@pytest.fixture
def wanted(bucket: Any, tmp_path: Path) -> bytes:
    """Put a list into the bucket; return what one machine makes of it."""
    path = tmp_path / "list.csv"
    path.write_bytes(make_list(50))
    bucket.upload_file(str(path), BUCKET, "in/list.csv")
    return clean_here(path, tmp_path)[0]


def require_no_upload(client: Any) -> None:
    assert not client.list_multipart_uploads(Bucket=BUCKET).get("Uploads")


@pytest.mark.parametrize("goes_to_cluster", [True, False], ids=["cluster", "here"])
@pytest.mark.parametrize(
    "key",
    [
        "with blanks/my list.csv",
        "50%25/p%20q.csv",
        "a#b/c#1.csv",
        "q/what?.csv",
        "x/list [1].csv",
        "ü/bücher 你好.csv",
        "../up.csv",
        "a/../b.csv",
        "a//b.csv",
        "a&b=c+d/'q\".csv",
        f"long/{'n' * 300}.csv",
    ],
)
def test_a_key_is_the_file_that_has_it_and_no_other(
    bucket: Any, address: list[str], wanted: bytes, key: str, goes_to_cluster: bool
) -> None:
    bucket.copy_object(Bucket=BUCKET, Key=key, CopySource=f"{BUCKET}/in/list.csv")
    for other in ("q/whatX.csv", "x/list 1.csv", "b.csv", "up.csv"):
        bucket.put_object(Bucket=BUCKET, Key=other, Body=b"email\nother@gmail.com\n")
    out = f"named/{key}" if goes_to_cluster else "named/here.csv"
    command = ["clean", f"{HERE}/{key}", "--out", f"{HERE}/{out}"]
    assert main(command + address * goes_to_cluster) == 0
    assert read(bucket, out) == wanted
    assert [name for name in list_keys(bucket) if name.startswith("named/")] == [out]
    bucket.delete_object(Bucket=BUCKET, Key=out)
    require_no_upload(bucket)


def test_no_list_of_a_command_is_another_ones_result(
    bucket: Any, address: list[str], wanted: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    other = b"email\nother@gmail.com\n"
    bucket.put_object(Bucket=BUCKET, Key="in/list-checked.csv", Body=other)
    both = [f"{HERE}/in/list.csv", f"{HERE}/in/list-checked.csv"]
    assert main(["clean", *both, "--out", f"{HERE}/in/", *address]) == 1
    assert f"out: {both[1]} is one of the lists" in capsys.readouterr().err
    assert read(bucket, "in/list-checked.csv") == other
    assert main(["clean", both[0], *address]) == 1
    assert "list-checked.csv is already there" in capsys.readouterr().err
    assert main(["clean", both[0], "--out", both[1], *address]) == 0  # named, so replaced
    assert read(bucket, "in/list-checked.csv") == wanted


def test_what_has_files_in_it_is_a_folder_also_without_a_slash(
    bucket: Any, address: list[str], wanted: bytes, tmp_path: Path
) -> None:
    bucket.put_object(Bucket=BUCKET, Key="folder/", Body=b"")
    assert main(["clean", f"{HERE}/in/list.csv", "--out", f"{HERE}/folder", *address]) == 0
    assert read(bucket, "folder/list-checked.csv") == wanted
    assert "folder" not in list_keys(bucket)


def test_what_a_link_leads_to_is_replaced_and_not_the_link(
    address: list[str], wanted: bytes, tmp_path: Path
) -> None:
    (link := tmp_path / "link.csv").symlink_to("result.csv")
    (tmp_path / "result.csv").write_bytes(b"of before")
    assert main(["clean", str(tmp_path / "list.csv"), "--out", str(link), *address]) == 0
    assert link.is_symlink()
    assert (tmp_path / "result.csv").read_bytes() == wanted


@contextmanager
def answering_as_s3(status: int, code: str) -> Iterator[str]:
    """Answer all requests as S3's reference has its errors; yields the endpoint."""
    body = f"<Error><Code>{code}</Code><Message>as told</Message></Error>".encode()

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_PUT = do_POST = do_DELETE = answer

        def log_message(self, *_: object) -> None:
            return

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def test_what_somebody_else_removed_from_a_bucket_is_told(
    bucket: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    # moto fails at parts of an upload that was aborted, with 500
    with answering_as_s3(404, "NoSuchUpload") as endpoint:
        monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
        store = open_bucket(BUCKET)
        with pytest.raises(BadField, match=r"out: .*upload .*was ended by another run"):
            store.put_part("a.csv", "1", PartPlace(1, 0), b"rows")
        with pytest.raises(BadField, match=r"out: .*upload .*was ended by another run"):
            store.complete("a.csv", "1", ["receipt"])
        assert store.list_parts("a.csv", "1") is None
        store.abort("a.csv", "1")
    with answering_as_s3(404, "NoSuchKey") as endpoint:
        monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
        store = open_bucket(BUCKET)
        with pytest.raises(BadField, match=r"file: .*was removed while"):
            store.read("a.csv", 0, 9)
        assert store.get("a.csv") is None


def test_what_somebody_else_removed_from_a_folder_is_told(tmp_path: Path) -> None:
    store, name = open_store(None), str(tmp_path / "gone.csv")
    upload = store.begin_upload(name, Location(BUCKET, "in/list.csv"))
    store.abort(name, upload)
    with pytest.raises(BadField, match=r"out: .*upload .*was ended by another run"):
        store.put_part(name, upload, PartPlace(1, 0), b"rows")
    with pytest.raises(BadField, match=r"out: .*upload .*was ended by another run"):
        store.complete(name, upload, ["receipt"])
    with pytest.raises(BadField, match=r"file: .*was removed while"):
        store.read(name, 0, 9)
    assert not list(tmp_path.iterdir())


def test_rights_to_read_alone_are_told_and_nothing_is_left(
    bucket: Any,
    address: list[str],
    wanted: bytes,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import boto3
    import httpx

    people = boto3.client("iam")
    people.create_user(UserName="reader")
    policy = (
        '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Resource": "*",'
        ' "Action": ["s3:GetObject", "s3:ListBucket", "s3:HeadBucket"]}]}'
    )
    people.put_user_policy(UserName="reader", PolicyName="reads", PolicyDocument=policy)
    key = people.create_access_key(UserName="reader")["AccessKey"]
    before = list_keys(bucket)
    url = f"{os.environ['AWS_ENDPOINT_URL']}/moto-api/reset-auth"
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", key["AccessKeyId"])
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", key["SecretAccessKey"])
    open_store.cache_clear()
    httpx.post(url, content="0")  # from now on rights are looked at
    try:
        out = ["--out", f"{HERE}/out/denied.csv"]
        assert main(["clean", f"{HERE}/in/list.csv", *out, *address]) == 1
        assert main(["clean", f"{HERE}/in/list.csv", *out]) == 1
    finally:
        httpx.post(url, content="inf")
        open_store.cache_clear()
    assert capsys.readouterr().err.count(f"{HERE} may not be written to with these") == 2
    assert list_keys(bucket) == before
    require_no_upload(bucket)


@pytest.mark.parametrize("name", ["list.csv", "book.xlsx"])
def test_workers_without_credentials_are_told(
    bucket: Any,
    dask_cluster: LocalCluster,
    address: list[str],
    wanted: bytes,
    name: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def change(settings: dict[str, str | None]) -> dict[str, str | None]:
        former = {key: os.environ.pop(key, None) for key in settings}
        os.environ.update({key: value for key, value in settings.items() if value is not None})
        open_store.cache_clear()
        return former

    write_xlsx(tmp_path / "book.xlsx", 20)
    bucket.upload_file(str(tmp_path / "book.xlsx"), BUCKET, "in/book.xlsx")
    out = f"{HERE}/out/nobody-{name}"
    nobody = {**dict.fromkeys(CREDENTIALS), "AWS_EC2_METADATA_DISABLED": "true", "HOME": "/"}
    with Client(dask_cluster) as client:
        former = client.run(change, nobody)
        try:
            assert main(["clean", f"{HERE}/in/{name}", "--out", out, *address]) == 1
        finally:
            client.run(change, next(iter(former.values())))
    said = capsys.readouterr().err
    assert f"bucket: there are no credentials for {HERE}" in said
    assert "here and on workers" in said
    assert f"out/nobody-{name}" not in list_keys(bucket)
    require_no_upload(bucket)


@contextmanager
def answering(answer: bytes) -> Iterator[str]:
    """Listen as something that is no scheduler; yields the address."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        held = []

        def serve() -> None:
            while True:
                try:
                    one, _ = server.accept()
                except OSError:
                    return
                one.sendall(answer)
                held.append(one)

        threading.Thread(target=serve, daemon=True).start()
        yield f"tcp://127.0.0.1:{server.getsockname()[1]}"
        server.shutdown(socket.SHUT_RDWR)
        for one in held:
            one.close()


@pytest.mark.parametrize(
    "answer", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\x01" + bytes(7) + b"\x05" + bytes(20)]
)
def test_whatever_listens_there_a_scheduler_is_waited_for_in_vain(
    bucket: Any,
    answer: bytes,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("winnow.cluster.workers._SECONDS_TO_CONNECT", 1)
    with answering(answer) as place:
        assert main(["clean", f"{HERE}/in/list.csv", "--cluster", place]) == 1
        assert f"cluster: no scheduler answers at {place}" in capsys.readouterr().err


def test_tls_without_certificates_says_where_they_are_named(
    bucket: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["clean", f"{HERE}/in/list.csv", "--cluster", "tls://127.0.0.1:1"]) == 1
    said = capsys.readouterr().err
    assert "cluster: tls://127.0.0.1:1 cannot be used" in said
    assert "distributed.comm.tls" in said


@contextmanager
def own_scheduler(folder: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start a scheduler and a worker, each a process; yields the scheduler and its address."""
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--no-dashboard"]
    command += ["--port", "0", "--host", "127.0.0.1", "--dashboard-address", ":0"]
    quiet = {"stdout": subprocess.DEVNULL, "text": True, "cwd": PROJECT}
    with subprocess.Popen(command, stderr=subprocess.PIPE, **quiet) as scheduler:  # type: ignore[call-overload]
        line = next(one for one in scheduler.stderr if "Scheduler at:" in one)
        place = line.split()[-1]
        threading.Thread(target=scheduler.stderr.read, daemon=True).start()
        command = [sys.executable, "-m", "distributed.cli.dask_worker", place, "--nthreads", "1"]
        command += ["--no-dashboard", "--local-directory", str(folder), "--death-timeout", "5"]
        with subprocess.Popen(command, stderr=subprocess.DEVNULL, **quiet) as worker:  # type: ignore[call-overload]
            try:
                yield scheduler, place
            finally:
                scheduler.kill()
                worker.terminate()


def put_list(bucket: Any, path: Path) -> Path:
    """Write a list by its name's format, and put it below ``in/`` in the bucket."""
    if path.suffix == ".csv":
        path.write_bytes(make_list(60_000))
    else:
        write_xlsx(path, 10_000)
    bucket.upload_file(str(path), BUCKET, f"in/{path.name}")
    return path


def require_result(bucket: Any, key: str, path: Path) -> None:
    """Require what one machine makes of a list, and none of the run's own pieces."""
    out = path.with_name(f"out-{path.name}")
    assert main(["clean", str(path), "--out", str(out)]) == 0
    assert read(bucket, key) == out.read_bytes()
    assert not [one for one in list_keys(bucket) if f"{key}.winnow/" in one]


@pytest.mark.parametrize("name", ["large.csv", "large.xlsx"])
def test_a_scheduler_that_dies_is_told_and_the_next_one_does_it(
    bucket: Any, address: list[str], tmp_path: Path, name: str
) -> None:
    path = put_list(bucket, tmp_path / name)
    key = f"out/lost-{name}"
    command = ["clean", f"{HERE}/in/{name}", "--out", f"{HERE}/{key}"]
    run = [sys.executable, "-m", "winnow", *command]
    with own_scheduler(tmp_path / "scratch") as (scheduler, place):
        pipe = {"stderr": subprocess.PIPE, "text": True, "cwd": PROJECT}
        with subprocess.Popen([*run, "--cluster", place], **pipe) as running:  # type: ignore[call-overload]
            wait_until(lambda: any(f"{key}.winnow/" in one for one in list_keys(bucket)))
            scheduler.kill()
            _, said = running.communicate(timeout=PATIENCE_SECONDS)
    assert running.returncode == 1
    assert "winnow: cluster: the scheduler was lost" in said
    assert "Traceback" not in said
    assert key not in list_keys(bucket)
    require_no_upload(bucket)
    assert main([*command, *address]) == 0
    require_result(bucket, key, path)


@pytest.mark.parametrize("name", ["twice.csv", "twice.xlsx"])
def test_of_two_commands_at_once_one_writes_the_result(
    bucket: Any,
    address: list[str],
    tmp_path: Path,
    name: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = put_list(bucket, tmp_path / name)
    key = f"out/{name}"
    command = ["clean", f"{HERE}/in/{name}", "--out", f"{HERE}/{key}", *address]
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(main, command)
        wait_until(lambda: any(f"{key}.winnow/" in one for one in list_keys(bucket)))
        second = main(command)
        codes = {first.result(PATIENCE_SECONDS), second}
    said = capsys.readouterr().err
    assert 0 in codes
    if 1 in codes:
        assert f"out: another run has begun to write {HERE}/{key}" in said
    require_result(bucket, key, path)
    require_no_upload(bucket)
