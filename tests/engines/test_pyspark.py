"""PySpark on two executors: the documented job, the Arrow UDF, an executor killed, refusals."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tests.engines.contacts import COLUMN, FIELDS, OWN, list_answers, run_job
from tests.engines.gated_parts import PARTS, make_part, require_all_rows_after_a_kill
from tests.engines.present import require_engine
from tests.server import PROJECT

require_engine("pyspark", program="java")

from pyspark.sql import SparkSession  # noqa: E402

import winnow.pyspark  # noqa: E402

pytestmark = [pytest.mark.engines, pytest.mark.filterwarnings("default")]


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
    rows = [(number, text) for number, text in enumerate(COLUMN * 3)]
    return spark.createDataFrame(rows, "id long, email string").repartition(3)


def test_the_documented_job_keeps_what_is_reckoned(tmp_path: Path) -> None:
    run_job("PySpark", tmp_path)


def test_frames_say_what_check_column_says(spark: SparkSession) -> None:
    checked = winnow.pyspark.check(make_frame(spark), "email", OWN, duplicate_key=True)
    rows = checked.orderBy("id").collect()
    found = [[row[name] for name in (*FIELDS, "duplicate_key")] for row in rows]
    assert found == list_answers() * 3


def test_a_column_of_an_added_name_in_capitals_is_refused(spark: SparkSession) -> None:
    with pytest.raises(ValueError, match=r"rename .* Category"):
        winnow.pyspark.check(make_frame(spark).withColumnRenamed("id", "Category"), "email")


def test_the_udf_says_what_check_column_says(spark: SparkSession) -> None:
    check = winnow.pyspark.make_udf(OWN)
    rows = make_frame(spark).select("id", check("email").alias("checked")).orderBy("id").collect()
    found = [[row["checked"][name] for name in FIELDS] for row in rows]
    assert found == [cells[:-1] for cells in list_answers() * 3]


def test_both_executors_work_and_a_killed_ones_parts_are_checked_again(
    spark: SparkSession, tmp_path: Path
) -> None:
    folder = str(tmp_path)

    def make_parts(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch["id"].to_pylist():
                part = make_part(number, folder)
                yield pa.RecordBatch.from_pandas(part, preserve_index=False)

    parts = spark.range(PARTS, numPartitions=PARTS).mapInArrow(make_parts, "email string")
    checked = winnow.pyspark.check(parts, "email")
    require_all_rows_after_a_kill(
        tmp_path, checked.collect, lambda worker: [find_executor(worker), worker]
    )


def find_executor(worker: int) -> int:
    """Return the Java process that a Python worker belongs to."""
    process = worker
    while "java" not in Path(f"/proc/{process}/comm").read_text():
        status = Path(f"/proc/{process}/status").read_text()
        process = int(status.partition("PPid:")[2].split()[0])
    return process
