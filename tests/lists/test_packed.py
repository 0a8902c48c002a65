"""Lists packed with gzip and Zstandard: what is read, what is refused, what goes back."""

import gzip
import io
import shutil
import subprocess
import zlib
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.lists.delimited_support import clean, read, scratch_folder
from winnow.core.errors import BrokenFile
from winnow.core.lists.file_format import FileFormat
from winnow.lists.formats.packed.read import unpack
from winnow.lists.formats.packed.write import pack
from winnow.lists.inspect import measure_content, read_head
from winnow.lists.unpacked_size import FREE_BYTES

LIST = b"id;email\r\n1;ana@frei.de\r\n2;ANA@frei.de\r\n3;bo@wegwerf.net\r\n"
ZSTD = shutil.which("zstd")


def run_tool(content: bytes, *command: str) -> bytes:
    return subprocess.run(command, input=content, capture_output=True, check=True).stdout


def pack_zstd(content: bytes) -> bytes:
    return b"".join(pack([content], "zstd"))


PACKERS: dict[str, Callable[[bytes], bytes]] = {"gz": gzip.compress, "zst": pack_zstd}


def run(content: bytes, name: str) -> dict[str, bytes]:
    """Return every file that a run leaves, by its name."""
    with scratch_folder() as folder:
        done = clean(content, Path(folder), name)
        return {path.name: path.read_bytes() for path in done.folder.iterdir()}


@pytest.mark.parametrize("packing", PACKERS)
@pytest.mark.parametrize(
    ("extension", "content"),
    [
        ("csv", LIST),
        ("tsv", LIST.replace(b";", b"\t")),
        ("txt", b"ana@frei.de\nbo@wegwerf.net\n"),
        ("csv", "nr,email,ort\n1,ana@frei.de,Köln\n".encode("utf-16")),
        ("csv", "nr,email,ort\n1,ana@frei.de,Köln\n".encode("cp1252")),
        ("csv", b'a,email\n"x\\"y",ana@frei.de\n"z\\"",bo@wegwerf.net\n'),
    ],
)
def test_a_packed_list_runs_as_the_plain_one(extension: str, content: bytes, packing: str) -> None:
    packed = run(PACKERS[packing](content), f"list.{extension}.{packing}")
    assert packed == run(content, f"list.{extension}")


@pytest.mark.parametrize("packing", PACKERS)
def test_the_head_is_the_plain_one_s(tmp_path: Path, packing: str) -> None:
    path = tmp_path / "input"
    path.write_bytes(PACKERS[packing](LIST))
    head = read_head(path, f"Liste.CSV.{packing.upper()}", scratch=tmp_path)
    assert head.file_format is FileFormat(f"csv.{packing}")
    assert (head.columns, head.row_count, head.delimiter) == (("id", "email"), 3, ";")
    assert [one.name for one in tmp_path.iterdir()] == ["input"]  # nothing passing stays
    assert measure_content(path, f"list.csv.{packing}", 1 << 30) == len(LIST)


def test_what_gzip_and_python_pack_is_read_in_all_its_members(tmp_path: Path) -> None:
    named = io.BytesIO()
    with gzip.GzipFile("Liste für März.csv", "wb", fileobj=named) as file:
        file.write(LIST[:20])
    path = tmp_path / "list.csv.gz"
    path.write_bytes(
        named.getvalue()
        + run_tool(LIST[20:30], "gzip", "-9", "-c")
        + gzip.compress(b"")
        + gzip.compress(LIST[30:], 1)
    )
    assert b"".join(unpack(path, "gzip")) == LIST


@pytest.mark.skipif(ZSTD is None, reason="no zstd on this machine")
def test_what_zstd_packs_is_read_in_all_its_frames(tmp_path: Path) -> None:
    assert ZSTD is not None
    skippable = b"\x53\x2a\x4d\x18\x05\0\0\0hello"  # RFC 8878, 3.1.2
    path = tmp_path / "list.csv.zst"
    path.write_bytes(
        skippable
        + run_tool(LIST[:20], ZSTD, "-19", "-c")
        + skippable
        + run_tool(b"", ZSTD, "-c")
        + run_tool(LIST[20:], ZSTD, "--no-check", "--long=27", "-c")
    )
    assert b"".join(unpack(path, "zstd")) == LIST
    assert read_head(path, path.name).row_count == 3


@given(st.lists(st.binary(max_size=3000), max_size=8))
def test_what_is_packed_is_what_other_programs_unpack(chunks: list[bytes]) -> None:
    content = b"".join(chunks)
    gz, zst = (b"".join(pack(chunks, codec)) for codec in ("gzip", "zstd"))
    assert gzip.decompress(gz) == content
    assert gz == b"".join(pack(chunks, "gzip")), "no time is written"
    assert pa.CompressedInputStream(pa.BufferReader(zst), "zstd").read() == content


GZIP, ZSTD_FILE = gzip.compress(LIST, mtime=0), pack_zstd(LIST)
DAMAGE = [
    *(("gz", GZIP[:end], "too early") for end in (-9, -3, 12, 3)),
    ("gz", GZIP + GZIP[:-1], "too early"),
    ("gz", GZIP[:-8] + b"\0" * 8, "damaged"),
    ("gz", GZIP[:-4] + b"\0" * 4, "damaged"),
    ("gz", GZIP[:10] + b"\xff" * 20, "damaged"),
    ("gz", b"\x1f\x8b\x07" + GZIP[3:], "damaged"),
    *(("gz", GZIP + more, "not packed") for more in (b"hello", b"\0" * 512)),
    *(("zst", ZSTD_FILE[:end], "too early") for end in (-1, 5)),
    ("zst", ZSTD_FILE + ZSTD_FILE[:-2], "too early"),
    ("zst", ZSTD_FILE + b"hello", "not packed"),
    ("zst", ZSTD_FILE[:6] + b"\xff" * 20, "damaged"),
    # RFC 8878, 3.1.1.1: a window of 2 GiB; a dictionary with the id 7.
    ("zst", b"\x28\xb5\x2f\xfd\x00" + bytes([(31 - 10) << 3]) + b"\x01\x00\x00", "128 MiB"),
    ("zst", b"\x28\xb5\x2f\xfd\x21\x07\x05" + b"\x29\x00\x00hello", "dictionary"),
]


@pytest.mark.parametrize(("packing", "content", "words"), DAMAGE)
def test_damage_is_named(packing: str, content: bytes, words: str) -> None:
    with pytest.raises(BrokenFile, match=words) as caught:
        read(content, f"list.csv.{packing}")
    assert caught.value.hint


@pytest.mark.slow
def test_a_bomb_is_refused_before_it_fills_anything(tmp_path: Path) -> None:
    zeros = zlib.compressobj(9, wbits=31)
    gz = b"".join(zeros.compress(bytes(1 << 20)) for _ in range(200)) + zeros.flush()
    zst = b"".join(pack((bytes(1 << 20) for _ in range(200)), "zstd"))
    for packing, content in (("gz", gz), ("zst", zst)):
        path = tmp_path / "input"
        path.write_bytes(content)
        with pytest.raises(BrokenFile, match="unpacks to more than"):
            measure_content(path, f"list.csv.{packing}", 1 << 40)
        with pytest.raises(BrokenFile, match="no ordinary list"):
            read_head(path, f"list.csv.{packing}", scratch=tmp_path)
        assert [one.name for one in tmp_path.iterdir()] == ["input"]
        assert measure_content(path, f"list.csv.{packing}", 5000) < FREE_BYTES
