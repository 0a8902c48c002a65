"""A result becomes durable in the right order, and only whole."""

import os
from pathlib import Path

import pytest

from winnow.storage.blobs.publication import (
    SUMS_NAME,
    find_damaged,
    measure_folder,
    open_work_folder,
    publish,
)


def test_contents_are_durable_before_the_name_and_the_name_before_the_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work_folder = open_work_folder(tmp_path, "task.1")
    (work_folder / "result").write_bytes(b"x" * 10)
    (work_folder / "rows.json").write_bytes(b"y" * 5)
    steps: list[str] = []
    fsync, replace = os.fsync, os.replace

    def record_fsync(descriptor: int) -> None:
        steps.append(f"sync {Path(f'/proc/self/fd/{descriptor}').readlink().name}")
        fsync(descriptor)

    def record_replace(source: Path, target: Path) -> None:
        steps.append(f"rename {source.name} {target.name}")
        replace(source, target)

    monkeypatch.setattr(os, "fsync", record_fsync)
    monkeypatch.setattr(os, "replace", record_replace)
    size_bytes = publish(work_folder, tmp_path, "task.1")
    assert steps == [
        f"sync {SUMS_NAME}",
        "sync task.1.tmp",
        "rename task.1.tmp task.1",
        f"sync {tmp_path.name}",
    ]
    assert size_bytes == measure_folder(tmp_path / "task.1")
    assert size_bytes == 15 + (tmp_path / "task.1" / SUMS_NAME).stat().st_size


def test_a_work_folder_starts_empty(tmp_path: Path) -> None:
    (open_work_folder(tmp_path, "task.1") / "left over").touch()
    assert list(open_work_folder(tmp_path, "task.1").iterdir()) == []


@pytest.mark.parametrize("name", ["result", "rows.json", SUMS_NAME])
def test_a_changed_bit_is_found(tmp_path: Path, name: str) -> None:
    work_folder = open_work_folder(tmp_path, "task.1")
    (work_folder / "result").write_bytes(b"x" * 10)
    (work_folder / "rows.json").write_bytes(b"y" * 5)
    publish(work_folder, tmp_path, "task.1")
    folder = tmp_path / "task.1"
    assert find_damaged(folder) == []
    content = bytearray((folder / name).read_bytes())
    content[0] ^= 1
    (folder / name).write_bytes(content)
    assert find_damaged(folder) == [name]


def test_a_result_from_before_checksums_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "result").write_bytes(b"x")
    assert find_damaged(tmp_path) == []
