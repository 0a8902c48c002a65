"""A zip written while it is sent: whole, readable everywhere, nothing when it was cut off."""

import io
import shutil
import subprocess
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from winnow.services.results.zip_stream import ZipMember, stream_zip

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
FILES = {
    "K\u00e4ufer \u6e05-cleaned.csv": b"email\r\n" + b"ana@frei.de\r\n" * 5000,
    "-..-etc-removed.csv": b"",
    "x-report.xlsx": bytes(range(256)) * 40,
}


def members() -> Iterator[ZipMember]:
    for name, content in FILES.items():
        chunks = (content[start : start + 999] for start in range(0, len(content), 999))
        yield ZipMember(name, chunks, is_packed=name.endswith("xlsx"))


@pytest.mark.parametrize("most_bytes", [1 << 40, 1 << 20], ids=["sizes-of-eight-bytes", "usual"])
def test_what_went_in_comes_out_and_unzip_finds_no_fault(most_bytes: int, tmp_path: Path) -> None:
    path = tmp_path / "files.zip"
    path.write_bytes(b"".join(stream_zip(members(), NOON, most_bytes)))
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        assert {info.filename: archive.read(info) for info in archive.infolist()} == FILES
        assert {info.date_time for info in archive.infolist()} == {(2026, 11, 20, 12, 0, 0)}
        kinds = {info.filename: info.compress_type for info in archive.infolist()}
    assert kinds["x-report.xlsx"] == zipfile.ZIP_STORED
    if unzip := shutil.which("unzip"):
        subprocess.run([unzip, "-tqq", path], check=True, capture_output=True)


def test_the_same_files_give_the_same_bytes() -> None:
    assert list(stream_zip(members(), NOON, 1)) == list(stream_zip(members(), NOON, 1))


def test_a_file_that_fails_in_the_middle_leaves_no_readable_zip() -> None:
    def fail() -> Iterator[bytes]:
        yield b"x" * 100_000
        raise FileNotFoundError

    sent: list[bytes] = []
    with pytest.raises(FileNotFoundError):
        sent.extend(stream_zip(iter([ZipMember("a", fail())]), NOON, 1))
    assert not zipfile.is_zipfile(io.BytesIO(b"".join(sent)))


def test_whoever_hangs_up_leaves_nothing_open() -> None:
    closed = []

    def watch() -> Iterator[bytes]:
        try:
            while True:
                yield bytes(1 << 16)
        finally:
            closed.append(True)

    chunks = stream_zip(iter([ZipMember("a", watch())]), NOON, 1)
    next(chunks)
    chunks.close()  # type: ignore[attr-defined]
    assert closed


def test_a_file_is_asked_for_only_when_its_turn_comes() -> None:
    asked = []

    def list_members() -> Iterator[ZipMember]:
        for name in "abc":
            asked.append(name)
            yield ZipMember(name, iter([name.encode()]))

    next(stream_zip(list_members(), NOON, 1))
    assert asked == ["a"]
