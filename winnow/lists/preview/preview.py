"""The preview of a list: the rows of its beginning are read, and some of them judged."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from winnow.core.lists.previews import ListHealth, Preview
from winnow.core.tasks.run_options import USUAL
from winnow.core.tasks.task import InputPlan
from winnow.core.verdicts.judge import Judge
from winnow.core.verdicts.verdict import CATEGORIES
from winnow.lists.engine.domain_spellings import DomainSpellings, parse_spellings
from winnow.lists.engine.duplicates import find_kept_rows
from winnow.lists.engine.row_codes import FIRST_FAULT, AddressCodes
from winnow.lists.engine.row_ranks import RowRanks
from winnow.lists.engine.verdict_table import (
    VerdictTable,
    begin_seen,
    judge_domains,
    mark_seen,
    number_exact,
)
from winnow.lists.preview.list_part import MOST_BYTES, open_part
from winnow.lists.requests import RowsRequest

JUDGED_ROWS = 20_000  # of all rows, and of those that stay
_SEED = 5


def preview_list(
    path: Path,
    plan: InputPlan,
    judge: Judge,
    scratch: Path,
    *,
    row_count: int | None = None,
    most_bytes: int = MOST_BYTES,
    judged_rows: int = JUDGED_ROWS,
) -> Preview:
    """Return what a list will come out as, by its first rows.

    Args:
        path: The file; it is only read.
        plan: How it is to be read.
        judge: Gives the verdicts. It must be one that makes no requests.
        scratch: An existing folder for temporary files.
        row_count: How many rows the list has, or about how many.
        most_bytes: Of text, or of a sheet's XML.
        judged_rows: Of all rows, and of those that stay, at most so many are judged.

    Raises:
        InputError: The list cannot be read, and a run would fail for the same reason.
    """
    request = RowsRequest(path, plan, scratch)
    words = judge.knowledge.local_words
    ranks = RowRanks(USUAL.keep)
    with open_part(request, ranks, local_words=words, most_bytes=most_bytes) as part:
        exact = number_exact(part.domains, judge)  # before the parsing
        spellings = parse_spellings(part.domains, lambda share: None)
        rows = np.flatnonzero(part.addresses.codes >= FIRST_FAULT)
        addresses = part.addresses.take(rows)  # neither the header nor a blank line is one
        is_whole = part.is_whole
    count = len(addresses.codes)
    is_last = find_kept_rows(addresses.codes, addresses.keys, spellings.canonical)
    every = _pick(np.arange(count), judged_rows)
    staying = _pick(np.flatnonzero(is_last), judged_rows) if is_whole else every[:0]
    wanted = np.union1d(every, staying)
    seen = mark_seen(begin_seen(), addresses.codes[wanted], addresses.flags[wanted])
    table = judge_domains(spellings, exact, seen, judge, lambda share: None)
    return Preview(
        rows=count if is_whole else max(row_count or 0, count + 1),
        judged=len(wanted),
        read=count,
        duplicates=int(np.count_nonzero(~is_last)),
        as_it_is=_measure(addresses.take(every), table, spellings),
        kept=_measure(addresses.take(staying), table, spellings) if is_whole else None,
        data_version=judge.knowledge.data_version,
    )


def _pick(rows: NDArray[np.intp], count: int) -> NDArray[np.intp]:
    """Return so many of the rows at random, all where there are no more; the same each time."""
    if len(rows) <= count:
        return rows
    return np.sort(np.random.default_rng(_SEED).choice(rows, count, replace=False))


def _measure(
    addresses: AddressCodes, table: VerdictTable, spellings: DomainSpellings
) -> ListHealth:
    """Return the shares among some addresses."""
    count = max(1, len(addresses.codes))
    places = table.find_places(addresses.codes, addresses.flags, addresses.keys)
    categories = np.array([CATEGORIES.index(one.category) for one in table.verdicts])[places]
    invalid = np.count_nonzero(spellings.faults[addresses.codes])
    return ListHealth(
        {
            one: int(np.count_nonzero(categories == place)) / count
            for place, one in enumerate(CATEGORIES)
        },
        int(invalid) / count,
    )
