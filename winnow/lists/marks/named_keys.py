"""Do-not-mail file as three sorted sets of keyed hashes: in memory, and as one file."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from winnow.core.errors import Gone
from winnow.lists.execution.run_files import create_durably
from winnow.lists.marks.keyed_hash import AddressHash, Hashes

_MAGIC = b"WNKEYS\x00\x01"
_HEAD_BYTES = len(_MAGIC) + 32  # and a seal and three counts


@dataclass(frozen=True, slots=True)
class NamedKeys:
    """Hashes of addresses, of domains, and of the domains below which wildcards cover all.

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
        with create_durably(path) as file:
            sizes = np.array([hashes.seal, *(len(part) for part in parts)], "<u8")
            file.write(_MAGIC + sizes.tobytes())
            for part in parts:
                file.write(part.astype("<u8", copy=False).data)

    @classmethod
    def read(cls, path: Path, hashes: AddressHash) -> "NamedKeys":
        """Read a file of ``write``.

        Raises:
            Gone: It is not there, was cut, or made by another secret: it would match no one.
        """
        try:
            with path.open("rb") as file:
                start = file.read(_HEAD_BYTES)
                keys = np.fromfile(file, "<u8")
        except FileNotFoundError as error:
            raise _name_loss() from error
        if not start.startswith(_MAGIC) or len(start) != _HEAD_BYTES:
            raise _name_loss()
        seal, *counts = np.frombuffer(start[len(_MAGIC) :], "<u8").tolist()
        if seal != hashes.seal or len(keys) != sum(counts):
            raise _name_loss()
        addresses, domains, wildcards = np.split(
            keys.astype(np.uint64, copy=False), np.cumsum(counts)[:2]
        )
        return cls(addresses, domains, wildcards)

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


def find_members(members: Hashes, hashes: Hashes) -> NDArray[np.bool_]:
    """Return which hashes are in a sorted set."""
    if not len(members):
        return np.zeros(len(hashes), np.bool_)
    ranks = np.searchsorted(members, hashes)
    found: NDArray[np.bool_] = members.take(ranks, mode="clip") == hashes
    return found


def _name_loss() -> Gone:
    return Gone(
        "The addresses of this file can no longer be read.",
        hint="Remove it, and add the file again.",
    )


def _unite(hashes: Hashes) -> Hashes:
    """Sort in place: ten million take 80 MB, with ``np.unique`` four times as much."""
    hashes.sort()
    is_first = np.ones(len(hashes), np.bool_)
    np.not_equal(hashes[1:], hashes[:-1], out=is_first[1:])
    return hashes if is_first.all() else hashes[is_first]
