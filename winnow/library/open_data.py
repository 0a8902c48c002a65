"""The compiled domain data of this installation, opened once a process."""

import logging
import tempfile
from functools import cache
from pathlib import Path

import platformdirs

from winnow.domain_data.loader import compile_in_memory, open_knowledge, read_own_file
from winnow.domain_data.look_up.look_up import Knowledge

_log = logging.getLogger(__name__)


@cache
def open_domain_data() -> Knowledge:
    """Open the data from the platform's cache folder, compiled there by the first process.

    Where that folder cannot be used, it is compiled for this process alone.
    """
    try:
        return open_knowledge(_make_folder(), keeps_older=True)
    except OSError as error:
        _log.warning("no folder for compiled domain data: %s", type(error).__name__)
        return compile_in_memory()


def read_domain_data() -> bytes:
    """Return the compiled file of this installation."""
    try:
        return read_own_file(_make_folder())
    except OSError:
        with tempfile.TemporaryDirectory() as folder:
            return read_own_file(Path(folder))


def _make_folder() -> Path:
    folder = platformdirs.user_cache_path("winnow", appauthor=False) / "domain-data"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
