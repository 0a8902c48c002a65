"""Verdicts by code and flags: every distinct domain is judged once."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import polars as pl
from numpy.typing import NDArray

from winnow.core.judging.judge import Judge
from winnow.core.own_lists.patterns import judge_entry
from winnow.core.verdicts.facts import LocalFlag
from winnow.core.verdicts.policy import overrule, overrule_last
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Category, Verdict
from winnow.lists.engine.domain_texts import (
    DomainSpellings,
    DomainTexts,
    NamesByCode,
    NamesByRows,
    parse_spellings,
)
from winnow.lists.engine.parsed_value import hash_texts, lower_ascii, parse_value
from winnow.lists.engine.row_codes import FAULT_CODES, FIRST_DOMAIN, FIRST_FAULT

LOCAL_FLAG_BITS = 6  # LocalFlag's
FLAG_SPACE = 1 << LOCAL_FLAG_BITS
_EVERY_FLAG = (1 << FLAG_SPACE) - 1
_PARSING_SHARE = 1 / 4  # of the look-ups' progress; the rest is judging
_USUAL_MASKS_END = 1 << 8  # no filler words: such domains are judged by groups


@dataclass(frozen=True, slots=True)
class _ExactCode:
    """One address that the judge decides as a whole: the key, code and flags its rows have."""

    key: int
    code: int
    flags: LocalFlag
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class VerdictTable:
    """Verdicts of a list's codes.

    ``kinds`` has a row for each way in which a domain may be judged, and FLAG_SPACE columns of
    indices in ``verdicts``; ``kind_codes`` is each code's row there. ``name_codes`` is, by code,
    the domain's place in the row index, 0 for none. ``exact`` maps (key, canonical code) of single
    addresses to indices in ``verdicts``; ``exact_keys`` are its keys alone. ``local_keys`` are
    those of local parts that own lists name, rising, each with a row of ``overruled`` in
    ``local_rows``: the indices that its rows get for those that they had. ``names`` has the domain
    of name code 1 first.
    """

    spellings: DomainSpellings
    kinds: NDArray[np.uint16]
    kind_codes: NDArray[np.uint32]
    verdicts: tuple[Verdict, ...]
    exact: dict[tuple[int, int], int]
    exact_keys: pl.Series
    local_keys: NDArray[np.uint64]
    local_rows: NDArray[np.intp]
    overruled: NDArray[np.uint16]
    name_codes: NDArray[np.uint32]
    names: NamesByCode

    def find_indices(
        self, codes: NDArray[np.uint32], flags: NDArray[np.uint8], keys: NDArray[np.uint64]
    ) -> NDArray[np.uint16]:
        """Return each row's place in ``verdicts``; meaningless for what is no row.

        ``keys`` may be left out unless the judge ``needs_keys``.
        """
        cells = self.kind_codes.take(codes)
        cells <<= np.uint32(LOCAL_FLAG_BITS)  # in place: smaller numbers stay in the caches
        cells |= flags
        indices: NDArray[np.uint16] = self.kinds.reshape(-1).take(cells)
        if len(self.local_keys):
            spots = np.searchsorted(self.local_keys[:-1], keys)
            rows = np.flatnonzero(self.local_keys[spots] == keys)
            indices[rows] = self.overruled[self.local_rows[spots[rows]], indices[rows]]
        if self.exact:
            canonical = self.spellings.canonical
            for row in np.flatnonzero(pl.Series(keys).is_in(self.exact_keys.implode())).tolist():
                if codes[row] >= FIRST_FAULT:
                    key = int(keys[row]), int(canonical[codes[row]])
                    indices[row] = self.exact.get(key, indices[row])
        return indices


def begin_seen() -> NDArray[np.uint64]:
    """Return what ``mark_seen`` begins with."""
    return np.zeros(1, np.uint64)


def mark_seen(
    seen: NDArray[np.uint64], codes: NDArray[np.uint32], flags: NDArray[np.uint8]
) -> NDArray[np.uint64]:
    """Mark the codes and flags of rows as seen: a number a code, a bit a combination of flags.

    Returns ``seen``, or a longer one.
    """
    top = int(codes.max(initial=0))
    if top >= len(seen):
        seen = np.concatenate((seen, np.zeros(top, np.uint64)))
    is_known = seen.take(codes) & np.left_shift(np.uint64(1), flags)
    new = np.flatnonzero(is_known == 0)  # after the first blocks, few are
    codes, flags = codes.take(new), flags.take(new)
    for flag in np.flatnonzero(np.bincount(flags, minlength=FLAG_SPACE)).tolist():
        seen[codes[flags == flag]] |= np.uint64(1 << flag)
    return seen


def _number_exact(domains: DomainTexts, judge: Judge) -> list[_ExactCode]:
    """Find the key and the code of every address that the judge decides as a whole."""
    if not judge.exact:
        return []
    values = [parse_value(text.lstrip("\0"), judge.knowledge.local_words) for text in judge.exact]
    codes = np.array([value.fault_code for value in values], np.int64)
    texts = ["@" + lower_ascii(value.domain_text) for value in values if not value.fault_code]
    codes[codes == 0] = domains.number(pl.Series(texts, dtype=pl.String))
    keys = hash_texts([value.key_text for value in values])
    return [
        _ExactCode(key, code, value.flags, verdict)
        for key, code, value, verdict in zip(
            keys.tolist(), codes.tolist(), values, judge.exact.values(), strict=True
        )
    ]


def judge_domains(
    domains: DomainTexts,
    seen: NDArray[np.uint64],
    judge: Judge,
    tick: Callable[[float], None] = lambda share: None,
    *,
    count_codes: Callable[[int], NDArray[np.int64]] = lambda count: np.zeros(count, np.int64),
) -> VerdictTable:
    """Parse every distinct text, and judge every distinct domain.

    Args:
        domains: The texts.
        seen: From ``mark_seen``: which codes rows have, with which flags.
        judge: Gives the verdicts; ``prepare`` is called once with all the domains.
        tick: Called now and then with the share done, 0 to 1; may raise.
        count_codes: Gives how many rows have each of so many codes; called where it is asked
            which domains have most rows.
    """
    exact_codes = _number_exact(domains, judge)  # before the parsing: these are spelt there too
    spellings = parse_spellings(domains, lambda share: tick(share * _PARSING_SHARE))
    canonical, aliases = spellings.canonical, spellings.aliases
    count = len(canonical)
    masks, names = _find_names(spellings, seen)

    def count_rows() -> NDArray[np.int64]:
        counts = count_codes(count)
        np.add.at(counts, canonical[aliases], counts[aliases])
        return counts

    judge.prepare(NamesByRows(names, count_rows))
    kinds = _Kinds()
    kind_codes = np.zeros(count, np.uint32)
    done = 0
    for codes, found in _judge_names(names, masks, judge, kinds):
        kind_codes[codes] = found
        done += len(codes)
        tick(_PARSING_SHARE + done / len(names) * (1 - _PARSING_SHARE))
    kind_codes[aliases] = kind_codes[canonical[aliases]]
    for fault, code in FAULT_CODES.items():
        kind = kinds.number(_EVERY_FLAG, [judge.invalid(fault)] * FLAG_SPACE)
        kind_codes[spellings.faults == code] = kind
    table = kinds.as_table()
    exact = {}
    for entry in exact_codes:
        code, verdict = int(canonical[entry.code]), entry.verdict
        if code >= FIRST_DOMAIN and int(masks[code]) >> entry.flags & 1:
            verdict = overrule(verdict, kinds.verdicts[table[kind_codes[code], entry.flags]])
        exact[entry.key, code] = kinds.place(verdict)
    local_keys = hash_texts(list(judge.local_parts))
    order = np.argsort(local_keys)
    local_rows = np.array(
        [list(Category).index(one) for one in judge.local_parts.values()], np.intp
    )
    decided = tuple(kinds.verdicts)
    overruled = [
        [
            kinds.place(overrule_last(judge_entry(one, Reason.OWN_LOCAL_PART), old))
            for old in decided
        ]
        for one in Category
        if judge.local_parts
    ]
    name_codes = np.zeros(count, np.uint32)
    name_codes[names.codes] = np.arange(1, len(names) + 1, dtype=np.uint32)
    name_codes[aliases] = name_codes[canonical[aliases]]
    exact_keys = pl.Series(sorted({key for key, _ in exact}), dtype=pl.UInt64)
    verdicts = tuple(kinds.verdicts)
    return VerdictTable(
        *(spellings, table, kind_codes, verdicts, exact, exact_keys),
        *(local_keys[order], local_rows[order], np.array(overruled, np.uint16)),
        *(name_codes, names),
    )


class _Kinds:
    """Distinct combinations of a domain's verdicts, numbered in order of appearance; 0 is none."""

    def __init__(self) -> None:
        self.verdicts: list[Verdict] = []
        self._places: dict[Verdict, int] = {}
        self._numbers: dict[tuple[int, ...], int] = {(0,): 0}  # a mask, a verdict for each bit

    def place(self, verdict: Verdict) -> int:
        """Return a verdict's place among all."""
        place = self._places.setdefault(verdict, len(self.verdicts))
        if place == len(self.verdicts):
            self.verdicts.append(verdict)
        return place

    def number(self, mask: int, verdicts: Iterable[Verdict]) -> int:
        """Return the number of the kind that has these verdicts for the flags of a mask."""
        return self._numbers.setdefault((mask, *map(self.place, verdicts)), len(self._numbers))

    def as_table(self) -> NDArray[np.uint16]:
        """Return the verdicts' indices, a row a kind and a column a flag."""
        table = np.zeros((len(self._numbers), FLAG_SPACE), np.uint16)
        for (mask, *indices), number in self._numbers.items():
            table[number, _list_flags(mask)] = indices
        return table


