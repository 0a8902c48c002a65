"""The shim between a process and its disk: built when needed, called from within the process."""

import ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).with_name("disk_shim.c")


def find_compiler() -> str | None:
    """Return a C compiler, if this machine has one."""
    return shutil.which("cc") or shutil.which("gcc")


def build_shim(folder: Path) -> Path:
    """Compile the shim into a folder; return the library."""
    compiler = find_compiler()
    assert compiler is not None
    library = folder / "disk_shim.so"
    command = [compiler, "-shared", "-fPIC", "-O1", "-w", "-o", str(library), str(SOURCE)]
    subprocess.run(command, check=True)
    return library


def run_on_shim(*arguments: str, library: Path) -> subprocess.CompletedProcess[str]:
    """Run ``tests.faults.shimmed``: its process has the shim below it."""
    return subprocess.run(
        [sys.executable, "-m", "tests.faults.shimmed", *arguments],
        env={**os.environ, "LD_PRELOAD": str(library)},
        capture_output=True,
        text=True,
        check=False,
    )


class Disk:
    """The shim below this very process.

    Raises:
        AttributeError: The process was not started with it.
    """

    def __init__(self) -> None:
        self._shim = ctypes.CDLL(None)
        self._shim.disk_heal.restype = ctypes.c_long
        self._shim.disk_fail.argtypes = (
            *(ctypes.c_char_p, ctypes.c_long, ctypes.c_int, ctypes.c_int),
        )

    def fail(self, folder: Path, nth: int, error: int, *, is_lasting: bool) -> None:
        """Fail the nth write below a folder with an errno, and all after it if that lasts.

        They are counted from now on; the nth of 0 is none.
        """
        self._shim.disk_fail(os.fsencode(folder), nth, error, int(is_lasting))

    def heal(self) -> int:
        """Fail no more; return how many writes there were."""
        return int(self._shim.disk_heal())

    def record(self, folder: Path, log: Path) -> None:
        """Note each write, sync and rename below a folder in a file elsewhere."""
        self._shim.disk_record(os.fsencode(folder), os.fsencode(log))
