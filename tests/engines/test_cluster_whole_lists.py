"""Lists that one worker of Dask cleans in one go: workbooks, Parquet, packed text."""

import gzip
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.engines.present import require_engine
from tests.server import PROJECT

for engine in ("distributed", "boto3", "moto", "xxhash"):
    require_engine(engine)

from dask.distributed import Client, LocalCluster  # noqa: E402

from tests.engines.cluster_lists import (  # noqa: E402
    BUCKET,
    DOMAINS,
    PATIENCE_SECONDS,
    list_keys,
    make_list,
    read,
    wait_until,
)
from tests.lists.test_converted import write_ods  # noqa: E402
from winnow.cli.commands import main  # noqa: E402
from winnow.lists.formats.packed.streams import pack  # noqa: E402

pytestmark = [pytest.mark.engines, pytest.mark.filterwarnings("default")]

COLUMNS = ("name", "email", "number")


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WINNOW_DATA_DIR", str(tmp_path / "data"))


def make_rows(count: int) -> list[list[str | int | float]]:
    return [
        [f"Ana {row}", f"user{row % (count * 3 // 4)}@{DOMAINS[row % len(DOMAINS)]}", row]
        for row in range(count)
    ]


def write_workbook(path: Path, count: int = 300) -> None:
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("People")
    for row in (COLUMNS, *make_rows(count)):
        sheet.append(row)
    book.create_sheet("Notes").append(["kept as it is"])
    book.save(path)


def write_opendocument(path: Path) -> None:
    write_ods(path, [list(COLUMNS), *make_rows(300)])


def write_parquet(path: Path) -> None:
    columns = zip(*make_rows(300), strict=True)
    pq.write_table(pa.table(dict(zip(COLUMNS, map(list, columns), strict=True))), path)


def write_gzip(path: Path) -> None:
    path.write_bytes(gzip.compress(make_list(300)))


def write_zstd(path: Path) -> None:
    path.write_bytes(b"".join(pack([make_list(300).replace(b",", b"\t")], "zstd")))


def write_utf_16(path: Path) -> None:
    path.write_bytes(make_list(300).decode().encode("utf-16"))


WRITERS: dict[str, Callable[[Path], None]] = {
    "book.xlsx": write_workbook,
    "open.ods": write_opendocument,
    "table.parquet": write_parquet,
    "packed.csv.gz": write_gzip,
    "packed.tsv.zst": write_zstd,
    "wide.csv": write_utf_16,
    "plain.csv": lambda path: path.write_bytes(make_list(300)) and None,
    "plain.txt": lambda path: path.write_bytes(b"ana@gmail.com\nbo@mailinator.com\n") and None,
}


def clean_locally(path: Path, out: Path) -> dict[str, bytes]:
    """Return what the local command makes of a list, by the name of the result."""
    out.mkdir(exist_ok=True)
    before = set(out.iterdir())
    assert main(["clean", str(path), "--out", f"{out}/"]) == 0
    return {one.name: one.read_bytes() for one in set(out.iterdir()) - before}


def require_nothing_left(client: Any) -> None:
    assert not [name for name in list_keys(client) if ".winnow/" in name]
    assert not client.list_multipart_uploads(Bucket=BUCKET).get("Uploads")


