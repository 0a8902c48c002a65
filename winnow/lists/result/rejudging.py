"""Count of the rows of a finished project that other domain data would judge differently."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from winnow.core.own_lists.patterns import OwnLists
from winnow.core.ports import DomainKnowledge
from winnow.core.tasks.rechecks import judge_again
from winnow.core.verdicts.facts import MailFacts
from winnow.core.verdicts.verdict import Category, Verdict
from winnow.lists.result.own_rows import iterate_runs, number_domains
from winnow.lists.result.row_columns import RowIndex

_PLACE_BITS = np.uint64(16)  # a place in the verdicts fits into 16 bits

Moves = Mapping[tuple[Category, Category], int]
_Case = tuple[str, Verdict, int]
"""A domain, a verdict that rows there have, and how many."""


def count_moves(
    index: RowIndex,
    own: OwnLists,
    knowledge: DomainKnowledge,
    read_mail: Callable[[Collection[str]], Mapping[str, MailFacts]],
    *,
    most_pairs: int | None = None,
) -> Moves | None:
    """Count rows by the category they have and the one they would have.

    Rows that the own lists decide, now or when the list ran, do not move.

    Args:
        index: The project.
        own: The own lists that hold now.
        knowledge: Today's.
        read_mail: Gives what DNS said of some domains when the list ran.
        most_pairs: Count nothing and return None beyond this many pairs of domain and verdict.
    """
    pairs, counts = _count_pairs(index)
    if most_pairs is not None and len(pairs) > most_pairs:
        return None
    cases = _find_cases(index, own, knowledge, pairs, counts)
    mail = read_mail({name for name, _, _ in cases}) if cases else {}
    moves: Counter[tuple[Category, Category]] = Counter()
    for name, verdict, rows in cases:
        facts = replace(knowledge.look_up(name), mail=mail.get(name) or MailFacts())
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


def _find_cases(
    index: RowIndex,
    own: OwnLists,
    knowledge: DomainKnowledge,
    pairs: NDArray[np.uint64],
    counts: NDArray[np.int64],
) -> list[_Case]:
    """Return the cases whose category would change; domains that are alike are judged once."""
    is_open = number_domains(index, own) == 0
    is_open[0] = False  # no usable domain
    names, alike = [""], [b"\0"]
    for chunk in index.read_names():
        names.extend(chunk.to_list())
        alike.append(knowledge.number_alike(names[-len(chunk) :]))
    numbers = b"".join(alike)
    is_judged = [verdict.overruled is None and verdict.is_charged for verdict in index.verdicts]
    known: dict[tuple[int, int], bool] = {}
    cases = []
    for pair, rows in zip(pairs.tolist(), counts.tolist(), strict=True):
        code, place = pair >> 16, pair & 0xFFFF
        if not (is_open[code] and is_judged[place]):
            continue
        name, verdict = names[code], index.verdicts[place]
        key = numbers[code], place
        moves = known.get(key) if key[0] else None
        if moves is None:
            again = judge_again(verdict, knowledge.look_up(name))
            moves = known[key] = again.category is not verdict.category
        if moves:
            cases.append((name, verdict, rows))
    return cases
