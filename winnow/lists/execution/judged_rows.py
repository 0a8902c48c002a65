"""The domains of a stored list judged, while its duplicates are looked for."""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from winnow.core.verdicts.judge import Judge
from winnow.lists.engine.both_addresses import AddressChoice, AddressCodes, FindForbidden
from winnow.lists.engine.domain_spellings import PARSING_SHARE, parse_spellings
from winnow.lists.engine.domain_texts import DomainTexts
from winnow.lists.engine.parsed_value import HashText
from winnow.lists.engine.row_ranks import RowRanks
from winnow.lists.engine.verdict_table import VerdictTable, judge_domains, number_exact
from winnow.lists.execution.kept_rows import KeptRows
from winnow.lists.execution.progress import ProgressTeller
from winnow.lists.execution.row_store import RowColumns, RowStore


def judge_rows(
    store: RowStore,
    domains: DomainTexts,
    seen: NDArray[np.uint8],
    judge: Judge,
    teller: ProgressTeller,
    row_count: int,
    *,
    deduplicate: bool,
    ranks: RowRanks,
    others: RowStore | None = None,
    find_forbidden: FindForbidden | None = None,
    hash_text: HashText | None = None,
) -> tuple[VerdictTable, NDArray[np.bool_]]:
    """Judge every domain; return for each row of the store, found meanwhile, whether it goes.

    Args:
        store: The rows; with ``others``, it has the better address of each afterwards.
        domains: Those of all addresses.
        seen: From ``mark_seen``.
        judge: Gives the verdicts.
        teller: Is told how far it is.
        row_count: Counts neither the header nor blank lines.
        deduplicate: Keep only one row of each address.
        ranks: Took those of the store.
        others: Has another address of each row, block by block like ``store``; None: there is one.
        find_forbidden: Tells which of two addresses must not be mailed; None: both may be.
        hash_text: The ``AddressColumn``'s.
    """
    tell = partial(teller.tell_looked_up, row_count)
    exact_codes = number_exact(domains, judge, hash_text)
    spellings = parse_spellings(domains, lambda share: tell(share * PARSING_SHARE))

    def judge_all() -> VerdictTable:
        return judge_domains(
            spellings,
            exact_codes,
            seen,
            judge,
            lambda share: tell(PARSING_SHARE + share * (1 - PARSING_SHARE)),
            count_codes=lambda count: _count_codes(store, others, count),
        )

    if others is None:
        canonical = spellings.canonical
        with KeptRows(store, canonical, deduplicate=deduplicate, ranks=ranks) as kept_rows:
            table = judge_all()
            return table, kept_rows.wait(lambda: tell(1))
    table = choose_addresses(store, others, judge_all(), find_forbidden)
    with KeptRows(store, spellings.canonical, deduplicate=deduplicate, ranks=ranks) as kept_rows:
        return table, kept_rows.wait(lambda: tell(1))


def choose_addresses(
    store: RowStore, others: RowStore, table: VerdictTable, find_forbidden: FindForbidden | None
) -> VerdictTable:
    """Leave the better address of each row in the store; return the table for these."""
    choice = AddressChoice(table, find_forbidden)
    store.replace_addresses(
        choice.choose(_take(first), _take(second))
        for first, second in zip(store.blocks(), others.blocks(), strict=True)
    )
    return choice.finish()


def _take(rows: RowColumns) -> AddressCodes:
    return AddressCodes(rows.codes, rows.flags, rows.keys)


def _count_codes(store: RowStore, others: RowStore | None, code_count: int) -> NDArray[np.int64]:
    counts = store.count_codes(code_count)
    return counts if others is None else counts + others.count_codes(code_count)
