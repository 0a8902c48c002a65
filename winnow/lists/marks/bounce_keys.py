"""Bounces as one file: keyed hashes of addresses, outcomes, days and domains."""

from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from winnow.core.bounces import MailOutcome
from winnow.core.errors import Gone
from winnow.lists.execution.run_files import create_durably
from winnow.lists.marks.keyed_hash import AddressHash, Hashes

_MAGIC = b"WNBNCE\x00\x01"
_HEAD_BYTES = len(_MAGIC) + 24  # a seal, and how many addresses and bytes of domains
_EPOCH = date(1970, 1, 1)
Key = TypeVar("Key", np.uint64, np.int64)
OUTCOMES = tuple(MailOutcome)
"""By their places in the file."""


@dataclass(frozen=True, slots=True)
class Event:
    """A file's entry for one address; ``day`` is None where it has none."""

    outcome: MailOutcome
    day: date | None


@dataclass(frozen=True, slots=True)
class BounceKeys:
    """One entry an address, by its hash: ``addresses`` rise.

    ``outcomes`` are places in ``OUTCOMES``, ``days`` count from 1970 (0: none), ``domains`` are
    places in ``names``.
    """

    addresses: Hashes
    outcomes: NDArray[np.uint8]
    days: NDArray[np.int32]
    domains: NDArray[np.uint32]
    names: tuple[str, ...]

    def write(self, path: Path, hashes: AddressHash) -> None:
        """Write all of it to a new file, synced, under the seal of the secret that made it."""
        names = "\n".join(self.names).encode()
        with create_durably(path) as file:
            counts = np.array([hashes.seal, len(self.addresses), len(names)], "<u8")
            file.write(_MAGIC + counts.tobytes())
            file.write(self.addresses.astype("<u8", copy=False).data)
            file.write(self.days.astype("<i4", copy=False).data)
            file.write(self.domains.astype("<u4", copy=False).data)
            file.write(self.outcomes.data)
            file.write(names)

    @classmethod
    def read(cls, path: Path, hashes: AddressHash) -> "BounceKeys":
        """Read a file of ``write``.

        Raises:
            Gone: It is not there, was cut, or made by another secret: it would match no one.
        """
        try:
            content = path.read_bytes()
        except FileNotFoundError as error:
            raise _name_loss() from error
        if not content.startswith(_MAGIC) or len(content) < _HEAD_BYTES:
            raise _name_loss()
        head = np.frombuffer(content[len(_MAGIC) : _HEAD_BYTES], "<u8").tolist()
        seal, count, name_bytes = head
        if seal != hashes.seal or len(content) != _HEAD_BYTES + 17 * count + name_bytes:
            raise _name_loss()
        place = _HEAD_BYTES
        addresses = np.frombuffer(content, "<u8", count, place).astype(np.uint64)
        days = np.frombuffer(content, "<i4", count, place + 8 * count).astype(np.int32)
        domains = np.frombuffer(content, "<u4", count, place + 12 * count).astype(np.uint32)
        outcomes = np.frombuffer(content, np.uint8, count, place + 16 * count)
        names = tuple(content[place + 17 * count :].decode().split("\n"))
        return cls(addresses, outcomes, days, domains, names)

    def find(self, key: str, hashes: AddressHash) -> Event | None:
        """Return what is known of one well-formed address, given as its duplicate key."""
        wanted = np.uint64(hashes.hash_address(key))
        place = int(np.searchsorted(self.addresses, wanted))
        if place == len(self.addresses) or self.addresses[place] != wanted:
            return None
        day = int(self.days[place])
        outcome = OUTCOMES[int(self.outcomes[place])]
        return Event(outcome, _EPOCH + timedelta(days=day) if day else None)


def settle_events(
    addresses: NDArray[Key], outcomes: NDArray[np.uint8], days: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[Key]]:
    """Return which entry each address (or row) has, and these addresses, rising.

    The newest event of an address counts, and of several on one day the worst: mail that arrived
    in May takes back a bounce of March.
    """
    order = np.lexsort((-outcomes.astype(np.int16), days, addresses))
    sorted_addresses = addresses[order]
    is_last = np.ones(len(order), np.bool_)
    np.not_equal(sorted_addresses[1:], sorted_addresses[:-1], out=is_last[:-1])
    return order[is_last], sorted_addresses[is_last]


def _name_loss() -> Gone:
    return Gone(
        "The bounces of this file can no longer be read.", hint="Remove it, and import it again."
    )
