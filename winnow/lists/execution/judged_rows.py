"""Verdicts of a stored list's domains, while its duplicates are searched."""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from winnow.core.verdicts.judge import Judge
from winnow.lists.engine.domain_spellings import PARSING_SHARE, parse_spellings
from winnow.lists.engine.domain_texts import DomainTexts
from winnow.lists.engine.row_ranks import RowRanks
from winnow.lists.engine.verdict_table import VerdictTable, judge_domains, number_exact
from winnow.lists.execution.kept_rows import KeptRows
from winnow.lists.execution.progress import ProgressTeller
from winnow.lists.execution.row_store import RowStore


def judge_rows(
    store: RowStore,
    domains: DomainTexts,
    seen: NDArray[np.uint32],
    judge: Judge,
    teller: ProgressTeller,
    row_count: int,
    *,
    deduplicate: bool,
    ranks: RowRanks,
) -> tuple[VerdictTable, NDArray[np.bool_]]:
    """Judge every domain; return for each row of the store, found meanwhile, whether it is removed.

    Args:
        store: The rows.
        domains: Those of all addresses.
        seen: From ``mark_seen``.
        judge: Gives the verdicts.
        teller: Gets the progress.
        row_count: Counts neither the header nor blank lines.
        deduplicate: Keep only one row of each address.
        ranks: Took those of the store.
    """
    tell = partial(teller.tell_looked_up, row_count)
    exact_codes = number_exact(domains, judge)
    spellings = parse_spellings(domains, lambda share: tell(share * PARSING_SHARE))

    canonical = spellings.canonical
    with KeptRows(store, canonical, deduplicate=deduplicate, ranks=ranks) as kept_rows:
        table = judge_domains(
            spellings,
            exact_codes,
            seen,
            judge,
            lambda share: tell(PARSING_SHARE + share * (1 - PARSING_SHARE)),
            count_codes=store.count_codes,
        )
        return table, kept_rows.wait(lambda: tell(1))
