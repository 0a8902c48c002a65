"""Every byte arrives in order, past the page cache or through it; a failed write is no secret."""

import errno
import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.waiting import threads_end
from winnow.lists.execution import durable_file
from winnow.lists.execution.durable_file import DurableFile

BUFFER_BYTES = 1 << 16


@pytest.fixture(autouse=True)
def small_buffers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(durable_file, "_BUFFER_BYTES", BUFFER_BYTES)
    monkeypatch.setattr(durable_file, "_BYTES_BETWEEN_SYNCS", 3 * BUFFER_BYTES)


def fill(file: DurableFile, buffer_count: int) -> None:
    """Write whole buffers and the rest of one."""
    for _ in range(buffer_count):
        file.write(np.ones(BUFFER_BYTES, np.uint8))
    file.write(np.ones(5, np.uint8))
    file.sync()


def refuse_direct_open(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = os.open

    def open_plainly(path: Path, flags: int, *others: Any, **named: Any) -> int:
        if flags & durable_file._DIRECT:
            raise OSError(errno.EINVAL, "no direct writes here")
        return opened(path, flags, *others, **named)  # a folder that is removed has a dir_fd

    monkeypatch.setattr(durable_file.os, "open", open_plainly)


def refuse_direct_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    written = os.write

    def write_plainly(file: int, data: memoryview) -> int:
        if durable_file.fcntl.fcntl(file, durable_file.fcntl.F_GETFL) & durable_file._DIRECT:
            raise OSError(errno.EINVAL, "not aligned enough")
        return written(file, data)

    monkeypatch.setattr(durable_file.os, "write", write_plainly)


def write_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    written = os.write
    monkeypatch.setattr(durable_file.os, "write", lambda file, data: written(file, data[:4097]))


def change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The system as it is."""


@pytest.mark.parametrize(
    "change", [change_nothing, refuse_direct_open, refuse_direct_writes, write_bits]
)
@pytest.mark.parametrize("size", [0, 1, BUFFER_BYTES, 9 * BUFFER_BYTES + 4097])
def test_what_is_written_stands_there(
    size: int,
    change: Callable[[pytest.MonkeyPatch], None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if not durable_file._DIRECT and change in {refuse_direct_open, refuse_direct_writes}:
        pytest.skip("this system has no direct writes")
    change(monkeypatch)
    data = np.random.default_rng(3).integers(0, 256, size, np.uint8)
    (tmp_path / "file").write_bytes(b"left by somebody else")
    with closing(DurableFile(tmp_path / "file")) as file:
        for start in range(0, size, 70_001):
            file.write(data[start : start + 70_001])
        file.sync()
    assert (tmp_path / "file").read_bytes() == data.tobytes()


@pytest.mark.parametrize("is_direct", [True, False])
@pytest.mark.parametrize("failing", [1, 2, 7, 10, 11])
@pytest.mark.parametrize("is_short", [True, False])
def test_whichever_write_fails_shows_and_closing_ends(
    failing: int,
    is_short: bool,
    is_direct: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Ten whole buffers and the rest of one: each may be the one that the disk has no room for."""
    if not is_direct and durable_file._DIRECT:
        refuse_direct_open(monkeypatch)
    written, sizes = os.write, list[int]()

    def run_full(file: int, data: memoryview) -> int:
        sizes.append(len(data))
        if len(sizes) < failing:
            return written(file, data)
        if is_short and len(sizes) == failing and len(data) > 4096:
            return written(file, data[:4096])  # as a disk does for what still fits
        raise OSError(errno.ENOSPC, "no space left")

    monkeypatch.setattr(durable_file.os, "write", run_full)
    with (
        threads_end(),
        closing(DurableFile(tmp_path / "file")) as file,
        pytest.raises(OSError, match="no space left"),
    ):
        fill(file, 10)


@pytest.mark.parametrize("failing", [1, 2, 3])
def test_a_failed_sync_shows(failing: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refuse_direct_open(monkeypatch)
    synced, calls = os.fsync, list[int]()

    def fail(file: int) -> None:
        calls.append(file)
        if len(calls) == failing:
            raise OSError(errno.EIO, "the disk is broken")
        synced(file)

    monkeypatch.setattr(durable_file.os, "fsync", fail)
    with closing(DurableFile(tmp_path / "file")) as file, pytest.raises(OSError, match="broken"):
        fill(file, 8)


def test_after_a_failure_no_sync_succeeds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A caller that goes on regardless must not think that all bytes are there."""
    written, is_full = os.write, [True]

    def run_full_once(file: int, data: memoryview) -> int:
        if is_full.pop() if is_full else False:
            raise OSError(errno.ENOSPC, "no space left")
        return written(file, data)

    monkeypatch.setattr(durable_file.os, "write", run_full_once)
    with closing(DurableFile(tmp_path / "file")) as file:
        file.write(np.ones(2 * BUFFER_BYTES, np.uint8))
        for _ in range(2):
            with pytest.raises(OSError, match="no space left"):
                file.sync()
