"""Parquet lists cleaned: what comes back, and what other programs make of it."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.lists.delimited_support import JUDGE, find_kept, find_plan
from tests.lists.parquet_support import EMAILS, clean, judge_all, write
from winnow.core.errors import EmailColumnMissing
from winnow.core.lists.exports import DownloadChoice, Export
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.rows import RowFilter
from winnow.core.tasks.input_plan import InputPlan
from winnow.core.tasks.repair_choice import SAFE_REPAIRS, RepairPlace
from winnow.core.tasks.run_request import RunRequest
from winnow.lists.preview import preview_list

FILES = Path(__file__).parents[3] / "shared" / "data" / "files"
SPARK = b"org.apache.spark.sql.parquet.row.metadata"
ROWS = 3 * len(EMAILS)
MAILS: list[str | None] = [*EMAILS[:-1], None] * 3
NUMBERS = list(range(ROWS))
COLUMNS = {
    "number": NUMBERS,
    "share": [number / 7 for number in NUMBERS],
    "is_new": [number % 2 == 0 for number in NUMBERS],
    "day": [date(2024, 1, 1 + number % 28) for number in NUMBERS],
    "moment": [datetime(2024, 2, 1, 3, 4, 5, number * 1000) for number in NUMBERS],  # noqa: DTZ001
    "name": [None if number % 5 == 0 else f"Zoë {number % 4}" for number in NUMBERS],
    "email": MAILS,
}


def write_with_pandas(path: Path) -> None:
    frame = pd.DataFrame(COLUMNS, index=pd.Index([f"r{number}" for number in NUMBERS], name="key"))
    frame["group"] = pd.Categorical([f"g{number % 3}" for number in NUMBERS])
    frame["size"] = pd.Categorical(["m", "s", "l"] * (ROWS // 3), ["s", "m", "l"], ordered=True)
    frame["zoned"] = pd.to_datetime(frame["moment"]).dt.tz_localize("Europe/Berlin")
    frame["count"] = pd.array([None if number % 4 else number for number in NUMBERS], "Int64")
    frame.to_parquet(path, row_group_size=10, compression="gzip")


def write_with_polars(path: Path) -> None:
    frame = pl.DataFrame(COLUMNS).with_columns(
        pl.Series("group", [f"g{number % 3}" for number in NUMBERS], pl.Categorical),
        pl.Series("level", ["low", "high", "low"] * (ROWS // 3), pl.Enum(["low", "high"])),
        pl.Series("price", [Decimal(number) / 100 for number in NUMBERS], pl.Decimal(12, 2)),
        pl.Series("tags", [["a"] * (number % 3) for number in NUMBERS], pl.List(pl.String)),
        pl.Series("place", [{"city": "Köln", "zip": number} for number in NUMBERS]),
        pl.Series("raw", [bytes([number, 255]) for number in NUMBERS]),
        pl.Series("wait", [timedelta(seconds=number) for number in NUMBERS]),
        pl.Series("at", [time(1, 2, number) for number in NUMBERS]),
        pl.Series("nothing", [None] * ROWS, pl.Null),
    )
    frame.write_parquet(path, row_group_size=7)


def write_with_duckdb(path: Path) -> None:
    more = """*, uuid() as id, (number % 3)::utinyint as small, number::decimal(20, 3) as price,
        '{"a": 1}'::json as note, timestamptz '2024-05-06 07:08:09+02' as zoned,
        [number, null] as list, map {'k': number} as pairs, 'ab'::blob as raw,
        timestamp_ns '2024-01-01 00:00:00.123456789' as fine"""
    frame = duckdb.from_arrow(pl.DataFrame(COLUMNS).to_arrow()).project(more)
    frame.write_parquet(str(path), compression="zstd", row_group_size=2048)


WRITERS: dict[str, Callable[[Path], None]] = {
    "pandas": write_with_pandas,
    "polars": write_with_polars,
    "duckdb": write_with_duckdb,
}


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("deduplicate", [False, True])
def test_what_others_write_they_read_back(writer: str, deduplicate: bool, tmp_path: Path) -> None:
    path = tmp_path / "list.parquet"
    WRITERS[writer](path)
    run = clean(path, deduplicate=deduplicate)
    assert not run.outcome.notices
    result = run.folder / "result"
    kept = find_kept(MAILS) if deduplicate else NUMBERS
    added = judge_all([MAILS[row] for row in kept])
    categories, kinds = (list(column) for column in zip(*added, strict=True))

    by_pandas, was = pd.read_parquet(result), pd.read_parquet(path)
    assert by_pandas.pop("category").tolist() == categories
    assert by_pandas.pop("domain_type").tolist() == kinds
    if deduplicate and isinstance(was.index, pd.RangeIndex):
        was = was.iloc[kept].reset_index(drop=True)
    pd.testing.assert_frame_equal(
        by_pandas,
        was.iloc[kept] if len(was) == ROWS else was,
        check_categorical=writer == "pandas",  # others keep no order of categories
    )

    by_polars = pl.read_parquet(result)
    assert by_polars.drop("category", "domain_type").equals(pl.read_parquet(path)[kept])
    assert by_polars.schema == {
        **pl.read_parquet_schema(path),
        "category": pl.String,
        "domain_type": pl.String,
    }

    by_duckdb = duckdb.read_parquet(str(result)).project("* exclude (category, domain_type)")
    first = duckdb.read_parquet(str(path))
    assert (by_duckdb.columns, by_duckdb.types) == (first.columns, first.types)
    assert by_duckdb.to_arrow_table().equals(first.to_arrow_table().take(kept))


TEXT_TYPES = (
    *(pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary()),
    *(pa.dictionary(pa.int8(), pa.string()), pa.dictionary(pa.uint32(), pa.large_string())),
)


@pytest.mark.parametrize("kind", TEXT_TYPES, ids=str)
@pytest.mark.parametrize("deduplicate", [False, True])
def test_addresses_of_any_type_are_judged_as_texts(
    kind: pa.DataType, deduplicate: bool, tmp_path: Path
) -> None:
    is_dictionary = pa.types.is_dictionary(kind)
    emails = pa.array(MAILS, pa.string() if is_dictionary else kind).cast(kind)
    path = write(tmp_path / "list.parquet", pa.table({"email": emails, "n": NUMBERS}))
    run = clean(path, deduplicate=deduplicate, block_bytes=200)
    result = pq.read_table(run.folder / "result")
    kept = find_kept(MAILS) if deduplicate else NUMBERS
    assert result.schema.field("email").type == pq.read_schema(path).field("email").type
    assert result["n"].to_pylist() == kept
    added = zip(result["category"].to_pylist(), result["domain_type"].to_pylist(), strict=True)
    assert list(added) == judge_all([MAILS[row] for row in kept])
    page = run.rows.page(RowFilter(), 0, 99)
    assert [row.email for row in page.rows] == [MAILS[row] or "" for row in kept]


def test_codec_fields_and_metadata_are_kept(tmp_path: Path) -> None:
    fields = [
        pa.field("email", pa.string(), nullable=False, metadata={"from": "form"}),
        pa.field("n", pa.int32(), metadata={"PARQUET:field_id": "7"}),
    ]
    schema = pa.schema(fields, metadata={"made by": "a test", "ünits": "none", SPARK: "{}"})
    table = pa.table([["a@x.de", "b@x.de"], [1, 2]], schema=schema)
    path = write(tmp_path / "list.parquet", table, row_group_size=1, compression="zstd")
    before, after = pq.ParquetFile(path), pq.ParquetFile(clean(path).folder / "result")
    wanted = {key: one for key, one in before.schema_arrow.metadata.items() if key != SPARK}
    assert after.schema_arrow.metadata == wanted  # Spark's would hide the added columns
    assert [after.schema_arrow.field(n).metadata for n in (0, 1)] == [
        before.schema_arrow.field(n).metadata for n in (0, 1)
    ]
    assert not after.schema_arrow.field(0).nullable
    assert after.metadata.num_row_groups == 1
    group = after.metadata.row_group(0)
    assert {group.column(n).compression for n in range(4)} == {"ZSTD"}


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


def test_a_type_that_cannot_be_kept_is_said(tmp_path: Path) -> None:
    path = tmp_path / "list.parquet"
    duckdb.sql("select 'a@x.de' as email, interval 3 day as gap").write_parquet(str(path))
    assert [(one.code, one.text) for one in clean(path).outcome.notices] == [
        ("columns_retyped", "These columns are written as a simpler type: gap.")
    ]


@pytest.mark.parametrize("names", ["category category", "Category Category_2"])
def test_columns_of_the_added_names_and_twins_are_left_alone(tmp_path: Path, names: str) -> None:
    own = ("email", *names.split())
    run = clean(write(tmp_path / "list.parquet", pa.table([["a@x.de"], [1], [2]], names=own)))
    added = ("category_3" if "_2" in names else "category_2", "domain_type")
    assert pq.read_schema(run.folder / "result").names == [*own, *added]
    assert [one.code for one in run.outcome.notices] == ["columns_renamed"]
    assert run.rows.columns == own
    read = duckdb.read_parquet(f"{run.folder}/result").select(f"{own[1]}, {', '.join(added)}")
    assert read.fetchall() == [(1, *map(str, judge_all(["a@x.de"])[0]))]
    csv = run.rows.stream(Export(choice=DownloadChoice(file_format=FileFormat.CSV)))
    assert next(csv).decode().strip() == ",".join((*own, *added))


def test_the_column_is_found_by_name_or_by_what_it_holds(tmp_path: Path) -> None:
    people = pa.table({"who": ["Ana", "Bo"], "write to": ["a@x.de", None], "E.Mail": [1, 2]})
    assert find_plan(write(tmp_path / "a.parquet", people)).email_column == 1
    path = write(tmp_path / "b.parquet", pa.table({"who": ["Ana", "Bo"]}))
    with pytest.raises(EmailColumnMissing):
        find_plan(path)
    assert find_plan(path, column=0).email_column == 0


def test_nested_columns_and_moments_are_shown_as_text(tmp_path: Path) -> None:
    moment = datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC)
    table = pa.table(
        {
            "email": ["a@x.de"],
            "tags": [["ü", None]],
            "place": [{"zip": 1, "at": date(2024, 1, 2)}],
            "moment": pa.array([moment], pa.timestamp("s", "Europe/Berlin")),
            "raw": [b"\xff\x00"],
            "price": pa.array([Decimal("1.50")]),
            "name": pa.array([b"\xff!"]).view(pa.string()),
            "none": pa.nulls(1),
        }
    )
    run = clean(write(tmp_path / "list.parquet", table))
    (row,) = run.rows.page(RowFilter(), 0, 9).rows
    assert row.cells == (
        *("a@x.de", '["ü", null]', '{"zip": 1, "at": "2024-01-02"}', "2024-01-02 03:04:05.000Z"),
        *("ff00", "1.50", "\ufffd!", ""),
    )


def test_a_preview_reads_as_far_as_that_of_text(tmp_path: Path) -> None:
    table = pa.table({"email": [f"u{number}@frei.de" for number in range(9_000)]})
    path = write(tmp_path / "list.parquet", table, row_group_size=1_000)
    assert path.stat().st_size > 30_000
    preview = preview_list(path, find_plan(path), JUDGE, tmp_path, most_bytes=30_000)
    assert preview.read == 3_000  # the groups that it takes: 13 bytes a row


REPAIRED = [
    *("Ana <ana@frei.de>", "ana@frei.de.", None, "b @wegwerf.net", "no address", "info@firma.de"),
    *("ana@frei,de", "a@b.de; c@d.de", '"Ana, M." <m@frei.de>', "", "ü \uff20büro.de"),
    "ana@gmial.com",
] * 3


@pytest.mark.parametrize("place", RepairPlace)
@pytest.mark.parametrize("kind", TEXT_TYPES, ids=str)
def test_repaired_addresses_of_any_type(
    kind: pa.DataType, place: RepairPlace, tmp_path: Path
) -> None:
    table = {"n": range(len(REPAIRED)), "email": pa.array(REPAIRED, pa.string()).cast(kind)}
    path = write(tmp_path / "a.parquet", pa.table(table), row_group_size=7)
    run = clean(path, options=RunRequest(repair=replace(SAFE_REPAIRS, place=place)))
    repairs = [SAFE_REPAIRS.apply(email or "") for email in REPAIRED]
    judged = [one.new if one else email for one, email in zip(repairs, REPAIRED, strict=True)]
    found = pl.read_parquet(run.folder / "result")
    is_column = place is RepairPlace.COLUMN or "binary" in str(kind) or kind == pa.string_view()
    added = "email_repaired" if is_column else "email_original"
    assert found.columns == ["n", "email", added, "category", "domain_type"]
    assert found["n"].to_list() == list(range(len(REPAIRED)))
    own = pq.read_table(run.folder / "result")["email"]
    assert own.type == pq.read_schema(path).field("email").type
    assert own.cast(pa.string()).to_pylist() == (REPAIRED if is_column else judged)
    assert found[added].to_list() == (judged if is_column else REPAIRED)
    assert found["domain_type"].to_list() == [domain_type for _, domain_type in judge_all(judged)]
    assert sum(run.outcome.summary.repaired.values()) == sum(map(bool, repairs))
