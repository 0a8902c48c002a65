"""What ``benchmarks.engines`` measures, each run a process of its own."""

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

DOMAIN_COUNT = 100_000
_LABEL = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
EXPRESSION = (  # HTML Living Standard, 4.10.5.1.5: what input fields ask of an address
    r"^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@" rf"{_LABEL}(?:\.{_LABEL})*$"
)
Said = dict[str, Any]


def write_contacts(path: str, row_count: str) -> Said:
    """Write addresses of evenly many domains, a name, and a moment."""
    import polars as pl

    number = pl.int_range(int(row_count))
    domain = number * 2_654_435_761 % (1 << 32) % DOMAIN_COUNT
    pl.select(
        email=pl.format("user{}@domain{}.com", number, domain),
        name=pl.format("Name {}", number),
        updated_at=number * 7_919 % 1_000_003,
    ).write_parquet(path, row_group_size=1 << 17)
    return {}


class Meter:
    """Processor and wall time since it was made, and the memory since then at its highest."""

    def __init__(self) -> None:
        import winnow

        winnow.check_column(["ana@example.org"])  # imports, and the domain data opened
        Path("/proc/self/clear_refs").write_text("5")  # proc(5): the peak begins here
        self._before = _read_mib("VmRSS")
        self._cpu, self._wall = time.process_time(), time.perf_counter()

    def read(self) -> Said:
        """Return what it took."""
        cpu, wall = time.process_time() - self._cpu, time.perf_counter() - self._wall
        return {"cpu": cpu, "wall": wall, "mib": _read_mib("VmHWM") - self._before}


def _read_mib(name: str) -> float:
    status = Path("/proc/self/status").read_text()
    return int(status.partition(f"{name}:")[2].split()[0]) / 1024


def _read_emails(path: str) -> Any:
    import pyarrow as pa
    import pyarrow.parquet as pq

    emails = pq.read_table(path, columns=["email"])["email"].cast(pa.large_string())
    pa.default_memory_pool().release_unused()
    return emails


def check_arrow(path: str) -> Said:
    """Check the column."""
    import winnow

    emails = _read_emails(path)
    meter = Meter()
    winnow.check_column(emails)
    return meter.read()


def match_arrow(path: str) -> Said:
    """Match the column by pyarrow."""
    import pyarrow.compute as pc

    emails = _read_emails(path)
    meter = Meter()
    pc.match_substring_regex(emails, EXPRESSION)
    return meter.read()


def match_polars(path: str) -> Said:
    """Match the column by Polars."""
    import polars as pl

    emails = pl.read_parquet(path, columns=["email"])["email"]
    meter = Meter()
    emails.str.contains(EXPRESSION)
    return meter.read()


def match_pandas(path: str) -> Said:
    """Match the column by pandas."""
    import pandas as pd

    emails = pd.read_parquet(path, columns=["email"])["email"]
    meter = Meter()
    emails.str.match(EXPRESSION)
    return meter.read()


def match_duckdb(path: str) -> Said:
    """Match the column by DuckDB, from its own table."""
    import duckdb

    connection = duckdb.connect()
    connection.execute("CREATE TABLE emails AS SELECT email FROM read_parquet(?)", [path])
    meter = Meter()
    query = "CREATE TABLE found AS SELECT regexp_matches(email, ?) AS is_found FROM emails"
    connection.execute(query, [EXPRESSION])
    return meter.read()


def check_pandas(path: str) -> Said:
    """Check the column of a pandas frame."""
    import pandas as pd

    import winnow.pandas  # noqa: F401

    emails = pd.read_parquet(path, columns=["email"])["email"]
    meter = Meter()
    emails.winnow.check()
    return meter.read()


def check_by_row(path: str) -> Said:
    """Call a Python function per row of a few."""
    import winnow

    emails = _read_emails(path).to_pylist()
    meter = Meter()
    for text in emails:
        winnow.check(text)
    return meter.read()


def copy_polars(path: str) -> Said:
    """Copy every column with a constant beside."""
    import polars as pl

    meter = Meter()
    constant = pl.lit("white").alias("category")
    pl.scan_parquet(path).with_columns(constant).sink_parquet(f"{path}.out")
    return meter.read()


