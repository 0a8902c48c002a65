"""Writer for a large file that is synced to disk while it is written."""

import errno
import os
import sys
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from mmap import mmap
from pathlib import Path

import numpy as np

from winnow.lists.execution.ordered import end_pool
from winnow.lists.text.records import Bytes

_BUFFER_BYTES = 4 << 20
_PIECES_WAITING_MAX = 2  # a caller that gives more waits for the disk
_BYTES_BETWEEN_SYNCS = 64 << 20

if sys.platform == "linux":
    import fcntl

    _DIRECT = os.O_DIRECT
else:
    _DIRECT = 0


class DurableFile:
    """Appends to a new file; a thread of its own writes, past the system's page cache if it can.

    Every byte must be on the disk before a result is published. Through the page cache each of
    them is copied once more, and the run waits for the disk at the end. Where the file system
    will not have it, the cache is used, and synced now and then meanwhile.

    What is given to ``write`` is not to be changed afterwards. A failed write shows as an OSError
    of some later ``write`` and of every ``sync``.
    """

    def __init__(self, path: Path) -> None:
        self._is_direct = bool(_DIRECT)
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_CLOEXEC", 0)
        flags |= getattr(os, "O_BINARY", 0)
        try:
            self._file = os.open(path, flags | _DIRECT, 0o666)
        except OSError as error:
            if error.errno != errno.EINVAL:
                raise
            self._is_direct = False
            self._file = os.open(path, flags, 0o666)
        self._thread = ThreadPoolExecutor(1)
        self._waiting: deque[Future[None]] = deque()
        self._buffer = np.frombuffer(mmap(-1, _BUFFER_BYTES), np.uint8)  # at a page, as disks want
        self._filled = 0
        self._unsynced_bytes = 0

    def write(self, data: Bytes) -> None:
        """Append."""
        self._wait_for_pieces(_PIECES_WAITING_MAX - 1)
        self._waiting.append(self._thread.submit(self._append, data))

    def sync(self) -> None:
        """Wait until every byte is on the disk; nothing is appended afterwards."""
        self._wait_for_pieces(0)
        if self._is_direct:
            self._use_page_cache()  # the last bytes fill no block of the disk
        self._write(self._buffer[: self._filled])
        self._filled = 0
        os.fsync(self._file)

    def close(self) -> None:
        """End the thread and close the file."""
        for future in self._waiting:
            future.cancel()
        end_pool(self._thread, self._waiting)
        os.close(self._file)

    def _wait_for_pieces(self, most: int) -> None:
        while len(self._waiting) > most:
            self._waiting[0].result()  # a failure stays there
            self._waiting.popleft()

    def _append(self, data: Bytes) -> None:
        while len(data):
            piece = data[: _BUFFER_BYTES - self._filled]
            self._buffer[self._filled : self._filled + len(piece)] = piece
            self._filled += len(piece)
            data = data[len(piece) :]
            if self._filled == _BUFFER_BYTES:
                self._write(self._buffer)
                self._filled = 0

    def _write(self, buffer: Bytes) -> None:
        view = buffer.data
        while len(view):
            try:
                view = view[os.write(self._file, view) :]
            except OSError as error:
                if not self._is_direct or error.errno != errno.EINVAL:
                    raise
                self._use_page_cache()
        self._unsynced_bytes += len(buffer)
        if not self._is_direct and self._unsynced_bytes >= _BYTES_BETWEEN_SYNCS:
            os.fsync(self._file)
            self._unsynced_bytes = 0

    def _use_page_cache(self) -> None:
        if sys.platform == "linux":
            flags = fcntl.fcntl(self._file, fcntl.F_GETFL)
            fcntl.fcntl(self._file, fcntl.F_SETFL, flags & ~_DIRECT)
        self._is_direct = False
