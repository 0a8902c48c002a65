"""A result becomes durable in the right order, and only whole."""

import os
from pathlib import Path

import pytest

from backend.store.publication import measure_folder, open_work_folder, publish


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
    assert publish(work_folder, tmp_path, "task.1") == 15
    assert steps == ["sync task.1.tmp", "rename task.1.tmp task.1", f"sync {tmp_path.name}"]
    assert measure_folder(tmp_path / "task.1") == 15


def test_a_work_folder_starts_empty(tmp_path: Path) -> None:
    (open_work_folder(tmp_path, "task.1") / "left over").touch()
    assert list(open_work_folder(tmp_path, "task.1").iterdir()) == []
