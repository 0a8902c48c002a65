"""The C library's memory settings."""

import platform
import subprocess
import sys

import pytest

_EIGHT_THREADS = """
import ctypes, threading
from winnow.lists.execution.memory import share_arenas

share_arenas()
library, together = ctypes.CDLL(None), threading.Barrier(8)
library.malloc.restype = ctypes.c_void_p

def take():
    library.malloc(100_000)
    together.wait()

threads = [threading.Thread(target=take) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
library.fdopen.restype = ctypes.c_void_p
out = ctypes.c_void_p(library.fdopen(1, b"w"))
library.malloc_info(0, out)
library.fflush(out)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="arenas are glibc's")
def test_threads_share_two_arenas() -> None:
    found = subprocess.run([sys.executable, "-c", _EIGHT_THREADS], capture_output=True, check=True)
    assert 1 <= found.stdout.count(b"<heap nr=") <= 2
