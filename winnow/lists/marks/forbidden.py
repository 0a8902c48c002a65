"""Addresses on do-not-mail files, told while a run chooses between the two of each row."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from winnow.lists.engine.both_addresses import AddressCodes
from winnow.lists.engine.verdict_table import VerdictTable
from winnow.lists.marks.keyed_hash import AddressHash, Hashes
from winnow.lists.marks.named_keys import MemberTest, NamedKeys
from winnow.lists.requests import ForbiddenAddresses


def read_forbidden(files: Sequence[NamedKeys], hashes: AddressHash) -> ForbiddenAddresses | None:
    """Return whom these files name, as a run asks for it; None where there is no file."""
    return ForbiddenAddresses(hashes.local, _Finder(files, hashes).find) if files else None


class _Finder:
    """Tells addresses by their keys, which are hashes of local parts, and by their domains."""

    def __init__(self, files: Sequence[NamedKeys], hashes: AddressHash) -> None:
        self._files = files
        self._hashes = hashes
        self._tests = [MemberTest(keys.addresses) for keys in files]
        self._table: VerdictTable | None = None
        self._domains: Hashes = np.zeros(1, np.uint64)
        self._is_named = np.zeros(1, np.bool_)

    def find(self, table: VerdictTable, addresses: AddressCodes) -> NDArray[np.bool_]:
        """Return which addresses are named; a malformed one is nobody's."""
        if self._table is not table:
            self._read_names(table)
        names = table.name_codes.take(addresses.codes)
        found: NDArray[np.bool_] = self._is_named.take(names)
        usable = np.flatnonzero(names)
        keys = self._hashes.hash_addresses(addresses.keys[usable], self._domains[names[usable]])
        for test in self._tests:
            found[usable] |= test.find(keys)
        return found

    def _read_names(self, table: VerdictTable) -> None:
        """Hash the list's domains, once."""
        domains, named = [np.zeros(1, np.uint64)], [np.zeros(1, np.bool_)]
        for names in table.names.in_series():
            domains.append(self._hashes.hash_domains(names))
            is_named = np.zeros(len(names), np.bool_)
            for keys in self._files:
                is_named |= keys.find_domains(names, self._hashes)
            named.append(is_named)
        self._table = table
        self._domains, self._is_named = np.concatenate(domains), np.concatenate(named)
