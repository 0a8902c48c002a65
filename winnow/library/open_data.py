"""The compiled domain data of this installation, opened once a process."""

import logging
from functools import cache

import platformdirs

from winnow.domain_data.loader import compile_in_memory, open_knowledge
from winnow.domain_data.look_up.look_up import Knowledge

_log = logging.getLogger(__name__)


@cache
def open_domain_data() -> Knowledge:
    """Open the data from the platform's cache folder, compiled there by whoever comes first.

    Where that folder cannot be used, it is compiled for this process alone.
    """
    folder = platformdirs.user_cache_path("winnow", appauthor=False) / "domain-data"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return open_knowledge(folder, keeps_older=True)
    except OSError as error:
        _log.warning("no folder for compiled domain data: %s", type(error).__name__)
        return compile_in_memory()
