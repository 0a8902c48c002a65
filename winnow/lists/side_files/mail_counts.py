"""Counts of delivered and bounced mail by kind of address and month; no address stays."""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from winnow.core.addresses.address import local_flags
from winnow.core.judging.judge import Judge
from winnow.core.lists.bounce_forecast import find_kind
from winnow.core.lists.side_files import MailCount, MailKind
from winnow.core.verdicts.facts import LocalFlag
from winnow.lists.marks.key_files import (
    OUTCOMES,
    Events,
    is_objection,
    settle_events,
    split_events,
)
from winnow.lists.marks.keyed_hash import Hashes

MONTHS_MAX = 12  # of a file: the newest
PROVIDERS_MAX = 10  # of a file: the largest; others count together
_VERDICTS_KEPT = 1 << 16  # of domains; about 10 MB
_ODD = np.uint64(0x9E3779B97F4A7C15)  # parts an address's months


class KindNumbers:
    """Kinds of addresses by number, as an offline judge of verdicts sees them."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._numbers: dict[MailKind, int] = {}
        self._examples: dict[int, str] = {}  # a domain of each group of domains that are alike
        self._decide = lru_cache(_VERDICTS_KEPT)(
            lambda flags, domain: judge.decide(flags, judge.facts(domain))
        )

    def number(self, local_parts: Sequence[str], domains: Sequence[str]) -> NDArray[np.uint16]:
        """Return the number of each address's kind."""
        words, names = self._judge.knowledge.local_words, list(set(domains))
        groups = dict(zip(names, self._judge.number_alike(names), strict=True))
        flags = (local_flags(one, words) for one in local_parts)
        found = map(self._number, flags, map(groups.__getitem__, domains), domains)
        return np.fromiter(found, np.uint16, len(domains))

    def _number(self, flags: LocalFlag, group: int, domain: str) -> int:
        if group:
            self._examples.setdefault(group, domain)
        kind = find_kind(self._decide(flags, self._examples.get(group, domain)), domain)
        return self._numbers.setdefault(kind, len(self._numbers))

    def count(
        self, numbers: NDArray[np.uint16], addresses: Hashes, events: Events
    ) -> tuple[MailCount, ...]:
        """Return counts of addresses: each once a month, by its newest event but a person's no."""
        is_mail = ~is_objection(events)
        numbers, addresses, events = numbers[is_mail], addresses[is_mail], events[is_mail]
        days = split_events(events)[1].astype("M8[D]")
        months = days.astype("M8[M]").astype(np.int64)  # 0 of undated lines
        named = addresses + months.astype(np.uint64) * _ODD
        first = np.unique(named, return_index=True)[1]
        outcomes = split_events(settle_events(named, events)[1])[0]
        rows = np.stack((numbers[first], months[first], outcomes), axis=1)
        distinct, counts = np.unique(rows, axis=0, return_counts=True)
        return self._bound(distinct.tolist(), counts.tolist())

    def _bound(self, rows: Sequence[Sequence[int]], counts: Sequence[int]) -> tuple[MailCount, ...]:
        kinds, sizes = list(self._numbers), Counter[str]()
        for (number, _, _), count in zip(rows, counts, strict=True):
            sizes[kinds[number].provider] += count
        named = {provider for provider, _ in sizes.most_common(PROVIDERS_MAX)}
        newest = sorted({month for _, month, _ in rows})[-MONTHS_MAX:]
        found = Counter[MailCount]()
        for (number, month, outcome), count in zip(rows, counts, strict=True):
            kind = kinds[number]
            if kind.provider not in named:
                kind = kind._replace(provider="")
            if month in newest:
                written = f"{np.datetime64(month, 'M')}" if month else ""
                found[MailCount(kind, written, OUTCOMES[outcome], 0)] += count
        return tuple(one._replace(addresses=count) for one, count in found.items())
