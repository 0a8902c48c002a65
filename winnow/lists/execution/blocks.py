"""A file in blocks of whole records, worked on by threads and handed on in order."""

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from threading import Event
from typing import TypeVar

import numpy as np

from winnow.lists.execution.ordered import WORKER_COUNT, run_pool
from winnow.lists.text.block_reader import Block, BlockReader
from winnow.lists.text.records import RecordFault, find_line_breaks

BLOCK_BYTES = 8 << 20
_BYTES_PER_LOOK = 1 << 20

T = TypeVar("T")


def work_in_order(
    path: Path,
    offset: int,
    delimiter: int,
    work: Callable[[Block], T | None],
    *,
    block_bytes: int = BLOCK_BYTES,
    is_careful: bool = False,
) -> Generator[T, None, None]:
    """Work on a file's blocks in threads and yield what comes out, in the file's order.

    The threads read by turns, so that no more of them want a processor than there are workers.
    Closing the iterator ends them. ``work`` returns None for a block with stray quotes; reading
    then begins again there and ``is_careful``, so that all further blocks come with their quotes.

    Raises:
        BrokenFile: With the line.
    """
    with path.open("rb", buffering=0) as file, run_pool(WORKER_COUNT) as (pool, pending):
        reader = BlockReader(file, offset, delimiter, block_bytes, is_careful=is_careful)
        called_off = Event()  # none is cancelled: the next one may wait for the turn it gives

        def take(turn: Event, next_turn: Event) -> tuple[Block, T | None] | None:
            turn.wait()
            try:
                block = None if called_off.is_set() else reader.read()
            finally:
                next_turn.set()
            if block is None:
                return None
            try:
                return block, work(block)
            except RecordFault as fault:
                fault.position += block.offset
                raise

        turn = Event()
        turn.set()
        try:
            while True:
                while len(pending) <= WORKER_COUNT:
                    next_turn = Event()
                    pending.append(pool.submit(take, turn, next_turn))
                    turn = next_turn
                taken = pending.popleft().result()
                if taken is None:
                    return
                block, result = taken
                if result is None:
                    break
                yield result
        except RecordFault as fault:
            (line,) = find_lines(read_blocks(path), [fault.position])
            raise fault.name_line(line) from fault
        finally:
            called_off.set()
    yield from work_in_order(
        path, block.offset, delimiter, work, block_bytes=block_bytes, is_careful=True
    )


def skip_lines(path: Path, offset: int, count: int) -> bytes:
    """Return the first physical lines after an offset, as they are."""
    data, ends = b"", np.empty(0, np.int64)
    with path.open("rb") as file:
        file.seek(offset)
        while count > len(ends) - data.endswith(b"\r") and (piece := file.read(_BYTES_PER_LOOK)):
            data += piece
            ends = find_line_breaks(np.frombuffer(data, np.uint8))
    return data[: int(ends[min(count, len(ends)) - 1]) + 1] if count and len(ends) else b""


def find_lines(blocks: Iterable[bytes], positions: Sequence[int]) -> list[int]:
    """Return the physical line, from 1, of each position in bytes; positions rise.

    Blocks are read up to the last one: worth it only when there is something to say.
    """
    lines: list[int] = []
    line, offset, last = 1, 0, b""
    for piece in blocks:
        if last == b"\r" and piece[:1] == b"\n":
            line -= 1  # the CRLF was counted at its CR
        breaks = find_line_breaks(np.frombuffer(piece, np.uint8))
        while len(lines) < len(positions) and positions[len(lines)] < offset + len(piece):
            before = np.searchsorted(breaks, positions[len(lines)] - offset)
            lines.append(line + int(before))
        if len(lines) == len(positions):
            return lines
        line += len(breaks)
        offset += len(piece)
        last = piece[-1:]
    return lines + [line] * (len(positions) - len(lines))


def read_blocks(path: Path, offset: int = 0, block_bytes: int = _BYTES_PER_LOOK) -> Iterator[bytes]:
    """Yield a file's bytes from an offset on."""
    with path.open("rb") as file:
        file.seek(offset)
        yield from iter(partial(file.read, block_bytes), b"")
