"""A disk that fills up, as far as one process can tell."""

import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def limited_file_size(size_bytes: int) -> Iterator[None]:
    """Make every write beyond a size fail with EFBIG, as a full disk does with ENOSPC."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
