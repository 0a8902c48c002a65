"""Keyed 64-bit hashes of many texts at once; without the key addresses cannot be guessed.

SipHash-2-4 (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012), as pandas has it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from winnow.core.addresses.mailbox import GMAIL, MAILBOX_DOMAINS, HasPlusTags
from winnow.core.own_lists.patterns import ANY_DOMAIN

Hashes = NDArray[np.uint64]
Texts: TypeAlias = Sequence[str] | pl.Series | pa.Array

MAILBOX_MARK = "\0"  # before the local part of a mailbox; no address has it
_TEXTS = {"local": pl.String, "domain": pl.String}
KEY_BYTES = 16  # SipHash, 2.1
SECRET_BYTES = 3 * KEY_BYTES
_UNMIX = (  # the inverse of what pandas does to each hash: the last steps of SplitMix64
    (31, 0x319642B2D24D8EC3),
    (27, 0x96DE1B173F119089),
    (30, 1),
)


def hash_texts(key: bytes, texts: pl.Series) -> Hashes:
    """Return the hash of each text (or binary), in UTF-8; a missing one is as an empty one."""
    return _hash(key, texts.cast(pl.Binary).fill_null(b"").to_numpy())


def _hash(key: bytes, texts: NDArray[np.object_]) -> Hashes:
    if not len(texts):
        return np.empty(0, np.uint64)
    from pandas.util import hash_array  # takes half a second, and most lists need none

    name = key.decode("latin-1")
    found: Hashes = hash_array(texts, encoding="latin-1", hash_key=name, categorize=False)
    for bits, factor in _UNMIX:
        found ^= (found >> np.uint64(bits)) ^ (found >> np.uint64(2 * bits))
        found *= np.uint64(factor)
    return found


def split_addresses(keys: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Return the local parts and the domains of duplicate keys; without an at-sign no domain."""
    return keys.str.replace("@[^@]*$", ""), keys.str.extract("@([^@]*)$").fill_null("")


def spell_bases(local_parts: pl.Series, domains: pl.Series) -> pl.DataFrame:
    """Return what addresses (lower case) reach if their domains have tags: ``find_base``."""
    is_tagged = local_parts.str.contains('^[^+"][^+]*\\+')
    bases = local_parts.str.replace(r"\+.*$", "").zip_with(is_tagged, local_parts)
    homes = domains.replace(old=MAILBOX_DOMAINS)
    is_gmail = (homes == GMAIL) & ~bases.str.starts_with('"')
    bases = bases.str.replace_all(".", "", literal=True).zip_with(is_gmail, bases)
    return pl.DataFrame({"local": bases, "domain": homes}, _TEXTS)


@dataclass(frozen=True, slots=True)
class AddressHash:
    """Addresses and domains as keyed hashes, so that duplicates (``duplicate_key``) are equal.

    An address's is made of its local part's and its domain's, so that a list's domains are hashed
    once each. Different addresses share one by chance only: a list of ten million meets a file of
    ten million wrongly once in 180,000 times.
    """

    local: bytes
    domain: bytes
    address: bytes

    @classmethod
    def of(cls, secret: bytes) -> "AddressHash":
        """Make the three keys of a secret of 48 bytes."""
        return cls(*(secret[at : at + KEY_BYTES] for at in range(0, SECRET_BYTES, KEY_BYTES)))

    @property
    def seal(self) -> int:
        """A number that is different for hashes of another secret."""
        return int(hash_texts(self.address, pl.Series([b"winnow"]))[0])

    def hash_parts(self, local_parts: Texts, domains: Texts) -> Hashes:
        """Return the hashes of addresses, given in their parts; each domain is hashed once."""
        encoded = pl.Series(domains, dtype=pl.String).to_arrow().dictionary_encode()
        of_domains = self.hash_domains(encoded.dictionary)[encoded.indices.to_numpy()]
        of_locals = hash_texts(self.local, pl.Series(local_parts, dtype=pl.String))
        pairs = np.stack((of_locals, of_domains), axis=1).astype("<u8", copy=False)
        return _hash(self.address, pairs.view("V16").ravel().astype(object))

    def hash_spellings(self, key: str, has_plus_tags: HasPlusTags) -> Hashes:
        """Return the hashes of an address's duplicate key, of its mailbox, and its box's, last."""
        local_part, _, domain = key.rpartition("@")
        if not has_plus_tags(domain):
            [one] = self.hash_parts([local_part], [domain])
            return np.array([one, one, 0], np.uint64)
        bases = spell_bases(pl.Series([local_part]), pl.Series([domain]))
        base, home = bases["local"][0], bases["domain"][0]
        return self.hash_parts([local_part, base, MAILBOX_MARK + base], [domain, home, home])

    def hash_boxes(self, local_parts: Texts, domains: Texts) -> Hashes:
        """Return hashes of what addresses reach that may be another's aliases; 0 for others.

        They are no hashes of addresses: only domains that are known to have tags are compared.
        """
        texts = pl.DataFrame({"local": local_parts, "domain": domains}, _TEXTS)
        bases = spell_bases(texts["local"], texts["domain"])
        is_alias = (bases["local"] != texts["local"]) | (bases["domain"] != texts["domain"])
        found = np.zeros(len(bases), np.uint64)
        bases = bases.filter(is_alias)
        found[is_alias.to_numpy()] = self.hash_parts(MAILBOX_MARK + bases["local"], bases["domain"])
        return found

    def hash_local_parts(self, local_parts: pl.Series) -> Hashes:
        """Return the hashes of local parts (lower case) at any domain; they are of no address."""
        return hash_texts(self.local, local_parts + ANY_DOMAIN)

    def hash_domains(self, domains: Texts) -> Hashes:
        """Return the hashes of domains in A-label form."""
        return hash_texts(self.domain, pl.Series(domains, dtype=pl.String))
