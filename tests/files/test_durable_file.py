"""Every byte arrives in order, past the page cache or through it; a failed write is no secret."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from backend.files.engine import durable_file
from backend.files.engine.durable_file import DurableFile
from tests.full_disk import limited_file_size

BUFFER_BYTES = 1 << 16


@pytest.fixture(autouse=True)
def small_buffers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(durable_file, "_BUFFER_BYTES", BUFFER_BYTES)
    monkeypatch.setattr(durable_file, "_BYTES_BETWEEN_SYNCS", 3 * BUFFER_BYTES)


def refuse_direct_open(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = os.open

    def open_plainly(path: Path, flags: int, mode: int) -> int:
        if flags & durable_file._DIRECT:
            raise OSError(errno.EINVAL, "no direct writes here")
        return opened(path, flags, mode)

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
    file = DurableFile(tmp_path / "file")
    try:
        for start in range(0, size, 70_001):
            file.write(data[start : start + 70_001])
        file.sync()
    finally:
        file.close()
    assert (tmp_path / "file").read_bytes() == data.tobytes()


def test_a_full_disk_shows(tmp_path: Path) -> None:
    file = DurableFile(tmp_path / "file")

    def fill() -> None:
        for _ in range(40):
            file.write(np.ones(BUFFER_BYTES, np.uint8))
        file.sync()

    try:
        with (
            limited_file_size(2 * BUFFER_BYTES + 4096),
            pytest.raises(OSError, match="too large"),
        ):
            fill()
    finally:
        file.close()
