"""Parquet files of other writers than Arrow: metadata, types and codecs that it has not."""

import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.lists.parquet_support import clean, write
from winnow.core.errors import BrokenFile
from winnow.core.lists.file_format import FileFormat
from winnow.core.tasks.task import InputPlan
from winnow.lists.formats.parquet.source import open_parquet

FILES = Path(__file__).parents[3] / "shared" / "data" / "files"
SPARK = b"org.apache.spark.sql.parquet.row.metadata"


def test_sparks_own_schema_does_not_hide_the_added_columns(tmp_path: Path) -> None:
    table = pa.table({"email": ["a"]}).replace_schema_metadata({SPARK: b"{}", b"about": b"fair"})
    run = clean(write(tmp_path / "a.parquet", table))
    metadata = pq.read_metadata(run.folder / "result").metadata
    assert metadata[b"about"] == b"fair"
    assert SPARK not in metadata


@pytest.mark.parametrize("name", ["hadoop_lz4_compressed", "interval_dictionary"])
def test_codecs_and_nulls_that_arrow_writes_otherwise(name: str, tmp_path: Path) -> None:
    source = FILES / f"{name}.parquet"
    if not source.exists():
        pytest.skip("the files from elsewhere are not here")
    path = Path(shutil.copy(source, tmp_path))
    before = pq.read_table(path)
    plan = InputPlan(FileFormat.PARQUET, len(before.column_names) - 1, tuple(before.column_names))
    after = pq.read_table(clean(path, plan=plan).folder / "result")
    assert after.select(before.column_names).to_pylist() == before.to_pylist()


def write_repeated(path: Path, value: str, rows: int, *, as_dictionary: bool) -> Path:
    column = pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), pa.array([value]))
    table = pa.table({"email": ["a@b.de"] * rows, "value": column})
    return write(path, table, compression="zstd", store_schema=as_dictionary)


@pytest.mark.parametrize("as_dictionary", [True, False])
def test_one_long_value_many_times_is_refused(tmp_path: Path, *, as_dictionary: bool) -> None:
    path = write_repeated(tmp_path / "a.parquet", "y" * 30_000, 3_000, as_dictionary=as_dictionary)
    assert path.stat().st_size < 3_000
    with (
        open_parquet(path) as source,
        pytest.raises(BrokenFile, match=r"unpacks to more than 67\.1 MB"),
    ):
        for _ in source.read():
            pass


def test_a_footer_that_says_gigabytes_is_refused_unread(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.parquet",
        pa.table({"email": ["a@b.de"], "value": ["y" * (70 << 20)]}),
        compression="zstd",
        write_statistics=False,
    )
    with pytest.raises(BrokenFile, match="unpacks to more than"), open_parquet(path):
        pass
