"""Where bad rows gather: values tested for more of a kind than chance would give them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import lgamma

import numpy as np
from numpy.typing import NDArray

from winnow.core.lists.cleaning import CleaningPolicy
from winnow.core.lists.own_columns import (
    FALSE_DISCOVERY_RATE,
    LEAST_TIMES,
    SMALLEST_GROUP,
    Dirt,
    Hotspot,
    OwnValue,
    tell_dirt,
)
from winnow.core.verdicts.verdict import Verdict
from winnow.lists.result.own_columns import ValueTable

_TERMS_MAX = 4096  # of a tail; the rest is bounded from above
_NEGLIGIBLE = 1e-18

Numbers = NDArray[np.int64]
Chances = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Tested:
    """One kind of dirt under the values of one column that are large enough."""

    table: ValueTable
    dirt: Dirt
    numbers: Numbers
    rows: Numbers
    hits: Numbers
    dirty: int


def find_hotspots(
    tables: Iterable[ValueTable],
    verdicts: Sequence[Verdict],
    policy: CleaningPolicy,
    names: Sequence[str],
    whole: int,
    outcome_rows: Numbers,
) -> tuple[Hotspot, ...]:
    """Return the values under which rows of a kind gather, the most rows first.

    Each value of at least SMALLEST_GROUP rows is tested for each kind by Fisher's exact test, one
    side; of all these tests together, at most FALSE_DISCOVERY_RATE of what is found is expected to
    be chance (Benjamini and Hochberg). What is found has LEAST_TIMES its share. A value is told
    once, of the kind that says most.

    Args:
        tables: The columns' values by outcome.
        verdicts: One of each outcome.
        policy: What goes.
        names: The columns' names.
        whole: The list's rows.
        outcome_rows: How many of these have each outcome.
    """
    tested = [
        one for table in tables for one in _list_tests(table, verdicts, policy, whole, outcome_rows)
    ]
    if not tested:
        return ()
    chances = [find_chances(one.hits, one.rows, one.dirty, whole) for one in tested]
    limit = find_limit(np.concatenate(chances))
    found: dict[OwnValue, dict[Dirt, Hotspot]] = {}
    for one, of_values in zip(tested, chances, strict=True):
        for place in np.flatnonzero(of_values <= limit).tolist():
            value = OwnValue(one.table.column, int(one.numbers[place]))
            hotspot = Hotspot(
                value,
                names[value.column],
                one.table.texts[value.number],
                one.dirt,
                int(one.hits[place]),
                int(one.rows[place]),
                one.dirty,
                whole,
            )
            found.setdefault(value, {})[one.dirt] = hotspot
    told = [_choose(kinds) for kinds in found.values()]
    return tuple(sorted(told, key=lambda one: (-one.hits, one.value.column, one.value.number)))


def find_chances(hits: Numbers, rows: Numbers, dirty: int, whole: int) -> Chances:
    """Return how likely a group has at least so many hits, if it is any group of its size.

    The upper tail of the hypergeometric distribution, never less than it is; 1 for a group that
    has less than LEAST_TIMES what is expected, which nobody asks for.

    Args:
        hits: Of each group.
        rows: Of each group.
        dirty: Hits in the whole list.
        whole: Rows in the whole list.
    """
    chances = np.ones(len(hits))
    high = np.flatnonzero(hits * float(whole) >= LEAST_TIMES * rows * float(dirty))
    if not len(high):
        return chances
    k, n = hits[high].astype(np.float64), rows[high].astype(np.float64)
    first = np.exp([_log_chance(*pair, dirty, whole) for pair in zip(k, n, strict=True)])
    total, term = np.ones(len(high)), np.ones(len(high))
    going = np.arange(len(high))
    ratio = np.zeros(0)
    for step in range(_TERMS_MAX):
        at = k[going] + step
        size = n[going]
        ratio = (dirty - at) * (size - at) / ((at + 1) * (whole - dirty - size + at + 1))
        term[going] *= ratio
        total[going] += term[going]
        is_going = term[going] > _NEGLIGIBLE * total[going]
        going, ratio = going[is_going], ratio[is_going]
        if not len(going):
            break
    total[going] += term[going] * ratio / (1 - ratio)  # the terms fall ever faster
    chances[high] = np.minimum(first * total, 1)
    return chances


def find_limit(chances: Chances) -> float:
    """Return the largest chance that is a discovery, by Benjamini and Hochberg; -1 for none."""
    ranked = np.sort(chances)
    allowed = FALSE_DISCOVERY_RATE * np.arange(1, len(ranked) + 1) / len(ranked)
    passing = np.flatnonzero((ranked <= allowed) & (ranked < 1))
    return float(ranked[passing[-1]]) if len(passing) else -1.0


def _log_chance(hits: float, rows: float, dirty: int, whole: int) -> float:
    """Return the logarithm of the chance of exactly so many hits."""
    return (
        _log_choose(dirty, hits)
        + _log_choose(whole - dirty, rows - hits)
        - _log_choose(whole, rows)
    )


def _log_choose(whole: float, part: float) -> float:
    return lgamma(whole + 1) - lgamma(part + 1) - lgamma(whole - part + 1)


def _list_tests(
    table: ValueTable,
    verdicts: Sequence[Verdict],
    policy: CleaningPolicy,
    whole: int,
    outcome_rows: Numbers,
) -> Iterable[_Tested]:
    rows = table.rows
    numbers = np.flatnonzero((rows >= SMALLEST_GROUP) & (rows < whole))
    for dirt in Dirt if len(numbers) else ():
        is_dirt = np.array([tell_dirt(dirt, one, policy) for one in verdicts], np.bool_)
        dirty = int(outcome_rows[is_dirt].sum())
        if dirty:
            hits = table.counts[numbers][:, is_dirt].sum(axis=1)
            yield _Tested(table, dirt, numbers, rows[numbers], hits, dirty)


def _choose(kinds: dict[Dirt, Hotspot]) -> Hotspot:
    """Return what is said of a value: the largest kind, or that rows go where none is most."""
    removed = kinds.get(Dirt.REMOVED)
    named = [one for dirt, one in kinds.items() if dirt is not Dirt.REMOVED]
    largest = max(named, key=lambda one: one.hits, default=removed)
    if removed is None or largest is None or 2 * largest.hits >= removed.hits:
        return largest or next(iter(kinds.values()))
    return removed
