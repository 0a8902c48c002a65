"""Do-not-mail files and bounces as keyed hashes: in memory, and as one file each.

A file begins with its kind, a seal of the secret that made it, and counts of what follows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from winnow.core.bounces import MailOutcome
from winnow.core.errors import Gone
from winnow.lists.execution.run_files import create_durably
from winnow.lists.marks.keyed_hash import AddressHash, Hashes
from winnow.words import mark

OUTCOMES = tuple(MailOutcome)
"""By their places in a file of bounces."""
_NAMED = b"WNKEYS\x00\x01"
_BOUNCES = b"WNBNCE\x00\x02"
_BOUNCES_OF_0_2 = b"WNBNCE\x00\x01"  # with the addresses' domains, which are not read
_EPOCH = date(1970, 1, 1)
Key = TypeVar("Key", np.uint64, np.int64)


@dataclass(frozen=True, slots=True)
class NamedKeys:
    """Do-not-mail file: hashes of addresses, of domains, and of domains with a wildcard below.

    Each is sorted, without repetitions.
    """

    addresses: Hashes
    domains: Hashes
    wildcards: Hashes

    @classmethod
    def of(cls, addresses: Hashes, domains: Hashes, wildcards: Hashes) -> "NamedKeys":
        """Build the sets from hashes in any order; the arrays are changed."""
        return cls(_unite(addresses), _unite(domains), _unite(wildcards))

    def __len__(self) -> int:
        return len(self.addresses) + len(self.domains) + len(self.wildcards)

    def write(self, path: Path, hashes: AddressHash) -> None:
        """Write the sets to a new file, synced, under the seal of the secret that made them."""
        parts = (self.addresses, self.domains, self.wildcards)
        _write(path, _NAMED, hashes, [len(part) for part in parts], parts)

    @classmethod
    def read(cls, path: Path, hashes: AddressHash) -> "NamedKeys":
        """Read a file of ``write``.

        Raises:
            Gone: It is not there, was cut, or made by another secret: it would match no one.
        """
        content = _read(path, hashes)
        counts = np.frombuffer(content[16:40].ljust(24), "<u8")
        if not content.startswith(_NAMED) or len(content) != 40 + 8 * counts.sum():
            raise _name_loss(mark("Remove it, and add the file again."))
        keys = np.frombuffer(content, "<u8", offset=40)
        return cls(*np.split(keys.astype(np.uint64, copy=False), np.cumsum(counts)[:2].astype(int)))

    def names_address(self, key: str, hashes: AddressHash) -> bool:
        """Return whether one well-formed address, given as its duplicate key, is named."""
        domain = key.rpartition("@")[2]
        address = np.array([hashes.hash_address(key)], np.uint64)
        found = find_members(self.addresses, address)
        return bool(found[0] or self.find_domains(pl.Series([domain]), hashes)[0])

    def find_domains(self, names: pl.Series, hashes: AddressHash) -> NDArray[np.bool_]:
        """Return which domains (A-labels) are named, by themselves or by a wildcard above."""
        found = find_members(self.domains, hashes.hash_domains(names))
        above = names
        while len(self.wildcards):
            above = above.str.extract(r"^[^.]+\.(.+)$")
            if above.null_count() == len(above):
                break
            is_below = find_members(self.wildcards, hashes.hash_domains(above))
            found |= is_below & above.is_not_null().to_numpy()
        return found


@dataclass(frozen=True, slots=True)
class StoredBounce:
    """A file's entry for one address; ``day`` is None where it has none."""

    outcome: MailOutcome
    day: date | None


@dataclass(frozen=True, slots=True)
class BounceKeys:
    """Bounces: one entry an address, by its hash; ``addresses`` rise.

    ``outcomes`` are places in ``OUTCOMES``, ``days`` count from 1970 (0: none).
    """

    addresses: Hashes
    outcomes: NDArray[np.uint8]
    days: NDArray[np.int32]

    def write(self, path: Path, hashes: AddressHash) -> None:
        """Write all of it to a new file, synced, under the seal of the secret that made it."""
        parts = self.addresses, self.days, self.outcomes
        _write(path, _BOUNCES, hashes, [len(self.addresses), 0], parts)

    @classmethod
    def read(cls, path: Path, hashes: AddressHash) -> "BounceKeys":
        """Read a file of ``write``, or of release 0.2.

        Raises:
            Gone: It is not there, was cut, or made by another secret: it would match no one.
        """
        content = _read(path, hashes)
        count, name_bytes = np.frombuffer(content[16:32].ljust(16), "<u8").tolist()
        domain_bytes = 4 * count if content.startswith(_BOUNCES_OF_0_2) else 0
        is_ours = content.startswith((_BOUNCES, _BOUNCES_OF_0_2))
        if not is_ours or len(content) != 32 + 13 * count + domain_bytes + name_bytes:
            raise _name_loss(mark("Remove it, and import it again."))
        addresses = np.frombuffer(content, "<u8", count, 32).astype(np.uint64, copy=False)
        days = np.frombuffer(content, "<i4", count, 32 + 8 * count).astype(np.int32, copy=False)
        outcomes = np.frombuffer(content, np.uint8, count, 32 + 12 * count + domain_bytes)
        return cls(addresses, outcomes, days)

    def find(self, key: str, hashes: AddressHash) -> StoredBounce | None:
        """Return what is known of one well-formed address, given as its duplicate key."""
        wanted = np.uint64(hashes.hash_address(key))
        place = int(np.searchsorted(self.addresses, wanted))
        if place == len(self.addresses) or self.addresses[place] != wanted:
            return None
        day = int(self.days[place])
        outcome = OUTCOMES[int(self.outcomes[place])]
        return StoredBounce(outcome, _EPOCH + timedelta(days=day) if day else None)


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


def find_members(members: Hashes, hashes: Hashes) -> NDArray[np.bool_]:
    """Return which hashes are in a sorted set."""
    if not len(members):
        return np.zeros(len(hashes), np.bool_)
    ranks = np.searchsorted(members, hashes)
    found: NDArray[np.bool_] = members.take(ranks, mode="clip") == hashes
    return found


def _write(
    path: Path,
    magic: bytes,
    hashes: AddressHash,
    counts: Sequence[int],
    parts: Sequence[NDArray[np.generic]],
) -> None:
    with create_durably(path) as file:
        file.write(magic + np.array([hashes.seal, *counts], "<u8").tobytes())
        for part in parts:
            file.write(part.astype(part.dtype.newbyteorder("<"), copy=False).data)


def _read(path: Path, hashes: AddressHash) -> bytes:
    """Return a file with this seal; nothing where there is none."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return b""
    return content if content[8:16] == hashes.seal.to_bytes(8, "little") else b""


def _name_loss(hint: str) -> Gone:
    return Gone("The addresses of this file can no longer be read.", hint=hint)


def _unite(hashes: Hashes) -> Hashes:
    """Sort in place: ten million take 80 MB, with ``np.unique`` four times as much."""
    hashes.sort()
    is_first = np.ones(len(hashes), np.bool_)
    np.not_equal(hashes[1:], hashes[:-1], out=is_first[1:])
    return hashes if is_first.all() else hashes[is_first]
