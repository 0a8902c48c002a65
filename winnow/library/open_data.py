"""The compiled domain data of this installation, opened once a process, or sent to others."""

import logging
from dataclasses import dataclass, field
from functools import cache, lru_cache

import platformdirs

from winnow.core.release import VERSION
from winnow.domain_data.build.build import fingerprint_sources
from winnow.domain_data.compiled_file import parse_compiled
from winnow.domain_data.loader import compile_in_memory, open_knowledge
from winnow.domain_data.look_up.look_up import Knowledge

_log = logging.getLogger(__name__)


@cache
def open_domain_data() -> Knowledge:
    """Open the data from the platform's cache folder, compiled there by the first process.

    Where that folder cannot be used, it is compiled for this process alone.
    """
    try:
        folder = platformdirs.user_cache_path("winnow", appauthor=False) / "domain-data"
        folder.mkdir(parents=True, exist_ok=True)
        return open_knowledge(folder, keeps_older=True)
    except (OSError, RuntimeError) as error:  # the latter: there is no home
        _log.warning("no folder for compiled domain data: %s", type(error).__name__)
        return compile_in_memory()


class DomainDataDiffers(Exception):
    """A worker's Winnow or its domain data is of another version than where the run began."""


@dataclass(frozen=True, slots=True)
class ShippedData:
    """The compiled file, and the versions behind it. Small enough (4 MB) to be sent with a task.

    Attributes:
        release: Winnow's version.
        version: That of the domain data, as verdicts name it.
        fingerprint: A digest of all that the file was built from.
        content: The file; it contains its own digest.
    """

    release: str
    version: str
    fingerprint: str
    content: bytes = field(repr=False, compare=False)


def ship_domain_data() -> ShippedData:
    """Return the domain data of this installation; see ``winnow.ship_data``."""
    knowledge = open_domain_data()
    return ShippedData(VERSION, knowledge.data_version, fingerprint_sources(), knowledge.pack())


@lru_cache(maxsize=2)
def open_shipped(data: ShippedData) -> Knowledge:
    """Open the data that was sent, once a process.

    Raises:
        DomainDataDiffers: This installation would judge by other data or another policy.
        CompiledFileBroken: It was changed in transit.
    """
    if data.release != VERSION or data.fingerprint != fingerprint_sources():
        here = f"Winnow {VERSION} with domain data {open_domain_data().data_version}"
        msg = (
            f"this worker has {here}, the run began with Winnow {data.release} with domain data "
            f"{data.version}: install the same Winnow, and the same requirements, on all of them"
        )
        raise DomainDataDiffers(msg)
    return Knowledge(*parse_compiled(data.content, "the shipped domain data"))