def copy_polars_checked(path: str, in_batches: str = "") -> Said:
    """Copy every column with its verdicts beside."""
    import polars as pl

    import winnow.polars  # noqa: F401

    meter = Meter()
    checked = pl.col("email").winnow.check(in_batches=bool(in_batches)).alias("checked")
    pl.scan_parquet(path).with_columns(checked).unnest("checked").sink_parquet(f"{path}.out")
    return meter.read()


def copy_duckdb(path: str) -> Said:
    """Copy every column with a constant beside."""
    import duckdb

    connection = duckdb.connect()
    meter = Meter()
    connection.read_parquet(path).project("*, 'white' AS category").write_parquet(f"{path}.out")
    return meter.read()


def copy_duckdb_checked(path: str) -> Said:
    """Copy every column with its verdicts beside, by the relation."""
    import duckdb

    import winnow.duckdb

    connection = duckdb.connect()
    meter = Meter()
    winnow.duckdb.check(connection, f"FROM '{path}'", "email").write_parquet(f"{path}.out")
    return meter.read()


def call_duckdb(path: str) -> Said:
    """Check by the function in SQL."""
    import duckdb

    import winnow.duckdb

    connection = duckdb.connect()
    winnow.duckdb.register(connection)
    meter = Meter()
    connection.read_parquet(path).project("winnow(email).category AS c").aggregate(
        "max(c)"
    ).fetchall()
    return meter.read()


def check_dask(path: str, workers: str) -> Said:
    """Write verdicts by Dask."""
    import dask.dataframe as dd
    from dask.distributed import Client, LocalCluster

    import winnow.dask

    with (
        LocalCluster(
            n_workers=int(workers), threads_per_worker=1, dashboard_address=None
        ) as cluster,
        Client(cluster),
    ):
        frame = dd.read_parquet(path, columns=["email"], split_row_groups=8)
        checked = winnow.dask.check(frame, "email")["category"].value_counts()
        return _time_second(checked.compute)


def check_ray(path: str, workers: str) -> Said:
    """Count verdicts by Ray Data."""
    import ray

    import winnow.ray

    ray.init(
        num_cpus=int(workers), include_dashboard=False, log_to_driver=False, logging_level="ERROR"
    )
    ray.data.DataContext.get_current().enable_progress_bars = False
    emails = ray.data.read_parquet(path, columns=["email"], override_num_blocks=8)
    checked = winnow.ray.check(emails, "email")
    return _time_second(lambda: checked.map_batches(_count_rows, batch_format="pyarrow").take_all())


def _count_rows(block: Any) -> Any:
    import pyarrow as pa

    return pa.table({"rows": [block.num_rows]})


def check_spark(path: str, workers: str, way: str) -> Said:
    """Count verdicts by Spark: ``frame`` by mapInArrow, ``arrow`` and ``row`` by an UDF."""
    from pyspark.sql import SparkSession
    from pyspark.sql import functions as F

    import winnow.pyspark

    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["PYTHONPATH"] = str(Path(__file__).parents[1])
    builder = SparkSession.builder.master(f"local-cluster[{workers},1,2048]")
    for name, value in {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.executor.memory": "2g",
        "spark.sql.files.maxPartitionBytes": str(max(1 << 20, Path(path).stat().st_size // 4)),
    }.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    emails = spark.read.parquet(path).select("email")
    if way == "frame":
        checked = winnow.pyspark.check(emails, "email").select("category")
    elif way == "arrow":
        check = winnow.pyspark.make_udf()
        checked = emails.select(check("email").getField("category").alias("category"))
    else:
        check = F.udf(lambda text: str(winnow.check(text).category), useArrow=False)
        checked = emails.select(check("email").alias("category"))
    said = _time_second(lambda: checked.groupBy("category").count().collect())
    spark.stop()
    return said


def _time_second(run: Callable[[], object]) -> Said:
    """Time a run once the workers have imported what they need."""
    run()
    begun = time.perf_counter()
    run()
    return {"wall": time.perf_counter() - begun}
