"""How many rows of a finished project other domain data would judge differently."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from backend.core.facts import DomainFacts, MailFacts
from backend.core.own_lists import OwnLists
from backend.core.rechecks import judge_again
from backend.core.verdict import Category, DomainType, Verdict
from backend.files.rows.own_rows import iterate_runs, number_domains
from backend.files.rows.row_columns import RowIndex

_PLACE_BITS = np.uint64(16)  # a place in the verdicts fits into 16 bits

Moves = Mapping[tuple[Category, Category], int]
_Case = tuple[str, Verdict, int]
"""A domain, a verdict that rows there have, and how many."""


def count_moves(
    index: RowIndex,
    own: OwnLists,
    look_up: Callable[[str], DomainFacts],
    read_mail: Callable[[Collection[str]], Mapping[str, MailFacts]],
    *,
    most_pairs: int | None = None,
) -> Moves | None:
    """Count rows by the category they have and the one they would have.

    Rows that the own lists decide, now or when the list ran, do not move.

    Args:
        index: The project.
        own: The own lists that hold now.
        look_up: Gives today's facts about a domain.
        read_mail: Gives what DNS said of some domains when the list ran.
        most_pairs: Count nothing and return None beyond this many pairs of domain and verdict.
    """
    pairs, counts = _count_pairs(index)
    if most_pairs is not None and len(pairs) > most_pairs:
        return None
    cases = [
        (name, verdict, rows)
        for name, verdict, rows in _read_cases(index, own, pairs, counts)
        if judge_again(verdict, look_up(name)).category is not verdict.category
    ]
    mail = read_mail({name for name, _, _ in cases}) if cases else {}
    moves: Counter[tuple[Category, Category]] = Counter()
    for name, verdict, rows in cases:
        facts = replace(look_up(name), mail=mail.get(name) or MailFacts())
        category = judge_again(verdict, facts).category
        if category is not verdict.category:
            moves[verdict.category, category] += rows
    return dict(moves)


def _count_pairs(index: RowIndex) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return each pair of a domain's code and a verdict's place in one number, and its rows."""
    pairs, counts = [np.empty(0, np.uint64)], [np.empty(0, np.int64)]
    for start, count in iterate_runs(index.row_count):
        codes = index.domain_codes(start, count).astype(np.uint64)
        both = codes << _PLACE_BITS | index.verdict_places(start, count).astype(np.uint64)
        found, found_counts = np.unique(both, return_counts=True)
        pairs.append(found)
        counts.append(found_counts)
    found, inverse = np.unique(np.concatenate(pairs), return_inverse=True)
    sums = np.bincount(inverse, np.concatenate(counts), len(found)).astype(np.int64)
    return found, sums


def _read_cases(
    index: RowIndex, own: OwnLists, pairs: NDArray[np.uint64], counts: NDArray[np.int64]
) -> Iterator[_Case]:
    is_open = number_domains(index, own) == 0
    is_open[0] = False  # no usable domain
    names = [""]
    for chunk in index.read_names():
        names.extend(chunk.to_list())
    for pair, rows in zip(pairs.tolist(), counts.tolist(), strict=True):
        code, place = pair >> 16, pair & 0xFFFF
        verdict = index.verdicts[place]
        if (
            is_open[code]
            and verdict.overruled is None
            and verdict.domain_type is not DomainType.INVALID
        ):
            yield names[code], verdict, rows
