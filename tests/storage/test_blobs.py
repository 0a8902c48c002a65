"""Blob storage: what every implementation of the port must do, shown by the data folder."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import pytest

from winnow.core.blobs import BlobKey, BlobKind
from winnow.core.ports import Blobs
from winnow.storage.blobs.checksums import SUMS_NAME, find_damaged, is_whole
from winnow.storage.blobs.folder import DataFolder
from winnow.storage.blobs.local_blobs import LocalBlobs

ID = str(UUID(int=7))
INPUT = BlobKey(BlobKind.INPUT, ID)
RESULT = BlobKey(BlobKind.RESULT, f"{ID}.1")
VARIANT = BlobKey(BlobKind.VARIANT, f"{'a' * 64}.1.cleaned.xlsx")


@pytest.fixture
def blobs(tmp_path: Path) -> Blobs:
    folder = DataFolder(tmp_path / "data")
    folder.prepare()
    return LocalBlobs(folder.root)


def put(blobs: Blobs, *pieces: bytes) -> None:
    writer = blobs.create(INPUT)
    for piece in pieces:
        writer.write(piece)
    writer.commit()
    writer.abort()  # nothing any more


def read(blobs: Blobs, key: BlobKey = INPUT) -> bytes:
    return b"".join(blobs.read_blob(key))


def list_keys(blobs: Blobs, kind: BlobKind) -> list[BlobKey]:
    return [found.key for found in blobs.list(kind)]


def put_result(blobs: Blobs) -> None:
    with blobs.stage(RESULT) as folder:
        (folder / "result").write_bytes(b"x" * 10)
        (folder / "rows.json").write_bytes(b"y" * 5)


def test_what_was_put_is_there(blobs: Blobs) -> None:
    writer = blobs.create(INPUT)
    writer.write(b"x")
    writer.abort()
    assert not blobs.list(BlobKind.INPUT)
    put(blobs, b"first ", b"then")
    assert (blobs.size(INPUT), blobs.fetch(INPUT).read_bytes()) == (10, b"first then")
    assert read(blobs) == b"first then"
    (found,) = blobs.list(BlobKind.INPUT)
    assert found.key == INPUT
    assert timedelta() <= datetime.now(UTC) - found.changed_at < timedelta(minutes=1)
    assert not blobs.list(BlobKind.RESULT)
    with pytest.raises(FileExistsError):  # a name is given once
        blobs.create(INPUT)


@pytest.mark.parametrize("key", [INPUT, RESULT, RESULT.with_part("result"), VARIANT])
def test_what_is_not_there_is_named_so(blobs: Blobs, key: BlobKey) -> None:
    asked: tuple[Callable[[], object], ...] = (
        lambda: blobs.fetch(key),
        lambda: blobs.size(key),
        lambda: list(blobs.read_blob(key)),
    )
    for ask in asked:
        with pytest.raises(FileNotFoundError):
            ask()
    assert blobs.delete(key)


def test_a_result_has_parts(blobs: Blobs, tmp_path: Path) -> None:
    left = tmp_path / "data" / "results" / f"{RESULT.name}.tmp"  # by a killed worker
    left.mkdir()
    (left / "left over").touch()
    assert [key.name for key in list_keys(blobs, BlobKind.RESULT)] == [left.name]
    put_result(blobs)
    sums_bytes = blobs.size(RESULT.with_part(SUMS_NAME))
    assert blobs.size(RESULT) == 15 + sums_bytes
    assert {path.name for path in blobs.fetch(RESULT).iterdir()} == {
        *("result", "rows.json", SUMS_NAME)
    }
    assert blobs.fetch(RESULT.with_part("result")).read_bytes() == b"x" * 10
    assert read(blobs, RESULT.with_part("rows.json")) == b"y" * 5
    assert list_keys(blobs, BlobKind.RESULT) == [RESULT]
    assert is_whole(blobs, RESULT)
    assert find_damaged(blobs, RESULT) == []
    assert blobs.delete(RESULT)
    assert not blobs.list(BlobKind.RESULT)
    assert not is_whole(blobs, RESULT)


@pytest.mark.parametrize("name", ["result", "rows.json", SUMS_NAME])
def test_a_missing_part_and_a_changed_bit_are_found(blobs: Blobs, name: str) -> None:
    put_result(blobs)
    path = blobs.fetch(RESULT.with_part(name))
    content = path.read_bytes()
    path.write_bytes(bytes([content[0] ^ 1]) + content[1:])
    assert find_damaged(blobs, RESULT) == [name]
    blobs.delete(RESULT.with_part(name))
    # a result from before checksums is left alone
    assert is_whole(blobs, RESULT) is (name == SUMS_NAME)
    assert find_damaged(blobs, RESULT) == [one for one in [name] if one != SUMS_NAME]


@pytest.mark.parametrize("key", [RESULT, VARIANT])
def test_what_was_not_finished_is_not_put(blobs: Blobs, key: BlobKey) -> None:
    def stage(content: bytes, *, is_finished: bool) -> None:
        with blobs.stage(key) as path:  # room starts empty
            assert not path.is_file()
            assert not path.is_dir() or not list(path.iterdir())
            (path / "result" if key is RESULT else path).write_bytes(content)
            with pytest.raises(FileNotFoundError):
                blobs.fetch(key)
            if not is_finished:
                raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        stage(b"half", is_finished=False)
    assert not blobs.list(key.kind)
    stage(b"whole", is_finished=True)
    assert list_keys(blobs, key.kind) == [key]
    whole = key.with_part("result") if key is RESULT else key
    assert blobs.fetch(whole).read_bytes() == b"whole"


def test_scratch_is_gone_afterwards(blobs: Blobs) -> None:
    with blobs.scratch() as folder:
        (folder / "passing").write_bytes(b"x")
        assert blobs.remove_scratch(datetime.now(UTC) - timedelta(hours=1)) == 0
    assert not folder.exists()
    assert not blobs.list(BlobKind.VARIANT)


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "..\\a"])
def test_no_name_leads_elsewhere(name: str) -> None:
    with pytest.raises(ValueError, match="not the name"):
        BlobKey(BlobKind.INPUT, name)
    with pytest.raises(ValueError, match="not the name"):
        RESULT.with_part(name)