def _find_names(
    spellings: DomainSpellings, seen: NDArray[np.uint64]
) -> tuple[NDArray[np.uint64], NamesByCode]:
    """Return by code with which flags rows have it, and the domains that rows name."""
    canonical, aliases = spellings.canonical, spellings.aliases
    masks = np.zeros(len(canonical), np.uint64)
    masks[: len(seen)] = seen[: len(canonical)]
    np.bitwise_or.at(masks, canonical[aliases], masks[aliases])
    is_named = (masks != 0) & (spellings.faults == 0)
    is_named[:FIRST_DOMAIN] = False
    is_named[aliases] = False
    return masks, NamesByCode(spellings.texts, np.flatnonzero(is_named).astype(np.uint32))


def _judge_names(
    names: NamesByCode, masks: NDArray[np.uint64], judge: Judge, kinds: _Kinds
) -> Iterator[tuple[NDArray[np.uint32], NDArray[np.uint32]]]:
    """Yield codes of domains and their kinds; domains without any difference are judged once."""
    kind_of_group = np.zeros(1 << 16, np.uint32)  # by what is alike and the mask; 0: not yet judged
    done = 0
    for series in names.in_series():
        chunk = series.to_list()
        codes = names.codes[done : done + len(chunk)]
        done += len(chunk)
        alike = np.frombuffer(judge.number_alike(chunk), np.uint8).astype(np.intp)
        chunk_masks = masks[codes]
        is_usual = (alike != 0) & (chunk_masks < _USUAL_MASKS_END)
        groups = np.where(is_usual, alike * _USUAL_MASKS_END | chunk_masks.astype(np.intp), 0)
        found = kind_of_group[groups]
        for place in np.flatnonzero(found == 0).tolist():
            group = groups[place]
            if group and kind_of_group[group]:
                found[place] = kind_of_group[group]
                continue
            mask = int(masks[codes[place]])
            found[place] = kinds.number(mask, judge.verdicts(_list_flags(mask), chunk[place]))
            if group:
                kind_of_group[group] = found[place]
        yield codes, found


@lru_cache(maxsize=4096)
def _list_flags(mask: int) -> tuple[LocalFlag, ...]:
    """Return the combinations of flags whose bits a mask has."""
    return tuple(LocalFlag(value) for value in range(FLAG_SPACE) if mask >> value & 1)
