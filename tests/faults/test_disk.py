"""A disk that fills up in the middle of anything, and the order in which things reach it."""

import errno
import random
from pathlib import Path

import pytest

from tests.faults.day import WORKBOOK, judge_day, open_day, pass_day
from tests.faults.disk import build_shim, find_compiler, run_on_shim
from tests.faults.durability import Record
from tests.full_disk import limited_file_size
from winnow.wiring import Application

FAILURES_A_SEED = 10

needs_compiler = pytest.mark.skipif(
    find_compiler() is None, reason="the shim below the process is C; the size limit still runs"
)


@pytest.fixture(scope="session")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_shim(tmp_path_factory.mktemp("shim"))


@needs_compiler
@pytest.mark.parametrize("seed", range(2))
def test_any_write_may_fail(shim: Path, tmp_path: Path, seed: int) -> None:
    given = (str(tmp_path), str(FAILURES_A_SEED), str(seed))
    done = run_on_shim("days", *given, library=shim)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "every promise was kept" in done.stdout


@needs_compiler
@pytest.mark.parametrize(
    ("error", "said"),
    [
        (errno.ENOSPC, "The disk is full."),
        (errno.EIO, "The disk reports an input/output error."),
    ],
    ids=["full", "failing"],
)
def test_a_backup_that_fails_says_why_and_leaves_no_file(
    opened: Application, shim: Path, error: int, said: str
) -> None:
    opened.database.close()
    folder = opened.settings.data_dir
    done = run_on_shim("backup", str(folder), str(error), library=shim)
    assert done.returncode == 0, done.stderr
    *failed, name, last = done.stdout.splitlines()
    assert failed == ["1 "] * len(failed)
    assert len(failed) >= 3
    assert last == f"0 {name} 600"
    messages = [line for line in done.stderr.splitlines() if line.startswith("winnow: ")]
    assert messages == [f"winnow: {said}"] * len(failed)


@needs_compiler
def test_what_a_row_names_is_durable_before_the_row(shim: Path, tmp_path: Path) -> None:
    log, data_dir = tmp_path / "log", tmp_path / "data"
    done = run_on_shim("record", str(data_dir), str(log), library=shim)
    assert done.returncode == 0, done.stderr
    record = Record(data_dir)
    record.read(log.read_text().splitlines())
    assert record.faults == []
    assert record.commits > 4


@pytest.mark.parametrize("seed", range(4))
def test_any_file_may_reach_a_limit(tmp_path: Path, seed: int) -> None:
    """The same without a shim: no file may grow beyond a drawn size."""
    assert WORKBOOK.content  # made while the disk is whole
    opened = open_day(tmp_path / "data")
    size_bytes = random.Random(seed).choice((0, 200, 1500, 5_000, 20_000, 250_000))
    with limited_file_size(size_bytes):
        notes = pass_day(opened)
    opened.database.close()
    judge_day(tmp_path / "data", notes)
