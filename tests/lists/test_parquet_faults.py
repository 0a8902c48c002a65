"""Parquet files that are damaged, cut off, encrypted or made to burst: an error each, no crash."""

import struct
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.lists.delimited_support import JUDGE, find_plan, read
from tests.lists.parquet_support import EMAILS, clean, write
from winnow.core.errors import BrokenFile, InputError
from winnow.core.lists.file_format import FileFormat
from winnow.core.tasks.input_plan import InputPlan
from winnow.lists.formats.parquet import read as source
from winnow.lists.formats.parquet.cell_texts import word_column
from winnow.lists.inspect import measure_content
from winnow.lists.preview import preview_list

PLAN = InputPlan(FileFormat.PARQUET, 0, ("email", "value"))


def render(**options: object) -> bytes:
    table = pa.table(
        {
            "email": list(EMAILS) * 8,
            "number": list(range(8 * len(EMAILS))),
            "tags": [["a", None]] * 8 * len(EMAILS),
            "group": pa.array(["x", "y"] * 4 * len(EMAILS)).dictionary_encode(),
        }
    )
    pq.write_table(table, out := BytesIO(), row_group_size=40, **options)
    return out.getvalue()


WHOLE = [render(), render(compression="zstd", data_page_version="2.0"), render(compression="none")]


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    whole=st.sampled_from(WHOLE),
    seed=st.integers(0, 1 << 30),
    hits=st.sampled_from((1, 1, 3, 9)),
    in_footer=st.booleans(),
)
def test_damaged_bytes_are_an_error_of_the_input(
    whole: bytes, seed: int, hits: int, in_footer: bool
) -> None:
    pick, data = Random(seed), bytearray(whole)
    first = len(data) * 3 // 4 if in_footer else 0
    for _ in range(hits):
        data[pick.randrange(first, len(data))] = pick.choice((0, 255, pick.randrange(256)))
    with TemporaryDirectory() as name:
        path = Path(name) / "list.parquet"
        path.write_bytes(data)
        with suppress(InputError):
            plan = find_plan(path)
            preview_list(path, plan, JUDGE, Path(name))
            measure_content(path, path.name, 1 << 30)
            clean(path, plan=plan)


ENDLESS = b"\x15\x02\x19\xfc" + b"\xff\xff\xff\xff\x0f" + b"\x18\x80\x80\x80\x80\x04"
CONTENTS = [
    *((WHOLE[0][: int(len(WHOLE[0]) * share)], "ends early") for share in (0.01, 0.3, 0.7, 0.99)),
    (b"PARE" + WHOLE[0][4:-4] + b"PARE", "encrypted"),
    (WHOLE[0][:-4] + b"PARE", "encrypted"),
    (b"PAR1" + b"\0" * 100 + struct.pack("<I", 0xFFFFFFF0) + b"PAR1", "longer than the file"),
    (b"PAR1" + ENDLESS + struct.pack("<I", len(ENDLESS)) + b"PAR1", "damaged"),
]


@pytest.mark.parametrize(("content", "words"), CONTENTS)
def test_what_is_no_whole_file_is_said(content: bytes, words: str) -> None:
    with pytest.raises(BrokenFile, match=words):
        read(content, "list.parquet")


@pytest.mark.parametrize(
    ("bound", "most", "words"),
    [
        ("MOST_FOOTER_BYTES", 1000, "description of itself"),
        ("MAX_COLUMNS", 3, "more than 3 columns"),
    ],
)
def test_more_than_a_file_may_have_is_refused(
    bound: str, most: int, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source, bound, most)
    with pytest.raises(BrokenFile, match=words):
        read(WHOLE[0], "list.parquet")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (pa.array(["y" * ((1 << 20) + 1)]), "a cell is longer than 1 MiB"),
        (pa.array([[1 << 62]], pa.list_(pa.timestamp("ms"))), "a date cannot be read"),
    ],
    ids=["long", "date"],
)
def test_a_cell_that_no_list_may_hold_is_refused(
    value: pa.Array, words: str, tmp_path: Path
) -> None:
    path = write(tmp_path / "list.parquet", pa.table({"email": ["a@x.de"], "value": value}))
    with pytest.raises(BrokenFile, match=f"Column 2: {words}"):
        clean(path, plan=PLAN)


def test_one_long_value_takes_its_memory_once() -> None:
    values = pa.array(["y" * 1_000_000, "z"])
    column = pa.DictionaryArray.from_arrays(pa.array([0, None, *[1] * 100_000]), values)
    cells = word_column(pa.chunked_array([column]), 0)
    assert pc.binary_length(cells).to_pylist() == [1_000_000, 0, *[1] * 100_000]
    assert (pa.default_memory_pool().max_memory() or 0) < 8 << 30  # reserved by any test before


@pytest.mark.parametrize("as_dictionary", [True, False])
def test_one_long_value_many_times_is_refused(tmp_path: Path, *, as_dictionary: bool) -> None:
    value = pa.array(["y" * 30_000] * 3_000).dictionary_encode()
    table = pa.table({"email": ["a@b.de"] * 3_000, "value": value})
    path = tmp_path / "a.parquet"
    write(path, table, compression="zstd", store_schema=as_dictionary)
    assert path.stat().st_size < 3_000
    with (
        source.open_parquet(path) as opened,
        pytest.raises(BrokenFile, match=r"unpacks to more than 67\.1 MB"),
    ):
        for _ in opened.read():
            pass


def test_a_footer_that_says_gigabytes_is_refused_unread(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.parquet",
        pa.table({"email": ["a@b.de"], "value": ["y" * (70 << 20)]}),
        compression="zstd",
        write_statistics=False,
    )
    with pytest.raises(BrokenFile, match="unpacks to more than"), source.open_parquet(path):
        pass
