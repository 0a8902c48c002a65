"""Bytes are on the disk before their name is, and the name before anybody is told."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from winnow.atomic_files import put_durably, write_atomically


def put(target: Path) -> None:
    (target.parent / "made").write_bytes(b"new")
    put_durably(target.parent / "made", target)


def write(target: Path) -> None:
    write_atomically(target, b"new")


@pytest.mark.parametrize("replace_file", [put, write])
def test_the_bytes_come_before_the_name_and_the_folder_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, replace_file: Callable[[Path], None]
) -> None:
    target = tmp_path / "kept"
    target.write_bytes(b"old")
    steps: list[str] = []
    fsync, replace = os.fsync, os.replace

    def record_fsync(descriptor: int) -> None:
        is_folder = Path(f"/proc/self/fd/{descriptor}").resolve() == tmp_path
        steps.append("sync the folder" if is_folder else "sync the file")
        fsync(descriptor)

    def record_replace(source: Path, to: Path) -> None:
        steps.append("rename")
        replace(source, to)

    monkeypatch.setattr(os, "fsync", record_fsync)
    monkeypatch.setattr(os, "replace", record_replace)
    replace_file(target)
    assert steps == ["sync the file", "rename", "sync the folder"]
    assert target.read_bytes() == b"new"
    assert target.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [target]


def test_a_write_that_fails_leaves_the_former_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "kept"
    write_atomically(target, b"old")

    def fail(_: int) -> None:
        raise OSError("no disk")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="no disk"):
        write_atomically(target, b"new")
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]
