"""Count of the rows of a finished project that other domain data would judge differently."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace

import numpy as np
import polars as pl

from winnow.core.own_lists.patterns import OwnLists
from winnow.core.ports import DomainKnowledge
from winnow.core.refresh import judge_again
from winnow.core.verdicts.facts import MailFacts
from winnow.core.verdicts.verdict import Category, Verdict
from winnow.lists.result.row_index import RowIndex
from winnow.lists.result.row_view import number_domains

Moves = Mapping[tuple[Category, Category], int]


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
    every = 0, index.row_count
    rows = {"code": index.domain_codes(*every), "place": index.verdict_places(*every)}
    pairs = pl.DataFrame(rows).group_by("code", "place").len()
    if most_pairs is not None and len(pairs) > most_pairs:
        return None
    cases = list(_find_cases(index, own, knowledge, pairs))
    mail = read_mail({name for name, _, _ in cases}) if cases else {}
    moves: Counter[tuple[Category, Category]] = Counter()
    for name, verdict, row_count in cases:
        facts = replace(knowledge.look_up(name), mail=mail.get(name) or MailFacts())
        category = judge_again(verdict, facts).category
        if category is not verdict.category:
            moves[verdict.category, category] += row_count
    return dict(moves)


def _find_cases(
    index: RowIndex, own: OwnLists, knowledge: DomainKnowledge, pairs: pl.DataFrame
) -> Iterator[tuple[str, Verdict, int]]:
    """Yield domain, verdict and rows where the category would change without mail facts.

    Domains that are alike are judged once.
    """
    is_open = number_domains(index, own) == 0
    is_open[0] = False  # no usable domain
    is_judged = np.array(
        [verdict.overruled is None and verdict.is_charged for verdict in index.verdicts], np.bool_
    )
    wanted = is_open[pairs["code"].to_numpy()] & is_judged[pairs["place"].to_numpy()]
    pairs = pairs.filter(pl.Series(wanted))
    names = index.name_domains(pairs["code"])
    alike = knowledge.number_alike(names)
    known: dict[tuple[int, int], bool] = {}
    for name, number, (_, place, rows) in zip(names, alike, pairs.iter_rows(), strict=True):
        verdict = index.verdicts[place]
        moves = known.get((number, place)) if number else None
        if moves is None:
            again = judge_again(verdict, knowledge.look_up(name))
            moves = known[number, place] = again.category is not verdict.category
        if moves:
            yield name, verdict, rows