def test_lists_of_all_formats_come_back_as_the_local_command_writes_them(
    bucket: Any, dask_cluster: LocalCluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted: dict[str, bytes] = {}
    for name, write in WRITERS.items():
        write(tmp_path / name)
        bucket.upload_file(str(tmp_path / name), BUCKET, f"mixed/{name}")
        wanted |= clean_locally(tmp_path / name, tmp_path / "local")
    broken = {
        "cut.xlsx": (tmp_path / "book.xlsx").read_bytes()[:2_000],
        "cut.csv.gz": (tmp_path / "packed.csv.gz").read_bytes()[:-100],
        "none.parquet": b"PAR1 and no more",
    }
    for name, content in broken.items():
        bucket.put_object(Bucket=BUCKET, Key=f"mixed/{name}", Body=content)
    bucket.put_object(Bucket=BUCKET, Key="mixed/picture.png", Body=b"\x89PNG")  # no list
    out = f"s3://{BUCKET}/mixed-out/"
    capsys.readouterr()
    command = ["clean", f"s3://{BUCKET}/mixed/*", "--out", out]
    assert main([*command, "--cluster", dask_cluster.scheduler_address]) == 1
    said = capsys.readouterr()
    written = [key for key in list_keys(bucket) if key.startswith("mixed-out/")]
    assert {key.removeprefix("mixed-out/"): read(bucket, key) for key in written} == wanted
    for name in broken:
        assert f"winnow: s3://{BUCKET}/mixed/{name}: The " in said.err
    assert f"3 of {len(WRITERS) + 3} lists could not be cleaned" in said.err
    assert "picture" not in said.err + said.out
    assert said.out.count("read in one go, by one worker: ") == len(WRITERS) - 2
    require_nothing_left(bucket)


@pytest.fixture(scope="module")
def large(bucket: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, bytes]:
    """Put a workbook into the bucket that takes a while; return where, and the local result."""
    folder = tmp_path_factory.mktemp("large")
    write_workbook(folder / "large.xlsx", 30_000)
    bucket.upload_file(str(folder / "large.xlsx"), BUCKET, "in/large.xlsx")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WINNOW_DATA_DIR", str(folder / "data"))
        (wanted,) = clean_locally(folder / "large.xlsx", folder / "local").values()
    return f"s3://{BUCKET}/in/large.xlsx", wanted


def find_copies(folders: list[str]) -> list[Path]:
    return [copy for folder in folders for copy in Path(folder).glob("winnow-*/list")]


def test_a_worker_killed_over_a_workbook_costs_no_byte_and_leaves_no_copy(
    bucket: Any, dask_cluster: LocalCluster, large: tuple[str, bytes]
) -> None:
    source, wanted = large
    key = "out/killed.xlsx"
    command = ["clean", source, "--out", f"s3://{BUCKET}/{key}"]
    with Client(dask_cluster) as client, ThreadPoolExecutor(1) as pool:
        folders = client.run(lambda dask_worker: dask_worker.local_directory)
        pids = client.run(os.getpid)
        running = pool.submit(main, [*command, "--cluster", dask_cluster.scheduler_address])
        wait_until(lambda: bool(find_copies(list(folders.values()))))
        (copy,) = find_copies(list(folders.values()))
        (worker,) = (name for name, folder in folders.items() if copy.is_relative_to(folder))
        os.kill(pids[worker], signal.SIGKILL)
        assert not running.done()
        assert key not in list_keys(bucket)
        assert running.result(PATIENCE_SECONDS) == 0
        wait_until(lambda: len(client.run(os.getpid)) == len(pids))
        assert pids[worker] not in client.run(os.getpid).values()
    assert read(bucket, key) == wanted
    wait_until(lambda: not find_copies(list(folders.values())))
    require_nothing_left(bucket)


def test_a_workbook_whose_command_was_killed_is_begun_anew(
    bucket: Any, dask_cluster: LocalCluster, large: tuple[str, bytes]
) -> None:
    source, wanted = large
    key = "out/again.xlsx"
    address = ["--cluster", dask_cluster.scheduler_address]
    command = ["clean", source, "--out", f"s3://{BUCKET}/{key}", *address]
    with subprocess.Popen([sys.executable, "-m", "winnow", *command], cwd=PROJECT) as running:
        wait_until(lambda: bool(bucket.list_multipart_uploads(Bucket=BUCKET).get("Uploads")))
        running.kill()
    assert key not in list_keys(bucket)
    (former,) = bucket.list_multipart_uploads(Bucket=BUCKET)["Uploads"]
    assert main(command) == 0
    assert read(bucket, key) == wanted
    assert former["Key"] == key
    require_nothing_left(bucket)
