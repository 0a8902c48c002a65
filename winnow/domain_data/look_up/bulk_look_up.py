"""Bulk look-up: finds the domains with equal facts by array operations.

Most names of a user's list are on no published list, resemble no provider and have no sign. Array
operations find nearly all of those. Errors are on one side only: a name that is remarkable or has
an unusual form is left for a single look-up.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from winnow.core.addresses.address import DOMAIN_MAX_OCTETS
from winnow.domain_data.look_up.matching import translate_pattern
from winnow.domain_data.look_up.misspellings import LABEL_LETTERS_MIN, leave_one_out
from winnow.domain_data.look_up.name_signs import LetterPairs


class HashSet:
    """Set of unsigned hashes. A table of last bits rejects most others."""

    def __init__(self, hashes: NDArray[np.unsignedinteger], *, bits: int) -> None:
        """Store the hashes; the table of last bits takes ``2 ** bits`` bytes."""
        self._members = np.sort(hashes)
        self._mask = self._members.dtype.type((1 << bits) - 1)
        self._is_likely = np.zeros(1 << bits, np.bool_)
        self._is_likely[self._members & self._mask] = True

    def has(self, hashes: NDArray[np.unsignedinteger]) -> NDArray[np.bool_]:
        """Return for each hash whether it is a member; all are of the members' type."""
        likely = np.flatnonzero(self._is_likely.take((hashes & self._mask).astype(np.int64)))
        wanted = hashes.take(likely)
        nearest = self._members.take(np.searchsorted(self._members, wanted), mode="clip")
        is_member = np.zeros(len(hashes), np.bool_)
        is_member[likely[nearest == wanted]] = True
        return is_member


class NearLabels:
    """Finds the labels that share a form with a target, as ``Misspellings`` looks for them.

    Forms of a label are itself, and itself with one letter left out.
    """

    def __init__(self, targets: Iterable[str]) -> None:
        forms = {form for target in targets for form in (target, *leave_one_out(target))}
        self._longest = max(map(len, forms), default=0) + 1
        self._forms = _series(sorted(forms)).implode()

    def find(self, labels: pl.Series) -> NDArray[np.int64]:
        """Return the indices of labels near a target."""
        sizes = labels.str.len_chars()
        some = ((sizes >= LABEL_LETTERS_MIN - 1) & (sizes <= self._longest)).arg_true()
        short = labels.gather(some)
        is_near = short.is_in(self._forms)
        for place in range(self._longest):
            left = short.str.head(place) + short.str.slice(place + 1)
            is_near |= left.is_in(self._forms)
        return some.filter(is_near).to_numpy()


LOOK_UP, PLAIN, RISKY, MACHINE_MADE = range(4)
"""The numbers given. A name's form counts only under a risky ending."""

_REMARKABLE_BITS = 21  # 2 MiB, of which a twelfth is taken
_SET_BITS = 16
_NAME = r"^[a-z0-9-]+(?:\.[a-z0-9-]+){1,2}$"
_TAGGED = "--"  # as in the A-labels of international names


class BulkClassifier:
    """Numbers domains by the data that look-ups go by: its header and its names."""

    def __init__(
        self,
        header: Mapping[str, Any],
        blocks: Sequence[str],
        pairs: LetterPairs,
        tlds: Collection[str],
    ) -> None:
        rules = header["suffix_rules"].split("\n")
        patterns = sorted({text for group in header["patterns"].values() for text in group})
        targets = sorted({target.partition(".")[0] for target in header["typo_targets"]})
        self._tlds = _set(sorted(tlds))
        self._suffixes = _set(rule for rule in rules if rule[:1] not in "!*")
        remarkable = (
            *(rule.lstrip("!*.") for rule in rules if rule[:1] in "!*"),
            *header["education_suffixes"],
            *header["government_suffixes"],
            *header["misspellings"],
            *header["subdomain_hosts"],
            *header["look_alikes"],
            *header["typo_targets"],
        )
        names = _series(blocks).str.split("\n").explode()
        hashes = _hash(_series(remarkable).append(names))
        self._remarkable = HashSet(hashes, bits=_REMARKABLE_BITS)
        self._patterns = "|".join(f"^{translate_pattern(pattern)}$" for pattern in patterns)
        self._own_labels = _set((*targets, *header["misspellings"], *header["filler_words"]))
        self._near = NearLabels(label for label in targets if len(label) >= LABEL_LETTERS_MIN)
        self._risky = _set(header["risky_suffixes"])
        last = header["disposable_compounds"]["last"]
        self._words = _series((*header["disposable_words"], *last)).implode()
        self._is_machine_made = pairs.is_machine_made

    def number(self, domains: Sequence[str]) -> bytes:
        """Return one byte per domain: LOOK_UP, or a number for all that is known of it."""
        names = _series(domains)
        first, rest = _split(names)
        second, third = _split(rest.fill_null(""))
        has_three = third.is_not_null().to_numpy()
        of_names, of_rest = _hash(names), _hash(rest)
        of_top = np.where(has_three, _hash(third), of_rest)
        has_long_suffix = has_three & self._suffixes.has(of_rest)
        label = second.zip_with(pl.Series(has_three & ~has_long_suffix), first)

        is_plain = names.str.contains(_NAME) & ~names.str.contains(_TAGGED, literal=True)
        is_plain &= names.str.len_bytes() <= DOMAIN_MAX_OCTETS
        if self._patterns:
            is_plain &= ~names.str.contains(self._patterns)
        plain = is_plain.to_numpy() & self._tlds.has(of_top) & ~self._suffixes.has(of_names)
        for hashes in (of_names, of_rest, of_top):
            plain &= ~self._remarkable.has(hashes)
        plain &= ~(has_three & ~has_long_suffix & self._own_labels.has(_hash(first)))
        is_odd = label.str.contains_any(self._words).to_numpy() | self._own_labels.has(_hash(label))
        is_odd[self._near.find(label)] = True  # may resemble a provider's, or hold such a word
        plain &= ~is_odd
        numbers = np.where(plain, np.uint8(PLAIN), np.uint8(LOOK_UP))
        is_risky = self._risky.has(of_top) | has_long_suffix & self._risky.has(of_rest)
        risky = np.flatnonzero(plain & is_risky)
        is_made = list(map(self._is_machine_made, label.gather(risky)))
        numbers[risky] = np.where(is_made, MACHINE_MADE, RISKY)
        return numbers.tobytes()


def _series(texts: Iterable[str]) -> pl.Series:
    return pl.Series(texts, dtype=pl.String)


def _set(texts: Iterable[str]) -> HashSet:
    return HashSet(_hash(_series(texts)), bits=_SET_BITS)


def _hash(texts: pl.Series) -> NDArray[np.uint64]:
    return texts.hash().to_numpy()


def _split(names: pl.Series) -> list[pl.Series]:
    """Return the text before the first dot, and the rest, null where there is no dot."""
    return names.str.splitn(".", 2).struct.unnest().get_columns()
