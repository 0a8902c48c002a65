"""Blocks come in the file's order whatever happens to one of them, and no thread is left behind."""

import gc
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from threading import Event
from typing import BinaryIO

import pytest

from tests.server import PROJECT
from tests.waiting import PATIENCE_SECONDS, threads_end
from winnow.lists.execution.blocks import work_in_order
from winnow.lists.execution.ordered import hand_on, map_in_order
from winnow.lists.text import block_reader
from winnow.lists.text.block_reader import Block
from winnow.lists.text.records import Bytes, scan_records

COMMA = ord(",")
LINES = [b"a%d,b\n" % number for number in range(60)]


@pytest.fixture(autouse=True)
def no_thread_is_left() -> Iterator[None]:
    with threads_end():
        yield


def take_records(block: Block) -> list[bytes] | None:
    """Cut a block into its records; None where a quote is stray."""
    records = scan_records(block.data, COMMA, block.quotes, 2)
    if records is None:
        return None
    bounds = zip(records.starts.tolist(), records.ends.tolist(), strict=True)
    return [block.data[start:end].tobytes() for start, end in bounds]


def write(folder: Path, *lines: bytes) -> Path:
    path = folder / "list"
    path.write_bytes(b"".join(lines))
    return path


@pytest.mark.parametrize("block_bytes", [7, 1 << 20])
@pytest.mark.parametrize(
    "odd",
    [
        pytest.param(b'5" x,b\n', id="stray"),
        pytest.param(b'5" x,"b\nc"\n', id="stray-before-a-break-in-quotes"),
        pytest.param(b'a,"b"\nc,5" "d"\n', id="strays-in-pairs"),
        pytest.param(b'a,"b\n""\r\nc,"\n', id="doubled"),
    ],
)
def test_quotes_are_told_where_blocks_end_by_their_lines(
    odd: bytes, block_bytes: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(block_reader, "LINES_PER_BLOCK", 3)
    monkeypatch.setattr(block_reader, "_GROWTH_BYTES", 5)
    indices = (0, 29, 30, 59)
    lines = [odd if place in indices else line for place, line in enumerate(LINES)]
    path = write(tmp_path, *lines)
    found = work_in_order(path, 0, COMMA, take_records, block_bytes=block_bytes)
    records = [record for block in found for record in block]
    ends = odd.split(b"\n")
    cut_up = [part + b"\n" for part in ends[:-1]] if odd.startswith(b'a,"b"') else [odd]
    wanted = [cut_up if place in indices else [line] for place, line in enumerate(LINES)]
    assert records == [record for some in wanted for record in some]


def test_a_file_that_becomes_shorter_ends_the_work(tmp_path: Path) -> None:
    path = write(tmp_path, *LINES)

    def work(block: Block) -> int:
        path.write_bytes(b"")
        return block.offset

    with pytest.raises(OSError, match="shorter"):
        list(work_in_order(path, 0, COMMA, work, block_bytes=8))


@pytest.mark.parametrize("block_count", [0, 1, 2, 5])
def test_closing_early_ends_the_threads(block_count: int, tmp_path: Path) -> None:
    found = work_in_order(write(tmp_path, *LINES), 0, COMMA, take_records, block_bytes=8)
    for _ in range(block_count):
        next(found)
    found.close()  # type: ignore[attr-defined]


def test_work_is_done_by_turns_where_one_block_takes_long(tmp_path: Path) -> None:
    later = Event()

    def work(block: Block) -> int:
        if block.offset == 0:
            assert later.wait(PATIENCE_SECONDS)
        later.set()
        return block.offset

    found = list(work_in_order(write(tmp_path, *LINES), 0, COMMA, work, block_bytes=8))
    assert found == sorted(found)


@pytest.mark.slow
def test_what_is_called_off_waits_for_no_turn(tmp_path: Path) -> None:
    """Wherever threads change places: a process of its own, which can be ended if it stands still.

    Cancelling was not enough: one may be taken from the queue, cancelled before it runs, and owe
    the next one its turn.
    """
    path = write(tmp_path, *[b'5" x,b\n', b"a,b\n"] * 6)
    script = f"""if True:
        import sys
        from pathlib import Path
        from tests.lists.test_blocks import COMMA, take_records
        from winnow.lists.execution import blocks
        sys.setswitchinterval(1e-6)
        blocks.WORKER_COUNT = 8
        for _ in range(1200):
            found = blocks.work_in_order(
                Path({str(path)!r}), 0, COMMA, take_records, block_bytes=8
            )
            assert len(list(found)) > 1
    """
    subprocess.run(
        [sys.executable, "-c", script], cwd=PROJECT, check=True, timeout=PATIENCE_SECONDS
    )


@pytest.mark.parametrize("call", [1, 2, 9])
def test_a_turn_is_given_on_when_reading_fails(
    call: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill, calls = block_reader.fill_from, count(1)

    def fail(file: BinaryIO, data: Bytes) -> None:
        if next(calls) == call:
            raise MemoryError
        fill(file, data)

    monkeypatch.setattr(block_reader, "fill_from", fail)
    with pytest.raises(MemoryError):
        list(work_in_order(write(tmp_path, *LINES), 0, COMMA, take_records, block_bytes=8))


@pytest.mark.parametrize(
    "begin",
    [
        pytest.param(lambda path: work_in_order(path, 0, COMMA, take_records), id="blocks"),
        pytest.param(lambda _: map_in_order(str, count()), id="map"),
        pytest.param(lambda _: hand_on(count(), str), id="hand-on"),
    ],
)
def test_the_garbage_collector_ends_an_iterator_without_join(
    begin: Callable[[Path], Iterator[object]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may run in a starting thread, which holds the lock that ``join`` waits for."""
    items = begin(write(tmp_path, *LINES))
    next(items)
    joined: list[threading.Thread] = []
    cycle: list[object] = [items]
    cycle.append(cycle)
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "join", lambda thread, *_: joined.append(thread))
        del items, cycle
        gc.collect()
    assert not joined
