"""PySpark on two executors: the documented job, the Arrow UDF, an executor killed, refusals."""

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pyarrow as pa
import pytest

from tests.engines.contacts import run_job
from tests.engines.gated_parts import GATE, make_part, read_makers, wait_for_workers
from tests.engines.present import require_engine
from tests.server import PROJECT

require_engine("pyspark", program="java")

from pyspark.sql import SparkSession  # noqa: E402

import winnow.pyspark  # noqa: E402

pytestmark = [pytest.mark.engines, pytest.mark.filterwarnings("default")]

COLUMN = ["ana@gmail.com", None, "x@mailinator.com", "", "Info+x@gmail.com"] * 3
OWN = {"gmail.com": "grey"}


@pytest.fixture(scope="module", autouse=True)
def spark() -> Iterator[SparkSession]:
    """A cluster of two executors on this machine, each a process of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("PYTHONPATH", str(PROJECT))
        builder = SparkSession.builder.master("local-cluster[2,1,1024]")
        settings = {
            "spark.ui.enabled": "false",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.sql.shuffle.partitions": "4",
        }
        for name, value in settings.items():
            builder = builder.config(name, value)
        opened = builder.getOrCreate()
        opened.sparkContext.setLogLevel("OFF")
        yield opened
        opened.stop()


def make_frame(spark: SparkSession) -> Any:
    rows = [(number, text) for number, text in enumerate(COLUMN)]
    return spark.createDataFrame(rows, "id long, email string").repartition(3)


def describe(answers: list[Any]) -> list[Any]:
    """Return what the library says of a column, as rows of Spark hold it."""
    return [
        one
        and (
            str(one.category),
            str(one.domain_type),
            "; ".join(one.reasons),
            one.suggestion,
            one.is_role,
            one.domain,
        )
        for one in answers
    ]


def test_the_documented_job_keeps_what_is_reckoned(tmp_path: Path) -> None:
    run_job("PySpark", tmp_path)


def test_frames_say_what_check_column_says(spark: SparkSession) -> None:
    checked = winnow.pyspark.check(make_frame(spark), "email", OWN, duplicate_key=True)
    rows = checked.orderBy("id").collect()
    found = [tuple(row[2:8]) if row["category"] else None for row in rows]
    assert found == describe(winnow.check_column(COLUMN, own_lists=OWN))
    assert [row["duplicate_key"] for row in rows] == winnow.duplicate_keys(COLUMN)


def test_the_udf_says_what_check_column_says(spark: SparkSession) -> None:
    check = winnow.pyspark.make_udf(OWN)
    rows = make_frame(spark).select("id", check("email").alias("checked")).orderBy("id").collect()
    found = [tuple(row["checked"]) if row["checked"]["category"] else None for row in rows]
    assert found == describe(winnow.check_column(COLUMN, own_lists=OWN))


def test_both_executors_work_and_a_killed_ones_parts_are_checked_again(
    spark: SparkSession, tmp_path: Path
) -> None:
    folder = str(tmp_path)

    def make_parts(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch["id"].to_pylist():
                part = make_part(number, folder)
                yield pa.RecordBatch.from_pandas(part, preserve_index=False)

    parts = spark.range(6, numPartitions=6).mapInArrow(make_parts, "email string")
    checked = winnow.pyspark.check(parts, "email")
    found: list[Any] = []
    running = Thread(target=lambda: found.extend(checked.collect()))
    running.start()
    killed, *_ = wait_for_workers(tmp_path, 2)
    os.kill(find_executor(killed), signal.SIGKILL)
    os.kill(killed, signal.SIGKILL)
    (tmp_path / GATE).touch()
    running.join(timeout=120)
    categories = [row["category"] for row in found]
    assert (categories.count("white"), categories.count("black")) == (150, 150)
    assert len({row["email"] for row in found}) == 300
    assert any(killed in pids and len(pids) > 1 for pids in read_makers(tmp_path).values())


def find_executor(worker: int) -> int:
    """Return the Java process that a Python worker belongs to."""
    process = worker
    while "java" not in Path(f"/proc/{process}/comm").read_text():
        status = Path(f"/proc/{process}/status").read_text()
        process = int(status.partition("PPid:")[2].split()[0])
    return process
