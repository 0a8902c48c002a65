"""``winnow clean --cluster``: the rows and verdicts of one machine, by Dask's workers and a bucket.

What one machine writes is the measure; pandas, DuckDB and Polars read both.
"""

import io
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.engines import contacts
from tests.engines.present import require_engine

for engine in ("distributed", "s3fs", "moto"):
    require_engine(engine)

import fsspec  # noqa: E402
from dask.distributed import Client, LocalCluster  # noqa: E402

from winnow.cli.commands import main  # noqa: E402
from winnow.library import open_data  # noqa: E402

pytestmark = [pytest.mark.engines, pytest.mark.filterwarnings("default")]

DOMAINS = (*contacts.DOMAINS, "xn--bcher-kva.example.org")
ODD = ("", "foo", " Ana@gmail.com ", "'ana@gmail.com", "Ana <ana@gmail.com>", "@x", "  ")
NOTES = ("plain", "quoted, comma", "two\nlines", 'a "b" c', "", "\r\n", "NA", "#x")
WORDS = {"dtype": str, "keep_default_na": False}
Clean = Callable[..., int]
"""Runs ``winnow clean`` with words and the cluster's address; returns the exit code."""


@pytest.fixture(scope="module")
def bucket() -> Iterator[Any]:
    """The file system of a bucket called ``lists``, named by the environment."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(port=0, verbose=False)
    server.start()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:{1}".format(*server.get_host_and_port()))
        patch.setenv("AWS_ACCESS_KEY_ID", "none")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "none")
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        store = fsspec.filesystem("s3", use_listings_cache=False)
        store.mkdir("lists")
        yield store
    server.stop()


@pytest.fixture(scope="module")
def cluster(bucket: Any) -> Iterator[LocalCluster]:
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as opened:
        yield opened


@pytest.fixture
def clean(cluster: LocalCluster) -> Clean:
    return lambda *words: main(["clean", *words, "--cluster", cluster.scheduler_address])


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WINNOW_DATA_DIR", str(tmp_path / "data"))


def make_rows(count: int, seed: int) -> pd.DataFrame:
    """Return rows with odd addresses, and notes with line breaks in quotes; many twice."""
    pick = random.Random(seed)
    emails = [
        pick.choice(ODD)
        if pick.random() < 0.1
        else f"User{pick.randrange(count // 2)}@{pick.choice(DOMAINS)}"
        for _ in range(count)
    ]
    return pd.DataFrame(
        {
            "name": [f"n{number}" for number in range(count)],
            "email": emails,
            "note": [pick.choice(NOTES) for _ in range(count)],
        }
    )


def count_rows(frame: pd.DataFrame) -> Counter[tuple[Any, ...]]:
    return Counter(frame.itertuples(index=False, name=None))


def clean_here(path: Path, *options: str) -> Path:
    """Return what one machine makes of a list."""
    out = path.with_name(f"here-{path.name}")
    assert main(["clean", str(path), "--out", str(out), *options]) == 0
    return out


def read_checked(parquet: Path) -> pl.DataFrame:
    """Return what one machine makes of a list, its categories as texts, by name."""
    checked = pl.read_parquet(clean_here(parquet))
    return checked.cast(dict.fromkeys(("category", "domain_type"), pl.String)).sort("name")


@pytest.mark.parametrize(
    ("encoding", "delimiter", "options"),
    [
        pytest.param("utf-8", ",", [], id="usual"),
        pytest.param("utf-16", ";", [], id="utf-16"),
        pytest.param("cp1252", "\t", ["--keep", "first"], id="keep-first"),
        pytest.param("utf-8", ",", ["--no-deduplicate"], id="all-rows"),
    ],
)
def test_a_csv_has_the_rows_and_verdicts_of_one_machine(
    bucket: Any, clean: Clean, tmp_path: Path, encoding: str, delimiter: str, options: list[str]
) -> None:
    path = tmp_path / "list.csv"
    rows = make_rows(400, seed=len(delimiter + encoding))
    rows.to_csv(path, index=False, encoding=encoding, sep=delimiter)
    bucket.put_file(str(path), f"lists/in-{encoding}{len(options)}/list.csv")
    source = f"s3://lists/in-{encoding}{len(options)}/*.csv"
    out = f"lists/out-{encoding}{len(options)}"
    assert clean(source, "--out", f"s3://{out}/", *options) == 0
    parts = map(bucket.cat_file, bucket.find(f"{out}/list-checked.csv"))
    found = pd.concat(pd.read_csv(io.BytesIO(part), sep=delimiter, **WORDS) for part in parts)
    wanted = pd.read_csv(clean_here(path, *options), sep=delimiter, encoding=encoding, **WORDS)
    added = found[["source_file", "source_row"]]
    assert count_rows(found.drop(columns=list(added))) == count_rows(wanted)
    assert set(found["source_file"]) == {"list.csv"}
    numbers = found["source_row"].astype(int)
    assert rows["name"].iloc[numbers - 2].tolist() == found["name"].tolist()
    assert numbers.is_unique


def test_rows_of_other_widths(clean: Clean, tmp_path: Path) -> None:
    path = tmp_path / "odd.csv"
    path.write_text(
        '"Our\nlist"\n\nemail,category\na@gmail.com,1,"more, yet"\n\nb@gmail.com\na@GMAIL.com,3\n',
        "utf-8",
    )
    assert clean(str(path)) == 0
    (part,) = (tmp_path / "odd-checked.csv").iterdir()
    assert part.read_text().splitlines() == [
        "email,category,column_3,source_file,source_row,category_2,domain_type",
        "b@gmail.com,,,odd.csv,6,white,free",
        "a@GMAIL.com,3,,odd.csv,7,white,free",
    ]


def make_table(rows: pd.DataFrame, first: int = 0) -> pa.Table:
    """Return rows with columns of several types, nulls among them."""
    count = len(rows)
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    texts = [None if text == "  " else text for text in rows["email"]]
    return pa.table(
        {
            "id": pa.array([None if n % 9 == 0 else first + n for n in range(count)], pa.int64()),
            "email": pa.array(texts, pa.string()),
            "amount": pa.array([Decimal(n).scaleb(-2) for n in range(count)], pa.decimal128(9, 2)),
            "seen": pa.array([moment] * count, pa.timestamp("us", "UTC")),
            "tags": pa.array([[str(n), None] for n in range(count)], pa.list_(pa.string())),
            "name": rows["name"].tolist(),
        }
    )


def test_parquet_keeps_its_types_and_is_deduplicated_over_its_row_groups(
    bucket: Any, clean: Clean, tmp_path: Path
) -> None:
    paths = [tmp_path / f"{name}.parquet" for name in "ab"]
    for number, path in enumerate(paths):
        table = make_table(make_rows(600, seed=number), first=1000 * number)
        pq.write_table(table, path, row_group_size=90)
        bucket.put_file(str(path), f"lists/parquet/{path.name}")
    assert clean("s3://lists/parquet/*.parquet", "--out", "s3://lists/parquet-out/") == 0
    for path in paths:
        folder = tmp_path / f"got-{path.stem}"
        bucket.get(f"lists/parquet-out/{path.stem}-checked.parquet/", str(folder), recursive=True)
        found = pl.read_parquet(f"{folder}/*.parquet")
        own, wanted = found.drop("source_file", "source_row").sort("name"), read_checked(path)
        assert own.schema == wanted.schema
        assert own.equals(wanted)
        numbers = [int(name[1:]) + 1 for name in found["name"]]
        assert found["source_row"].to_list() == numbers
        files = duckdb.read_parquet(f"{folder}/*.parquet").select("source_file").distinct()
        assert files.fetchall() == [(path.name,)]


def test_merged_files_are_one_list_in_their_order(clean: Clean, tmp_path: Path) -> None:
    paths = [tmp_path / "b.csv", tmp_path / "a.csv"]
    make_rows(300, seed=7).to_csv(paths[0], index=False)
    other = make_rows(300, seed=8).rename(columns={"email": "E-Mail", "note": "more"})
    other[["more", "E-Mail", "name"]].to_csv(paths[1], index=False)
    files = [str(path) for path in paths]
    out = tmp_path / "here.csv"
    assert main(["clean", *files, "--merge", "--out", str(out)]) == 0
    parts = tmp_path / "parts"
    assert clean(*files, "--merge", "--out", str(parts)) == 0
    assert len(list(parts.iterdir())) == 2
    found = pd.concat(pd.read_csv(part, **WORDS) for part in parts.iterdir())
    wanted = pd.read_csv(out, **WORDS)
    assert count_rows(found.drop(columns="source_row")) == count_rows(wanted)


def test_a_merged_list_is_named_by_the_format_of_its_parts(clean: Clean, tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("email\tn\na@gmail.com\t1\n")
    (tmp_path / "b.csv").write_text("email,n\nb@gmail.com,2\n")
    assert clean(str(tmp_path / "a.tsv"), str(tmp_path / "b.csv"), "--merge") == 0
    parts = (tmp_path / "a and 1 more-checked.csv").iterdir()
    assert {part.suffix for part in parts} == {".csv"}


def test_merged_parquet_files_are_one_list_with_the_same_columns(
    clean: Clean, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    kind = pl.Enum(["x", "y"])
    one = pl.DataFrame({"email": ["a@gmail.com", "b@gmail.com"], "n": [{"k": 1}, None]})
    two = pl.DataFrame({"email": ["A@gmail.com"], "n": [{"k": 3}]})
    for name, frame in (("a", one), ("b", two)):
        frame.with_columns(kind=pl.lit("y", kind)).write_parquet(folder / f"{name}.parquet")
    merge = f"{folder}/*.parquet", "--merge", "--out"
    assert clean(*merge, str(tmp_path / "out")) == 0
    assert "3 rows in, 2 out, 1 duplicate removed" in capsys.readouterr().out
    found = pl.read_parquet(f"{tmp_path}/out/*.parquet").sort("source_file")
    assert found.rows() == [
        ("b@gmail.com", None, "y", "a.parquet", 2, "white", "free"),
        ("A@gmail.com", {"k": 3}, "y", "b.parquet", 1, "white", "free"),
    ]
    two.write_parquet(folder / "b.parquet")
    assert clean(*merge, str(tmp_path / "other")) == 1
    assert "merge: takes Parquet files with the same columns" in capsys.readouterr().err
    assert not list((tmp_path / "other").iterdir())


def list_tasks(dask_scheduler: Any) -> str:
    return " ".join(map(str, dask_scheduler.tasks))


def test_a_killed_worker_costs_no_row(
    bucket: Any, cluster: LocalCluster, clean: Clean, tmp_path: Path
) -> None:
    path = tmp_path / "large.parquet"
    rows = make_rows(40_000, seed=3)
    pq.write_table(make_table(rows), path, row_group_size=2_000)
    bucket.put_file(str(path), "lists/large.parquet")
    with fsspec.open("s3://lists/large.parquet") as file:
        assert pq.ParquetFile(file).num_row_groups == 20
    with Client(cluster, set_as_default=False) as client, ThreadPoolExecutor(1) as pool:
        killed, *_ = client.run(os.getpid).values()
        running = pool.submit(clean, "s3://lists/large.parquet", "--out", "s3://lists/killed")
        while "read_partition" not in client.run_on_scheduler(list_tasks):
            assert not running.done()
            time.sleep(0.01)
        os.kill(killed, signal.SIGKILL)
        assert running.result(120) == 0
        assert killed not in client.run(os.getpid).values()
    bucket.get("lists/killed/", str(tmp_path / "got"), recursive=True)
    found = pl.read_parquet(f"{tmp_path}/got/*.parquet").drop("source_file", "source_row")
    assert found.sort("name").equals(read_checked(path))


def test_of_many_lists_a_broken_one_is_named(
    bucket: Any, clean: Clean, capsys: pytest.CaptureFixture[str]
) -> None:
    bucket.pipe({f"lists/many/{name}.csv": b"email\na@gmail.com\n" for name in "ab"})
    bucket.pipe("lists/many/broken.csv", b"a,b\n1,2\n")
    many = "s3://lists/many/*.csv", "--out", "s3://lists/many-out/"
    assert clean(*many) == 1
    printed = capsys.readouterr()
    assert "s3://lists/many-out/a-checked.csv\n1 row in, 1 out, 0 duplicates removed" in printed.out
    assert "winnow: s3://lists/many/broken.csv: No column is named email." in printed.err
    assert "1 of 3 lists could not be cleaned" in printed.err
    assert len(bucket.find("lists/many-out")) == 2
    assert clean(*many) == 1
    assert "out: s3://lists/many-out/a-checked.csv is not empty" in capsys.readouterr().err


def test_without_a_cluster_a_list_in_a_bucket_is_cleaned_by_a_copy(
    bucket: Any, tmp_path: Path
) -> None:
    path = tmp_path / "list.csv"
    make_rows(200, seed=5).to_csv(path, index=False)
    bucket.put_file(str(path), "lists/alone/[1].csv")
    wanted = clean_here(path).read_bytes()
    assert main(["clean", "s3://lists/alone/[1].csv"]) == 0
    assert bucket.cat_file("lists/alone/[1]-checked.csv") == wanted
    out = tmp_path / "out.csv"
    assert main(["clean", "s3://lists/alone/*.csv", "--out", str(out)]) == 0
    assert out.read_bytes() == wanted
    assert main(["clean", str(path), "--out", "s3://lists/sent/", "--for", "klaviyo"]) == 0
    names = {"list-klaviyo-suppression.csv", "list-klaviyo.csv"}
    assert {name.rpartition("/")[2] for name in bucket.find("lists/sent")} == names


def test_a_platforms_files_replace_nothing_in_a_bucket(bucket: Any) -> None:
    bucket.pipe_file("lists/taken/list.csv", b"email\nana@gmail.com\n")
    bucket.pipe_file("lists/taken/list-brevo-suppression.csv", b"precious")
    assert main(["clean", "s3://lists/taken/list.csv", "--for", "brevo"]) == 1
    assert bucket.cat_file("lists/taken/list-brevo-suppression.csv") == b"precious"
    assert not bucket.exists("lists/taken/list-brevo.csv")


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (["s3://nowhere/list.csv"], "there is no s3://nowhere/"),
        (["s3://lists/none/*.csv"], "file: no list is named s3://lists/none/*.csv"),
        (["s3://lists/book.xlsx"], "cluster: reads CSV, TSV and Parquet files only"),
        (["s3://lists/a.csv", "--for", "mailchimp"], "cluster: does not work with --for"),
        (["s3://lists/a.csv", "--policy", "Standard", "--dns"], "work with --dns, --policy"),
        (["s3://lists/a.csv", "--repair", "safe"], "does not work with --repair"),
        (["s3://lists/a.csv", "--keep", "complete"], "does not work with --keep complete"),
        (["s3://lists/a.csv", "--second-email-column", "b"], "with --second-email-column"),
        (["unknown://lists/a.csv"], "file: unknown://lists/a.csv cannot be used: Protocol"),
    ],
)
def test_what_cannot_be_done_is_refused(
    clean: Clean, options: list[str], error: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert clean(*options) == 1
    assert error in capsys.readouterr().err


def test_a_worker_of_another_version_refuses(
    cluster: LocalCluster, clean: Clean, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def become(version: str) -> None:
        open_data.VERSION = version
        open_data.open_shipped.cache_clear()

    path = tmp_path / "list.csv"
    path.write_text("email\nana@gmail.com\n", encoding="utf-8")
    with Client(cluster, set_as_default=False) as client:
        client.run(become, "0.0.9")
        try:
            assert clean(str(path)) == 1
        finally:
            client.run(become, open_data.VERSION)
    assert "cluster: this worker has Winnow 0.0.9" in capsys.readouterr().err


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "here"])
def test_a_scheduler_that_is_not_there_is_named(
    address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["clean", str(tmp_path / "a.csv"), "--cluster", address]) == 1
    assert f"no scheduler answers at {address}" in capsys.readouterr().err
