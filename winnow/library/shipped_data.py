"""Compiled domain data sent to other machines, so that a run has one version of it."""

from dataclasses import dataclass, field
from functools import lru_cache

from winnow.core.release import VERSION
from winnow.domain_data.build.build import fingerprint_sources
from winnow.domain_data.compiled_file import NameTable, parse_compiled
from winnow.domain_data.look_up.look_up import Knowledge
from winnow.library.open_data import open_domain_data, read_domain_data


class DomainDataDiffers(Exception):
    """A worker's Winnow or its domain data is of another version than where the run began."""


@dataclass(frozen=True, slots=True)
class ShippedData:
    """The compiled file, and the versions behind it. Small enough (6 MB) to be sent with a task.

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
    return ShippedData(
        VERSION, open_domain_data().data_version, fingerprint_sources(), read_domain_data()
    )


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
    header, names = parse_compiled(data.content, "the shipped domain data")
    return Knowledge(header, NameTable(names))
